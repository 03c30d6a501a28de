#pragma once

#include <QTextBrowser>

namespace kernelscape {

/** A page of the manual as rich text: Markdown with the program's pictures, in the theme's colours. */
class ManualText : public QTextBrowser {
  Q_OBJECT

 public:
  explicit ManualText(QWidget* parent = nullptr);

  /** @param path of the page in the source tree: its pictures are named from there */
  void show_markdown(const QString& markdown, const QString& path);
  /** Scrolls to the heading with this anchor; to the top where there is none. */
  void scroll_to_heading(const QString& anchor);

  QVariant loadResource(int type, const QUrl& name) override;

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  void fit_pictures();

  QString folder_;  ///< of the page, in the source tree
};

}  // namespace kernelscape
