#pragma once

#include <QPlainTextEdit>
#include <QStringList>
#include <map>
#include <vector>

#include "core/codegen/kernel_source.h"

class QPainter;
class QSyntaxHighlighter;

namespace kernelscape::widgets {

class CHighlighter;

/** The language of a source. C includes CUDA C++ and OpenCL C. */
enum class CodeLanguage { C, Assembly, Plain };
/** The mark of a line. Warning: avoidable cost. Error: the compiler rejected the line. */
enum class LineMark { None, Removed, Added, Folded, Warning, Error };

/** Lines that are not one contiguous source, such as the difference of two sources. */
struct MarkedCode {
  QString text;
  QStringList labels;           ///< labels of the margin, one per line; empty: line numbers
  std::vector<LineMark> marks;  ///< one per line; empty: no marks
  std::vector<bool>
      starts_in_comment;  ///< one per line; empty: each line continues the state of the previous one
};

/**
 * A read-only view of source text, with syntax colours and line numbers, or with other labels and marks for
 * each line. Views can be linked: each reports which of its lines is chosen or under the pointer, and
 * highlights the lines that belong to the line chosen in another view. Lines count from 0.
 */
class CodeView : public QPlainTextEdit {
  Q_OBJECT

 public:
  explicit CodeView(CodeLanguage language, QWidget* parent = nullptr);

  /** Sets the dialect of C, which determines its keywords. Call it before the code is set. */
  void set_dialect(codegen::Dialect dialect);
  /** Replaces the text and shows line numbers without marks. */
  void set_code(const QString& code);
  /** Replaces text, labels and marks. */
  void set_marked_code(const MarkedCode& code);

  /**
   * Selects the next occurrence and wraps around after the last one. @return true if there is an occurrence
   */
  bool find_next(const QString& text, bool backward);

  /**
   * Tints these lines and marks them in the margin, replacing the previous ones; lines beyond the end are
   * ignored.
   */
  void set_linked_lines(std::vector<int> lines);
  /** Tints these lines faintly, for the line under the pointer in another view. */
  void set_hinted_lines(std::vector<int> lines);
  /** Returns the linked lines, ascending. */
  const std::vector<int>& linked_lines() const { return linked_; }
  /** Returns the hinted lines, ascending. */
  const std::vector<int>& hinted_lines() const { return hinted_; }
  /**
   * Sets notes, which replace all previous ones. A note stands behind the line's text, cut if there is no
   * room; the line's tool tip shows all of it. Setting new text removes all notes.
   */
  void set_line_notes(std::map<int, QString> notes);
  const std::map<int, QString>& line_notes() const { return notes_; }  ///< as last set, by line

  /**
   * Shows each line's share of a whole in the margin, as a bar, whose length is relative to the largest
   * share, and as a percentage. Replaces all previous shares; setting new text removes them.
   * @param shares by line, 0 to 1; empty: the margin has no bars
   * @param meaning what the shares are, as the margin's tool tip
   */
  void set_line_shares(std::vector<double> shares, const QString& meaning);
  const std::vector<double>& line_shares() const { return shares_; }  ///< as last set, by line

  /** Scrolls the line into the middle if it is not visible; the caret does not move. */
  void reveal_line(int line);
  /** Puts the caret at the line's start and scrolls it into view, without emitting `line_chosen`. */
  void put_caret(int line);

  /** Paints the margin; called by the margin's widget. */
  void paint_margin(QWidget& margin, const QRect& area);
  /** Returns the margin's width in pixels, wide enough for the longest label. */
  int margin_width() const;

 signals:
  /** Emitted when the user puts the caret into this line, by pointer or keys. */
  void line_chosen(int line);
  /** Emitted when the pointer enters this line; -1: it left the text. */
  void line_hovered(int line);
  /** Emitted on Enter, + or - in this line, or on a click on it if it is marked as folded. */
  void line_activated(int line);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  bool viewportEvent(QEvent* event) override;
  bool event(QEvent* event) override;

 private:
  void apply_theme();
  void apply_marks();
  void place_margin();
  QString label_of(int line) const;
  LineMark mark_of(int line) const;
  void follow_caret();
  void follow_pointer(int line);
  void paint_notes(const QRect& area);
  void paint_share(QPainter& painter, int line, const QRectF& place) const;
  int share_width() const;
  void tint_lines(const std::vector<int>& lines, const QColor& tint, const QRect& area);

  QWidget* margin_ = nullptr;
  QSyntaxHighlighter* highlighter_ = nullptr;  ///< null: plain text
  CHighlighter* c_highlighter_ = nullptr;      ///< null: another language
  QStringList labels_;
  std::vector<LineMark> marks_;
  std::map<int, QString> notes_;
  std::vector<double> shares_;
  std::vector<int> linked_;
  std::vector<int> hinted_;
  int caret_line_ = 0;
  int pointed_line_ = -1;
  bool silent_ = false;  ///< true while the program moves the caret
};

}  // namespace kernelscape::widgets
