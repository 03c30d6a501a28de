#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/analysis/comparison/comparison_table.h"
#include "core/analysis/comparison/planned_answers.h"

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

/** Tasks on which no arm's final performance can be told from the baseline's: alike in every run, or within
 * the noise of the recording. */
std::vector<std::size_t> tasks_with_equal_finals(const ComparedRuns& runs, const ComparisonTable& table);

/** What hinders all or some of the verdicts of what ran, as sentences, each said once. */
std::vector<std::string> what_hinders(const ComparedRuns& runs, const ComparisonTable& table);

}  // namespace kernelscape
