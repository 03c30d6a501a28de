#include "ui/figures/progress_figure.h"

#include "core/measure/cpu/machine_limits.h"
#include "ui/charts/curves/progress_chart.h"
#include "ui/figures/outcome_figures.h"
#include "ui/figures/registry.h"

namespace kernelscape {
namespace {

constexpr double operations_per_gigaflop = 1e9;
constexpr int progress_height = 300;

/** Returns a notice if there are trials but no valid one. */
QString failure_notice(const SourceData& source) {
  QStringList counts;
  for (std::size_t code = 1; code < error_category_count; ++code) {
    const auto category = static_cast<ErrorCategory>(code);
    const std::int64_t trials = source.errors.of(category).trials;
    const std::string_view name = to_string(category);
    if (trials > 0)
      counts << figure_text("%1 × %2").arg(trials).arg(
          QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size())));
  }
  return figure_text(
             "No valid trial yet: %1. See the messages in the trial table below and in Explore, Errors.")
      .arg(counts.join(QStringLiteral(", ")));
}

QString notice_of(const SourceData& source) {
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

std::vector<ReferenceLine> references_of(const SourceData& source) {
  std::vector<ReferenceLine> lines;
  const Quartiles vendor = quartiles(source.baselines.vendor.samples_seconds);
  if (vendor.median > 0)
    lines.push_back({QString::fromStdString(vendor_title(source.baselines.vendor)), vendor.median});
  const SpeedLimit limit = speed_limit(source.baselines.limits, source.task());
  if (limit.gflops > 0)
    lines.push_back(
        {QString::fromStdString(limit.name), source.flops() / (limit.gflops * operations_per_gigaflop)});
  return lines;
}

ProgressData progress_data(const SourceData& source) {
  ProgressData data;
  data.session = source.id();
  data.trials = source.trials;
  data.flops = source.flops();
  data.improvements = source.improvements;
  data.interruption_seconds = source.paused_seconds();
  data.session_seconds = source.status.session_seconds;
  if (source.headline.confirmed) {
    const Quartiles& seconds = source.headline.value.samples;
    data.confirmed = ConfirmedBest{source.headline.row, seconds.first, seconds.median, seconds.third};
  }
  return data;
}

GhostCurve ghost_of(const SourceData& source, const QString& label, std::size_t arm) {
  return {label, source.improvements, static_cast<double>(source.trials.size()),
          source.status.session_seconds, arm};
}

FigureOf<ProgressData> progress_figure(const SourceData& source, ProgressX x, const PassingRows& passing) {
  FigureText text{.of = QString::fromStdString(source.coverage_text()), .notice = notice_of(source)};
  text.title = source.build_only()  ? figure_text("No timings: kernels are built only")
               : source.flops() > 0 ? figure_text("Speed of every trial and best so far")
                                    : figure_text("Time of every trial and best so far");
  text.caption = x == ProgressX::Trials
                     ? figure_text(
                           "A point is a valid trial, the line is the best so far. Failures stand in lanes "
                           "below the axis, by their category's letter.")
                     : figure_text("Over session time: pauses and interruptions do not count.");
  if (passing.filters()) {
    text.of = passing_text(passing, source.trials.size());
    text.caption += QLatin1Char(' ') + figure_text("Faint points are trials that do not pass the filter.");
    if (const QString nothing = nothing_passes_notice(passing, source.trials.size()); !nothing.isEmpty())
      text.notice = nothing;
  }
  ProgressData data = progress_data(source);
  data.passing = passing;
  data.references = references_of(source);
  return {std::move(text), std::move(data)};
}

namespace {

/** Returns the progress against trials, then against session time. */
std::vector<Figure> progress_figures(const FigureSource& source, const JobControl&) {
  std::vector<Figure> figures;
  for (const ProgressX x : {ProgressX::Trials, ProgressX::Seconds}) {
    Figure& figure = figures.emplace_back(
        make_figure<ProgressChart>(progress_figure(*source.session, x, source.passing),
                                   progress_height + lanes_height(source.session->errors)));
    figure.fill = [x, fill = std::move(figure.fill)](Chart& chart) {
      static_cast<ProgressChart&>(chart).set_x(x);
      fill(chart);
    };
  }
  return figures;
}

}  // namespace

FigureKind progress_figure_kind() {
  return figure_kind<ProgressChart>("progress", FigurePlace::Tune, ReportPart::Course, progress_figures);
}

}  // namespace kernelscape
