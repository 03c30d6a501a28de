#include "ui/figures/model_belief.h"

#include <QCoreApplication>

#include "core/session/setup.h"
#include "core/tuner/tuner.h"
#include "ui/style/numbers.h"

namespace kernelscape::figures {
namespace {

QString translated(const char* text) { return QCoreApplication::translate("ModelBelief", text); }

std::int64_t valid_trials(const workspace::SourceData& source) {
  return source.errors.of(trial::ErrorCategory::NoError).trials;
}

/** Returns the learnt relevance; nullopt: the session's tuner learns no relevance. */
std::optional<tuner::LearntRelevance> learnt_relevance(const workspace::SourceData& source) {
  const auto tuner = tuner::find_tuner(source.record().tuner);
  if (!tuner || !(*tuner)->relevance) return std::nullopt;
  const auto settings = session::settings_from_json(**tuner, source.record().settings_json);
  if (!settings) return std::nullopt;
  return (*tuner)->relevance(*settings, valid_trials(source));
}

}  // namespace

std::vector<analysis::SeriesFigure> series_figures_of(const workspace::SourceData& source) {
  return analysis::series_figures(tuner::described_series(), source.series, source.saved.samples > 0,
                                  source.flops());
}

charts::SeriesData series_data_of(const workspace::SourceData& source, const analysis::SeriesFigure& figure) {
  charts::SeriesData data{.session = source.id(),
                          .trials = source.trials,
                          .speeds = source.speeds,
                          .series = source.series,
                          .figure = figure,
                          .flops = source.flops(),
                          .session_seconds = source.status.session_seconds};
  data.interruption_seconds = source.paused_seconds();
  return data;
}

bool learns_relevance(const workspace::SourceData& source) {
  return analysis::latest_lengthscales(source.series) >= 0 || learnt_relevance(source).has_value();
}

charts::RelevanceData relevance_data_of(const workspace::SourceData& source) {
  const tuner::LearntRelevance learnt = learnt_relevance(source).value_or(tuner::LearntRelevance{});
  return {analysis::column_relevance(source.series, learnt.kernel),
          analysis::latest_lengthscales(source.series)};
}

QString relevance_notice(const workspace::SourceData& source) {
  const auto learnt = learnt_relevance(source);
  if (analysis::latest_lengthscales(source.series) >= 0 || !learnt) return {};
  const QString notice = translated(
                             "All knobs have equal relevance until there are %1 valid trials: then the model "
                             "learns which of them matter.")
                             .arg(style::format_count(learnt->from_trials));
  // Trials of other sessions count too, if they are feasible configurations of this space.
  const bool alone = source.record().history_json.empty() || source.record().history_json == "[]";
  return alone ? notice + translated(" %1 so far.").arg(style::format_count(valid_trials(source))) : notice;
}

}  // namespace kernelscape::figures
