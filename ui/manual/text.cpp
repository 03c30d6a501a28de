#include "ui/manual/text.h"

#include <QDir>
#include <QImage>
#include <QPointer>
#include <QScrollBar>
#include <QTextBlock>
#include <QTextTable>
#include <QUrl>
#include <algorithm>
#include <tuple>

#include "ui/manual/page.h"
#include "ui/style/theme.h"

namespace kernelscape::manual {
namespace {

constexpr int frame_pixels = 3 * style::grid_pixels;

/** Draws lines between the cells of tables, and adds padding. */
void draw_tables(QTextDocument& document) {
  QList<QTextFrame*> frames = document.rootFrame()->childFrames();
  for (QTextFrame* frame : frames) {
    auto* table = qobject_cast<QTextTable*>(frame);
    if (table == nullptr) continue;
    QTextTableFormat format = table->format();
    format.setBorder(1);
    format.setBorderCollapse(true);
    format.setBorderStyle(QTextFrameFormat::BorderStyle_Solid);
    format.setBorderBrush(style::colours().hairline);
    format.setCellPadding(style::grid_pixels / 2.0);
    table->setFormat(format);
  }
}

}  // namespace

Text::Text(QWidget* parent) : QTextBrowser(parent) { setOpenLinks(false); }

void Text::show_markdown(const QString& markdown, const QString& path) {
  folder_ = path.contains(QLatin1Char('/')) ? path.section(QLatin1Char('/'), 0, -2) : QString();
  // A document that is shown lays out the whole page again for each table that is added: seconds for long
  // pages.
  auto* made = new QTextDocument(this);
  made->setUndoRedoEnabled(false);  // as in the document that QTextBrowser makes
  made->setDefaultFont(font());
  made->setDocumentMargin(frame_pixels);
  made->setMarkdown(markdown, QTextDocument::MarkdownDialectGitHub);
  draw_tables(*made);
  const QPointer<QTextDocument> before(document());  // deleted with the first change if it is Qt's own
  setDocument(made);
  delete before.data();
  fit_pictures();
  std::ignore = made->size();  // finishes the layout, so that the scroll bar reaches every heading
}

void Text::scroll_to_heading(const QString& anchor) {
  for (QTextBlock block = document()->begin(); block.isValid() && !anchor.isEmpty(); block = block.next()) {
    if (block.blockFormat().headingLevel() == 0 || anchor_of(block.text()) != anchor) continue;
    QTextCursor cursor(block);
    setTextCursor(cursor);
    verticalScrollBar()->setValue(verticalScrollBar()->value() + cursorRect(cursor).top() -
                                  style::grid_pixels);
    return;
  }
  setTextCursor(QTextCursor(document()->begin()));
  verticalScrollBar()->setValue(0);
}

QVariant Text::loadResource(int type, const QUrl& name) {
  if (type != QTextDocument::ImageResource) return QTextBrowser::loadResource(type, name);
  return QImage(QStringLiteral(":/manual/") + QDir::cleanPath(folder_ + QLatin1Char('/') + name.path()));
}

void Text::resizeEvent(QResizeEvent* event) {
  QTextBrowser::resizeEvent(event);
  fit_pictures();
}

void Text::fit_pictures() {
  const int widest = std::max(viewport()->width() - 2 * frame_pixels, 10 * style::grid_pixels);
  for (QTextBlock block = document()->begin(); block.isValid(); block = block.next()) {
    for (auto part = block.begin(); !part.atEnd(); ++part) {
      const QTextFragment fragment = part.fragment();
      if (!fragment.charFormat().isImageFormat()) continue;
      QTextImageFormat format = fragment.charFormat().toImageFormat();
      const QImage picture = loadResource(QTextDocument::ImageResource, QUrl(format.name())).value<QImage>();
      if (picture.isNull()) continue;
      const int width = std::min(widest, picture.width());
      if (static_cast<int>(format.width()) == width) continue;
      format.setWidth(width);
      format.setHeight(static_cast<double>(picture.height()) * width / picture.width());
      QTextCursor cursor(document());
      cursor.setPosition(fragment.position());
      cursor.setPosition(fragment.position() + fragment.length(), QTextCursor::KeepAnchor);
      cursor.setCharFormat(format);
      // Setting the format has replaced the fragments of the block.
      part = block.begin();
    }
  }
}

}  // namespace kernelscape::manual
