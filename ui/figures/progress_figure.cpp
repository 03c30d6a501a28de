#include "ui/figures/progress_figure.h"

#include "ui/charts/curves/progress_chart.h"
#include "ui/figures/outcome_figures.h"
#include "ui/figures/registry.h"
#include "ui/models/session_text.h"

namespace kernelscape::figures {
namespace {

constexpr int progress_height = 300;
constexpr int strip_height = 34;  ///< of the machine's speed

/** Returns a notice if there are trials but no valid one. */
QString failure_notice(const workspace::SourceData& source) {
  QStringList counts;
  for (std::size_t code = 1; code < trial::error_category_count; ++code) {
    const auto category = static_cast<trial::ErrorCategory>(code);
    const std::int64_t trials = source.errors.of(category).trials;
    const std::string_view name = trial::to_string(category);
    if (trials > 0)
      counts << figure_text("%1 × %2").arg(trials).arg(
          QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size())));
  }
  return figure_text(
             "No valid trial yet: %1. See the messages in the trial table below and in Explore, Errors.")
      .arg(counts.join(QStringLiteral(", ")));
}

QString notice_of(const workspace::SourceData& source) {
  if (source.trials.size() == 0)
    return source.running() ? figure_text("No trial yet: the first batch is being built")
                            : figure_text("This session has no trial: resume it, or start a new session");
  if (source.build_only())
    return figure_text(
        "Build only: no timings, so there is no speed to draw.\nCompiler errors are listed below; resources "
        "of the kernels are in the trial table and in Explore.");
  return source.improvements.empty() ? failure_notice(source) : QString();
}

}  // namespace

std::vector<charts::ReferenceLine> references_of(const workspace::SourceData& source) {
  std::vector<charts::ReferenceLine> lines;
  const auto add = [&](const session::QuotedShare& share, bool other_speed) {
    if (share.of.empty()) return;
    const QString label = QString::fromStdString(share.of);
    lines.push_back(
        {other_speed ? figure_text("%1 at another speed of the machine").arg(label) : label, share.seconds});
  };
  const session::BestComparisons& compared = source.compared;
  add(compared.vendor, source.headline.slow() && compared.vendor.share <= 0);
  // No kernel that computes the definition is faster than the machine: then the limit was measured too low.
  const bool exceeded = source.headline.exists() && compared.limit.seconds > source.headline.value.seconds;
  const bool other_speed = exceeded || (source.headline.slow() && compared.limit.share <= 0);
  add(compared.limit, other_speed && !compared.fewer_multiply_adds);
  return lines;
}

charts::ProgressData progress_data(const workspace::SourceData& source) {
  charts::ProgressData data;
  data.session = source.id();
  data.trials = source.trials;
  data.speeds = source.speeds;
  data.flops = source.flops();
  data.improvements = source.improvements;
  data.interruption_seconds = source.paused_seconds();
  data.session_seconds = source.status.session_seconds;
  if (source.headline.exists())
    data.best = charts::BestLabel{source.headline.value.seconds,
                                  models::trust_text(source.record(), source.headline)};
  if (!source.headline.confirmed_utc.empty()) {
    const analysis::Quartiles& seconds = source.headline.value.samples;
    data.confirmed = charts::ConfirmedBest{source.headline.row, seconds.first, seconds.median, seconds.third};
  }
  return data;
}

charts::GhostCurve ghost_of(const workspace::SourceData& source, const QString& label, std::size_t arm) {
  return {label, source.improvements, static_cast<double>(source.trials.size()),
          source.status.session_seconds, arm};
}

FigureOf<charts::ProgressData> progress_figure(const workspace::SourceData& source, charts::ProgressX x,
                                               const charts::PassingRows& passing) {
  Text text{.of = QString::fromStdString(source.coverage_text()), .notice = notice_of(source)};
  text.title = source.build_only()  ? figure_text("No timings: kernels are built only")
               : source.flops() > 0 ? figure_text("Speed of every trial and best so far")
                                    : figure_text("Time of every trial and best so far");
  text.caption = x == charts::ProgressX::Trials
                     ? figure_text(
                           "A point is a valid trial, the line is the best so far. Failures stand in lanes "
                           "below the axis, by their category's letter.")
                     : figure_text("Over session time: pauses and interruptions do not count.");
  if (const auto phases = source.slow_phases(); !phases.empty()) {
    text.caption +=
        QLatin1Char(' ') +
        (phases.front().worker == 0
             ? figure_text("Shaded: the machine was slower than usual; the strip shows its speed.")
             : figure_text("Marked dots: the worker that measured the trial was slower than usual; the strip "
                           "shows the speed of each worker."));
  }
  if (passing.filters()) {
    text.of = charts::passing_text(passing, source.trials.size());
    text.caption += QLatin1Char(' ') + figure_text("Faint points are trials that do not pass the filter.");
    if (const QString nothing = charts::nothing_passes_notice(passing, source.trials.size());
        !nothing.isEmpty())
      text.notice = nothing;
  }
  charts::ProgressData data = progress_data(source);
  data.passing = passing;
  data.references = references_of(source);
  return {std::move(text), std::move(data)};
}

namespace {

/** Returns the progress against trials, then against session time. */
std::vector<Figure> progress_figures(const Source& source, const workspace::JobControl&) {
  std::vector<Figure> figures;
  for (const charts::ProgressX x : {charts::ProgressX::Trials, charts::ProgressX::Seconds}) {
    const int below = lanes_height(source.session->errors) + (source.session->speeds ? strip_height : 0);
    Figure& figure = figures.emplace_back(make_figure<charts::ProgressChart>(
        progress_figure(*source.session, x, source.passing), progress_height + below));
    figure.fill = [x, fill = std::move(figure.fill)](charts::Chart& chart) {
      static_cast<charts::ProgressChart&>(chart).set_x(x);
      fill(chart);
    };
  }
  return figures;
}

}  // namespace

Kind progress_figure_kind() {
  return figure_kind<charts::ProgressChart>("progress", Place::Tune, ReportPart::Course, progress_figures);
}

}  // namespace kernelscape::figures
