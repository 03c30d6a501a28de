#include "ui/report/figure_svg.h"

#include "ui/charts/svg_canvas.h"

namespace kernelscape::report {
namespace {

charts::SvgCanvas drawn(charts::Chart& chart, const QSize& size, const style::Colours& theme) {
  const style::ColoursScope scope(theme);
  charts::SvgCanvas canvas{QSizeF(size), chart.accessibleName()};
  chart.render_to(canvas, QSizeF(size));
  return canvas;
}

}  // namespace

FigureSvg make_figure_svg(const figures::Figure& figure) {
  const std::unique_ptr<charts::Chart> chart = figure.make();
  chart->resize(figure.size);
  const charts::SvgCanvas light = drawn(*chart, figure.size, style::light_colours());
  const charts::SvgCanvas dark = drawn(*chart, figure.size, style::dark_colours());
  FigureSvg result{light.element(), {}};
  for (const auto& [name, declaration] : light.classes()) {
    const auto other = dark.classes().find(name);
    result.classes[name] = {declaration, other == dark.classes().end() ? declaration : other->second};
  }
  return result;
}

}  // namespace kernelscape::report
