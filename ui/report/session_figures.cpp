#include <algorithm>
#include <cmath>

#include "core/analysis/comparison/intervals.h"
#include "core/measure/cpu/machine_limits.h"
#include "ui/charts/bars/distribution_chart.h"
#include "ui/charts/bars/error_chart.h"
#include "ui/charts/bars/time_chart.h"
#include "ui/charts/courses/cumulative_chart.h"
#include "ui/charts/courses/prediction_chart.h"
#include "ui/charts/courses/progress_chart.h"
#include "ui/charts/courses/series_chart.h"
#include "ui/report/reported_session.h"
#include "ui/style/numbers.h"
#include "ui/views/explore/knob_statistics.h"
#include "ui/views/tune/model_belief.h"

namespace kernelscape {
namespace {

constexpr int progress_height = 300;
constexpr int series_height = 230;
constexpr int prediction_height = 360;
constexpr int middle_height = 260;
constexpr int effects_height = 230;
constexpr int bar_row_height = 22;
constexpr int bars_height = 64;
constexpr int time_height = 120;
constexpr int lane_height = 12;
constexpr std::int64_t fewest_to_learn_from = 50;
constexpr std::size_t most_effects = 6;
constexpr std::size_t most_points = 600;
constexpr double fewest_bins = 8;
constexpr double most_bins = 80;

/** A chart that is made anew from the data it holds. */
template <typename ChartType, typename Data>
ReportFigure figure_of(int height, const QString& title, const QString& of, Data data,
                       const QString& caption = {}) {
  return {caption, QSize(report_figure_width, height), [title, of, data] {
            auto chart = std::make_unique<ChartType>();
            chart->set_title(title, of);
            chart->set_data(data);
            return chart;
          }};
}

std::vector<ReferenceLine> references_of(const SourceData& source) {
  std::vector<ReferenceLine> lines;
  const Quartiles vendor = quartiles(source.baselines.vendor.samples_seconds);
  if (vendor.median > 0) lines.push_back({report_string(source.baselines.vendor.name), vendor.median});
  const SpeedLimit limit = speed_limit(source.baselines.limits, source.task());
  if (limit.gflops > 0) lines.push_back({report_string(limit.name), source.flops() / (limit.gflops * 1e9)});
  return lines;
}

ProgressData progress_data_of(const SourceData& source) {
  ProgressData data;
  data.session = source.id();
  data.trials = source.trials;
  data.flops = source.flops();
  data.improvements = source.improvements;
  data.references = references_of(source);
  for (const SessionInterruption& interruption : source.interruptions)
    data.interruption_seconds.push_back(interruption.at_session_seconds);
  data.session_seconds = source.status.session_seconds;
  if (source.headline.confirmed) {
    const Quartiles& seconds = source.headline.seconds;
    data.confirmed = ConfirmedBest{source.headline.row, seconds.first, seconds.median, seconds.third};
  }
  return data;
}

int failed_categories(const ErrorBreakdown& errors) {
  int count = 0;
  for (std::size_t code = 1; code < error_category_count; ++code)
    if (errors.categories[code].trials > 0) ++count;
  return count;
}

ReportFigure progress_figure(const SourceData& source, ProgressX x) {
  const bool by_time = x == ProgressX::Seconds;
  const QString caption =
      by_time ? QStringLiteral("The same over session time: pauses and interruptions do not count.")
              : QStringLiteral(
                    "A point is a valid trial, the line the best so far. Failures stand in lanes "
                    "below the axis, by their category's letter.");
  return {caption,
          QSize(report_figure_width, progress_height + lane_height * failed_categories(source.errors)),
          [x, by_time, data = progress_data_of(source)] {
            auto chart = std::make_unique<ProgressChart>();
            chart->set_title(by_time ? QStringLiteral("Best so far over session time")
                                     : QStringLiteral("Best so far over trials"));
            chart->set_x(x);
            chart->set_data(data);
            return chart;
          }};
}

ReportFigure series_figure(const SourceData& source, const SeriesFigure& figure) {
  const bool predicts = figure.relation != SeriesRelation::None;
  const int lanes = predicts ? failed_categories(source.errors) : 0;
  return {report_string(figure.meaning), QSize(report_figure_width, series_height + lane_height * lanes),
          [data = series_data_of(source, figure)] {
            auto chart = std::make_unique<SeriesChart>();
            chart->set_data(data);
            return chart;
          }};
}

ReportFigure prediction_figure(const SourceData& source, const SeriesFigure& figure) {
  return {
      QStringLiteral("On the diagonal a trial was as fast as the tuner's model expected. Failures stand in "
                     "lanes below the axis, at what was expected of them."),
      QSize(report_figure_width, prediction_height + lane_height * failed_categories(source.errors)),
      [data = series_data_of(source, figure)] {
        auto chart = std::make_unique<PredictionChart>();
        chart->set_data(data);
        return chart;
      }};
}

void append_relevance(ReportBlocks& blocks, const SourceData& source) {
  const RelevanceData data = relevance_data_of(source);
  if (data.columns.empty()) return;
  const int height = bars_height + bar_row_height * static_cast<int>(data.columns.size());
  blocks.emplace_back(ReportFigure{
      QStringLiteral(
          "Of the similarity of two configurations, the share that a move across a column's whole "
          "range takes away under the tuner's model: what it believes, not a share of the variance."),
      QSize(report_figure_width, height), [data] {
        auto chart = std::make_unique<RelevanceChart>();
        chart->set_data(data);
        return chart;
      }});
}

/** Rice's rule. */
std::size_t bin_count(std::int64_t valid) {
  return static_cast<std::size_t>(
      std::clamp(std::ceil(2 * std::cbrt(static_cast<double>(valid))), fewest_bins, most_bins));
}

CumulativeData cumulative_data_of(const ShownTrials& shown) {
  CumulativeData data{{},
                      std::ssize(shown.rows),
                      shown.stands_for_space() ? QStringLiteral("configurations") : QStringLiteral("trials")};
  for (const TopPoint& point :
       reduced(distribution_from_top(shown.performance_values(), shown.rows), most_points)) {
    data.points.push_back({point, {}});
    // Of a complete space the share is known.
    if (!shown.stands_for_space() || shown.source->complete()) continue;
    const ConfidenceInterval interval = wilson_interval_95(point.count, data.trials);
    data.points.back().interval = {interval.low, interval.high};
  }
  return data;
}

/** The knobs in the order of what they explain, else in their own. */
std::vector<std::size_t> knobs_to_show(const ImportanceOutcome& importance, std::size_t count) {
  std::vector<std::size_t> knobs;
  if (importance.notice.isEmpty())
    for (const ImportanceBar& bar : importance.data.bars)
      if (bar.second < 0) knobs.push_back(static_cast<std::size_t>(bar.first));
  for (std::size_t knob = 0; knob < count; ++knob)
    if (std::ranges::find(knobs, knob) == knobs.end()) knobs.push_back(knob);
  if (knobs.size() > most_effects) knobs.resize(most_effects);
  return knobs;
}

void append_importance(ReportBlocks& blocks, const ImportanceOutcome& importance, const QString& of) {
  if (!importance.notice.isEmpty()) {
    blocks.emplace_back(ReportParagraph{importance.notice, ReportTone::Muted});
    return;
  }
  const int height = bars_height + bar_row_height * (static_cast<int>(importance.data.bars.size()) + 3);
  blocks.emplace_back(figure_of<ImportanceChart>(
      height, QStringLiteral("What decides %1").arg(importance.data.of_what), of, importance.data,
      QStringLiteral("Shares of the variance that a knob explains alone, and that two explain beyond each "
                     "alone (functional analysis of variance).")));
}

void append_effects(ReportBlocks& blocks, const ShownTrials& shown, const std::vector<std::size_t>& knobs,
                    const JobControl& control) {
  for (const std::size_t knob : knobs) {
    if (shown.source->space().knobs()[knob].count() < 2) continue;
    const std::size_t column = shown.source->columns().default_column(knob);
    const EffectsOutcome effects = effects_of(shown, column, {}, control);
    blocks.emplace_back(figure_of<EffectsChart>(effects_height,
                                                QStringLiteral("Effect of %1").arg(effects.data.column),
                                                shown.origin_text(), effects.data));
  }
  blocks.emplace_back(ReportParagraph{
      QStringLiteral("Boxes are quartiles, whiskers reach to the least and the greatest; n and the share "
                     "that is valid stand below. Fewer than five valid trials are points. A factor's "
                     "innermost part stands for a tiled loop."),
      ReportTone::Muted});
}

}  // namespace

void append_progress(ReportBlocks& blocks, const ReportedSession& session) {
  const SourceData& source = *session.source;
  if (source.record().kind == SessionKind::Recorded || source.improvements.empty()) return;
  blocks.emplace_back(ReportHeading{2, QStringLiteral("How it went")});
  blocks.emplace_back(progress_figure(source, ProgressX::Trials));
  blocks.emplace_back(progress_figure(source, ProgressX::Seconds));
}

void append_series(ReportBlocks& blocks, const ReportedSession& session) {
  const SourceData& source = *session.source;
  const std::vector<SeriesFigure> figures = series_figures_of(source);
  if (figures.empty()) return;
  blocks.emplace_back(ReportHeading{2, QStringLiteral("What the tuner reported")});
  append_relevance(blocks, source);
  for (const SeriesFigure& figure : figures) {
    if (figure.relation == SeriesRelation::Estimate) blocks.emplace_back(prediction_figure(source, figure));
    // The lengthscales of all columns are one chart.
    if (figure.group.empty()) blocks.emplace_back(series_figure(source, figure));
  }
}

ReportFigure outcome_figure(const ErrorBreakdown& errors, const QString& of) {
  return figure_of<ErrorChart>(
      bars_height + bar_row_height * (failed_categories(errors) + 1),
      QStringLiteral("Outcomes by trials and by work seconds"), of, errors,
      QStringLiteral("Work seconds are what each trial's own build and run took, summed over workers."));
}

void append_outcomes(ReportBlocks& blocks, const ReportedSession& session) {
  const SourceData& source = *session.source;
  if (source.trials.size() == 0) return;
  blocks.emplace_back(ReportHeading{2, QStringLiteral("What failed, and where the time went")});
  blocks.emplace_back(outcome_figure(source.errors, {}));
  if (source.status.session_seconds > 0)
    blocks.emplace_back(figure_of<TimeChart>(
        time_height + (source.saved.samples > 0 ? bar_row_height : 0), QStringLiteral("Wall share"), {},
        source.time(),
        QStringLiteral("Every instant of the session's wall time belongs to one phase: run, else build, else "
                       "search, else idle.")));
}

void append_distribution(ReportBlocks& blocks, const Shown& shown) {
  if (shown->valid == 0) return;
  const QString of = shown->origin_text();
  DistributionData data{shown->quantity(),
                        shown->unit(),
                        histogram(shown->performance_values(), shown->rows, bin_count(shown->valid), false),
                        {},
                        shown->best,
                        false,
                        {}};
  blocks.emplace_back(figure_of<DistributionChart>(
      middle_height, QStringLiteral("Distribution of %1").arg(shown->quantity()), of, std::move(data),
      QStringLiteral("%1 of %2 are valid; failed ones stand in no bar.")
          .arg(format_count(shown->valid), format_count(std::ssize(shown->rows)))));
  blocks.emplace_back(figure_of<CumulativeChart>(
      middle_height, QStringLiteral("Share within x % of the best"), of, cumulative_data_of(*shown),
      QStringLiteral("Read from the top: which share of all is at most so far below the best, failed ones "
                     "included.")));
}

void append_space_charts(ReportBlocks& blocks, const ReportedSession& session, const JobControl& control) {
  const ShownTrials& shown = *session.shown;
  const bool of_space = shown.stands_for_space();
  if (shown.valid == 0) return;
  if (of_space) {
    blocks.emplace_back(ReportHeading{2, QStringLiteral("What the space is like")});
    append_distribution(blocks, session.shown);
  }
  if (shown.valid < fewest_to_learn_from) return;
  blocks.emplace_back(ReportHeading{2, QStringLiteral("What the knobs do")});
  if (!of_space)
    blocks.emplace_back(ReportParagraph{
        QStringLiteral("Of the trials that the tuner chose: no statement about the whole space."),
        ReportTone::Notice});
  const ImportanceOutcome importance = importance_of(shown, false, control);
  append_importance(blocks, importance, shown.origin_text());
  if (shown.valid < std::ssize(shown.rows)) {
    const ImportanceOutcome validity = importance_of(shown, true, control);
    if (validity.notice.isEmpty()) append_importance(blocks, validity, shown.origin_text());
  }
  append_effects(blocks, shown, knobs_to_show(importance, shown.source->space().knobs().size()), control);
}

}  // namespace kernelscape
