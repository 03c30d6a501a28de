#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/analysis/comparison/compared_runs.h"

namespace kernelscape {

/** An arm of a study that has not run. */
struct PlannedArm {
  std::string name;
  std::int64_t batch = 0;         ///< candidates proposed at once; 0: its own, not known
  std::int64_t random_phase = 0;  ///< first trials drawn before anything learnt decides
  bool control = false;
};

/** A task of a study that has not run. */
struct PlannedTask {
  std::string name;
  bool recorded = false;  ///< replayed from a recording, not measured
  /** What the recording tells: members, optimum, noise. Null: it was not read, or there is none. */
  std::shared_ptr<const ComparedTask> known = {};
  std::string unread = {};  ///< why a recording could not be read; empty: it was, or there is none
};

/** A comparison before it ran. */
struct PlannedComparison {
  std::vector<PlannedArm> arms;
  std::size_t baseline = 0;
  std::int64_t repeats = 0;
  std::vector<PlannedTask> tasks;
  std::int64_t trials = 0;    ///< of each run; 0: not limited
  bool other_limits = false;  ///< a run may end before by time, a target or patience
  bool paired_starts = false;
};

/** What a sentence about a plan says of it. */
enum class PlannedAnswerKind : std::uint8_t {
  Decides,  ///< what it can decide
  Cannot,   ///< what no outcome of it can decide
  Caution   ///< what a reader of its outcome has to know
};

/** A sentence about a plan, without full stop. */
struct PlannedAnswer {
  PlannedAnswerKind kind = PlannedAnswerKind::Decides;
  std::string words;
};

/** Numbers of tests that a plan's table holds at most: what is alike in every run is none. */
struct PlannedTests {
  std::size_t within_tasks = 0;
  std::size_t over_tasks = 0;
  double least_p_within = 1;  ///< that the test of one task can give, not corrected
  double least_p_over = 1;
};

/** Of the measures that the tasks have: no score where kernels are measured, no goal within the noise. */
PlannedTests planned_tests(const PlannedComparison& planned);

/**
 * What a plan can decide and what it cannot: within a task (exact least p after correction over all tests of
 * the table), over tasks by signed ranks and by Friedman's mean ranks, paired starts, whether final
 * performances can differ at all, goals within the noise, arms that stay in their random phase, batch sizes
 * that differ without a random arm of the same batch. Empty below 2 arms.
 */
std::vector<PlannedAnswer> planned_answers(const PlannedComparison& planned);

/** Their words alone. */
std::vector<std::string> what_can_be_decided(const PlannedComparison& planned);

}  // namespace kernelscape
