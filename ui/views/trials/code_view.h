#pragma once

#include <QPlainTextEdit>
#include <QStringList>
#include <vector>

class QSyntaxHighlighter;

namespace kernelscape {

enum class CodeLanguage { C, Assembly };
enum class LineMark { None, Removed, Added, Folded };

/** Source text to read, with syntax colours and line numbers, or other labels and marks for each line. */
class CodeView : public QPlainTextEdit {
  Q_OBJECT

 public:
  explicit CodeView(CodeLanguage language, QWidget* parent = nullptr);

  void set_code(const QString& code);
  /** @param labels for the margin, one per line @param marks one per line */
  void set_marked_code(const QString& code, const QStringList& labels, std::vector<LineMark> marks);

  /** Selects the next occurrence, from the start again after the last one. @return whether there is one */
  bool find_next(const QString& text, bool backward);

  /** Called by the margin. */
  void paint_margin(QWidget& margin, const QRect& area);
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
  QSyntaxHighlighter* highlighter_ = nullptr;
  QStringList labels_;
  std::vector<LineMark> marks_;
};

}  // namespace kernelscape
