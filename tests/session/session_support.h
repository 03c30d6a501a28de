#pragma once

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/session/session.h"
#include "tests/measure/scripted_measurer.h"

namespace kernelscape::session_tests {

inline std::uint64_t hash_of(const space::Configuration& configuration) {
  return base::stable_hash(space::to_blob(configuration));
}

/** A kernel's time, from its configuration alone: smooth in the knobs, with some noise. */
inline double scripted_seconds(const space::Configuration& configuration) {
  double score = 1;
  for (const std::uint32_t index : configuration.indices)
    score += std::fabs(static_cast<double>(index) - 3) * 0.1;
  return score * 1e-4 * (1 + static_cast<double>(hash_of(configuration) % 1000) * 1e-5);
}

/** What measuring gives, from the configuration alone: about one in eight fails. */
inline trial::Measurement scripted_measurement(const space::Configuration& configuration) {
  const std::uint64_t hash = hash_of(configuration);
  trial::Measurement measurement;
  measurement.build_seconds = 0.5;
  if (hash % 8 == 0) {
    measurement.category = static_cast<trial::ErrorCategory>(1 + hash / 8 % 8);
    measurement.message = "scripted failure " + std::to_string(hash % 5);
    return measurement;
  }
  const double seconds = scripted_seconds(configuration);
  measurement.samples_seconds = {seconds * 1.01, seconds, seconds * 0.99};
  measurement.run_seconds = 2;
  return measurement;
}

/** A library's time for any task that confirm_by_script() is asked of. */
constexpr double scripted_vendor_seconds = 2e-4;

/** A confirmation at the end of a session, by the script: one round, and a library beside. */
inline Result<measure::Confirmations> confirm_by_script(std::span<const space::Configuration> configurations,
                                                        const session::StopRequest&, double) {
  measure::Confirmations confirmed;
  confirmed.rounds = 1;
  for (const space::Configuration& configuration : configurations) {
    trial::Measurement measurement;
    measurement.samples_seconds = {scripted_seconds(configuration)};
    confirmed.configurations.push_back(std::move(measurement));
  }
  confirmed.vendor.name = "a library";
  confirmed.vendor.samples_seconds = {scripted_vendor_seconds};
  return confirmed;
}

/** The scripted measurer with a builder, in an order of arrival of its own; tests hook into it. */
class TestMeasurer final : public measure::Measurer {
 public:
  explicit TestMeasurer(MeasurementScript script) : scripted_(std::move(script)) {}

  Status submit(std::span<const space::Configuration> batch) override {
    if (on_submit) on_submit();
    if (submit_error) return std::unexpected(*submit_error);
    for (const space::Configuration& configuration : batch) ++submitted[configuration];
    return scripted_.submit(batch);
  }
  Result<std::vector<measure::Completed>> collect(std::chrono::milliseconds patience) override {
    if (on_collect) on_collect();
    return scripted_.collect(patience);
  }
  measure::BatchProgress progress() const override {
    measure::BatchProgress progress = scripted_.progress();
    progress.waiting = waits_at.has_value();
    if (waits_at) progress.speed = *waits_at;
    return progress;
  }
  measure::BusyTimes take_busy_times() override {
    measure::BusyTimes busy = scripted_.take_busy_times();
    busy.waiting_seconds += std::exchange(waited_seconds, 0.0);
    return busy;
  }
  void abort() override {
    ++aborts;
    scripted_.abort();
  }
  void set_best_seconds(double seconds) override { scripted_.set_best_seconds(seconds); }
  void set_run_timeout(double seconds) override { scripted_.set_run_timeout(seconds); }
  Result<std::optional<trial::ProbeSeconds>> probe_speed(const std::function<bool()>&) override {
    return probe;
  }
  std::string probe_problem() const override { return problem; }
  void set_usual_probe(const trial::ProbeSeconds& usual) override { usual_probe = usual; }

  VirtualClock& clock() { return *scripted_.clock(); }
  double best_seconds() const { return scripted_.best_seconds(); }
  double run_timeout_seconds() const { return scripted_.run_timeout_seconds(); }

  std::function<void()> on_submit;
  std::function<void()> on_collect;
  std::optional<Error> submit_error;
  std::map<space::Configuration, int> submitted;  ///< how often
  int aborts = 0;
  std::optional<trial::ProbeSeconds> probe;     ///< of the device; nullopt: it has none
  std::string problem;                          ///< why it has none
  std::optional<trial::MachineSpeed> waits_at;  ///< the speed of the slow machine that it waits for now
  double waited_seconds = 0;                    ///< since the last take_busy_times()
  trial::ProbeSeconds usual_probe;              ///< as the session set it

 private:
  ScriptedMeasurer scripted_;
};

inline MeasurementScript make_script() {
  MeasurementScript script;
  script.measure = scripted_measurement;
  script.shuffle_seed = 5;
  return script;
}

/** Notes what a session tells, and calls back. */
class RecordingObserver final : public session::Observer {
 public:
  void started(store::SessionId session, const store::SessionRecord&) override { id = session; }
  void phase_changed(session::Phase phase, const store::SessionStatus&) override {
    phases.push_back(phase);
    if (on_event) on_event();
  }
  void trial_finished(const trial::Trial& trial, const store::SessionStatus& status) override {
    trials.push_back(trial);
    last_status = status;
    if (on_trial) on_trial(trial);
    if (on_event) on_event();
  }
  void progress(const measure::BatchProgress&, const store::SessionStatus&) override {
    if (!phases.empty() && phases.back() == session::Phase::Confirming) ++progress_while_confirming;
  }
  void message(const session::Message& message) override { messages.push_back(message); }

  std::function<void(const trial::Trial&)> on_trial;
  std::function<void()> on_event;
  store::SessionId id = 0;
  std::vector<session::Phase> phases;
  std::vector<trial::Trial> trials;
  std::vector<session::Message> messages;
  int progress_while_confirming = 0;
  store::SessionStatus last_status;
};

inline space::SearchSpace make_space() {
  std::vector<space::Knob> knobs;
  knobs.push_back(*space::Knob::factorization("tile_y", 64, 3));
  knobs.push_back(*space::Knob::factorization("tile_x", 48, 2));
  knobs.push_back(
      *space::Knob::ordinal("unroll", {space::KnobValue(std::int64_t{0}), space::KnobValue(std::int64_t{512}),
                                       space::KnobValue(std::int64_t{1500})}));
  knobs.push_back(*space::Knob::categorical("packed", {space::KnobValue(false), space::KnobValue(true)}));
  return *space::SearchSpace::make(std::move(knobs));
}

/** As large as make_space(), but of factorizations alone, which some tuners need. */
inline space::SearchSpace make_factorization_space() {
  std::vector<space::Knob> knobs;
  knobs.push_back(*space::Knob::factorization("tile_y", 64, 3));
  knobs.push_back(*space::Knob::factorization("tile_x", 48, 2));
  knobs.push_back(*space::Knob::factorization("tile_k", 32, 2));
  return *space::SearchSpace::make(std::move(knobs));
}

inline space::SearchSpace make_space_for(const std::string& tuner) {
  return tuner == "gbfs" || tuner == "na2c" ? make_factorization_space() : make_space();
}

/** Expects what the scripted kernels take, roughly. */
class ScriptedPredictor final : public space::PerformancePredictor {
 public:
  Result<std::vector<float>> predict(std::span<const space::Configuration> configurations) const override {
    std::vector<float> fitness;
    for (const space::Configuration& configuration : configurations)
      fitness.push_back(static_cast<float>(1e5 / scripted_seconds(configuration)));
    return fitness;
  }
  const std::string& text() const override { return text_; }

 private:
  std::string text_ = "scripted 0123456789ab";
};

inline bool uses_predictor(const std::string& tuner) { return (*tuner::find_tuner(tuner))->uses_predictor; }

inline session::Setup make_setup(const std::string& tuner, std::uint64_t seed, std::int64_t trials,
                                 std::int64_t batch_size) {
  session::Setup setup{.space = make_space_for(tuner)};
  setup.name = "test";
  setup.task = *task::parse_task("matmul 64x48 48x32 f32");
  setup.template_name = "test-template";
  setup.template_version = 1;
  setup.tuner = tuner;
  setup.settings = *tuner::parse_settings(**tuner::find_tuner(tuner), {});
  if (uses_predictor(tuner)) {
    // It goes on after its round, as all others do.
    setup.settings = *tuner::parse_settings(**tuner::find_tuner(tuner), {{"refit", "true"}});
    setup.predictor.of_kernels = std::make_shared<ScriptedPredictor>();
  }
  setup.batch_size = batch_size;
  setup.seed = seed;
  setup.budget.trials = trials;
  setup.real_measurements = false;
  return setup;
}

/** A store, a measurer and an observer in virtual time; each run() or resume() is as if by a process of its
 * own. */
struct Bench {
  explicit Bench(const std::filesystem::path& path, MeasurementScript script = make_script())
      : store(*store::Store::open(path)), measurer(std::move(script)) {}

  session::Tools tools() {
    session::Tools tools{measurer,  observer, stop,   [this] { return measurer.clock().seconds; },
                         confirmer, surveyor, limits, kept};
    tools.usual_speed_known = [this](const trial::UsualSpeed& usual) { usual_speed = usual; };
    tools.conditions = conditions;
    tools.loaded = loaded;
    return tools;
  }
  Result<session::Outcome> run(const session::Setup& setup) {
    return session::run_session(store, setup, tools());
  }
  Result<session::Outcome> resume(store::SessionId id, const session::Setup& setup) {
    return session::resume_session(store, id, setup, tools());
  }

  store::Store store;
  TestMeasurer measurer;
  RecordingObserver observer;
  session::StopRequest stop;
  session::Confirmer confirmer;
  session::Surveyor surveyor;
  session::LimitMeter limits;
  session::TunerCheckpoint* kept = nullptr;
  std::function<measure::MachineConditions()> conditions;
  bool loaded = false;            ///< other programs use the machine
  trial::UsualSpeed usual_speed;  ///< as the session notified it last
};

/** By number, without the session time at which they were known: what exact resume has to reproduce. */
inline std::vector<trial::Trial> comparable_trials(const store::Store& store, store::SessionId id) {
  std::vector<trial::Trial> trials = *store.trials().of(id);
  for (trial::Trial& trial : trials) trial.finished_seconds = 0;
  return trials;
}

}  // namespace kernelscape::session_tests
