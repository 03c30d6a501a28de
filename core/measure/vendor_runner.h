#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/measure/vendor_library.h"
#include "core/measure/worker/protocol.h"
#include "core/measure/worker/timing_mark.h"
#include "core/measure/worker_process.h"
#include "core/schedule/target.h"
#include "core/task/task.h"
#include "core/trial/measure_options.h"
#include "core/trial/vendor_result.h"

namespace kernelscape::measure {

/**
 * Returns true if a candidate is chosen before another one: it has the lower median, or the other one cannot
 * be chosen.
 */
bool is_preferred(const trial::VendorCandidate& candidate, const trial::VendorCandidate& other);

/**
 * Times the fastest of the vendor libraries that are installed for a task. Each library is a worker process
 * of its own, since libraries keep their own threads, and since one that crashes must not end the others.
 */
class VendorRunner {
 public:
  VendorRunner(const task::Task& task, const schedule::TargetDescription& target,
               const trial::MeasureOptions& options);

  /** Makes a runner for a request of another program. */
  VendorRunner(const BaselineRequest& request, const schedule::TargetDescription& target);

  /**
   * Chooses the library unless this was done before: every library that is installed is timed once, then
   * those that are at most twice as slow as the fastest in three more rounds, in turns, for about 20 s at
   * most. The lowest median decides. With only one library nothing is timed. An interruption is an error.
   */
  Status choose(const trial::MeasureOptions& options, const Interruption& interruption);

  /**
   * Takes one timing of options.repeats samples, after choose(). If the chosen library fails before its first
   * timing, the next one takes its place. A missing timing with its reason is a result; an interruption is an
   * error.
   */
  Result<trial::VendorResult> run(const trial::MeasureOptions& options, const Interruption& interruption);

  /** Ends the processes of the libraries; the choice stays, and the next timing starts them again. */
  void release();

 private:
  /** A library, its worker, and its times for the choice. */
  struct Contender {
    VendorLibrary library = VendorLibrary::OfDevice;
    std::optional<WorkerProcess> worker{};
    trial::VendorCandidate timing{};

    void take(trial::VendorResult sample);
  };

  std::vector<Contender> installed_others(const trial::MeasureOptions& options,
                                          const Interruption& interruption, Deadline deadline);
  Status time_in_turns(std::vector<Contender>& contenders, const trial::MeasureOptions& options,
                       const Interruption& interruption, Deadline deadline);
  Result<trial::VendorResult> ask(Contender& contender, const trial::MeasureOptions& options,
                                  const Interruption& interruption);
  void put_chosen_first();
  bool choose_next(const trial::VendorResult& failed);
  Result<WorkerProcess> start(VendorLibrary library, const Interruption& interruption) const;

  std::string task_json_;
  std::string device_;
  int threads_;
  std::int64_t cores_;
  std::vector<Contender> contenders_;  ///< the chosen one first; empty: none was chosen yet
  bool timed_ = false;                 ///< the chosen one has given a timing, so that it stays
  TimingMark timing_mark_;
};

}  // namespace kernelscape::measure
