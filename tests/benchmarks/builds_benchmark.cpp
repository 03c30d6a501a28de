// How close parallel builds come to the machine: candidates built per second against cores / mean seconds of
// one compile alone.
#include "core/measure/cpu/cpu_target.h"
#include "core/task/catalogue.h"
#include "tests/benchmarks/build_rate.h"

namespace {

using namespace kernelscape;

constexpr std::size_t kernels = 120;

}  // namespace

int main() {
  const task::Catalogue catalogue = value_or_stop(task::Catalogue::load_default());
  const schedule::TargetDescription target = value_or_stop(measure::describe_cpu_target());
  const task::Task task = value_or_stop(catalogue.find("resnet18/C2"));
  const kernel::ScheduleFamily family(value_or_stop(schedule::apply_template(task, target, "conv2d-packed")));
  const std::vector<space::Configuration> configurations = valid_configurations(family.kernel(), kernels, 1);
  check(print_build_rates(family, configurations, static_cast<int>(target.cores), "0.80"));
  return 0;
}
