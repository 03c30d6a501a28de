#include "ui/views/tune/model_belief.h"

#include <QCoreApplication>

#include "core/session/setup.h"
#include "ui/style/numbers.h"

namespace kernelscape {
namespace {

constexpr std::string_view learning_tuner = "gp";

QString translated(const char* text) { return QCoreApplication::translate("ModelBelief", text); }

std::int64_t valid_trials(const SourceData& source) {
  return source.errors.of(ErrorCategory::NoError).trials;
}

/** What decides how its lengthscales are to be read; none: its tuner has none. */
std::optional<SettingValues> settings_of(const SourceData& source) {
  if (source.record().tuner != learning_tuner) return std::nullopt;
  const auto tuner = find_tuner(learning_tuner);
  if (!tuner) return std::nullopt;
  auto settings = settings_from_json(**tuner, source.record().settings_json);
  return settings ? std::optional(std::move(*settings)) : std::nullopt;
}

/** As core/tuner/space_model.h has it. */
RelevanceKernel kernel_of(const SourceData& source) {
  const auto settings = settings_of(source);
  if (!settings) return {};
  const bool smooth = valid_trials(source) < settings->integer("exponential_from");
  return {smooth ? Correlation::Matern32 : Correlation::Exponential, settings->real("damping")};
}

}  // namespace

std::vector<SeriesFigure> series_figures_of(const SourceData& source) {
  return series_figures(source.series, source.saved.samples > 0, source.flops());
}

SeriesData series_data_of(const SourceData& source, const SeriesFigure& figure) {
  SeriesData data{.session = source.id(),
                  .trials = source.trials,
                  .series = source.series,
                  .figure = figure,
                  .flops = source.flops(),
                  .session_seconds = source.status.session_seconds};
  for (const SessionInterruption& interruption : source.interruptions)
    data.interruption_seconds.push_back(interruption.at_session_seconds);
  return data;
}

bool learns_relevance(const SourceData& source) {
  return latest_lengthscales(source.series) >= 0 || settings_of(source).has_value();
}

RelevanceData relevance_data_of(const SourceData& source) {
  return {column_relevance(source.series, kernel_of(source)), latest_lengthscales(source.series)};
}

QString relevance_notice(const SourceData& source) {
  const auto settings = settings_of(source);
  if (latest_lengthscales(source.series) >= 0 || !settings) return {};
  const QString notice =
      translated("All knobs count alike until %1 valid trials: then the model learns which of them matter.")
          .arg(format_count(settings->integer("fit_from")));
  // Trials of other sessions count too, as far as they are members here.
  const bool alone = source.record().history_json.empty() || source.record().history_json == "[]";
  return alone ? notice + translated(" %1 so far.").arg(format_count(valid_trials(source))) : notice;
}

}  // namespace kernelscape
