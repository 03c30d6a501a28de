#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace kernelscape {

/**
 * Default of Budget::identical_failures. Where 3 of 4 configurations fail for a reason that depends on their
 * values, 8 failures in a row happen in 10 % of the sessions, and batches of 64 practically never fail as a
 * whole; a source that never compiles costs 8 builds, or one batch.
 */
constexpr std::int64_t default_identical_failures = 8;

/** What ends a session: whichever comes first; 0: not limited by it. Stored; can be raised by `resume`. */
struct Budget {
  std::int64_t trials = 500;
  double minutes = 0;
  double target_gflops = 0;
  std::int64_t patience = 0;  ///< trials without a better one
  /** Configurations that all failed in the same way before any succeeded; 0: the session keeps going. */
  std::int64_t identical_failures = default_identical_failures;

  bool operator==(const Budget&) const = default;
};

/** One JSON object with all limits. */
std::string budget_to_json(const Budget& budget);
/**
 * Limits that are missing keep their defaults. Corrupt: no object, or a limit that is no number from 0 on.
 */
Result<Budget> budget_from_json(std::string_view json);

/** What a session has used of its budget. */
struct BudgetUse {
  std::int64_t trials = 0;  ///< proposed
  double session_seconds = 0;
  double best_gflops = 0;
  std::int64_t best_trial = -1;         ///< -1: none valid
  std::int64_t identical_failures = 0;  ///< see Budget::identical_failures; 0: not all trials failed alike
};

/** The reason of a session that Budget::identical_failures ended. Stored: never change it. */
inline constexpr std::string_view identical_failures_reason = "all trials failed in the same way";

/** Why the session ends before its next batch, in words; none: it goes on. */
std::optional<std::string> budget_reached(const Budget& budget, const BudgetUse& use);
/** The limit of minutes. */
double budget_seconds(const Budget& budget);
/** "500 trials" and "10 minutes": the reasons of an end. */
std::string trials_over(const Budget& budget);
std::string time_over(const Budget& budget);  ///< "10 minutes"

/** From batch `from_batch` on, the session was limited to `trials` (0: not limited). */
struct TrialLimit {
  std::int32_t from_batch = 0;
  std::int64_t trials = 0;

  bool operator==(const TrialLimit&) const = default;
};

/**
 * A budget with the history of its trial limit, as the session's row holds it: the number of candidates asked
 * of a batch follows from the limit of that time, so a replay after a raised budget asks for the same
 * numbers.
 */
struct BudgetPlan {
  Budget budget;
  std::vector<TrialLimit> limits;  ///< ascending by from_batch; the first is of batch 0

  /** @return the trial limit that held when `batch` was proposed */
  std::int64_t limit_at(std::int32_t batch) const;
  /** Candidates to ask of the tuner; 0 where the limit is reached. */
  std::int64_t batch_request(std::int32_t batch, std::int64_t batch_size, std::int64_t proposed) const;
  bool operator==(const BudgetPlan&) const = default;
};

/** The plan of a new session: one trial limit, from batch 0 on. */
BudgetPlan make_budget_plan(const Budget& budget);
/** As budget_to_json(), with the member "limits". */
std::string budget_plan_to_json(const BudgetPlan& plan);
/** Reads what budget_to_json wrote as well. A stored budget without "identical_failures" is of an earlier
 * version, whose sessions kept going: it is 0 then. */
Result<BudgetPlan> budget_plan_from_json(std::string_view json);

/** The plan with a budget that holds from `batch` on. Errors: a limit lower than before (0 is none). */
Result<BudgetPlan> raise_budget(const BudgetPlan& plan, const Budget& budget, std::int32_t batch);

}  // namespace kernelscape
