#include "ui/charts/curves/progress_axis.h"

#include <QCoreApplication>
#include <algorithm>
#include <cmath>

#include "ui/style/numbers.h"

namespace kernelscape::charts {
namespace {

/** Margin after the last trial. */
constexpr double end_margin = 1.01;
/** End of the axis before there are data. */
constexpr double min_end = 10;

/** Converts between session time and number of trials, to place an interruption on the axis. */
double trials_before(const trial::Snapshot& trials, double seconds) {
  std::int64_t low = 0;
  std::int64_t high = trials.size();
  while (low < high) {
    const std::int64_t middle = low + (high - low) / 2;
    if (trials.row(middle).finished_seconds <= seconds) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return static_cast<double>(low) - 0.5;
}

QString point_text(const char* text) { return QCoreApplication::translate("SessionCourse", text); }

}  // namespace

bool has_time(const trial::Row& trial) {
  return trial.category == trial::ErrorCategory::NoError && trial.median_seconds > 0;
}

double point_x(const trial::Row& trial, std::int64_t row, ProgressX x) {
  return x == ProgressX::Trials ? static_cast<double>(row) : trial.finished_seconds;
}

double progress_end(const trial::Snapshot& trials, double session_seconds, ProgressX x) {
  const std::int64_t size = trials.size();
  if (x == ProgressX::Trials) return static_cast<double>(size);
  const double last = size == 0 ? 0 : trials.row(size - 1).finished_seconds;
  return std::max(session_seconds, std::isfinite(last) ? last : 0);
}

Axis progress_axis(ProgressX x, double end) {
  Axis axis;
  axis.title = x == ProgressX::Trials ? point_text("trials") : point_text("session time");
  axis.unit = x == ProgressX::Trials ? QString() : QStringLiteral("s");
  if (x == ProgressX::Trials) {
    // With few trials the ticks are trial numbers, the first one beside the axis.
    const double last = std::max(end, min_end);
    axis.range = {-(end_margin - 1) * last, last * end_margin};
    axis.whole = true;
  } else {
    axis.range = {0, end > 0 ? end * end_margin : min_end};
  }
  return axis;
}

QString point_text(const trial::Row& trial) {
  return point_text("after %1, batch %2")
      .arg(style::format_duration(trial.finished_seconds), style::format_count(trial.batch));
}

void paint_interruptions(Canvas& canvas, const PlotFrame& frame, const trial::Snapshot& trials,
                         std::span<const double> interruption_seconds, ProgressX x) {
  double free_from = frame.plot.left();
  const QString label = point_text("paused");
  const double width = text_width(label, style::TextSize::Small) + 3;
  for (const double seconds : interruption_seconds) {
    const double at = frame.map_x(x == ProgressX::Seconds ? seconds : trials_before(trials, seconds));
    if (!(at >= frame.plot.left() && at <= frame.plot.right())) continue;
    canvas.line({at, frame.plot.top()}, {at, frame.plot.bottom()}, {muted_ink(), 1, {2, 3}});
    // At the end of the axis there is only room before the line.
    const bool before = at + width > frame.plot.right();
    if ((before ? at - width : at) < free_from) continue;
    canvas.text({before ? at - 3 : at + 3, frame.plot.bottom() - 2}, label,
                {.ink = muted_ink(), .anchor = (before ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignBottom});
    free_from = at + (before ? 0 : width) + 5;
  }
}

}  // namespace kernelscape::charts
