#include "ui/charts/time_chart.h"

#include <algorithm>
#include <cmath>

#include "ui/charts/part_looks.h"
#include "ui/style/numbers.h"

namespace kernelscape {
namespace {

constexpr std::array<const char*, 4> phase_meanings = {
    "the tuner computes", "a builder is busy and the device is not", "the device is busy, checking included",
    "nothing of these"};
constexpr double swatch = 12;

double finite(double value) { return std::isfinite(value) ? std::max(0.0, value) : 0; }

}  // namespace

TimeChart::TimeChart(QWidget* parent) : Chart(parent) {
  set_title(tr("Wall share: where the session's time went"));
  set_data({});
}

void TimeChart::set_data(const TimeSplit& split) {
  split_ = {finite(split.session_seconds), finite(split.search_seconds), finite(split.build_seconds),
            finite(split.run_seconds)};
  invalidate();
}

std::array<double, 4> TimeChart::seconds() const {
  return {split_.search_seconds, split_.build_seconds, split_.run_seconds, split_.idle_seconds()};
}

std::array<double, 4> TimeChart::shares() const {
  const TimeShares shares = time_shares(split_);
  return {finite(shares.search), finite(shares.build), finite(shares.run), finite(shares.idle)};
}

std::array<QRectF, 4> TimeChart::parts_for(const QRectF& area) const {
  const double height = std::clamp(area.height() * 0.25, 16.0, 32.0);
  std::array<QRectF, 4> parts;
  double left = area.left();
  for (std::size_t phase = 0; phase < parts.size(); ++phase) {
    parts[phase] = QRectF(left, area.top() + 4, area.width() * shares()[phase], height);
    left = parts[phase].right();
  }
  return parts;
}

void TimeChart::paint_chart(Canvas& canvas, const QRectF& area) {
  const std::array<QRectF, 4> parts = parts_for(area);
  canvas.outline(QRectF(area.left(), parts[0].top(), area.width(), parts[0].height()),
                 {hairline_ink(), 1, {}});
  for (std::size_t phase = 0; phase < parts.size(); ++phase) {
    canvas.rect(parts[phase], phase_fill(phase));
    if (parts[phase].width() > 1 && phase > 0)
      canvas.line(parts[phase].topLeft(), parts[phase].bottomLeft(), {surface_ink(), 1, {}});
  }
  // The legend is a small table: name, time, share, and what it means where there is room.
  const double name_left = area.left() + swatch + 8;
  const double time_right = name_left + text_width(QStringLiteral("search"), TextSize::Small) +
                            text_width(QStringLiteral("59 min 59 s"), TextSize::Small) + 16;
  const double share_right = time_right + text_width(QStringLiteral("> 99.9 %"), TextSize::Small) + 16;
  const double top = parts[0].bottom() + 8;
  const double line = std::min(text_height(TextSize::Small) + 6, (area.bottom() - top) / 4);
  const TextStyle right{.ink = text_ink(), .anchor = Qt::AlignRight | Qt::AlignVCenter};
  for (std::size_t phase = 0; phase < parts.size(); ++phase) {
    const double y = top + line * (static_cast<double>(phase) + 0.5);
    canvas.rect(QRectF(area.left(), y - swatch / 2, swatch, swatch), phase_fill(phase));
    canvas.text({name_left, y}, phase_name(phase), {.ink = text_ink()});
    canvas.text({time_right, y}, format_duration(seconds()[phase]), right);
    canvas.text({share_right, y}, format_percent(shares()[phase]), right);
    const QString meaning = QString::fromLatin1(phase_meanings[phase]);
    if (share_right + 16 + text_width(meaning, TextSize::Small) < area.right())
      canvas.text({share_right + 16, y}, meaning, {.ink = muted_ink()});
  }
}

Readout TimeChart::readout_of(std::size_t phase) const {
  return {parts()[phase].center(),
          {phase_name(phase) + QStringLiteral(": ") + format_percent(shares()[phase]),
           tr("%1 of %2 wall time")
               .arg(format_duration(seconds()[phase]), format_duration(split_.session_seconds))},
          static_cast<std::int64_t>(phase)};
}

std::optional<Readout> TimeChart::readout_at(QPointF position) const {
  const std::array<QRectF, 4> here = parts();
  for (std::size_t phase = 0; phase < here.size(); ++phase)
    if (here[phase].width() > 0 && here[phase].contains(position)) return readout_of(phase);
  return std::nullopt;
}

std::optional<Readout> TimeChart::step_readout(const std::optional<Readout>& from, Qt::Key direction) const {
  if (!from) return readout_of(0);
  const bool back = direction == Qt::Key_Left || direction == Qt::Key_Up;
  return readout_of(static_cast<std::size_t>(std::clamp<std::int64_t>(from->row + (back ? -1 : 1), 0, 3)));
}

void TimeChart::activate(const Readout&) {}

QString TimeChart::summary() const {
  QStringList parts;
  for (std::size_t phase = 0; phase < phase_count; ++phase)
    parts.append(phase_name(phase) + QLatin1Char(' ') + format_percent(shares()[phase]));
  return parts.join(QStringLiteral(", "));
}

QString TimeChart::explanation() const {
  return tr(
      "Every instant of the session's wall time belongs to one phase: run while the device is busy (checking "
      "included), else build while any builder is busy, else search while the tuner computes, else idle. The "
      "parts therefore sum to the session's time; pauses and interruptions are no part of it. What single "
      "trials "
      "cost, summed over workers, is another quantity: work seconds, in the chart of error categories.\n\n"
      "Time per phase as in NoSE, figure 6.");
}

ChartTable TimeChart::table() const {
  ChartTable table{{"phase", "wall time (s)", "wall share"}, {}};
  for (std::size_t phase = 0; phase < phase_count; ++phase)
    table.rows.push_back({phase_name(phase).toStdString(), seconds()[phase], shares()[phase]});
  return table;
}

}  // namespace kernelscape
