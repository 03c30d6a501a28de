#pragma once

#include <QPlainTextEdit>
#include <QStringList>
#include <vector>

#include "core/codegen/kernel_source.h"

class QSyntaxHighlighter;

namespace kernelscape {

class CHighlighter;

/** C stands for CUDA C++ and OpenCL C as well. */
enum class CodeLanguage { C, Assembly, Plain };
enum class LineMark { None, Removed, Added, Folded };

/** Lines that are not one source from its start to its end, such as the difference of two. */
struct MarkedCode {
  QString text;
  QStringList labels;                   ///< for the margin, one per line; empty: line numbers
  std::vector<LineMark> marks;          ///< one per line; empty: none
  std::vector<bool> starts_in_comment;  ///< one per line; empty: as the line before it ended
};

/** Source text to read, with syntax colours and line numbers, or other labels and marks for each line. */
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

  /** Called by the margin. */
  void paint_margin(QWidget& margin, const QRect& area);
  /** In pixels, wide enough for the longest label. */
  int margin_width() const;

 protected:
  void resizeEvent(QResizeEvent* event) override;
  bool event(QEvent* event) override;

 private:
  void apply_theme();
  void apply_marks();
  void place_margin();
  QString label_of(int line) const;

  QWidget* margin_ = nullptr;
  QSyntaxHighlighter* highlighter_ = nullptr;  ///< null: plain text
  CHighlighter* c_highlighter_ = nullptr;      ///< null: another language
  QStringList labels_;
  std::vector<LineMark> marks_;
};

}  // namespace kernelscape
