#pragma once

#include <QByteArray>
#include <QString>

#include "core/base/media/html.h"
#include "ui/report/document.h"

namespace kernelscape::web {

/** The contents of a page, which any thread can make. */
struct PageContents {
  report::Document document;
  base::HtmlText links = {};  ///< links to related pages, above the document
  base::HtmlText list = {};   ///< lists of links below the document's blocks
};

/** A page that keeps itself current in a browser. */
struct Page {
  QByteArray html;      ///< self-contained: charts, styles and the script are part of it
  QByteArray revision;  ///< equal for equal contents: hexadecimal digits
};

/** Renders a page. Must be called on the window's thread; takes some milliseconds per chart. */
Page make_page(const PageContents& contents);

/** Returns a page with a message, which does not keep itself current. Must be called on the window's thread.
 */
QByteArray message_page(const QString& title, const QString& text);

/** Returns the script of pages, the only one that browsers are allowed to run. */
const QByteArray& page_script();

}  // namespace kernelscape::web
