#include "ui/charts/direct_labels.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace kernelscape::charts {

std::vector<double> spread_labels(const std::vector<double>& heights, double label_height, double top,
                                  double bottom) {
  std::vector<std::size_t> order(heights.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t index) { return heights[index]; });
  std::vector<double> placed(heights);
  double next = top + label_height / 2;
  for (const std::size_t index : order) {
    placed[index] = std::max(heights[index], next);
    next = placed[index] + label_height;
  }
  // Move labels that were pushed beyond the bottom up again, together with those above them.
  double limit = bottom - label_height / 2;
  for (auto index = order.rbegin(); index != order.rend(); ++index) {
    placed[*index] = std::min(placed[*index], limit);
    limit = placed[*index] - label_height;
  }
  return placed;
}

void paint_direct_labels(Canvas& canvas, const QRectF& area, Qt::Alignment side,
                         const std::vector<DirectLabel>& labels) {
  const double height = text_height(style::TextSize::Small);
  std::vector<double> heights;
  for (const DirectLabel& label : labels) heights.push_back(label.y);
  const std::vector<double> placed = spread_labels(heights, height, area.top(), area.bottom());
  Ink ground = surface_ink();
  ground.role = "label-ground";
  ground.colour.setAlphaF(0.82F);
  for (std::size_t index = 0; index < labels.size(); ++index) {
    const DirectLabel& label = labels[index];
    const QString text = elided(label.text, style::TextSize::Small, area.width() - 8, label.bold);
    const double width = text_width(text, style::TextSize::Small, label.bold) + 6;
    const bool right = side & Qt::AlignRight;
    const double border = right ? area.right() - width : area.left();
    const double x = right ? std::min(std::max(label.left, area.left()), border) : border;
    canvas.rect(QRectF(x, placed[index] - height / 2, width, height), ground);
    canvas.text({x + 3, placed[index]}, text, {.ink = label.ink, .bold = label.bold});
  }
}

}  // namespace kernelscape::charts
