#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/analysis/best_result.h"
#include "core/base/result.h"
#include "core/exchange/stored_best.h"
#include "core/task/task.h"
#include "core/trial/baselines.h"

namespace kernelscape::session {

/** The speed of the best kernel as a share of another speed, as far as it may be quoted. */
struct QuotedShare {
  std::string of;          ///< "oneDNN 2.6.3 direct", "FMA peak"; empty: there is nothing to compare with
  double seconds = 0;      ///< time of a call at the other speed
  double share = 0;        ///< 0: not quoted
  std::string remark{};    ///< must be read with the share: "the peak was measured at the session's start"
  std::string withheld{};  ///< why the share is not quoted; else empty

  /** Returns "of oneDNN 2.6.3", followed by the remark in parentheses. */
  std::string text() const;
};

/** What the best kernel of a session is compared with. */
struct BestComparisons {
  QuotedShare vendor;
  QuotedShare limit;
  /** Of the vendor's samples that were interleaved with the kernel's, else of its last ones. */
  analysis::Quartiles vendor_seconds{};
  double limit_gflops = 0;  ///< in the task's FLOPs; 0: not known
  double peak_gflops = 0;   ///< as measured, if kernels need not compute all FLOPs of the task; else 0
  bool fewer_multiply_adds = false;  ///< the kernel needs fewer than the definition, by which it is counted
  double speedup = 0;  ///< over the first valid configuration; 0: not known, or not at the same speed
};

/**
 * Returns the shares of the vendor's library and of the machine's limit. The share of the vendor is quoted if
 * both were interleaved at the machine's usual speed, and if no reading of the speed exists. The limit is the
 * one measured beside the kernel if there is one; another one is marked, and is no limit of a slow machine.
 * Neither share is quoted if other programs used a machine whose usual speed is not known, and no share above
 * 1 of the limit, which was measured too low, and none of the limit of kernels that need fewer multiply-adds
 * than the definition. The first valid configuration is compared if it was measured at the same speed.
 * @param template_name of the session
 */
BestComparisons compare_best(const analysis::BestResult& best,
                             std::span<const trial::Confirmation> confirmations,
                             const trial::Baselines& baselines, const task::Task& task,
                             const std::string& template_name);

/** Reads what compare_best() compares a stored session's best result with. */
Result<BestComparisons> read_comparisons(const store::Store& store, const store::SessionSummary& session,
                                         const analysis::BestResult& best);

/**
 * Returns the details of a vendor's result as sentences: what it was chosen from with the speed of each,
 * which libraries could not be chosen and why, and that a result of Winograd's algorithm has a larger error.
 */
std::vector<std::string> vendor_details(const trial::VendorResult& vendor, double flops);

/**
 * Returns what a repeated measurement found: "Trial 88 takes 1.02 ms [1.01 to 1.03], confirmed; its own
 * samples said 0.98 ms. The best is trial 12: 0.95 ms, confirmed." Errors: those of the store; NotFound: the
 * trial's kernel failed.
 * @param trial that was measured beside the best ones; nullopt: only these
 */
Result<std::string> measured_again_text(const store::Store& store, store::SessionId id,
                                        std::optional<std::int64_t> trial);

}  // namespace kernelscape::session
