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

namespace kernelscape {

/** What a session that was not measured here says of a task and a target. */
struct ClaimedKernel {
  SessionId session = 0;
  std::string session_name;
  std::int64_t trial = 0;
  std::string origin;       ///< "imported from AutoTVM log gemm.log, not measured here"
  TrialValue value;         ///< per call
  double times_faster = 1;  ///< than the kernel that was measured here
};

/** The best kernel of one task on one target description, with where it comes from. */
struct LibraryKernel {
  Task task;
  std::string title = {};  ///< task_title()
  std::string target_name;
  std::string target_json;  ///< the description's every field
  std::string device;       ///< empty where the description can't be read
  SessionId session = 0;
  std::string session_name;
  std::int64_t trial = 0;
  std::string tuner;
  std::uint64_t seed = 0;
  std::string created_utc;  ///< of the session
  std::string template_name;
  int template_version = 0;
  std::string project_hash = {};   ///< of a user's own kernel, which has no template; else empty
  std::string configuration_text;  ///< "tile_oc=[4, 2] ..."
  TrialValue value;                ///< per call
  bool confirmed = false;          ///< measured again at the end, interleaved; else the trial's own samples
  std::string vendor_name;
  std::string vendor_algorithm{};         ///< VendorResult::algorithm
  std::optional<double> share_of_vendor;  ///< vendor's median / ours, where both were measured
  std::string origin;  ///< of numbers that were not measured here, as origin_text(); else empty
  std::optional<ClaimedKernel>
      claimed;  ///< the fastest that others claim, where it beats what was measured here

  std::vector<std::string> disturbances{};  ///< of its session: what qualifies its numbers, see disturbs()

  /** With which library its session compared it, for vendor_difference_text(). */
  ComparedVendor compared_with() const { return {vendor_name, vendor_algorithm, task.text}; }
  bool measured_here() const { return origin.empty(); }  ///< by this program, for this database
};

/** A session that could have been the best, and can't be read: it hides no other. */
struct UnreadableSession {
  SessionId session = 0;  ///< 0: only its reason names it
  std::string name;
  std::string reason;
};

/** "session 3 (mine) was left out, it can't be read: ...": for users. */
std::string left_out_text(const UnreadableSession& session);

/** All best kernels, and what stood in the way of finding them. */
struct LibraryKernels {
  std::vector<LibraryKernel> kernels;         ///< by the task's name, newer sessions first
  std::vector<UnreadableSession> unreadable;  ///< one or the other may have a better kernel
};

/**
 * The best kernel per task (by its text) and target description over all sessions that are not in the trash:
 * what was measured here before what files say, confirmed ones first, then the faster. What counts of a
 * session is its headline, as make_session_report() gives it; confirmations that a file brings do not count
 * as such. Sorted by the task's name, then what was measured here, newer sessions first.
 *
 * Reads summaries and confirmations, and one trial per kernel. Where that session can't be read, the next
 * best stands in for it.
 * @param without sessions that do not count
 */
Result<LibraryKernels> best_kernels(const Store& store, const std::set<SessionId>& without = {});

}  // namespace kernelscape
