#include "ui/charts/landscape/viridis_scale.h"

#include <algorithm>
#include <cmath>

namespace kernelscape::charts {
namespace {

constexpr int steps = 64;

}  // namespace

Ink viridis_ink(double t) {
  const auto step = static_cast<int>(std::lround(std::clamp(t, 0.0, 1.0) * steps));
  return {"viridis-" + std::to_string(step), style::viridis(static_cast<double>(step) / steps)};
}

Ink on_viridis_ink(double t) {
  const QColor colour = style::viridis(t);
  const bool light = style::contrast_ratio(colour, Qt::black) > style::contrast_ratio(colour, Qt::white);
  return light ? Ink{"on-light", QColor(Qt::black)} : Ink{"on-dark", QColor(Qt::white)};
}

void paint_viridis_bar(Canvas& canvas, const QRectF& bar) {
  for (int step = 0; step < steps; ++step) {
    const double t = (step + 0.5) / steps;
    const double top = bar.bottom() - bar.height() * (step + 1) / steps;
    canvas.rect(QRectF(bar.left(), top, bar.width(), bar.height() / steps + 0.5), viridis_ink(t));
  }
}

}  // namespace kernelscape::charts
