#include "ui/charts/bars/mean_rank_chart.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "ui/charts/styles.h"
#include "ui/style/numbers.h"

namespace kernelscape::charts {
namespace {

constexpr double join_gap_pixels = 7;       ///< gap between bars that join tuners
constexpr double join_width_pixels = 4;     ///< thickness of such a bar
constexpr double join_overhang_pixels = 3;  ///< overhang beyond the ranks that it joins
constexpr double rank_tick_pixels = 5;
constexpr double rank_label_share = 0.32;  ///< share of the width, at either side

/**
 * Returns the first and last place of each bar; tuners that are not distinguishable stand beside each other.
 */
std::vector<std::pair<std::size_t, std::size_t>> joined_places(const MeanRankData& data) {
  std::vector<std::pair<std::size_t, std::size_t>> joined;
  for (const std::vector<std::size_t>& arms : data.alike) {
    std::size_t first = data.tuners.size();
    std::size_t last = 0;
    for (std::size_t place = 0; place < data.tuners.size(); ++place) {
      if (std::ranges::find(arms, data.tuners[place].arm) == arms.end()) continue;
      first = std::min(first, place);
      last = place;
    }
    if (first < last) joined.emplace_back(first, last);
  }
  return joined;
}

}  // namespace

struct MeanRankChart::Layout {
  double left = 0;   ///< x of rank 1
  double right = 1;  ///< x of the last rank
  double most = 2;   ///< the last rank
  double axis_y = 0;
  double difference_y = 0;
  double rows_y = 0;  ///< centre of the first row of names
  double row_height = 1;

  double x_of(double rank) const { return left + (rank - 1) / (most - 1) * (right - left); }
};

MeanRankChart::MeanRankChart(QWidget* parent) : Chart(parent) {
  set_title(tr("Mean ranks"));
  set_explanation(tr(
      "On every task the tuners are ranked: the best is 1, equal tuners share their ranks. A tuner stands at "
      "the mean of its ranks over the tasks. Friedman's test says whether the ranks differ at all. Two mean "
      "ranks that differ by no more than the critical difference of Nemenyi's test (level 0.05, corrected "
      "for all pairs) are not distinguishable by these tasks: a thick bar joins them. That does not prove "
      "that they are equal.\n\nHidden tuners are still ranked, and drawn faint.\n\nDemsar, Statistical "
      "comparisons of classifiers over multiple data sets, Journal of Machine Learning Research 7, 2006."));
}

void MeanRankChart::set_data(MeanRankData data) {
  data_ = std::move(data);
  // Ranks that are not numbers come last.
  std::ranges::stable_sort(data_.tuners, {}, [](const RankedTuner& tuner) {
    return std::isnan(tuner.mean_rank) ? HUGE_VAL : tuner.mean_rank;
  });
  joined_ = joined_places(data_);
  QString of = tr("%1 tuners on %2 tasks").arg(data_.tuners.size()).arg(data_.tasks);
  if (!data_.of_what.isEmpty()) of += tr(", by %1").arg(data_.of_what);
  set_title(tr("Mean ranks"), data_.tuners.empty() ? QString() : of);
  set_readout(std::nullopt);
  updateGeometry();
  invalidate();
}

void MeanRankChart::set_hidden(const std::set<std::size_t>& arms) {
  if (arms == hidden_) return;
  hidden_ = arms;
  invalidate();
}

void MeanRankChart::set_highlighted(std::optional<std::size_t> arm) {
  if (arm == highlighted_) return;
  highlighted_ = arm;
  invalidate();
}

QString MeanRankChart::label_of(std::size_t place) const {
  const RankedTuner& tuner = data_.tuners[place];
  return tuner.name + QStringLiteral("  ") + QString::number(tuner.mean_rank, 'f', 2);
}

MeanRankChart::Layout MeanRankChart::layout_of(const QRectF& area) const {
  Layout layout;
  const double line = text_height(style::TextSize::Small);
  double widest = 0;
  for (std::size_t place = 0; place < data_.tuners.size(); ++place)
    widest = std::max(widest, text_width(label_of(place), style::TextSize::Small, true));
  widest = std::min(widest, area.width() * rank_label_share) + 2 * bar_gap_pixels;
  layout.left = area.left() + widest;
  layout.right = std::max(layout.left + 1, area.right() - widest);
  layout.most = std::max<double>(2, static_cast<double>(data_.tuners.size()));
  layout.difference_y = area.top() + line + 4;
  layout.axis_y = layout.difference_y + 2 * line + rank_tick_pixels + 4;
  layout.rows_y = layout.axis_y + join_gap_pixels * static_cast<double>(joined_.size() + 1) + line;
  const auto rows = std::ceil(static_cast<double>(data_.tuners.size()) / 2);
  const double room = area.bottom() - layout.rows_y - line / 2;
  layout.row_height = std::clamp(room / std::max(1.0, rows), line, 2 * line);
  return layout;
}

void MeanRankChart::paint_axis(Canvas& canvas, const Layout& layout) const {
  const Stroke hairline = thin_stroke(text_ink());
  canvas.line({layout.left, layout.axis_y}, {layout.right, layout.axis_y}, hairline);
  for (int rank = 1; rank <= static_cast<int>(layout.most); ++rank) {
    const double x = layout.x_of(rank);
    canvas.line({x, layout.axis_y - rank_tick_pixels}, {x, layout.axis_y}, hairline);
    canvas.text({x, layout.axis_y - rank_tick_pixels - 1}, style::format_count(rank),
                {.ink = muted_ink(), .anchor = Qt::AlignHCenter | Qt::AlignBottom});
  }
}

/** Paints the length of the critical difference above the axis. */
void MeanRankChart::paint_difference(Canvas& canvas, const Layout& layout) const {
  const double line = text_height(style::TextSize::Small);
  const double text_y = layout.difference_y - line / 2 - 2;
  const QString p = style::format_probability(data_.p);
  if (!std::isfinite(data_.critical_difference)) {
    canvas.text({layout.left, text_y},
                tr("no critical difference for this number of tuners (Friedman's p %1)").arg(p),
                {.ink = text_ink()});
    return;
  }
  const double end = layout.x_of(1 + data_.critical_difference);
  const QString number = QString::number(data_.critical_difference, 'f', 2);
  canvas.text({layout.left, text_y}, tr("critical difference %1 (Friedman's p %2)").arg(number, p),
              {.ink = text_ink()});
  // A difference longer than the axis means that no tuners are distinguishable.
  const Stroke stroke = thin_stroke(text_ink());
  const double to = std::min(end, layout.right);
  canvas.line({layout.left, layout.difference_y}, {to, layout.difference_y}, stroke);
  canvas.line({layout.left, layout.difference_y - 3}, {layout.left, layout.difference_y + 3}, stroke);
  if (end <= layout.right) canvas.line({to, layout.difference_y - 3}, {to, layout.difference_y + 3}, stroke);
}

/**
 * Paints a tuner. The better half has its names at the left, the other half at the right, so that lines to
 * the names never cross.
 */
void MeanRankChart::paint_tuner(Canvas& canvas, const Layout& layout, const QRectF& area,
                                std::size_t place) const {
  const RankedTuner& tuner = data_.tuners[place];
  const std::size_t left_count = (data_.tuners.size() + 1) / 2;
  const bool at_left = place < left_count;
  const std::size_t row = at_left ? place : data_.tuners.size() - 1 - place;
  const double x = layout.x_of(tuner.mean_rank);
  const double y = layout.rows_y + layout.row_height * static_cast<double>(row);
  const double end = at_left ? layout.left - bar_gap_pixels : layout.right + bar_gap_pixels;
  const bool faint = hidden_.contains(tuner.arm) || (highlighted_.has_value() && *highlighted_ != tuner.arm);
  const bool bold = highlighted_ == tuner.arm;
  Stroke stroke = arm_stroke(tuner.arm, bold ? 3 : 1.5);
  if (faint) {
    stroke.ink.role += "-faint";
    stroke.ink.colour.setAlphaF(0.35F);
  }
  canvas.polyline(std::array{QPointF(x, layout.axis_y), QPointF(x, y), QPointF(end, y)}, stroke);
  canvas.dots(std::array{QPointF(x, layout.axis_y)}, 3.5, stroke.ink);
  const double border = at_left ? area.left() : area.right();
  const double width = std::abs(end - border) - 4;
  canvas.text({at_left ? end - 4 : end + 4, y}, elided(label_of(place), style::TextSize::Small, width, bold),
              {.ink = faint ? muted_ink() : text_ink(),
               .anchor = (at_left ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter,
               .bold = bold});
}

void MeanRankChart::paint_chart(Canvas& canvas, const QRectF& area) {
  if (data_.tuners.empty()) return;
  const Layout layout = layout_of(area);
  paint_axis(canvas, layout);
  paint_difference(canvas, layout);
  for (std::size_t place = 0; place < data_.tuners.size(); ++place) paint_tuner(canvas, layout, area, place);
  for (std::size_t bar = 0; bar < joined_.size(); ++bar) {
    const double y = layout.axis_y + join_gap_pixels * static_cast<double>(bar + 1);
    const double from = layout.x_of(data_.tuners[joined_[bar].first].mean_rank) - join_overhang_pixels;
    const double to = layout.x_of(data_.tuners[joined_[bar].second].mean_rank) + join_overhang_pixels;
    if (!std::isfinite(from) || !std::isfinite(to)) continue;
    canvas.rect(QRectF(from, y - join_width_pixels / 2, to - from, join_width_pixels), text_ink());
  }
}

QStringList MeanRankChart::others_alike(std::size_t place) const {
  std::set<std::size_t> places;
  for (const auto& [first, last] : joined_)
    if (place >= first && place <= last)
      for (std::size_t other = first; other <= last; ++other)
        if (other != place) places.insert(other);
  QStringList names;
  for (const std::size_t other : places) names.append(data_.tuners[other].name);
  return names;
}

Readout MeanRankChart::readout_of(std::size_t place) const {
  const Layout layout = layout_of(body_rect());
  const RankedTuner& tuner = data_.tuners[place];
  Readout readout{{layout.x_of(tuner.mean_rank), layout.axis_y}, {}, static_cast<std::int64_t>(place)};
  readout.lines.append(tuner.name);
  readout.lines.append(tr("mean rank %1 of %2, over %3 tasks")
                           .arg(QString::number(tuner.mean_rank, 'f', 2))
                           .arg(data_.tuners.size())
                           .arg(data_.tasks));
  if (!std::isfinite(data_.critical_difference)) return readout;
  const QStringList others = others_alike(place);
  readout.lines.append(others.empty()
                           ? tr("distinguishable from every other tuner")
                           : tr("not distinguishable from %1").arg(others.join(QStringLiteral(", "))));
  return readout;
}

/** Returns the nearest tuner on the axis, or the tuner whose name is under the pointer. */
std::optional<Readout> MeanRankChart::readout_at(QPointF position) const {
  if (data_.tuners.empty() || !notice().isEmpty() || !body_rect().contains(position)) return std::nullopt;
  const Layout layout = layout_of(body_rect());
  const std::size_t count = data_.tuners.size();
  const std::size_t left_count = (count + 1) / 2;
  const bool at_side = position.x() < layout.left || position.x() > layout.right;
  if (at_side && position.y() >= layout.rows_y - layout.row_height / 2) {
    const auto row = static_cast<std::size_t>(
        std::max(0.0, std::floor((position.y() - layout.rows_y) / layout.row_height + 0.5)));
    const bool at_left = position.x() < layout.left;
    if (row >= (at_left ? left_count : count - left_count)) return std::nullopt;
    return readout_of(at_left ? row : count - 1 - row);
  }
  std::size_t nearest = 0;
  for (std::size_t place = 1; place < count; ++place)
    if (std::abs(layout.x_of(data_.tuners[place].mean_rank) - position.x()) <
        std::abs(layout.x_of(data_.tuners[nearest].mean_rank) - position.x()))
      nearest = place;
  const double distance = std::abs(layout.x_of(data_.tuners[nearest].mean_rank) - position.x());
  return distance <= reach_pixels ? std::optional(readout_of(nearest)) : std::nullopt;
}

std::optional<Readout> MeanRankChart::step_readout(const std::optional<Readout>& from,
                                                   Qt::Key direction) const {
  if (data_.tuners.empty() || !notice().isEmpty()) return std::nullopt;
  if (!from) return readout_of(0);
  const bool back = direction == Qt::Key_Up || direction == Qt::Key_Left;
  const auto place = static_cast<std::ptrdiff_t>(from->row) + (back ? -1 : 1);
  return readout_of(
      static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(place, 0, std::ssize(data_.tuners) - 1)));
}

void MeanRankChart::activate(const Readout& readout) {
  const auto place = static_cast<std::size_t>(readout.row);
  if (place < data_.tuners.size()) emit arm_activated(static_cast<qint64>(data_.tuners[place].arm));
}

Table MeanRankChart::table() const {
  Table table{
      {"tuner", "mean rank", "not distinguishable from", "critical difference", "Friedman p", "tasks"}, {}};
  for (std::size_t place = 0; place < data_.tuners.size(); ++place)
    table.rows.push_back({data_.tuners[place].name.toStdString(), data_.tuners[place].mean_rank,
                          others_alike(place).join(QStringLiteral("; ")).toStdString(),
                          data_.critical_difference, data_.p, static_cast<double>(data_.tasks)});
  return table;
}

QString MeanRankChart::summary() const {
  QStringList parts;
  for (std::size_t place = 0; place < data_.tuners.size(); ++place) parts.append(label_of(place));
  return parts.join(QStringLiteral(", "));
}

QSize MeanRankChart::minimumSizeHint() const {
  const double line = text_height(style::TextSize::Small);
  const auto rows = std::ceil(static_cast<double>(data_.tuners.size()) / 2);
  const double height = (rows + 5) * line + join_gap_pixels * static_cast<double>(joined_.size() + 1);
  return Chart::minimumSizeHint().expandedTo(
      {0, static_cast<int>(height + 2 * text_height(style::TextSize::Normal))});
}

}  // namespace kernelscape::charts
