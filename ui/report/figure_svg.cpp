#include "ui/report/figure_svg.h"

#include "ui/charts/svg_canvas.h"

namespace kernelscape {
namespace {

using Classes = std::map<QByteArray, QByteArray>;

QByteArray svg_of(Chart& chart, const QSize& size, const Colours& theme) {
  const ColoursScope scope(theme);
  SvgCanvas canvas{QSizeF(size), chart.accessibleName()};
  chart.render_to(canvas, QSizeF(size));
  return canvas.document();
}

/** What stands between the tags of the document's only style: a class with its declaration per line. */
Classes classes_of(const QByteArray& svg) {
  Classes classes;
  const qsizetype start = svg.indexOf("<style>");
  for (const QByteArray& line : svg.mid(start, svg.indexOf("</style>") - start).split('\n')) {
    const qsizetype open = line.indexOf(" { ");
    if (line.startsWith('.') && open > 0)
      classes[line.mid(1, open - 1)] = line.mid(open + 3, line.lastIndexOf(" }") - open - 3);
  }
  return classes;
}

/** The root element without its style, which would hold for the whole page. */
QByteArray element_of(QByteArray svg) {
  svg.remove(0, svg.indexOf("<svg "));
  const qsizetype style = svg.indexOf("<style>");
  svg.remove(style, svg.indexOf("</style>\n") + 9 - style);
  svg.insert(4, " class=\"chart\" role=\"img\"");
  // What steers the direction of a text is no part of markup: it can only stand in labels.
  return printable_text(QString::fromUtf8(svg)).toUtf8();
}

}  // namespace

FigureSvg make_figure_svg(const Figure& figure) {
  const std::unique_ptr<Chart> chart = figure.make();
  chart->resize(figure.size);
  const QByteArray light = svg_of(*chart, figure.size, light_colours());
  const Classes dark = classes_of(svg_of(*chart, figure.size, dark_colours()));
  FigureSvg result{element_of(light), {}};
  for (const auto& [name, declaration] : classes_of(light)) {
    const auto other = dark.find(name);
    result.classes[name] = {declaration, other == dark.end() ? declaration : other->second};
  }
  return result;
}

}  // namespace kernelscape
