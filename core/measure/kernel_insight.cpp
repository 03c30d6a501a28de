#include "core/measure/kernel_insight.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/numbers.h"
#include "core/base/read_file.h"
#include "core/measure/cpu/cpu_target.h"
#include "core/measure/cpu/machine_code_analyzer.h"
#include "core/measure/cpu/second_build.h"
#include "core/measure/gpu/gpu_code.h"

namespace kernelscape::measure {
namespace {

constexpr double analyzer_seconds = 5;

machine_code::ProcessorIdentity own_processor() {
  return machine_code::parse_processor_identity(base::read_system_file("/proc/cpuinfo"));
}

/** Adds notes on possible differences between this code and that of the measured trial. */
void note_differences(const schedule::TargetDescription& measured, const schedule::TargetDescription& here,
                      std::vector<std::string>& notes) {
  if (measured.device != here.device)
    notes.push_back(fmt::format("The session was measured on {}; the code and its bound are of {}.",
                                measured.device, here.device));
  if (measured.compiler_version != here.compiler_version)
    notes.push_back(fmt::format("The session's compiler was {}; here it is {}.",
                                measured.compiler_version.empty() ? "another" : measured.compiler_version,
                                here.compiler_version));
  if (measured.flags != here.flags)
    notes.emplace_back(
        "The session's flags differ from the present ones: the code may differ from the timed code.");
}

/** Maximum ratio of the analysers' bounds without a note. */
constexpr double alike_bounds = 1.25;

/**
 * Adds both analysers' bounds of the hot loop, the lowest first. The lowest is shown: a loop can't be faster
 * than its bound, and an older llvm-mca counts broadcast loads as two operations, although kernels are
 * measured to be faster.
 */
void add_bounds(KernelInsight& insight) {
  const machine_code::MachineLoop* hot = insight.code.hot();
  if (hot == nullptr) {
    insight.notes.emplace_back("The kernel has no loop: only its size limits it.");
    return;
  }
  const machine_code::ProcessorIdentity identity = own_processor();
  const machine_code::ChosenPortModel processor = machine_code::port_model_of(identity);
  const std::optional<machine_code::LoopBound> counted =
      machine_code::bound_by_counts(insight.code, *hot, processor);
  if (!counted) {
    insight.notes.emplace_back(
        "There is no bound, because no table of execution units is known for this kind of processor.");
    return;
  }
  insight.bounds.push_back(*counted);
  Result<machine_code::LoopBound> simulated =
      bound_by_llvm_mca(insight.code, *hot, processor, analyzer_seconds);
  if (simulated)
    insight.bounds.push_back(std::move(*simulated));
  else
    insight.notes.push_back(describe(simulated.error()) + ".");
  std::ranges::stable_sort(insight.bounds, {}, &machine_code::LoopBound::cycles);
  if (insight.bounds.size() > 1 && insight.bounds[1].cycles > alike_bounds * insight.bounds[0].cycles) {
    insight.notes.push_back(fmt::format("{} reports {} cycles, {} {}: the lower value is used as the bound.",
                                        insight.bounds[1].by, base::number_text(insight.bounds[1].cycles),
                                        insight.bounds[0].by, base::number_text(insight.bounds[0].cycles)));
  }
  if (!processor.own)
    insight.notes.push_back(fmt::format("{} is not in the table of execution units: {} was assumed.",
                                        identity.name.empty() ? "This processor" : identity.name,
                                        processor.model->name));
}

void note_loops(KernelInsight& insight) {
  const machine_code::MachineLoop* hot = insight.shown_code().hot();
  if (hot == nullptr) return;
  if (hot->iterations > 0 && !hot->exact)
    insight.notes.emplace_back(
        "The number of iterations of the hot loop is an estimate, because of conditions or copies of the "
        "loop.");
  const double share = insight.map.multiply_adds > 0 ? hot->multiply_adds / insight.map.multiply_adds : 0;
  constexpr double most = 0.9;
  if (share > 0 && share < most)
    insight.notes.push_back(fmt::format("The hot loop does {} of the multiply-adds; other loops do the rest.",
                                        base::percent_text(share)));
}

KernelInsight without_code(const InsightRequest& request) {
  return {.source = request.kernel.source,
          .nest_text = request.kernel.nest_text,
          .map = request.kernel.map,
          .stages = request.stages,
          .code = {}};
}

Result<KernelInsight> cpu_insight(const InsightRequest& request) {
  KernelInsight insight = without_code(request);
  const schedule::TargetDescription here = TRY(describe_cpu_target(CompilerNeed::Required));
  const std::string assembly = TRY(second_build(insight.source, here.compiler, request.timeout_seconds));
  insight.compiler = here.compiler_version;
  insight.code = machine_code::parse_assembly(
      assembly, {.language = machine_code::own_machine_language(), .entry = insight.source.entry});
  machine_code::count_iterations(insight.code, insight.map);
  note_differences(request.target, here, insight.notes);
  add_bounds(insight);
  note_loops(insight);
  return insight;
}

KernelInsight cuda_insight(const InsightRequest& request) {
  KernelInsight insight = without_code(request);
  Result<GpuCode> built = build_gpu_code(insight.source, request.target, request.timeout_seconds);
  if (!built) {
    insight.code_problem = describe(built.error());
    return insight;
  }
  insight.compiler = "NVRTC";
  insight.resources = built->resources;
  insight.notes = std::move(built->notes);
  insight.code = machine_code::parse_assembly(
      built->ptx, {.language = machine_code::MachineLanguage::Ptx, .entry = insight.source.entry});
  machine_code::count_iterations(insight.code, insight.map);
  if (!built->sass.empty()) {
    insight.device_code = machine_code::parse_assembly(
        built->sass, {.language = machine_code::MachineLanguage::Sass, .entry = insight.source.entry});
    machine_code::count_iterations(*insight.device_code, insight.map);
  }
  note_loops(insight);
  return insight;
}

KernelInsight opencl_insight(const InsightRequest& request) {
  KernelInsight insight = without_code(request);
  insight.code_problem =
      "OpenCL kernels are built by the device's driver, which shows no assembly; export the kernel for the "
      "tools of the device's vendor";
  return insight;
}

/** Returns a count with its noun: "1 load", "12 loads". */
std::string counted(int count, machine_code::InstructionClass what) {
  return fmt::format("{} {}", count,
                     count == 1 ? machine_code::name_of(what) : machine_code::plural_of(what));
}

}  // namespace

Result<KernelInsight> kernel_insight(const InsightRequest& request) {
  switch (request.kernel.source.dialect) {
    case codegen::Dialect::C:
      return cpu_insight(request);
    case codegen::Dialect::Cuda:
      return cuda_insight(request);
    case codegen::Dialect::OpenCl:
      break;
  }
  return opencl_insight(request);
}

std::string headline(const KernelInsight& insight) {
  if (!insight.code_problem.empty())
    return fmt::format("The instructions are not known: {}.", insight.code_problem);
  const machine_code::MachineLoop* hot = insight.shown_code().hot();
  if (hot == nullptr)
    return fmt::format("The kernel has {} instructions and no loop.",
                       insight.shown_code().mix.instructions());
  const machine_code::InstructionMix& mix = hot->mix;
  std::string text = fmt::format("An iteration of the hot loop has {}",
                                 counted(mix.of(machine_code::InstructionClass::MultiplyAdd),
                                         machine_code::InstructionClass::MultiplyAdd));
  if (mix.vector_bits > 0) text += fmt::format(" of {} bits", mix.vector_bits);
  if (mix.accumulators > 0)
    text += fmt::format(" into {} {}", mix.accumulators, mix.accumulators == 1 ? "register" : "registers");
  text += fmt::format(", {} memory {}", mix.memory_reads, mix.memory_reads == 1 ? "read" : "reads");
  text += mix.spills() == 0
              ? " and no spills."
              : fmt::format(" and {} {}.", mix.spills(), mix.spills() == 1 ? "spill" : "spills");
  if (const machine_code::LoopBound* bound = insight.bound())
    text += fmt::format(" It takes at least {} cycles: {} {} it ({}, {}).", base::number_text(bound->cycles),
                        machine_code::name_of(bound->resource),
                        bound->resource == machine_code::BoundResource::Latency ||
                                bound->resource == machine_code::BoundResource::FrontEnd
                            ? "bounds"
                            : "bound",
                        bound->by, bound->processor);
  return text;
}

}  // namespace kernelscape::measure
