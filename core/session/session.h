#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/measure/kernel_family.h"
#include "core/measure/measurer.h"
#include "core/store/store.h"
#include "core/trial/trial_table.h"
#include "core/tuner/tuner.h"

namespace kernelscape {

/** What ends a session: whichever comes first; 0: not limited by it. Stored; can be raised by `resume`. */
struct Budget {
  std::int64_t trials = 500;
  double minutes = 0;
  double target_gflops = 0;
  std::int64_t patience = 0;  ///< trials without a better one

  bool operator==(const Budget&) const = default;
};

std::string budget_to_json(const Budget& budget);
Result<Budget> budget_from_json(std::string_view json);

/** Everything needed to make a session. */
struct SessionSetup {
  std::string name;
  Task task;
  TargetDescription target;
  std::string template_name;
  int template_version = 0;
  SearchSpace space;               ///< what the tuner proposes from
  std::string tuner;
  SettingValues settings;
  std::int64_t batch_size = 0;     ///< 0: the tuner's own
  std::uint64_t seed = 0;
  Budget budget;
  MeasureOptions options;
  std::vector<Observation> history;
  std::vector<SessionId> history_sessions;
  std::shared_ptr<const FeatureExtractor> features;  ///< null: knob features
  bool real_measurements = true;
};

/** Asked to stop: once gracefully (the batch in flight is kept as far as measured), twice at once. */
class StopRequest {
 public:
  void stop_gracefully() { level_.store(std::max(level_.load(), 1)); }
  void stop_at_once() { level_.store(2); }
  int level() const { return level_.load(); }

 private:
  std::atomic<int> level_{0};
};

/** Told of everything that happens, on the session's thread; trials after they were committed. */
class SessionObserver {
 public:
  virtual ~SessionObserver() = default;
  virtual void started(SessionId, const SessionRecord&) {}
  virtual void batch_started(std::int32_t /*batch*/, std::size_t /*candidates*/) {}
  virtual void trial_finished(const Trial&, const SessionStatus&) {}
  virtual void progress(const BatchProgress&, const SessionStatus&) {}
  virtual void message(const std::string&) {}
};

/** Seconds on a clock that never goes back; a test's clock is its own. */
using Clock = std::function<double()>;
Clock steady_clock_seconds();

/** How a run ended. */
struct SessionOutcome {
  SessionId id = 0;
  SessionStatus status;
  bool interrupted = false;  ///< by a stop request
};

/**
 * Runs a new session to its end: propose, store the batch, measure, store each trial as it arrives, observe.
 * A machine's fault pauses it: the error is returned, the session is Interrupted and can be resumed.
 */
Result<SessionOutcome> run_session(Store& store, const SessionSetup& setup, Measurer& measurer,
                                   SessionObserver& observer, const StopRequest& stop, const Clock& clock);

/**
 * Goes on with session `id`: claims it, re-proposes every stored batch and compares each candidate (a mismatch is
 * an error that offers a new session warm-started from these trials), measures only what is missing, and goes on.
 * `setup` must equal what is stored (template version, space, target, settings); only the budget may be higher.
 */
Result<SessionOutcome> resume_session(Store& store, SessionId id, const SessionSetup& setup, Measurer& measurer,
                                      SessionObserver& observer, const StopRequest& stop, const Clock& clock);

}  // namespace kernelscape
