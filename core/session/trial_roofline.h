#pragma once

#include <cstdint>
#include <optional>

#include "core/analysis/roofline.h"
#include "core/base/result.h"
#include "core/schedule/template.h"
#include "core/session/stop_request.h"
#include "core/store/store.h"
#include "core/trial/counter_reading.h"

namespace kernelscape {

/** With which kind Store::save_trial_insight() keeps a trial's counters. */
inline constexpr const char* counters_kind = "counters";

/** What all kernels of a stored session have in common under a roofline. */
struct RooflineSession {
  ScheduledKernel kernel;
  int threads = 1;
  bool flushes_caches = false;             ///< before each repeat: nothing stays in a nearer cache
  PeakKind peak = PeakKind::MultiplyAdds;  ///< of what the task computes with
  double needed = 1;  ///< share of its FLOPs that somebody has to compute: not those with padding
};

/**
 * Makes a stored session's kernels known again, for their traffic. Refused, and why: a GPU's, types other
 * than f32 and i8, tasks without known operations, and what session_kernels() refuses.
 */
Result<RooflineSession> roofline_session(const SessionRecord& record);

/** A kernel with its estimated traffic. Errors: as estimate_kernel_traffic(). @param seconds of one call */
Result<RooflineKernel> roofline_kernel(const RooflineSession& session, const Configuration& configuration,
                                       double seconds);

/** Where a trial stands. */
struct TrialRoofline {
  RooflinePlace place;
  std::optional<CounterReading> counters;  ///< none: the trial was not counted
};

/** A trial's place under its machine's roofs, with counted traffic where it was counted. NotFound: the
 * machine's ceilings were not measured; Refused: as roofline_session(), and trials that failed. */
Result<TrialRoofline> roofline_of_trial(const Store& store, SessionId id, std::int64_t trial);

/**
 * Builds a trial's kernel again, counts what the processor does in it, and keeps that with the trial; nothing
 * else of the session changes. Waits for the device's lease. Refused: what a session can't be measured again
 * for, a trial that failed, a GPU's, a stop request.
 */
Result<CounterReading> count_trial(Store& store, SessionId id, std::int64_t trial, const StopRequest& stop);

}  // namespace kernelscape
