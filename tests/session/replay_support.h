#pragma once

#include <QTest>
#include <random>

#include "core/session/replayed_session.h"
#include "core/session/setup.h"
#include "core/trial/recording_builder.h"
#include "tests/session/session_support.h"
#include "tests/verify_result.h"

/** Recorded spaces for replays, and what a replay has to give, made without it. */
namespace kernelscape::session_tests {

inline base::Random seeded_random() {
  const std::uint64_t seed = std::random_device{}();
  qInfo("seed %llu", static_cast<unsigned long long>(seed));
  return base::Random(seed);
}

enum class RecordedSpace { Complete, Constrained, Sample };

/** The whole space, whose first knob is "tile_y", or a part of it by a constraint. */
inline space::SearchSpace swept_space(RecordedSpace kind, const space::SearchSpace& whole = make_space()) {
  if (kind != RecordedSpace::Constrained) return whole;
  space::ConstraintSystem system;
  const space::VariableId inner = system.add_element("tile_y.2", 0, 2);
  system.add({space::LeConstraint{inner, system.add_constant("limit", 8)}, "a limit"});
  return *space::SearchSpace::make(whole.knobs(), system);
}

/** As recorded, from the configuration alone; about a third fails, in every way. */
inline trial::Measurement recorded_measurement(const space::Configuration& configuration) {
  const std::uint64_t hash = hash_of(configuration);
  trial::Measurement measurement;
  measurement.build_seconds = 0.1 + static_cast<double>(hash % 977) * 1e-3;
  if (hash % 3 == 0) {
    measurement.category = static_cast<trial::ErrorCategory>(1 + hash / 3 % 8);
    measurement.message = "recorded failure " + std::to_string(hash % 7);
    if (hash % 2 == 0) measurement.run_seconds = static_cast<double>(hash % 89) * 1e-2;
    return measurement;
  }
  const double seconds = scripted_seconds(configuration);
  measurement.samples_seconds = {seconds * 1.02, seconds, seconds * 0.99};
  measurement.run_seconds = 0.05 + static_cast<double>(hash % 641) * 1e-3;
  measurement.cut_short = hash % 11 == 0;
  if (hash % 5 == 0) measurement.recorded_seconds = seconds * 1.5;
  return measurement;
}

inline trial::RecordingHeader recorded_header(int builders, bool pipelined) {
  const session::Setup setup = make_setup("random", 1, 10, 8);
  trial::RecordingHeader header;
  header.name = "a recorded space";
  header.origin = "a test";
  header.task_json = task::task_to_json(setup.task);
  header.target_name = "cpu";
  header.target_json = schedule::target_to_json(setup.target);
  header.template_name = setup.template_name;
  header.template_version = setup.template_version;
  trial::MeasureOptions options;
  options.repeats = 3;
  header.options_json = trial::measure_options_to_json(options);
  header.builders = builders;
  header.pipelined = pipelined;
  return header;
}

inline std::shared_ptr<const trial::Recording> make_recording(
    RecordedSpace kind, int builders = 2, bool pipelined = false,
    const space::SearchSpace& whole = make_space()) {
  const space::SearchSpace space = swept_space(kind, whole);
  trial::RecordingBuilder builder(recorded_header(builders, pipelined), space);
  for (base::uint128 index = 0; index < space.size(); ++index) {
    const space::Configuration configuration = space.at(index);
    if (!space.contains(configuration)) continue;
    if (kind == RecordedSpace::Sample && hash_of(configuration) % 4 != 0) continue;
    if (!builder.add(configuration, recorded_measurement(configuration))) std::abort();
  }
  return *builder.build();
}

inline session::TuningRequest replay_request(const std::string& tuner, std::uint64_t seed,
                                             std::int64_t trials) {
  session::TuningRequest request;
  request.target = "recorded:test";
  request.tuner = tuner;
  request.seed = seed;
  request.budget.trials = trials;
  request.measuring.search_time = {trial::SearchTime::Kind::None, 0};
  return request;
}

/** A store, and replays in it: each is as if by a process of its own. */
struct ReplayBench {
  explicit ReplayBench(const std::filesystem::path& path) : store(*store::Store::open(path)) {}

  Result<session::Outcome> run(const session::TuningRequest& request,
                               std::shared_ptr<const trial::Recording> recording) {
    const Result<session::PreparedTuning> tuning =
        session::prepare_replay(request, store, std::move(recording));
    if (!tuning) return std::unexpected(tuning.error());
    return session::run_replay(store, *tuning, std::nullopt, observer, stop);
  }
  /** @param raise changes the stored budget */
  Result<session::Outcome> resume(store::SessionId id,
                                  const std::function<void(trial::Budget&)>& raise = {}) {
    Result<session::PreparedTuning> tuning = session::prepare_resume(store, id);
    if (!tuning) return std::unexpected(tuning.error());
    if (raise) raise(tuning->setup.budget);
    return session::run_replay(store, *tuning, id, observer, stop);
  }

  store::Store store;
  RecordingObserver observer;
  session::StopRequest stop;
};

/** When the candidates of a wave are known: every builder and the device simulated, one event after another.
 */
inline std::vector<double> simulated_wave(const std::vector<trial::Measurement>& batch, int builders,
                                          bool pipelined) {
  std::vector<double> built(batch.size());
  std::multimap<double, int> free;
  for (int builder = 0; builder < builders; ++builder) free.emplace(0.0, builder);
  for (std::size_t i = 0; i < batch.size(); ++i) {
    const auto next = free.begin();
    built[i] = next->first + batch[i].build_seconds;
    const int builder = next->second;
    free.erase(next);
    free.emplace(built[i], builder);
  }
  const double all_built = *std::ranges::max_element(built);
  double device = 0;
  std::vector<double> finished = built;
  for (std::size_t i = 0; i < batch.size(); ++i) {
    device = std::max(device, pipelined ? built[i] : all_built);
    const auto category = static_cast<int>(batch[i].category);
    const bool in_build = category == 1 || category == 2 || category == 3 || category == 6 || category == 8;
    if (in_build && batch[i].run_seconds == 0) continue;
    device += batch[i].run_seconds;
    finished[i] = device;
  }
  return finished;
}

/** The same of a batch; on a CPU in waves of the number of builders, unless the clock is that of before. */
inline std::vector<double> simulated_finish(const std::vector<trial::Measurement>& batch, int builders,
                                            bool pipelined, trial::BatchClock clock) {
  if (pipelined || clock == trial::BatchClock::Batches) return simulated_wave(batch, builders, pipelined);
  std::vector<double> finished;
  double begin = 0;
  for (auto next = batch.begin(); next != batch.end();) {
    const auto end = next + std::min<std::ptrdiff_t>(builders, batch.end() - next);
    double known = 0;
    for (const double seconds : simulated_wave({next, end}, builders, pipelined)) {
      finished.push_back(begin + seconds);
      known = std::max(known, seconds);
    }
    begin += known;
    next = end;
  }
  return finished;
}

}  // namespace kernelscape::session_tests
