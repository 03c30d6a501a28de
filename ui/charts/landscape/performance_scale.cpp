#include "ui/charts/landscape/performance_scale.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "ui/charts/landscape/viridis_scale.h"
#include "ui/style/numbers.h"

namespace kernelscape::charts {
namespace {

/** The colours span at least this share of the largest value. */
constexpr double min_relative_range = 0.05;
constexpr double scale_piece_width = 40;  // width of a horizontal bar's piece between two labels
constexpr double scale_piece_height = 10;
constexpr double scale_label_gap = 4;
constexpr int scale_piece_steps = 12;

/** The parts of a horizontal scale: labels, and a piece of the bar between each two. */
struct LevelScale {
  std::vector<ScaleMark> marks;
  QStringList labels;
  double width = 0;
};

/** Returns the parts of a scale. @return without marks if it does not fit */
LevelScale level_scale_of(double room, const PerformanceScale& scale, const QString& unit) {
  if (scale.empty()) return {};
  for (const std::size_t max_count : std::array<std::size_t, 3>{5, 3, 2}) {
    LevelScale level{scale.marks(max_count), {}, 0};
    for (const ScaleMark& mark : level.marks) level.labels.append(style::format_number(mark.value, 3));
    level.labels.back() += QLatin1Char(' ') + unit;
    for (const QString& label : level.labels) level.width += text_width(label, style::TextSize::Small);
    // A single value has a piece of its colour before it.
    const auto pieces = std::max<std::size_t>(1, level.marks.size() - 1);
    level.width += static_cast<double>(pieces) * (scale_piece_width + 2 * scale_label_gap);
    if (level.width <= room) return level;
  }
  return {};
}

void paint_piece(Canvas& canvas, QPointF left, double from, double to) {
  for (int step = 0; step < scale_piece_steps; ++step) {
    const double share = (step + 0.5) / scale_piece_steps;
    canvas.rect(
        QRectF(left.x() + scale_piece_width * step / scale_piece_steps, left.y() - scale_piece_height / 2,
               scale_piece_width / scale_piece_steps + 0.5, scale_piece_height),
        viridis_ink(from + (to - from) * share));
  }
}

}  // namespace

PerformanceScale::PerformanceScale(std::vector<double> values, bool higher_is_better)
    : values_(std::move(values)), higher_is_better_(higher_is_better) {
  std::erase_if(values_, [](double value) { return !std::isfinite(value) || value <= 0; });
  std::ranges::sort(values_);
  values_.erase(std::ranges::unique(values_).begin(), values_.end());
}

double PerformanceScale::relative_range() const {
  return values_.empty() ? 0 : (values_.back() - values_.front()) / values_.back();
}

bool PerformanceScale::nearly_equal() const {
  return values_.size() > 1 && relative_range() < min_relative_range;
}

/** Returns the position of a value: 0 at the smallest value, 1 at the largest. */
double PerformanceScale::ascending_place(double value) const {
  if (nearly_equal()) {
    const double width = min_relative_range * values_.back();
    return 0.5 + (value - (values_.front() + values_.back()) / 2) / width;
  }
  const auto above = std::ranges::lower_bound(values_, value);
  if (above == values_.begin()) return 0;
  if (above == values_.end()) return 1;
  const double below = *(above - 1);
  const double rank = static_cast<double>(above - values_.begin()) - 1 + (value - below) / (*above - below);
  return rank / static_cast<double>(values_.size() - 1);
}

double PerformanceScale::brightness(double value) const {
  if (values_.size() < 2) return 1;
  const double place = std::clamp(ascending_place(value), 0.0, 1.0);
  return higher_is_better_ ? place : 1 - place;
}

double PerformanceScale::value_at(double brightness) const {
  const double place = std::clamp(higher_is_better_ ? brightness : 1 - brightness, 0.0, 1.0);
  if (nearly_equal())
    return (values_.front() + values_.back()) / 2 + (place - 0.5) * min_relative_range * values_.back();
  const double rank = place * static_cast<double>(values_.size() - 1);
  const auto below = static_cast<std::size_t>(rank);
  const std::size_t above = std::min(below + 1, values_.size() - 1);
  return std::lerp(values_[below], values_[above], rank - static_cast<double>(below));
}

std::vector<ScaleMark> PerformanceScale::marks(std::size_t max_count) const {
  if (values_.size() < 2) {
    return values_.empty() ? std::vector<ScaleMark>() : std::vector{ScaleMark{1, values_.front()}};
  }
  const std::size_t count = nearly_equal() ? 2 : std::min(max_count, values_.size());
  std::vector<ScaleMark> marks;
  for (std::size_t mark = 0; mark < count; ++mark) {
    const double at = static_cast<double>(mark) / static_cast<double>(count - 1);
    marks.push_back({at, value_at(at)});
  }
  return marks;
}

double performance_label_width(const PerformanceScale& scale, const ScaleText& text) {
  double widest = 0;
  for (const ScaleMark& mark : scale.marks())
    widest = std::max(widest, text_width(text(mark.value), style::TextSize::Small));
  return widest;
}

void paint_upright_scale(Canvas& canvas, const QRectF& bar, const PerformanceScale& scale,
                         const ScaleText& text) {
  if (scale.empty()) return;
  paint_viridis_bar(canvas, bar);
  const double line = text_height(style::TextSize::Small);
  const auto fitting = static_cast<std::size_t>(std::max(2.0, bar.height() / (1.5 * line)));
  for (const ScaleMark& mark : scale.marks(std::min<std::size_t>(5, fitting))) {
    const double y = bar.bottom() - mark.brightness * bar.height();
    canvas.text({bar.right() + scale_label_gap, std::clamp(y, bar.top() + line / 2, bar.bottom() - line / 2)},
                text(mark.value), {.ink = muted_ink()});
  }
}

double level_scale_width(double room, const PerformanceScale& scale, const QString& unit) {
  return level_scale_of(room, scale, unit).width;
}

double paint_level_scale(Canvas& canvas, QPointF at, double room, const PerformanceScale& scale,
                         const QString& unit) {
  const LevelScale level = level_scale_of(room, scale, unit);
  double x = at.x();
  const bool alone = level.marks.size() == 1;
  for (std::size_t mark = 0; mark < level.marks.size(); ++mark) {
    if (mark > 0 || alone) {
      const double from = alone ? 1 : level.marks[mark - 1].brightness;
      paint_piece(canvas, {x + scale_label_gap, at.y()}, from, level.marks[mark].brightness);
      x += scale_piece_width + 2 * scale_label_gap;
    }
    const QString& label = level.labels[static_cast<qsizetype>(mark)];
    canvas.text({x, at.y()}, label, {.ink = muted_ink()});
    x += text_width(label, style::TextSize::Small);
  }
  return level.width;
}

}  // namespace kernelscape::charts
