#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/analysis/trial_value.h"
#include "core/base/result.h"
#include "core/store/store.h"
#include "core/task/task.h"
#include "core/trial/vendor_comparison.h"

namespace kernelscape::session {

/** The best kernel of a task and a target according to a session that was not measured on this machine. */
struct ClaimedKernel {
  store::SessionId session = 0;
  std::string session_name;
  std::int64_t trial = 0;
  std::string origin;          ///< "imported from AutoTVM log gemm.log, not measured here"
  analysis::TrialValue value;  ///< per call
  double times_faster = 1;     ///< speedup over the kernel measured here
};

/** The best kernel of one task on one target description, with its origin. */
struct LibraryKernel {
  task::Task task;
  std::string title = {};  ///< task_title()
  std::string target_name;
  std::string target_json;  ///< all fields of the description
  std::string device;       ///< empty if the description cannot be read
  store::SessionId session = 0;
  std::string session_name;
  std::int64_t trial = 0;
  std::string tuner;
  std::uint64_t seed = 0;
  std::string created_utc;  ///< of the session
  std::string template_name;
  int template_version = 0;
  std::string project_hash = {};   ///< of a user's own kernel, which has no template; else empty
  std::string configuration_text;  ///< "tile_oc=[4, 2] ..."
  analysis::TrialValue value;      ///< per call
  /** Measured again, interleaved, at the end, at the machine's usual speed. */
  bool confirmed = false;
  std::string mark{};  ///< result_mark() of the session's result
  std::string vendor_name;
  std::string vendor_algorithm{};  ///< VendorResult::algorithm
  /** Median of the vendor's library / median of this kernel, if it may be quoted: see compare_best(). */
  std::optional<double> share_of_vendor;
  std::string vendor_withheld{};  ///< why there is no share although the library was measured; else empty
  std::string origin;             ///< origin_text() of numbers that were not measured here; else empty
  std::optional<ClaimedKernel>
      claimed;  ///< the fastest imported kernel, if it is faster than the one measured here

  std::vector<std::string> disturbances{};  ///< of its session: they qualify its numbers, see disturbs()

  /** Returns the library that the session compared the kernel with, for vendor_difference_text(). */
  trial::ComparedVendor compared_with() const { return {vendor_name, vendor_algorithm, task.text}; }
  bool measured_here() const { return origin.empty(); }  ///< by this program, for this database
};

/** A session that might have the best kernel but cannot be read. It does not hide other sessions. */
struct UnreadableSession {
  store::SessionId session = 0;  ///< 0: only the reason names the session
  std::string name;
  std::string reason;
};

/** "session 3 (mine) was left out, it can't be read: ...": for users. */
std::string left_out_text(const UnreadableSession& session);

/** All best kernels, and the sessions that could not be read. */
struct LibraryKernels {
  std::vector<LibraryKernel> kernels;         ///< by the task's name, newer sessions first
  std::vector<UnreadableSession> unreadable;  ///< some of them may have a better kernel
};

/**
 * Returns the best kernel per task (by its text) and target description over all sessions that are not in the
 * trash: kernels measured here are preferred to imported ones, then those with a more reliable result
 * (BestKind), then faster ones. Of each session the best trial counts, see best_result(); confirmations in
 * imported files do not count. Sorted by the task's name, then kernels measured here first, then newer
 * sessions first.
 *
 * Reads summaries and confirmations, the trials of sessions with readings of the machine's speed, and one
 * trial per kernel. If a session cannot be read, the next best one is used.
 * @param without sessions to ignore
 */
Result<LibraryKernels> best_kernels(const store::Store& store,
                                    const std::set<store::SessionId>& without = {});

}  // namespace kernelscape::session
