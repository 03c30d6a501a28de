#pragma once

#include <QTextBrowser>

namespace kernelscape::manual {

/**
 * Shows a page of the manual as rich text: Markdown with the program's pictures, in the colours of the theme.
 */
class Text : public QTextBrowser {
  Q_OBJECT

 public:
  explicit Text(QWidget* parent = nullptr);

  /**
   * Shows Markdown text.
   * @param path path of the page in the source tree, to which its pictures are relative
   */
  void show_markdown(const QString& markdown, const QString& path);
  /** Scrolls to the heading with this anchor, or to the top if there is none. */
  void scroll_to_heading(const QString& anchor);

  QVariant loadResource(int type, const QUrl& name) override;

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  void fit_pictures();

  QString folder_;  ///< folder of the page in the source tree
};

}  // namespace kernelscape::manual
