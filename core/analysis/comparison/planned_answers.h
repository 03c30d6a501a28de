#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/analysis/comparison/compared_runs.h"

namespace kernelscape::analysis {

/** An arm of a study that has not run. */
struct PlannedArm {
  std::string name;
  std::int64_t batch = 0;         ///< candidates proposed at a time; 0: the tuner's default, not known
  std::int64_t random_phase = 0;  ///< first trials drawn before a learnt model decides
  bool control = false;
};

/** A task of a study that has not run. */
struct PlannedTask {
  std::string name;
  bool recorded = false;  ///< replayed from a recording, not measured
  /** Facts from the recording: members, optimum, noise. Null: it was not read, or there is none. */
  std::shared_ptr<const ComparedTask> known = {};
  std::string unread = {};  ///< why a recording could not be read; empty: it was read, or there is none
};

/** A comparison that has not run. */
struct PlannedComparison {
  std::vector<PlannedArm> arms;
  std::size_t baseline = 0;
  std::int64_t repeats = 0;
  std::vector<PlannedTask> tasks;
  std::int64_t trials = 0;    ///< limit of each run; 0: no limit
  bool other_limits = false;  ///< a run may end earlier by time, a target or patience
  bool paired_starts = false;
};

/** The kind of a statement about a plan. */
enum class PlannedAnswerKind : std::uint8_t {
  Decides,  ///< a question that the plan can decide
  Cannot,   ///< a question that no outcome of the plan can decide
  Caution   ///< a fact that readers of its outcome must know
};

/** A statement about a plan, without a full stop. */
struct PlannedAnswer {
  PlannedAnswerKind kind = PlannedAnswerKind::Decides;
  std::string words;
};

/** Maximum numbers of tests in a plan's table. Numbers that are equal in every run are not tested. */
struct PlannedTests {
  std::size_t within_tasks = 0;
  std::size_t over_tasks = 0;
  double min_p_within = 1;  ///< smallest p that the test of one task can give, not corrected
  double min_p_over = 1;
};

/**
 * Counts the tests for the measures that the tasks have: no score for measured kernels, no goal within the
 * noise.
 */
PlannedTests planned_tests(const PlannedComparison& planned);

/**
 * Returns what a plan can and cannot decide: within a task (exact smallest p after correction over all tests
 * of the table), over tasks by signed ranks and by Friedman's mean ranks, paired starts, whether final
 * performances can differ at all, goals within the noise, arms that remain in their random phase, batch sizes
 * that differ without a random arm of the same batch. Returns an empty list below 2 arms.
 */
std::vector<PlannedAnswer> planned_answers(const PlannedComparison& planned);

/** Returns the texts of planned_answers(). */
std::vector<std::string> testability(const PlannedComparison& planned);

}  // namespace kernelscape::analysis
