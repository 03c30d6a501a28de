#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/base/thread_cpu_time.h"
#include "core/session/session.h"
#include "core/session/steps.h"
#include "core/trial/recording.h"
#include "core/tuner/member_share.h"
#include "tests/benchmarks/benchmark_support.h"

/** A tuner driven without a session: its trials cost nothing but the tuner's own time. */
namespace kernelscape {

/** A search that is followed. */
struct Search {
  std::string tuner;
  space::SearchSpace space;
  std::int64_t batch = 0;  ///< 0: the tuner's own, with four builders
  std::int64_t trials = 0;
  std::uint64_t seed = 0;
  std::map<std::string, std::string> settings = {};  ///< that are not the tuner's defaults
};

/** What it came to. */
struct SearchCurve {
  std::vector<double> best;                ///< fitness of the best so far, after each trial
  double search_seconds = 0;               ///< CPU time of the thread in the tuner, its making included
  std::vector<double> member_shares = {};  ///< of drawn children, after each trial that reports one

  /** The last value from the search's end on. */
  double best_after(std::size_t trials) const { return best[std::min(trials, best.size()) - 1]; }
};

/** What a configuration's trial gives. */
using Oracle = std::function<trial::Observation(const space::Configuration&)>;

inline std::unique_ptr<tuner::Tuner> make_search_tuner(const Search& search) {
  session::Setup setup{.space = search.space};
  setup.tuner = search.tuner;
  setup.settings =
      value_or_stop(tuner::parse_settings(*value_or_stop(tuner::find_tuner(search.tuner)), search.settings));
  setup.seed = search.seed;
  return value_or_stop(session::make_session_tuner(setup, search.trials));
}

inline SearchCurve follow(const Search& search, const Oracle& oracle) {
  double begin = base::thread_cpu_seconds();
  const std::unique_ptr<tuner::Tuner> tuner = make_search_tuner(search);
  SearchCurve curve{{}, base::thread_cpu_seconds() - begin};
  constexpr std::int64_t builders = 4;
  const std::int64_t batch =
      search.batch > 0 ? search.batch
                       : tuner::own_batch(*value_or_stop(tuner::find_tuner(search.tuner)), builders);
  std::vector<trial::Observation> observations;
  for (std::int64_t left = search.trials; left > 0; left -= std::ssize(observations)) {
    begin = base::thread_cpu_seconds();
    const tuner::Proposal proposal =
        value_or_stop(tuner->propose(static_cast<std::size_t>(std::min(batch, left))));
    curve.search_seconds += base::thread_cpu_seconds() - begin;
    const auto* candidates = std::get_if<std::vector<space::Configuration>>(&proposal);
    if (candidates == nullptr) break;
    observations.clear();
    for (std::size_t position = 0; position < candidates->size(); ++position) {
      for (const trial::SeriesValue& value : tuner->series(position))
        if (value.series == tuner::member_share_name) curve.member_shares.push_back(value.value);
    }
    for (const space::Configuration& candidate : *candidates) {
      observations.push_back(oracle(candidate));
      const double before = curve.best.empty() ? 0 : curve.best.back();
      curve.best.push_back(std::max(before, observations.back().fitness));
    }
    begin = base::thread_cpu_seconds();
    tuner->observe(observations);
    curve.search_seconds += base::thread_cpu_seconds() - begin;
  }
  return curve;
}

/** Trials of a recorded space, looked up. Any thread may ask. */
inline Oracle recorded_oracle(std::shared_ptr<const trial::Recording> recording) {
  const double flops = value_or_stop(task::task_from_json(recording->header().task_json)).flops();
  return [recording = std::move(recording), flops](const space::Configuration& configuration) {
    const std::optional<std::uint32_t> row = recording->find(configuration);
    if (!row) stop("a tuner left its space");
    return trial::observe_trial({.configuration = configuration, .measurement = recording->measurement(*row)},
                                flops);
  };
}

/** Fitness of its best member. */
inline double recorded_optimum(const trial::Recording& recording) {
  const std::optional<std::uint32_t> best = recording.best();
  if (!best) stop(recording.header().name + " has no valid member");
  return trial::fitness_of(recording.seconds(*best),
                           value_or_stop(task::task_from_json(recording.header().task_json)).flops());
}

}  // namespace kernelscape
