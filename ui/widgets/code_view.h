#pragma once

#include <QPlainTextEdit>
#include <QStringList>
#include <map>
#include <vector>

#include "core/codegen/kernel_source.h"

class QSyntaxHighlighter;

namespace kernelscape {

class CHighlighter;

/** C stands for CUDA C++ and OpenCL C as well. */
enum class CodeLanguage { C, Assembly, Plain };
/** Warning: what costs time and need not be there. Error: what a compiler refused. */
enum class LineMark { None, Removed, Added, Folded, Warning, Error };

/** Lines that are not one source from its start to its end, such as the difference of two. */
struct MarkedCode {
  QString text;
  QStringList labels;                   ///< for the margin, one per line; empty: line numbers
  std::vector<LineMark> marks;          ///< one per line; empty: none
  std::vector<bool> starts_in_comment;  ///< one per line; empty: as the line before it ended
};

/**
 * Source text to read, with syntax colours and line numbers, or other labels and marks for each line. Several
 * views can be linked: each tells which of its lines is chosen or pointed at, and shows those that belong to
 * what is chosen in another. Lines count from 0.
 */
class CodeView : public QPlainTextEdit {
  Q_OBJECT

 public:
  explicit CodeView(CodeLanguage language, QWidget* parent = nullptr);

  /** Of C: which words are the language's own. Before the code is set. */
  void set_dialect(Dialect dialect);
  /** Replaces the text; with line numbers and no marks. */
  void set_code(const QString& code);
  /** Replaces the text, labels and marks. */
  void set_marked_code(const MarkedCode& code);

  /** Selects the next occurrence, from the start again after the last one. @return whether there is one */
  bool find_next(const QString& text, bool backward);

  /** Tints these lines and marks them in the margin, in place of those before; what is beyond the end is left
   * out. */
  void set_linked_lines(std::vector<int> lines);
  /** The same, softly: of what the pointer is on in another view. */
  void set_hinted_lines(std::vector<int> lines);
  /** As last set, ascending. */
  const std::vector<int>& linked_lines() const { return linked_; }
  /** As last set, ascending. */
  const std::vector<int>& hinted_lines() const { return hinted_; }
  /** What is said of lines stands behind their text, cut where there is no room; their tool tips have all of
   * it. In place of those before; new text has none. */
  void set_line_notes(std::map<int, QString> notes);
  const std::map<int, QString>& line_notes() const { return notes_; }  ///< as last set, by line

  /** Scrolls the line into the middle where it is not seen; the caret stays. */
  void reveal_line(int line);
  /** Puts the caret at the line's start and scrolls it into view, without `line_chosen`. */
  void put_caret(int line);

  /** Called by the margin. */
  void paint_margin(QWidget& margin, const QRect& area);
  /** In pixels, wide enough for the longest label. */
  int margin_width() const;

 signals:
  /** The user put the caret into this line, by pointer or keys. */
  void line_chosen(int line);
  /** The pointer is on this line; -1: on none any more. */
  void line_hovered(int line);
  /** Enter, + or - in this line, or a click on it where it is marked as folded. */
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
  void tint_lines(const std::vector<int>& lines, const QColor& tint, const QRect& area);

  QWidget* margin_ = nullptr;
  QSyntaxHighlighter* highlighter_ = nullptr;  ///< null: plain text
  CHighlighter* c_highlighter_ = nullptr;      ///< null: another language
  QStringList labels_;
  std::vector<LineMark> marks_;
  std::map<int, QString> notes_;
  std::vector<int> linked_;
  std::vector<int> hinted_;
  int caret_line_ = 0;
  int pointed_line_ = -1;
  bool silent_ = false;  ///< the caret is moved by the program
};

}  // namespace kernelscape
