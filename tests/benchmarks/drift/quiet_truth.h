#pragma once

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "core/analysis/order_statistics.h"
#include "core/measure/confirmation.h"
#include "core/session/preparation.h"
#include "tests/benchmarks/benchmark_support.h"
#include "tests/benchmarks/drift/session_facts.h"

namespace kernelscape::drift {

/** The medians of configurations that were measured again, interleaved and undisturbed. */
struct QuietMedians {
  std::vector<double> seconds;  ///< per configuration; 0: it failed
  bool steady = true;           ///< the first and the second half of the samples agree
};

/** Measures configurations of several sessions on a task, as they are named in JSON, after the sessions. */
class QuietTruth {
 public:
  /** @param folder for a database that is not used otherwise */
  QuietTruth(const std::string& task, const std::filesystem::path& folder)
      : tuning_(prepared(task, folder / "truth.db")) {}

  /** Repeats the measurement, a few times at most, until it is steady. */
  QuietMedians measure(std::span<const Json> configurations) const {
    std::vector<space::Configuration> wanted;
    for (const Json& configuration : configurations)
      wanted.push_back(value_or_stop(tuning_.family->space().configuration_from_json(configuration.dump())));
    QuietMedians medians;
    for (int attempt = 0; attempt < max_attempts && interrupted == 0; ++attempt) {
      medians = measure_once(wanted);
      if (medians.steady) break;
    }
    return medians;
  }

 private:
  static constexpr int samples = 24;
  static constexpr int max_attempts = 3;
  static constexpr double max_seconds = 120;  ///< of an attempt
  static constexpr double tolerance = 0.02;   ///< of the medians of both halves

  static session::PreparedTuning prepared(const std::string& task, const std::filesystem::path& database) {
    const store::Store store = value_or_stop(store::Store::open(database));
    session::TuningRequest request;
    request.task = task;
    request.trust = task.ends_with(".json");  // only projects need it
    return value_or_stop(session::prepare_tuning(request, store));
  }
  QuietMedians measure_once(std::span<const space::Configuration> wanted) const {
    const session::Setup& setup = tuning_.setup;
    const measure::Confirmations measured = value_or_stop(measure::measure_interleaved(
        *tuning_.family, setup.target, setup.options, wanted, samples, [] { return interrupted != 0; },
        max_seconds));
    QuietMedians medians;
    std::vector<double> changes;
    for (const trial::Measurement& measurement : measured.configurations) {
      medians.seconds.push_back(measurement.valid() ? measurement.median_seconds() : 0);
      const std::span<const double> all(measurement.samples_seconds);
      if (all.size() < 2) continue;
      const std::size_t half = all.size() / 2;
      const double first = analysis::quartiles(all.first(half)).median;
      changes.push_back(std::fabs(std::log(first / analysis::quartiles(all.subspan(half)).median)));
    }
    medians.steady = !changes.empty() && analysis::quartiles(changes).median < tolerance;
    return medians;
  }

  session::PreparedTuning tuning_;
};

/**
 * Measures the best and the confirmed configurations of sessions on a task, and adds to the facts of each the
 * quiet time of its best, and how many of its intervals hold the quiet time.
 * @return true if the machine was steady meanwhile
 */
inline bool add_quiet_truth(const QuietTruth& truth, std::span<Json* const> sessions) {
  std::vector<Json> configurations;
  const auto place_of = [&](const Json& configuration) {
    const auto found = std::ranges::find(configurations, configuration);
    const auto place = static_cast<std::size_t>(found - configurations.begin());
    if (found == configurations.end()) configurations.push_back(configuration);
    return place;
  };
  for (const Json* session : sessions) {
    place_of((*session)["configuration"]);
    for (const Json& confirmed : (*session)["confirmed"]) place_of(confirmed["configuration"]);
  }
  const QuietMedians medians = truth.measure(configurations);
  for (Json* session : sessions) {
    (*session)["truth_seconds"] = medians.seconds[place_of((*session)["configuration"])];
    int hold = 0;
    for (const Json& confirmed : (*session)["confirmed"]) {
      const double seconds = medians.seconds[place_of(confirmed["configuration"])];
      hold += seconds >= number(confirmed, "low") && seconds <= number(confirmed, "high") ? 1 : 0;
    }
    (*session)["intervals_holding"] = hold;
  }
  return medians.steady;
}

}  // namespace kernelscape::drift
