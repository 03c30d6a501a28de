#include "ui/charts/curves/timeline_chart.h"

#include <algorithm>
#include <array>
#include <limits>

#include "ui/charts/curves/machine_strip.h"
#include "ui/charts/styles.h"
#include "ui/style/numbers.h"

namespace kernelscape::charts {
namespace {

/** Heights on the y axis. */
constexpr double lane_units = 1;
constexpr double wait_units = 0.6;
constexpr double speed_units = 1.2;
constexpr double machine_gap_units = 0.4;
constexpr double max_builders_units = 4;

constexpr double name_pixels = 150;  ///< width of a lane's name at a text scale of 1

const char* activity_name(const analysis::TimelineLane& lane) {
  constexpr std::array names = {
      QT_TRANSLATE_NOOP("TimelineChart", "search"), QT_TRANSLATE_NOOP("TimelineChart", "build"),
      QT_TRANSLATE_NOOP("TimelineChart", "run"), QT_TRANSLATE_NOOP("TimelineChart", "wait"),
      QT_TRANSLATE_NOOP("TimelineChart", "confirm")};
  return names.at(static_cast<std::size_t>(lane.activity));
}

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

double seconds_in(const analysis::TimelineLane& lane) {
  double seconds = 0;
  for (const analysis::TimelineBlock& block : lane.blocks) seconds += block.end_seconds - block.begin_seconds;
  return seconds;
}

}  // namespace

Interval TimelineChart::Band::seconds(std::size_t mark) const {
  if (lane == nullptr) return {speeds->points[mark].seconds, speeds->points[mark].seconds};
  return {lane->blocks[mark].begin_seconds, lane->blocks[mark].end_seconds};
}

std::int64_t TimelineChart::Band::row(std::size_t mark) const {
  return lane != nullptr ? lane->blocks[mark].row : speeds->points[mark].row;
}

TimelineChart::TimelineChart(QWidget* parent) : TrialChart(parent) {
  set_title(tr("Timeline"));
  set_y_moves(false);
  set_data({});
  set_explanation(tr(
      "What the tuner, the builders and the device of each machine did over session time. A block is the "
      "search before a batch, the build of a trial, its run with all checks, the confirmation of the best "
      "trials at the end, or a wait in which none of them was busy. A click on a block, or Enter, selects "
      "the trial. The wheel, Plus and Minus zoom the time, with Alt the lanes; arrow keys go from block to "
      "block and from lane to lane.\n\nBlocks narrower than two pixels are summed: the bar's height is the "
      "share of that "
      "time that they take. Blocks in the colour of warnings are the builds or runs in which trials "
      "failed.\n\nA session stores when each result was known, how long build and run took, and how long the "
      "tuner searched before each batch. So all durations are measured, and the ends of runs and of failed "
      "builds. The other times are derived: a device runs one kernel at a time; a kernel that was run was "
      "built in the last pause of the device that is long enough, or, if builds continue beside runs, from "
      "the beginning of its batch; the search begins when the previous batch is finished. Trials that are "
      "measured again after a slow phase have no stored time, so this time is shown as a wait. Pauses of the "
      "session, and waiting for a machine that is slower than usual, are no session time. The curve is the "
      "machine's speed while trials were measured; the dotted line is its usual speed.\n\nFollows the "
      "timeline of Tracy."));
}

TimelineChart::BandKind TimelineChart::Band::kind() const {
  return {lane != nullptr ? std::optional(lane->activity) : std::nullopt, machine()};
}

void TimelineChart::set_data(const TimelineData& data) {
  const std::optional<BandKind> kind = kind_of_readout();
  data_ = data;
  make_bands();
  current_row_changed();
  set_shaded(slow_phase_label(), shaded_phases(data_.speeds.get(), ProgressX::Seconds));
  follow_readout(kind);
}

/** Places the lanes below each other, those of a machine together, and names them on the y axis. */
void TimelineChart::make_bands() {
  bands_.clear();
  double top = 0;
  const analysis::Timeline& timeline = *data_.timeline;
  const auto add = [&](Band band, double height) {
    band.y = {top - height, top};
    band.failures = band.lane != nullptr && has_failures(*band.lane);
    top -= height;
    bands_.push_back(band);
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
  Axis y{.range = {std::min(top, -lane_units), 0}};
  for (auto band = bands_.rbegin(); band != bands_.rend();) {
    const QString name = name_of(*band);
    const auto end =
        std::find_if(band, bands_.rend(), [&](const Band& other) { return name_of(other) != name; });
    const double middle = (band->y.low + std::prev(end)->y.high) / 2;
    y.named.push_back({middle, label_of(*band), true});
    band = end;
  }
  set_home({tr("session time"),
            QStringLiteral("s"),
            AxisScale::Linear,
            {0, std::max(timeline.end_seconds, std::numeric_limits<double>::min())}},
           std::move(y));
}

QString TimelineChart::machine_name(std::uint16_t machine) const {
  if (machine == 0) return {};
  if (machine <= data_.workers.size()) return data_.workers[machine - 1U];
  return tr("worker %1").arg(machine);
}

QString TimelineChart::activity_text(const Band& band) {
  return band.lane == nullptr ? tr("speed") : tr(activity_name(*band.lane));
}

QString TimelineChart::name_of(const Band& band) const {
  const QString machine = machine_name(band.machine());
  return machine.isEmpty() ? activity_text(band) : tr("%1: %2").arg(machine, activity_text(band));
}

/** Returns the name that fits beside the axis: a long name of a machine is cut, what it does is not. */
QString TimelineChart::label_of(const Band& band) const {
  const QString name = name_of(band);
  const QString machine = machine_name(band.machine());
  const double width = name_pixels * style::text_scale();
  const double excess = text_width(name, style::TextSize::Small) - width;
  if (machine.isEmpty() || excess <= 0) return elided(name, style::TextSize::Small, width);
  const double left = text_width(machine, style::TextSize::Small) - excess;
  return tr("%1: %2").arg(elided(machine, style::TextSize::Small, left), activity_text(band));
}

void TimelineChart::changeEvent(QEvent* event) {
  XyChart::changeEvent(event);
  if (event->type() == QEvent::FontChange) make_bands();
}

void TimelineChart::current_row_changed() {
  current_.clear();
  if (current_row() < 0) return;
  for (std::size_t band = 0; band < bands_.size(); ++band) {
    if (bands_[band].lane == nullptr) continue;
    const auto& blocks = bands_[band].lane->blocks;
    const auto found = std::ranges::find(blocks, current_row(), &analysis::TimelineBlock::row);
    if (found != blocks.end()) current_.emplace_back(band, static_cast<std::size_t>(found - blocks.begin()));
  }
}

Table TimelineChart::table() const {
  Table table{{"activity", "machine", "lane", "trial", "begin (s)", "end (s)", "failure"}, {}};
  const bool speeds = !data_.timeline->speeds.empty();
  if (speeds) add_machine_columns(table);
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  for (const Band& band : bands_) {
    if (band.lane == nullptr) continue;
    const auto lane = static_cast<double>(band.lane - data_.timeline->lanes.data());
    for (const analysis::TimelineBlock& block : band.lane->blocks) {
      const std::optional<trial::Row> row =
          block.row < 0 ? std::nullopt : std::optional(data_.trials.row(block.row));
      const bool failed = block.failure != trial::ErrorCategory::NoError;
      std::vector<Cell>& cells = table.rows.emplace_back(std::vector<Cell>{
          activity_name(*band.lane), machine_name(band.machine()).toStdString(), lane,
          row ? static_cast<double>(row->number) : none, block.begin_seconds, block.end_seconds,
          failed ? std::string(trial::to_string(block.failure)) : std::string()});
      if (speeds) add_machine_cells(cells, row.value_or(trial::Row{}));
    }
  }
  return table;
}

QString TimelineChart::summary() const {
  if (bands_.empty()) return {};
  QStringList parts{tr("%1 trials in %2")
                        .arg(style::format_count(data_.trials.size()),
                             style::format_duration(data_.timeline->end_seconds))};
  for (const Band& band : bands_)
    if (band.lane != nullptr && band.lane->activity != analysis::Activity::Build)
      parts.append(tr("%1 %2").arg(name_of(band), style::format_duration(seconds_in(*band.lane))));
  return parts.join(QStringLiteral(", "));
}

}  // namespace kernelscape::charts
