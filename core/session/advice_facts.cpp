#include <fmt/format.h>

#include <cstdlib>

#include "core/base/read_file.h"
#include "core/schedule/kernel_traffic.h"
#include "core/schedule/schedule.h"
#include "core/session/advice.h"
#include "core/session/kernels.h"
#include "core/trial/measure_options.h"

namespace kernelscape::session {
namespace {

using schedule::KnobId;
using schedule::LoopId;
using schedule::LoopLength;

/** Returns the knob that determines a loop's length, through the tiles that it is the rest of. */
std::optional<KnobId> knob_of_length(const schedule::Schedule& schedule, LoopId loop) {
  const LoopLength& length = schedule.loop(loop).length;
  switch (length.kind) {
    case LoopLength::Kind::Fixed:
      return std::nullopt;
    case LoopLength::Kind::Element:
    case LoopLength::Kind::Select:
      return length.knob;
    case LoopLength::Kind::CeilQuotient:
      return knob_of_length(schedule, length.tile);
    case LoopLength::Kind::Quotient:
    case LoopLength::Kind::Product:
      break;
  }
  for (const LoopId part : length.loops)
    if (const std::optional<KnobId> knob = knob_of_length(schedule, part)) return knob;
  return std::nullopt;
}

std::string knob_text(const schedule::Schedule& schedule, LoopId loop,
                      const space::Configuration& configuration) {
  const std::optional<KnobId> knob = knob_of_length(schedule, loop);
  if (!knob) return {};
  const auto number = static_cast<std::size_t>(knob->number);
  return fmt::format("{}={}", schedule.knobs()[number].name(),
                     schedule.knobs()[number].describe(configuration.indices[number]));
}

/** Returns the iterations of a loop's last tile if it is shorter than the others, else 0. */
std::int64_t remainder_of(const schedule::Schedule& schedule, LoopId loop,
                          const space::Configuration& configuration) {
  const LoopLength& length = schedule.loop(loop).length;
  if (length.kind != LoopLength::Kind::CeilQuotient) return 0;
  const std::int64_t tile = schedule.length(length.tile, configuration);
  return tile > 0 ? schedule.length(length.whole, configuration) % tile : 0;
}

/** Returns the element sizes of the tensors, in the order of their names. */
std::vector<std::int64_t> element_sizes(const task::TensorOperator& op,
                                        const schedule::LoopTouches& touches) {
  std::vector<std::int64_t> sizes;
  for (const std::string& name : touches.tensor_names()) {
    const task::TensorAccess* access = &op.output;
    for (const task::TensorAccess& input : op.inputs)
      if (input.tensor == name) access = &input;
    sizes.push_back(task::bytes_of(access->type));
  }
  return sizes;
}

std::vector<AdviceLoop> loops_of(const schedule::ScheduledKernel& kernel,
                                 const space::Configuration& configuration) {
  const schedule::Schedule& schedule = kernel.schedule();
  if (schedule.op().inputs.size() + 1 != schedule::touched_tensors) return {};
  const schedule::LoopTouches touches(kernel.shared_schedule());
  const std::vector<std::int64_t> sizes = element_sizes(schedule.op(), touches);
  std::vector<AdviceLoop> loops;
  for (const schedule::TouchedLoop& touched : touches.of(configuration)) {
    AdviceLoop& loop = loops.emplace_back();
    loop.name = schedule.loop(touched.loop).name;
    loop.knob = knob_text(schedule, touched.loop, configuration);
    loop.length = touched.length;
    loop.annotation = touched.annotation;
    loop.tile_remainder = remainder_of(schedule, touched.loop, configuration);
    for (std::size_t tensor = 0; tensor < schedule::touched_tensors; ++tensor) {
      const schedule::Touch& touch = touched.touches[tensor];
      loop.bytes += static_cast<double>(touch.count * sizes[tensor]);
      loop.steps.push_back({.tensor = touches.tensor_names()[tensor],
                            .element_bytes = sizes[tensor],
                            .stride_bytes = std::abs(touch.stride) * sizes[tensor],
                            .bytes = static_cast<double>(touch.count * sizes[tensor]) /
                                     static_cast<double>(touch.stride != 0 ? touched.length : 1),
                            .written = touches.tensor_names()[tensor] == schedule.op().output.tensor});
    }
  }
  return loops;
}

}  // namespace

ScheduleFacts schedule_facts(const schedule::ScheduledKernel& kernel,
                             const space::Configuration& configuration, int threads) {
  ScheduleFacts facts;
  facts.target = kernel.target();
  facts.threads = threads;
  if (facts.target.kind != schedule::TargetKind::Cpu) return facts;
  facts.loops = loops_of(kernel, configuration);
  if (const auto traffic = schedule::estimate_kernel_traffic(kernel, configuration, threads))
    facts.traffic = *traffic;
  if (machine_code::own_machine_language() == machine_code::MachineLanguage::X86)
    facts.processor = machine_code::port_model_of(
                          machine_code::parse_processor_identity(base::read_system_file("/proc/cpuinfo")))
                          .model;
  return facts;
}

Result<ScheduleFacts> schedule_facts(const store::SessionRecord& record,
                                     const space::Configuration& configuration) {
  const kernel::ScheduleFamily kernels = TRY(session_kernels(record));
  const trial::MeasureOptions options = TRY(trial::stored_measure_options(record.options_json));
  const int threads = options.kernel_threads(schedule::host_cores(kernels.kernel().target()));
  return schedule_facts(kernels.kernel(), configuration, threads);
}

}  // namespace kernelscape::session
