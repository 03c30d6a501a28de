#pragma once

#include <cstdint>
#include <optional>

#include "core/analysis/roofline.h"
#include "core/base/result.h"
#include "core/schedule/template.h"
#include "core/session/stop_request.h"
#include "core/store/store.h"
#include "core/trial/counter_reading.h"

namespace kernelscape::session {

/** The kind under which Trials::save_insight() stores a trial's counters. */
inline constexpr const char* counters_kind = "counters";

/** Data that all kernels of a stored session share in a roofline. */
struct RooflineSession {
  schedule::ScheduledKernel kernel;
  int threads = 1;
  bool flushes_caches = false;  ///< before each repeat, so that no data stays in a nearer cache
  trial::PeakKind peak = trial::PeakKind::MultiplyAdds;  ///< peak for the task's kind of operations
  double needed = 1;  ///< share of its FLOPs that are necessary: without those on padding
};

/**
 * Restores the kernels of a stored session to estimate their memory traffic. Refused, with the reason: GPU
 * kernels, types other than f32 and i8, tasks with unknown operations, and as session_kernels().
 */
Result<RooflineSession> roofline_session(const store::SessionRecord& record);

/**
 * Returns a kernel with its estimated memory traffic. Errors: as estimate_kernel_traffic().
 * @param seconds time of one call
 */
Result<analysis::RooflineKernel> roofline_kernel(const RooflineSession& session,
                                                 const space::Configuration& configuration, double seconds);

/** Place of a trial in the roofline. */
struct TrialRoofline {
  analysis::RooflinePlace place;
  std::optional<trial::CounterReading> counters;  ///< nullopt: the trial was not counted
};

/**
 * Returns a trial's place in the roofline of its machine, with counted traffic if the trial was counted.
 * Errors: NotFound if the machine's ceilings were not measured; Refused as roofline_session(), and for failed
 * trials.
 */
Result<TrialRoofline> roofline_of_trial(const store::Store& store, store::SessionId id, std::int64_t trial);

/**
 * Builds a trial's kernel again, reads the processor's counters while it runs, and stores them with the
 * trial; nothing else of the session changes. Waits for the device's lease. Refused: a session that cannot be
 * measured again, a failed trial, a GPU kernel, a stop request.
 */
Result<trial::CounterReading> count_trial(store::Store& store, store::SessionId id, std::int64_t trial,
                                          const StopRequest& stop);

}  // namespace kernelscape::session
