#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace kernelscape::trial {

/**
 * Default of Budget::identical_failures. If 3 of 4 configurations fail for a reason that depends on their
 * values, 8 failures in a row happen in 10 % of the sessions, and batches of 64 practically never fail as a
 * whole. A source that never compiles costs 8 builds, or one batch.
 */
constexpr std::int64_t default_identical_failures = 8;

/**
 * The limits of a session, which ends at the first limit that it reaches; 0: no limit. Stored; can be raised
 * by `resume`.
 */
struct Budget {
  std::int64_t trials = 500;
  double minutes = 0;
  double target_gflops = 0;
  std::int64_t patience = 0;  ///< trials without an improvement
  /** Number of configurations that all failed in the same way before any succeeded; 0: no limit. */
  std::int64_t identical_failures = default_identical_failures;

  bool operator==(const Budget&) const = default;
};

/** Returns a JSON object with all limits. */
std::string budget_to_json(const Budget& budget);
/**
 * Reads limits from JSON; missing limits keep their defaults. Corrupt: no object, or a limit that is not a
 * number >= 0.
 */
Result<Budget> budget_from_json(std::string_view json);

/** The used part of a session's budget. */
struct BudgetUse {
  std::int64_t trials = 0;  ///< proposed trials
  double session_seconds = 0;
  double best_gflops = 0;
  std::int64_t best_trial = -1;  ///< -1: none valid
  /// see Budget::identical_failures; 0: not all trials failed in the same way
  std::int64_t identical_failures = 0;
};

/** The end reason of a session that Budget::identical_failures ended. Stored: never change it. */
inline constexpr std::string_view identical_failures_reason = "all trials failed in the same way";

/** Returns as text why the session ends before its next batch; nullopt: the session continues. */
std::optional<std::string> budget_reached(const Budget& budget, const BudgetUse& use);
/** Returns the time limit in seconds. */
double budget_seconds(const Budget& budget);
/** Returns the end reason of the trial limit: "500 trials". */
std::string trials_over(const Budget& budget);
std::string time_over(const Budget& budget);  ///< returns the end reason of the time limit: "10 minutes"

/** From batch `from_batch` on, the session was limited to `trials` (0: not limited). */
struct Limit {
  std::int32_t from_batch = 0;
  std::int64_t trials = 0;

  bool operator==(const Limit&) const = default;
};

/**
 * A budget with the history of its trial limit, as stored in the session's row. The number of candidates in a
 * batch depends on the limit at that time, so that a replay after a raised budget requests the same numbers.
 */
struct BudgetPlan {
  Budget budget;
  std::vector<Limit> limits;  ///< ascending by from_batch; the first is from batch 0

  /** Returns the trial limit that was in effect when `batch` was proposed. */
  std::int64_t limit_at(std::int32_t batch) const;
  /** Returns the number of candidates to request from the tuner; 0 if the limit is reached. */
  std::int64_t batch_request(std::int32_t batch, std::int64_t batch_size, std::int64_t proposed) const;
  bool operator==(const BudgetPlan&) const = default;
};

/** Returns the plan of a new session: one trial limit, from batch 0 on. */
BudgetPlan make_budget_plan(const Budget& budget);
/** Returns JSON as budget_to_json() does, with the member "limits". */
std::string budget_plan_to_json(const BudgetPlan& plan);
/**
 * Reads a plan from JSON; also accepts the output of budget_to_json. A stored budget without
 * "identical_failures" is from an earlier version, whose sessions had no such limit: it is 0 then.
 */
Result<BudgetPlan> budget_plan_from_json(std::string_view json);

/**
 * Returns the plan with a budget that is in effect from `batch` on. Errors: a limit lower than before (0
 * means no limit).
 */
Result<BudgetPlan> raise_budget(const BudgetPlan& plan, const Budget& budget, std::int32_t batch);

}  // namespace kernelscape::trial
