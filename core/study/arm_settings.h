#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "core/base/result.h"
#include "core/study/study.h"

namespace kernelscape {

// What an arm's tuner is really run with: its own, the study's, or what was before there was a choice.

/** Its settings; by rules 1 those that came later act as they did before, where the arm does not name them.
 */
std::map<std::string, std::string> settings_run_with(const StudyDefinition& study, const StudyArm& arm);

/** The same, checked, with defaults. Errors: the tuner or a setting is unknown, or a value is wrong. */
Result<SettingValues> checked_arm_settings(const StudyDefinition& study, const StudyArm& arm);

/** "8", or "builders": as definitions and texts have the batch of an arm that has one. */
std::string arm_batch_text(std::int64_t batch);

/** Candidates that it proposes at a time: the arm's batch, or its tuner's own, as it was by rules 1; or
 * batch_of_builders. 0: the tuner is unknown. */
std::int64_t batch_run_with(const StudyDefinition& study, const StudyArm& arm);

/** How the tuner's own time counts in its replays: the arm's search time, or the study's. */
SearchTime search_time_of(const StudyDefinition& study, const StudyArm& arm);

/** Its first trials that are drawn before anything learnt decides, see TunerDeclaration::random_phase; 0:
 * none, or its tuner is unknown. */
std::int64_t random_phase_of(const StudyDefinition& study, const StudyArm& arm);

/**
 * Replays that run at the same time. What is asked for, else what the study asks for, else one where a
 * tuner's time is measured, which others beside it would lengthen, and one per core where none is.
 * @param asked 0: nothing is asked for
 */
std::size_t replays_at_once(const StudyDefinition& study, int asked);

}  // namespace kernelscape
