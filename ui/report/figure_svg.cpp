#include "ui/report/figure_svg.h"

#include "ui/charts/svg_canvas.h"

namespace kernelscape {
namespace {

SvgCanvas drawn(Chart& chart, const QSize& size, const Colours& theme) {
  const ColoursScope scope(theme);
  SvgCanvas canvas{QSizeF(size), chart.accessibleName()};
  chart.render_to(canvas, QSizeF(size));
  return canvas;
}

}  // namespace

FigureSvg make_figure_svg(const Figure& figure) {
  const std::unique_ptr<Chart> chart = figure.make();
  chart->resize(figure.size);
  const SvgCanvas light = drawn(*chart, figure.size, light_colours());
  const SvgCanvas dark = drawn(*chart, figure.size, dark_colours());
  FigureSvg result{light.element(), {}};
  for (const auto& [name, declaration] : light.classes()) {
    const auto other = dark.classes().find(name);
    result.classes[name] = {declaration, other == dark.classes().end() ? declaration : other->second};
  }
  return result;
}

}  // namespace kernelscape
