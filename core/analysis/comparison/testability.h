#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/analysis/comparison/comparison_table.h"
#include "core/analysis/comparison/planned_answers.h"

namespace kernelscape::analysis {

/** The result of comparing an arm with the baseline. */
enum class Decision : std::uint8_t {
  Ahead,         ///< better, significantly after correction
  Behind,        ///< worse, significantly after correction
  Undecided,     ///< enough runs, but no significant difference, which does not prove equality
  AllAlike,      ///< no difference: both have the same number in every run
  NeverReached,  ///< no run of either reached the goal
  TooFewRuns,    ///< underpowered: no outcome of so few runs (tasks) could have been significant
  OneRun,        ///< one run each, which permits no test
  RandomPhase,   ///< an arm that learns was still in its random phase: only random draws are compared
  WithinNoise,   ///< the distance of the goal from the optimum is below the measurement noise
  NoRuns,        ///< one of them has no finished run
  NotAvailable   ///< the number does not exist: a score without recorded members
};

/** A decision and its text. */
struct Verdict {
  Decision decision = Decision::NoRuns;
  /**
   * "ahead", "not decided: intervals overlap", "cannot reach significance with 5 against 5", "still in its
   * random phase (first 100 trials of ga)": part of a sentence, without a full stop.
   */
  std::string words;

  /** Returns true for Ahead and Behind. */
  bool decided() const { return decision == Decision::Ahead || decision == Decision::Behind; }
};

/**
 * Returns the verdict on an arm against the baseline, for a task, or over tasks (Wilcoxon's test, corrected).
 * @param row of `table`; the baseline's own row gives NotAvailable with the text "baseline"
 */
Verdict verdict_of(const ComparedRuns& runs, const ComparisonTable& table, const ComparisonRow& row,
                   const ComparedMeasure& measure);

/**
 * Returns the tasks on which no arm's final performance can be distinguished from the baseline's: equal in
 * every run, or within the noise of the recording.
 */
std::vector<std::size_t> tasks_with_equal_finals(const ComparedRuns& runs, const ComparisonTable& table);

/** Returns the reasons that prevent all or some of the verdicts, as sentences, each once. */
std::vector<std::string> blocking_reason(const ComparedRuns& runs, const ComparisonTable& table);

}  // namespace kernelscape::analysis
