#include "core/study/arm_settings.h"

#include <algorithm>
#include <thread>

#include "core/tuner/declaration.h"

namespace kernelscape::study {

std::map<std::string, std::string> settings_run_with(const Definition& study, const Arm& arm) {
  std::map<std::string, std::string> settings = arm.settings;
  if (study.rules != first_study_rules) return settings;
  const Result<const tuner::Declaration*> tuner = tuner::find_tuner(arm.tuner);
  if (tuner) settings.merge(tuner::earlier_settings(**tuner));  // keeps existing settings
  return settings;
}

Result<tuner::SettingValues> checked_arm_settings(const Definition& study, const Arm& arm) {
  const tuner::Declaration* tuner = TRY(tuner::find_tuner(arm.tuner));
  return tuner::parse_settings(*tuner, settings_run_with(study, arm));
}

std::int64_t batch_run_with(const Definition& study, const Arm& arm) {
  if (arm.batch != 0) return arm.batch;
  const Result<const tuner::Declaration*> tuner = tuner::find_tuner(arm.tuner);
  if (!tuner) return 0;
  // Batches that now have the number of builders had this size in earlier versions.
  constexpr std::int64_t earlier_batch = 4;
  const std::int64_t own = (*tuner)->default_batch;
  return study.rules == first_study_rules && own == tuner::batch_of_builders ? earlier_batch : own;
}

std::optional<bool> limits_run_with(const Definition& study, const Arm& arm) {
  if (arm.respect_limits || study.rules > rules_without_limits) return arm.respect_limits;
  return false;
}

trial::SearchTime search_time_of(const Definition& study, const Arm& arm) {
  return arm.search_time.value_or(study.search_time);
}

std::int64_t random_phase_of(const Definition& study, const Arm& arm) {
  // Trials of other sessions determine the first trial already.
  if (arm.chain_tasks || arm.warm_start > 0 || !arm.learn_from.empty()) return 0;
  const Result<const tuner::Declaration*> tuner = tuner::find_tuner(arm.tuner);
  const Result<tuner::SettingValues> settings = checked_arm_settings(study, arm);
  if (!tuner || !(*tuner)->random_phase || !settings) return 0;
  return (*tuner)->random_phase(*settings, study.budget.trials);
}

std::size_t replays_at_once(const Definition& study, int asked) {
  if (asked == 0) asked = study.jobs;
  if (asked > 0) return static_cast<std::size_t>(asked);
  const bool measured = std::ranges::any_of(study.arms, [&](const Arm& arm) {
    return search_time_of(study, arm).kind == trial::SearchTime::Kind::Measured;
  });
  return measured ? 1 : std::max(1U, std::thread::hardware_concurrency());
}

}  // namespace kernelscape::study
