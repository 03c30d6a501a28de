#include "core/exchange/compact_trials.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "core/base/int128.h"
#include "core/exchange/repeated_trials.h"
#include "core/exchange/validation_values.h"
#include "core/trial/recording_builder.h"

namespace kernelscape::exchange {
namespace {

/** A trial with the index of its configuration; sorted, the trials of a configuration follow each other. */
using IndexedTrial = std::pair<base::uint128, std::uint32_t>;

std::vector<IndexedTrial> trials_by_index(const ImportedTrials& part) {
  const CompactTrials& trials = *part.compact;
  std::vector<IndexedTrial> order;
  order.reserve(trials.size());
  space::Configuration configuration;
  for (std::size_t i = 0; i < trials.size(); ++i) {
    trials.configuration(i, configuration);
    order.emplace_back(part.space.index_of(configuration), static_cast<std::uint32_t>(i));
  }
  std::ranges::sort(order);
  return order;
}

/** Returns the position after the trials that have the configuration of the trial at a position. */
std::size_t end_of_group(const std::vector<IndexedTrial>& order, std::size_t begin) {
  std::size_t end = begin + 1;
  while (end < order.size() && order[end].first == order[begin].first) ++end;
  return end;
}

bool is_valid(const CompactTrials& trials, std::uint32_t trial) {
  return trials.sample_ends[trial] > (trial == 0 ? 0 : trials.sample_ends[trial - 1]);
}

/**
 * Returns the columns with one value for each configuration: the last that its trials have. If one of them is
 * valid, numbers of failed ones do not count.
 */
std::vector<trial::RecordedColumn> merged_columns(const ImportedTrials& part,
                                                  const std::vector<IndexedTrial>& order) {
  std::vector<trial::RecordedColumn> merged;
  for (const trial::RecordedColumn& column : part.columns) {
    std::vector<double>& values = merged.emplace_back(column.name, std::vector<double>(), column.unit).values;
    for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
      end = end_of_group(order, begin);
      const std::span group = std::span(order).subspan(begin, end - begin);
      const auto valid = [&](const IndexedTrial& trial) { return is_valid(*part.compact, trial.second); };
      const bool any_valid = std::ranges::any_of(group, valid);
      double last = std::nan("");
      for (const IndexedTrial& trial : group)
        if (const double value = column.values[trial.second]; valid(trial) == any_valid && !std::isnan(value))
          last = value;
      values.push_back(last);
    }
  }
  return merged;
}

}  // namespace

void CompactTrials::configuration(std::size_t trial, space::Configuration& configuration) const {
  configuration.indices.resize(choices.size());
  for (std::size_t knob = 0; knob < choices.size(); ++knob)
    configuration.indices[knob] = choices[knob][trial];
}

void CompactTrials::measurement(std::size_t trial, trial::Measurement& measurement) const {
  const std::uint64_t begin = trial == 0 ? 0 : sample_ends[trial - 1];
  const std::span samples = std::span(samples_seconds).subspan(begin, sample_ends[trial] - begin);
  measurement.samples_seconds.assign(samples.begin(), samples.end());
  measurement.build_seconds = build_seconds.empty() ? 0 : build_seconds[trial];
  measurement.category = trial::ErrorCategory::NoError;
  measurement.message.clear();
  measurement.recorded_seconds = 0;
  if (!samples.empty()) return;
  const Failure& failure = failures[failure_of[trial]];
  measurement.category = failure.category;
  measurement.message = failure.message;
}

std::size_t trial_count(const ImportedTrials& part) {
  return part.compact ? part.compact->size() : part.trials.size();
}

std::size_t count_repeated_compact_trials(const ImportedTrials& part) {
  const std::vector<IndexedTrial> order = trials_by_index(part);
  std::size_t repeated = 0;
  for (std::size_t i = 1; i < order.size(); ++i) repeated += order[i].first == order[i - 1].first ? 1U : 0U;
  return repeated;
}

Result<std::shared_ptr<const trial::Recording>> recording_of_compact(const ImportedTrials& part) {
  const std::vector<IndexedTrial> order = trials_by_index(part);
  std::size_t rows = 0;
  for (std::size_t begin = 0; begin < order.size(); begin = end_of_group(order, begin)) ++rows;
  std::size_t begin = 0;
  trial::Measurement merged;
  trial::Measurement next;
  // Rows are requested in ascending order.
  const auto row = [&](std::size_t) {
    const std::size_t end = end_of_group(order, begin);
    part.compact->measurement(order[begin].second, merged);
    for (std::size_t i = begin + 1; i < end; ++i) {
      part.compact->measurement(order[i].second, next);
      merge_measurement(merged, next);
    }
    return trial::RecordingRow{order[std::exchange(begin, end)].first, &merged};
  };
  return trial::build_recording(part.header, part.space, rows, row, merged_columns(part, order));
}

Status expand_trials(ImportedTrials& part) {
  if (!part.compact) return {};
  const std::shared_ptr<const CompactTrials> trials = std::exchange(part.compact, nullptr);
  std::vector<space::Configuration> configurations(trials->size());
  part.trials.reserve(trials->size());
  double now = 0;
  for (std::size_t i = 0; i < trials->size(); ++i) {
    ImportedTrial& trial = part.trials.emplace_back();
    trials->configuration(i, trial.configuration);
    trials->measurement(i, trial.measurement);
    now += trial.measurement.build_seconds + trial.measurement.run_seconds;
    trial.finished_seconds = now;
    configurations[i] = trial.configuration;
  }
  part.space = TRY(space::SearchSpace::make_explicit(part.space.knobs(), std::move(configurations)));
  return {};
}

Status check_compact_trials(const CompactTrials& trials, double flops) {
  double work_seconds = 0;
  trial::Measurement measurement;
  for (std::size_t i = 0; i < trials.size(); ++i) {
    trials.measurement(i, measurement);
    if (const auto wrong = impossible_measurement(measurement, flops))
      return refused_value(fmt::format("trial {}, {}", i, wrong->member), wrong->reason,
                           "remove the row from the table, or correct its numbers or its unit");
    work_seconds += measurement.build_seconds + measurement.run_seconds;
  }
  if (const std::string why = impossible_duration(work_seconds); !why.empty())
    return refused_value("the sum of its trials' times", why);
  return {};
}

}  // namespace kernelscape::exchange
