#include "ui/web/page.h"

#include <QCryptographicHash>
#include <QFile>

#include "ui/report/writers.h"

/** The resources of a static library are linked only if this is called; it can't be in a namespace. */
static void register_page_resources() { Q_INIT_RESOURCE(resources); }

namespace kernelscape::web {
namespace {

constexpr qsizetype revision_digits = 32;

QByteArray resource(const QString& path) {
  register_page_resources();
  QFile file(path);
  return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

/** Returns a page around its parts. @param attributes of the root element */
QByteArray framed_page(const report::HtmlParts& parts, const QByteArray& styles, const QByteArray& attributes,
                       const QByteArray& script) {
  return "<!DOCTYPE html>\n<html lang=\"en\"" + attributes +
         ">\n<head>\n<meta charset=\"utf-8\">\n"
         "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
         "<meta name=\"color-scheme\" content=\"light dark\">\n<link rel=\"icon\" href=\"data:,\">\n" +
         (script.isEmpty()
              ? QByteArray()
              : QByteArray("<noscript><meta http-equiv=\"refresh\" content=\"10\"></noscript>\n")) +
         "<title>" + QByteArray::fromStdString(parts.title.text()) + "</title>\n<style>\n" + styles +
         "</style>\n</head>\n<body>\n<header class=\"bar\"><a href=\"/\">All sessions and studies</a>"
         "<span id=\"connection\" role=\"status\"></span></header>\n<main>\n" +
         QByteArray::fromStdString(parts.body.text()) + "</main>\n" + script + "</body>\n</html>\n";
}

QByteArray styles_of(const report::HtmlParts& parts) {
  static const QByteArray own = resource(QStringLiteral(":/web.css"));
  return parts.styles + own;
}

}  // namespace

const QByteArray& page_script() {
  static const QByteArray script = resource(QStringLiteral(":/web.js"));
  return script;
}

Page make_page(const PageContents& contents) {
  report::HtmlParts parts = report::to_html_parts(contents.document);
  parts.body = contents.links + parts.body + contents.list;
  const QByteArray styles = styles_of(parts);
  QCryptographicHash hash(QCryptographicHash::Sha256);
  hash.addData(styles);
  hash.addData(QByteArray::fromStdString(parts.title.text()));
  hash.addData(QByteArray::fromStdString(parts.body.text()));
  const QByteArray revision = hash.result().toHex().left(revision_digits);
  return {framed_page(parts, styles, " data-revision=\"" + revision + "\"",
                      "<script>" + page_script() + "</script>\n"),
          revision};
}

QByteArray message_page(const QString& title, const QString& text) {
  const report::HtmlParts parts = report::to_html_parts({title, {}, {report::Paragraph{text}}});
  return framed_page(parts, styles_of(parts), {}, {});
}

}  // namespace kernelscape::web
