#include <QFile>

#include "core/base/media/html.h"
#include "core/session/version.h"
#include "ui/report/figure_svg.h"
#include "ui/report/writers.h"
#include "ui/style/theme.h"

/** The resources of a static library are linked only if this is called; it can't be in a namespace. */
static void register_style_sheet() { Q_INIT_RESOURCE(resources); }

namespace kernelscape::report {
namespace {

using ClassDeclarations = std::map<std::string, std::pair<base::HtmlText, base::HtmlText>>;

base::HtmlText html(const QString& text) { return base::Html::text(printable_text(text).toStdString()); }

/** Returns the CSS colours of the page, from the theme. */
base::HtmlText page_colours(const style::Colours& theme) {
  struct NamedColour {
    base::Literal name;
    QColor colour;
  };
  const NamedColour all[] = {{"page", theme.window},       {"surface", theme.surface},
                             {"text", theme.text},         {"muted", theme.muted_text},
                             {"hairline", theme.hairline}, {"accent", theme.accent},
                             {"warning", theme.warning}};
  base::HtmlText text;
  for (const auto& [name, colour] : all)
    text += base::write<base::Html>("  --{}: {};\n", name, colour.name().toStdString());
  return text;
}

QByteArray style_sheet() {
  register_style_sheet();
  QFile file(QStringLiteral(":/report.css"));
  if (!file.open(QIODevice::ReadOnly)) return {};
  return file.readAll();
}

class HtmlWriter {
 public:
  explicit HtmlWriter(const Document& document) : document_(document) {
    for (const Block& block : document.blocks)
      std::visit([this](const auto& content) { write(content); }, block);
  }

  HtmlParts parts() const {
    base::HtmlText body = "<header>\n<h1>" + html(document_.title) + "</h1>\n";
    if (!document_.subtitle.isEmpty()) body += "<p class=\"muted\">" + html(document_.subtitle) + "</p>\n";
    body += "</header>\n" + contents() + body_;
    return {html(document_.title), QByteArray::fromStdString(styles().text()) + style_sheet(), body};
  }

  QByteArray page() const {
    const HtmlParts page_parts = parts();
    const base::HtmlText head =
        "<!DOCTYPE html>\n<html xmlns=\"http://www.w3.org/1999/xhtml\" lang=\"en\">\n<head>\n"
        "<meta charset=\"utf-8\"/>\n<meta http-equiv=\"Content-Security-Policy\" "
        "content=\"default-src 'none'; style-src 'unsafe-inline'; img-src data:\"/>\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
        "<meta name=\"color-scheme\" content=\"light dark\"/>\n<title>" +
        page_parts.title + "</title>\n<style>\n";
    const base::HtmlText text =
        page_parts.body +
        kernelscape::base::write<base::Html>("<footer>Kernelscape {}</footer>\n", session::program_version);
    return QByteArray::fromStdString(head.text()) + page_parts.styles +
           "</style>\n</head>\n<body>\n<main>\n" + QByteArray::fromStdString(text.text()) +
           "</main>\n</body>\n</html>\n";
  }

 private:
  void write(const Heading& heading) {
    const base::HtmlText text = html(heading.text);
    if (heading.level > 2) {
      body_ += "<h3>" + text + "</h3>\n";
      return;
    }
    const base::HtmlText id = kernelscape::base::write<base::Html>("section-{}", ++sections_);
    body_ += "<h2 id=\"" + id + "\">" + text + "</h2>\n";
    links_ += "<li><a href=\"#" + id + "\">" + text + "</a></li>\n";
  }

  void write(const Paragraph& paragraph) {
    const base::Literal tone = paragraph.tone == Tone::Muted    ? base::Literal(" class=\"muted\"")
                               : paragraph.tone == Tone::Notice ? base::Literal(" class=\"notice\"")
                                                                : base::Literal("");
    body_ += "<p" + base::HtmlText(tone) + ">" + html(paragraph.text) + "</p>\n";
  }

  void write(const Headline& headline) {
    body_ += "<div class=\"headline\">\n<strong>" + html(headline.number) + "</strong>\n<span>" +
             html(headline.spread) + "</span>\n<ul>\n";
    for (const QString& fact : headline.facts) body_ += "<li>" + html(fact) + "</li>\n";
    body_ += "</ul>\n</div>\n";
  }

  void write(const Facts& facts) {
    body_ += "<table class=\"facts\">\n<tbody>\n";
    for (const auto& [name, value] : facts.facts)
      body_ += "<tr><th scope=\"row\">" + html(name) + "</th><td>" + html(value) + "</td></tr>\n";
    body_ += "</tbody>\n</table>\n";
  }

  void write(const Table& table) {
    body_ += "<div class=\"wide\">\n<table>\n";
    if (!table.caption.isEmpty()) body_ += "<caption>" + html(table.caption) + "</caption>\n";
    body_ += "<thead>\n<tr>";
    for (const Column& column : table.columns)
      body_ += "<th scope=\"col\"" + base::HtmlText(class_of(column)) + ">" + html(column.title) + "</th>";
    body_ += "</tr>\n</thead>\n<tbody>\n";
    for (const QStringList& row : table.rows) {
      body_ += "<tr>";
      for (std::size_t index = 0; index < table.columns.size(); ++index)
        body_ += "<td" + base::HtmlText(class_of(table.columns[index])) + ">" +
                 html(row.value(static_cast<qsizetype>(index))) + "</td>";
      body_ += "</tr>\n";
    }
    body_ += "</tbody>\n</table>\n</div>\n";
  }

  void write(const figures::Figure& figure) {
    const FigureSvg svg = make_figure_svg(figure);
    const base::HtmlText id = kernelscape::base::write<base::Html>("figure-{}", ++figures_);
    for (const auto& [name, declarations] : svg.classes) {
      const auto [known, is_new] = classes_.try_emplace(name, declarations);
      // A class of the same name has another colour in this chart.
      if (!is_new && known->second != declarations) own_classes_[id.text() + " ." + name] = declarations;
    }
    body_ += "<figure id=\"" + id +
             (is_half_wide(figure) ? base::Literal("\" class=\"half") : base::Literal("")) + "\">\n" +
             svg.element;
    if (!figure.text.caption.isEmpty())
      body_ += "<figcaption>" + html(figure.text.caption) + "</figcaption>\n";
    body_ += "</figure>\n";
  }

  void write(const Code& code) { body_ += "<pre>" + html(code.text) + "</pre>\n"; }

  static base::Literal class_of(const Column& column) {
    if (column.numeric) return " class=\"number\"";
    return column.code ? base::Literal(" class=\"code\"") : base::Literal("");
  }

  /** Returns the table of contents, if the report has too many sections to see at a glance. */
  base::HtmlText contents() const {
    constexpr int worth_a_list = 4;
    if (sections_ < worth_a_list) return {};
    return "<nav aria-label=\"Contents\">\n<ol>\n" + links_ + "</ol>\n</nav>\n";
  }

  base::HtmlText chart_styles(bool dark) const {
    base::HtmlText text;
    const auto declaration = [dark](const auto& both) { return dark ? both.second : both.first; };
    for (const auto& [name, both] : classes_)
      if (!dark || both.first != both.second)
        text += kernelscape::base::write<base::Html>("svg .{} {{ {} }}\n", name, declaration(both));
    for (const auto& [name, both] : own_classes_)
      text += kernelscape::base::write<base::Html>("#{} {{ {} }}\n", name, declaration(both));
    return text;
  }

  base::HtmlText styles() const {
    return ":root {\n" + page_colours(style::light_colours()) + "}\n" + chart_styles(false) +
           "@media screen and (prefers-color-scheme: dark) {\n:root {\n" +
           page_colours(style::dark_colours()) + "}\n" + chart_styles(true) + "}\n";
  }

  const Document& document_;
  base::HtmlText body_;
  base::HtmlText links_;
  ClassDeclarations classes_;
  ClassDeclarations own_classes_;
  int sections_ = 0;
  int figures_ = 0;
};

}  // namespace

QByteArray to_html(const Document& document) { return HtmlWriter(document).page(); }

HtmlParts to_html_parts(const Document& document) { return HtmlWriter(document).parts(); }

}  // namespace kernelscape::report
