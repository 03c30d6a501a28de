#include "ui/charts/bars/time_chart.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ui/charts/bars/part_styles.h"
#include "ui/charts/styles.h"
#include "ui/style/numbers.h"

namespace kernelscape::charts {
namespace {

constexpr std::array<const char*, 4> phase_meanings = {
    "the tuner computes", "a builder is busy and the device is not", "the device is busy, checking included",
    "none of these"};
constexpr std::size_t idle_phase = 3;

/** The position of the saved time among the parts. */
constexpr std::size_t saved = phase_count;

Fill saved_fill() { return {surface_ink(), style::Hatch::BackDiagonal, muted_ink()}; }

double seconds_of(double value) { return std::isfinite(value) ? std::max(0.0, value) : 0; }

}  // namespace

TimeChart::TimeChart(QWidget* parent) : BarChart(parent) {
  set_title(tr("Time breakdown of the session"));
  set_data({});
}

void TimeChart::set_data(const analysis::TimeSplit& split) {
  split_ = {seconds_of(split.session_seconds),
            seconds_of(split.search_seconds),
            seconds_of(split.build_seconds),
            seconds_of(split.run_seconds),
            {std::max<std::int64_t>(0, split.saved.samples), seconds_of(split.saved.seconds)},
            split.of_fleet};
  show_bars(read());
}

QString TimeChart::name_of(std::size_t phase) const {
  return split_.of_fleet && phase == idle_phase ? tr("queue") : phase_name(phase);
}

QString TimeChart::meaning_of(std::size_t phase) const {
  return split_.of_fleet && phase == idle_phase ? tr("the fleet's workers have none of its tasks")
                                                : QString::fromLatin1(phase_meanings[phase]);
}

std::array<double, 4> TimeChart::seconds() const {
  return {split_.search_seconds, split_.build_seconds, split_.run_seconds, split_.idle_seconds()};
}

std::array<double, 4> TimeChart::shares() const {
  const analysis::TimeShares shares = analysis::time_shares(split_);
  return {seconds_of(shares.search), seconds_of(shares.build), seconds_of(shares.run),
          seconds_of(shares.idle)};
}

BarRows TimeChart::bars() const {
  Bar bar;
  for (std::size_t phase = 0; phase < phase_count; ++phase)
    bar.parts.push_back({seconds()[phase], phase_fill(phase)});
  // Before any time has passed there is no scale.
  const bool drawn = saves() && std::ranges::any_of(seconds(), [](double one) { return one > 0; });
  bar.parts.push_back({drawn ? split_.saved.seconds : 0, saved_fill(), {}, Stroke{muted_ink(), 1, {3, 2}}});
  return {.rows = {{.label = {}, .bars = {std::move(bar)}}}};
}

QRectF TimeChart::bars_area(const QRectF& area) const {
  return {area.left(), area.top(), area.width(), std::clamp(area.height() * 0.25, 16.0, 32.0)};
}

std::array<QRectF, 4> TimeChart::parts() const {
  const BarLayout layout = bar_layout();
  return {layout.part({0, 0}), layout.part({0, 1}), layout.part({0, 2}), layout.part({0, 3})};
}

QRectF TimeChart::saved_part() const { return bar_layout().part({0, saved}); }

QString TimeChart::saved_text(bool in_full) const {
  const QString text =
      tr("%1 samples not needed, about %2 saved")
          .arg(style::format_count(split_.saved.samples), style::format_duration(split_.saved.seconds));
  return in_full ? tr("adaptive evaluator: %1").arg(text) : text;
}

void TimeChart::paint_saved(Canvas& canvas, const QRectF& area, double y) const {
  const QRectF sample(area.left(), y - swatch_pixels / 2, swatch_pixels, swatch_pixels);
  canvas.rect(sample, saved_fill());
  canvas.outline(sample, {muted_ink(), 1, {}});
  const double left = area.left() + swatch_pixels + 8;
  const double room = area.right() - left;
  const QString text = saved_text(text_width(saved_text(), style::TextSize::Small) <= room);
  canvas.text({left, y}, elided(text, style::TextSize::Small, room), {.ink = text_ink()});
}

void TimeChart::paint_chart(Canvas& canvas, const QRectF& area) {
  BarChart::paint_chart(canvas, area);
  // The legend is a small table: name, time, share, and the meaning if there is room.
  const double name_left = area.left() + swatch_pixels + 8;
  const double time_right = name_left + text_width(QStringLiteral("search"), style::TextSize::Small) +
                            text_width(QStringLiteral("59 min 59 s"), style::TextSize::Small) + 16;
  const double share_right = time_right + text_width(QStringLiteral("> 99.9 %"), style::TextSize::Small) + 16;
  const double top = bars_area(area).bottom() + 8;
  const double rows = static_cast<double>(phase_count) + (saves() ? 1 : 0);
  const double line = std::min(text_height(style::TextSize::Small) + 6, (area.bottom() - top) / rows);
  const TextStyle right{.ink = text_ink(), .anchor = Qt::AlignRight | Qt::AlignVCenter};
  // Explain all phases or none: a single explained phase would look the most important.
  bool explained = true;
  for (std::size_t phase = 0; phase < phase_count; ++phase)
    explained =
        explained && share_right + 16 + text_width(meaning_of(phase), style::TextSize::Small) < area.right();
  for (std::size_t phase = 0; phase < phase_count; ++phase) {
    const double y = top + line * (static_cast<double>(phase) + 0.5);
    canvas.rect(QRectF(area.left(), y - swatch_pixels / 2, swatch_pixels, swatch_pixels), phase_fill(phase));
    canvas.text({name_left, y}, name_of(phase), {.ink = text_ink()});
    canvas.text({time_right, y}, style::format_duration(seconds()[phase]), right);
    canvas.text({share_right, y}, style::format_percent(shares()[phase]), right);
    if (explained) canvas.text({share_right + 16, y}, meaning_of(phase), {.ink = muted_ink()});
  }
  if (saves()) paint_saved(canvas, area, top + line * (static_cast<double>(phase_count) + 0.5));
}

QStringList TimeChart::lines_of(BarPlace place) const {
  if (place.part == saved) return {saved_text(), tr("saved time: not part of the session's wall time")};
  return {name_of(place.part) + QStringLiteral(": ") + style::format_percent(shares()[place.part]),
          tr("%1 of %2 wall time")
              .arg(style::format_duration(seconds()[place.part]),
                   style::format_duration(split_.session_seconds))};
}

QString TimeChart::summary() const {
  QStringList parts;
  for (std::size_t phase = 0; phase < phase_count; ++phase)
    parts.append(name_of(phase) + QLatin1Char(' ') + style::format_percent(shares()[phase]));
  if (saves()) parts.append(saved_text());
  return parts.join(QStringLiteral(", "));
}

QString TimeChart::explanation() const {
  QString text =
      tr("Every instant of the session's wall time belongs to one phase: run while the device is busy "
         "(checking included), else build while any builder is busy, else search while the tuner computes, "
         "else idle. The parts therefore sum to the session's time, also if a GPU runs one kernel while "
         "others are built; pauses and interruptions are not included. The cost of single trials, summed "
         "over workers, is another quantity: build and run time, in the chart of error categories.\n\nTime "
         "per phase as in NoSE, figure 6.");
  if (split_.of_fleet)
    text +=
        tr("\n\nOn a fleet, build and run count while a worker has such a task of this session. The rest is "
           "queue: the session's tasks wait for free workers or are in transit, or there is no worker.");
  if (saves())
    text +=
        tr("\n\nThe hatched part behind the bar is an estimate of the time saved by samples that the "
           "adaptive evaluator did not need, on the same scale (AdaTune, section 4.1). It was never spent, "
           "so it is not part of the shares. Each such sample counts as the trial's median or as the minimum "
           "duration of a sample, whichever is longer.");
  return text;
}

Table TimeChart::table() const {
  Table table{{"phase", "wall time (s)", "share of wall time"}, {}};
  for (std::size_t phase = 0; phase < phase_count; ++phase)
    table.rows.push_back({name_of(phase).toStdString(), seconds()[phase], shares()[phase]});
  if (!saves()) return table;
  const double none = std::numeric_limits<double>::quiet_NaN();
  table.columns.emplace_back("samples not needed");
  for (std::vector<Cell>& row : table.rows) row.emplace_back(none);
  table.rows.push_back({"saved (estimated, not spent)", split_.saved.seconds, none,
                        static_cast<double>(split_.saved.samples)});
  return table;
}

}  // namespace kernelscape::charts
