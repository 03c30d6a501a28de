#include "ui/charts/curves/timeline_bands.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "ui/charts/curves/timeline_chart.h"

namespace kernelscape::charts {
namespace {

/** Heights on the y axis. */
constexpr double lane_units = 1;
constexpr double wait_units = 0.6;
constexpr double speed_units = 1.2;
constexpr double machine_gap_units = 0.4;
constexpr double max_builders_units = 4;

constexpr double name_pixels = 150;  ///< width of a lane's name at a text scale of 1

double height_of(const analysis::TimelineLane& lane, std::size_t builders) {
  if (lane.activity == analysis::Activity::Wait) return wait_units;
  if (lane.activity != analysis::Activity::Build) return lane_units;
  return std::min(lane_units, max_builders_units / static_cast<double>(builders));
}

bool has_failures(const analysis::TimelineLane& lane) {
  return std::ranges::any_of(lane.blocks, [](const analysis::TimelineBlock& block) {
    return block.failure != trial::ErrorCategory::NoError;
  });
}

/** The relative error of a time that was mapped to pixels and back. */
constexpr double rounding = 1e-9;

QString activity_text(const TimelineBand& band) {
  return band.lane == nullptr ? TimelineChart::tr("speed") : TimelineChart::tr(activity_name(*band.lane));
}

/** Returns the name that fits beside the axis: a long name of a machine is cut, what it does is not. */
QString label_of(const TimelineBand& band, const TimelineData& data) {
  const QString name = name_of(band, data);
  const QString machine = machine_name(band.machine(), data);
  const double width = name_pixels * style::text_scale();
  const double excess = text_width(name, style::TextSize::Small) - width;
  if (machine.isEmpty() || excess <= 0) return elided(name, style::TextSize::Small, width);
  const double left = text_width(machine, style::TextSize::Small) - excess;
  return TimelineChart::tr("%1: %2").arg(elided(machine, style::TextSize::Small, left), activity_text(band));
}

}  // namespace

Interval TimelineBand::seconds(std::size_t mark) const {
  if (lane == nullptr) return {speeds->points[mark].seconds, speeds->points[mark].seconds};
  return {lane->blocks[mark].begin_seconds, lane->blocks[mark].end_seconds};
}

std::int64_t TimelineBand::row(std::size_t mark) const {
  return lane != nullptr ? lane->blocks[mark].row : speeds->points[mark].row;
}

TimelineBandKind TimelineBand::kind() const {
  return {lane != nullptr ? std::optional(lane->activity) : std::nullopt, machine()};
}

std::size_t TimelineBand::nearest(double time) const {
  std::size_t low = 0;  // the first mark that ends after the time
  for (std::size_t high = marks(); low < high;) {
    const std::size_t middle = low + (high - low) / 2;
    if (seconds(middle).high < time) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  if (low == marks()) return low - 1;
  if (low == 0 || seconds(low).low <= time) return low;
  return time - seconds(low - 1).high < seconds(low).low - time ? low - 1 : low;
}

std::size_t TimelineBand::mark_of(double time, std::int64_t trial_row) const {
  const double slack = rounding * std::max(1.0, std::abs(time));
  const std::size_t nearest_mark = nearest(time);
  for (std::size_t mark = nearest(time - slack); mark < marks() && seconds(mark).low <= time + slack; ++mark)
    if (row(mark) == trial_row) return mark;
  return nearest_mark;
}

const char* activity_name(const analysis::TimelineLane& lane) {
  constexpr std::array names = {
      QT_TRANSLATE_NOOP("TimelineChart", "search"), QT_TRANSLATE_NOOP("TimelineChart", "build"),
      QT_TRANSLATE_NOOP("TimelineChart", "run"), QT_TRANSLATE_NOOP("TimelineChart", "wait"),
      QT_TRANSLATE_NOOP("TimelineChart", "confirm")};
  return names.at(static_cast<std::size_t>(lane.activity));
}

QString machine_name(std::uint16_t machine, const TimelineData& data) {
  if (machine == 0) return {};
  if (machine <= data.workers.size()) return data.workers[machine - 1U];
  return TimelineChart::tr("worker %1").arg(machine);
}

QString name_of(const TimelineBand& band, const TimelineData& data) {
  const QString machine = machine_name(band.machine(), data);
  return machine.isEmpty() ? activity_text(band)
                           : TimelineChart::tr("%1: %2").arg(machine, activity_text(band));
}

std::vector<TimelineBand> make_bands(const TimelineData& data) {
  std::vector<TimelineBand> bands;
  double top = 0;
  const analysis::Timeline& timeline = *data.timeline;
  const auto add = [&](TimelineBand band, double height) {
    band.y = {top - height, top};
    band.failures = band.lane != nullptr && has_failures(*band.lane);
    top -= height;
    bands.push_back(band);
  };
  for (auto lane = timeline.lanes.begin(); lane != timeline.lanes.end();) {
    const auto end = std::find_if(lane, timeline.lanes.end(), [&](const analysis::TimelineLane& other) {
      return other.machine != lane->machine;
    });
    if (lane != timeline.lanes.begin()) top -= machine_gap_units;
    const auto builders = static_cast<std::size_t>(
        std::count_if(lane, end, [](const auto& one) { return one.activity == analysis::Activity::Build; }));
    const std::uint16_t machine = lane->machine;
    for (; lane != end; ++lane) add({.lane = &*lane}, height_of(*lane, builders));
    const auto speeds = std::ranges::find(timeline.speeds, machine, &analysis::TimelineSpeeds::machine);
    if (speeds != timeline.speeds.end()) add({.speeds = &*speeds}, speed_units);
  }
  return bands;
}

Axis band_axis(const std::vector<TimelineBand>& bands, const TimelineData& data) {
  Axis y{.range = {std::min(bands.empty() ? 0 : bands.back().y.low, -lane_units), 0}};
  for (auto band = bands.rbegin(); band != bands.rend();) {
    const QString name = name_of(*band, data);
    const auto end = std::find_if(band, bands.rend(),
                                  [&](const TimelineBand& other) { return name_of(other, data) != name; });
    const double middle = (band->y.low + std::prev(end)->y.high) / 2;
    y.named.push_back({middle, label_of(*band, data), true});
    band = end;
  }
  return y;
}

QRectF place_of(const PlotFrame& frame, const TimelineBand& band) {
  const double top = frame.map_y(band.y.high);
  const double bottom = std::max(frame.map_y(band.y.low), top + 1);
  const double gap = bottom - top > 6 ? 2 : 0;
  return QRectF(QPointF(frame.plot.left(), std::round(top) + gap / 2),
                QPointF(frame.plot.right(), std::round(bottom) - gap / 2));
}

}  // namespace kernelscape::charts
