#include "core/fleet/reference_kernel.h"

#include <algorithm>
#include <memory>

#include "core/kernel/family.h"
#include "core/measure/kernel_measurer.h"
#include "core/schedule/schedule.h"
#include "core/space/member_search.h"
#include "core/task/task.h"

namespace kernelscape::fleet {
namespace {

constexpr const char* reference_task = "matmul 256x256 256x256 f32";
constexpr std::size_t max_configurations = 16;
constexpr std::chrono::milliseconds reference_patience{100};

trial::MeasureOptions reference_options() {
  trial::MeasureOptions options;
  options.repeats = 21;
  options.threads = 1;  // the throughput of all cores together varies more
  options.builders = 1;
  options.give_up_factor = 0;
  return options;
}

/** Measures one configuration; nullopt: it was stopped. */
Result<std::optional<trial::Measurement>> measure_one(measure::Measurer& measurer,
                                                      const space::Configuration& configuration,
                                                      const std::function<bool()>& stop) {
  TRY(measurer.submit({&configuration, 1}));
  while (!stop || !stop()) {
    std::vector<measure::Completed> done = TRY(measurer.collect(reference_patience));
    if (!done.empty()) return std::move(done.front().measurement);
  }
  measurer.abort();
  return std::nullopt;
}

}  // namespace

Result<double> measure_reference_kernel(const schedule::TargetDescription& target,
                                        const std::function<bool()>& stop) {
  const task::Task task = TRY(task::parse_task(reference_task));
  auto family = std::make_shared<kernel::ScheduleFamily>(TRY(schedule::apply_template(task, target, "")));
  const std::vector<space::Configuration> members =
      space::first_members(family->space(), max_configurations).members;
  const auto measurer = TRY(measure::make_kernel_measurer(std::move(family), target, reference_options()));
  std::string reason = "there is no kernel";
  for (const space::Configuration& configuration : members) {
    const std::optional<trial::Measurement> measured = TRY(measure_one(*measurer, configuration, stop));
    if (!measured) return fail(ErrorCode::Refused, "stopped by the user");
    if (measured->valid()) return std::ranges::min(measured->samples_seconds);
    reason = measured->message;
  }
  return fail(ErrorCode::Environment, "no reference kernel works on " + target.name + ": " + reason,
              "run `kernelscape devices` to see what is missing");
}

}  // namespace kernelscape::fleet
