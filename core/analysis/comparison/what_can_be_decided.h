#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/analysis/comparison/comparison_table.h"

namespace kernelscape {

/** What the data say of an arm against the baseline. */
enum class Decision : std::uint8_t {
  Ahead,         ///< better, significantly after correction
  Behind,        ///< worse, significantly after correction
  Undecided,     ///< enough runs, no significant difference: not that there is none
  AllAlike,      ///< both have the same number in every run
  NeverReached,  ///< no run of either got to the goal
  TooFewRuns,    ///< no outcome of so few runs (tasks) could have been significant
  OneRun,        ///< one run each: nothing can be tested
  RandomPhase,   ///< an arm that learns had not begun to: its random draws are compared
  WithinNoise,   ///< the goal is nearer to the optimum than measurements can tell
  NoRuns,        ///< one of them has no finished run
  NotAvailable   ///< there is no such number: a score without recorded members
};

/** A decision with its words. */
struct Verdict {
  Decision decision = Decision::NoRuns;
  /** "ahead", "not decided: intervals overlap", "cannot reach significance with 5 against 5", "still in its
   * random phase (first 100 trials of ga)": as part of a sentence, no full stop. */
  std::string words;

  /** Ahead or behind. */
  bool decided() const { return decision == Decision::Ahead || decision == Decision::Behind; }
};

/**
 * Of a row of an arm against the baseline's row of the same task, or over tasks (Wilcoxon's, corrected).
 * @param row of `table`; of the baseline itself NotAvailable with the word "baseline"
 */
Verdict verdict_of(const ComparedRuns& runs, const ComparisonTable& table, const ComparisonRow& row,
                   const ComparedMeasure& measure);

/** An arm of a study that has not run. */
struct PlannedArm {
  std::string name;
  std::int64_t batch = 0;         ///< candidates proposed at once; 0: its own, not known
  std::int64_t random_phase = 0;  ///< first trials drawn before anything learnt decides
  bool control = false;
};

/** A comparison before it ran. */
struct PlannedComparison {
  std::vector<PlannedArm> arms;
  std::size_t baseline = 0;
  std::int64_t repeats = 0;
  std::size_t tasks = 0;
  std::int64_t trials = 0;  ///< of each run; 0: not limited
};

/**
 * What it can decide and what it cannot, as sentences: within a task (exact least p after correction over all
 * tests of the table), over tasks, arms that will still be in their random phase, batch sizes that differ
 * without a random arm of the same batch. Empty below 2 arms.
 */
std::vector<std::string> what_can_be_decided(const PlannedComparison& planned);

/** The same of what ran: what hinders all or some of its verdicts, each said once. */
std::vector<std::string> what_hinders(const ComparedRuns& runs, const ComparisonTable& table);

}  // namespace kernelscape
