#include <fmt/format.h>

#include <algorithm>

#include "core/study/arm_settings.h"
#include "core/study/study.h"

namespace kernelscape::study {
namespace {

/** Returns true for random search without settings, with any batch size. */
bool is_plain_random(const Arm& arm) {
  return arm.tuner == tuner::sampling_tuner && settings_text(arm.tuner, arm.settings).empty() &&
         !arm.measuring && !arm.search_time && arm.warm_start == 0 && arm.learn_from.empty();
}

/** @param batch 0: the tuner's default */
Arm control_arm(const Definition& study, std::int64_t batch) {
  Arm control;
  control.tuner = tuner::sampling_tuner;
  control.batch = batch;
  control.control = true;
  const std::string name = default_arm_name(control.tuner, {}, batch) + " (control)";
  control.name = name;
  for (int number = 2; std::ranges::find(study.arms, control.name, &Arm::name) != study.arms.end(); ++number)
    control.name = fmt::format("{} #{}", name, number);
  return control;
}

}  // namespace

void add_controls(Definition& study) {
  if (!study.controls || study.purpose != Purpose::Comparison || study.arms.empty()) return;
  const auto has_random = [&](auto wanted) {
    return std::ranges::any_of(study.arms, [&](const Arm& arm) {
      return is_plain_random(arm) && wanted(batch_run_with(study, arm));
    });
  };
  if (!std::ranges::all_of(study.tasks, &Task::recorded)) {
    if (!has_random([](std::int64_t) { return true; })) study.arms.push_back(control_arm(study, 0));
    return;
  }
  const std::size_t own = study.arms.size();
  for (std::size_t i = 0; i < own; ++i) {
    const std::int64_t batch = batch_run_with(study, study.arms[i]);
    if (batch != 0 && !has_random([batch](std::int64_t other) { return other == batch; }))
      study.arms.push_back(control_arm(study, batch));
  }
}

}  // namespace kernelscape::study
