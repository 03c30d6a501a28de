#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "core/base/result.h"
#include "core/study/study.h"

namespace kernelscape::study {

// The settings with which an arm's tuner runs: the arm's, the study's, or those from before the setting
// existed.

/**
 * Returns the settings of the arm's tuner. By rules 1, settings that were added later are disabled unless the
 * arm names them.
 */
std::map<std::string, std::string> settings_run_with(const Definition& study, const Arm& arm);

/**
 * Returns the checked settings of the arm's tuner, with defaults. Returns an error if the tuner or a setting
 * is unknown, or if a value is invalid.
 */
Result<tuner::SettingValues> checked_arm_settings(const Definition& study, const Arm& arm);

/** Returns the batch of an arm as in definitions and texts: "8", or "builders". */
std::string arm_batch_text(std::int64_t batch);

/**
 * Returns the number of candidates that the arm's tuner proposes at a time: the arm's batch, or its tuner's
 * own, as it was by rules 1; or batch_of_builders. Returns 0 if the tuner is unknown.
 */
std::int64_t batch_run_with(const Definition& study, const Arm& arm);

/**
 * Returns whether the device limits are constraints of the arm's space: as the arm has it; else false by
 * rules before 3, and nullopt (the tuner's default) by later ones.
 */
std::optional<bool> limits_run_with(const Definition& study, const Arm& arm);

/** Returns how the tuner's own time counts in its replays: the arm's search time, or the study's. */
trial::SearchTime search_time_of(const Definition& study, const Arm& arm);

/**
 * Returns the number of first trials that are drawn before a learnt model decides, see
 * tuner::Declaration::random_phase, or 0 if there are none or the tuner is unknown.
 */
std::int64_t random_phase_of(const Definition& study, const Arm& arm);

/**
 * Returns the number of replays that run at the same time: `asked`; else the study's number; else one if a
 * tuner's time is measured, which parallel replays would lengthen, and one per core otherwise.
 * @param asked 0: no number is requested
 */
std::size_t replays_at_once(const Definition& study, int asked);

}  // namespace kernelscape::study
