#include "core/exchange/repeated_trials.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "core/exchange/compact_trials.h"
#include "core/trial/measure_options.h"
#include "core/trial/recording_builder.h"

namespace kernelscape::exchange {
namespace {

/** Returns the trials of each configuration, in the order of first occurrence. */
std::vector<std::vector<std::size_t>> by_configuration(const ImportedTrials& part) {
  std::vector<std::vector<std::size_t>> grouped;
  std::map<std::vector<std::uint32_t>, std::size_t> positions;
  for (std::size_t i = 0; i < part.trials.size(); ++i) {
    const auto [found, is_new] = positions.try_emplace(part.trials[i].configuration.indices, grouped.size());
    if (is_new) grouped.emplace_back();
    grouped[found->second].push_back(i);
  }
  return grouped;
}

/**
 * Returns the last of a column's numbers for these trials; NaN if there is none. @param merged the
 * measurement of all: if it is valid, numbers of failed trials do not count
 */
double last_number(const trial::RecordedColumn& column, const std::vector<std::size_t>& trials,
                   const ImportedTrials& part, const trial::Measurement& merged) {
  double last = std::nan("");
  for (const std::size_t trial : trials)
    if (part.trials[trial].measurement.valid() == merged.valid() && !std::isnan(column.values[trial]))
      last = column.values[trial];
  return last;
}

}  // namespace

std::size_t count_repeated_trials(const ImportedTrials& part) {
  if (part.compact) return count_repeated_compact_trials(part);
  return part.trials.size() - by_configuration(part).size();
}

std::string repeated_trials_notice(std::size_t repeated, bool recorded) {
  if (repeated == 0) return {};
  return fmt::format(
      "trials that repeat the configuration of an earlier one: {}; {}", repeated,
      recorded ? "the samples of all trials of a configuration are merged" : "each is a separate trial");
}

void merge_measurement(trial::Measurement& earlier, const trial::Measurement& later) {
  const double build_seconds = earlier.build_seconds + later.build_seconds;
  const double run_seconds = earlier.run_seconds + later.run_seconds;
  // Metrics of a failure do not belong to the time of a valid measurement.
  const bool alike = earlier.valid() == later.valid();
  std::vector<trial::Metric> before = alike ? earlier.metrics : std::vector<trial::Metric>();
  if (!earlier.valid()) {
    earlier = later;
  } else if (later.valid()) {
    const auto samples = static_cast<double>(earlier.samples_seconds.size());
    const auto more = static_cast<double>(later.samples_seconds.size());
    const bool ranked = earlier.recorded_seconds != 0 || later.recorded_seconds != 0;
    if (ranked && samples + more > 0)
      earlier.recorded_seconds =
          (earlier.ranking_seconds() * samples + later.ranking_seconds() * more) / (samples + more);
    const std::size_t room = std::size_t{trial::max_repeats} -
                             std::min(earlier.samples_seconds.size(), std::size_t{trial::max_repeats});
    const auto taken = static_cast<std::ptrdiff_t>(std::min(room, later.samples_seconds.size()));
    earlier.samples_seconds.insert(earlier.samples_seconds.end(), later.samples_seconds.begin(),
                                   later.samples_seconds.begin() + taken);
  }
  earlier.build_seconds = build_seconds;
  earlier.run_seconds = run_seconds;
  if (alike) earlier.metrics = later.metrics;
  for (trial::Metric& metric : before) earlier.add_metric(std::move(metric));
}

Result<std::shared_ptr<const trial::Recording>> recording_of(const ImportedTrials& part) {
  if (part.compact) return recording_of_compact(part);
  space::SearchSpace swept = part.space;
  if (part.space.explicit_members() != nullptr) {
    // If the product of the knobs exceeds 2^127, they do not form a space; the space then consists of its
    // members only.
    Result<space::SearchSpace> knobs = space::SearchSpace::make(part.space.knobs());
    if (knobs) swept = std::move(*knobs);
  }
  trial::RecordingBuilder builder(part.header, std::move(swept));
  for (const std::vector<std::size_t>& trials : by_configuration(part)) {
    const ImportedTrial& first = part.trials[trials.front()];
    trial::Measurement measurement = first.measurement;
    for (std::size_t i = 1; i < trials.size(); ++i)
      merge_measurement(measurement, part.trials[trials[i]].measurement);
    if (const Status added = builder.add(first.configuration, measurement); !added)
      return fail(added.error().code,
                  fmt::format("{}, trial {}: {}", part.header.name, trials.front(), added.error().message),
                  added.error().hint);
    for (const trial::RecordedColumn& column : part.columns)
      builder.set_column(column.name, first.configuration, last_number(column, trials, part, measurement),
                         column.unit);
  }
  return builder.build();
}

}  // namespace kernelscape::exchange
