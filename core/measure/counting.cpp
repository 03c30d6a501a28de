#include "core/measure/counting.h"

#include <fmt/format.h>

#include <string>

#include "core/machine_code/instruction_table.h"
#include "core/measure/builder_pool.h"
#include "core/measure/cpu/sampler.h"
#include "core/measure/cpu/second_build.h"
#include "core/measure/one_sample.h"
#include "core/measure/program_reference.h"
#include "core/measure/runner.h"
#include "core/trial/failure_text.h"

namespace kernelscape::measure {
namespace {

std::unexpected<Error> not_counted(trial::ErrorCategory category, const std::string& message) {
  return fail(ErrorCode::Refused,
              fmt::format("the kernel's events can't be counted, because the kernel failed: {}: {}",
                          trial::to_string(category), trial::failure_text(category, message).text),
              "choose a trial without an error");
}

/**
 * Returns options for one region: no repeat is given up, and none is ended early. Sampling adds up to three
 * regions, each of at most half a second and a call, to the checked, the timed and the counted ones: a kernel
 * that is in time without them is in time with them.
 */
trial::MeasureOptions options_of_counting(trial::MeasureOptions options) {
  constexpr double sampling_seconds = 1.5;
  options.run_timeout_seconds = 2 * options.run_timeout_seconds + sampling_seconds;
  options = options_of_one_sample(options);
  options.flush_caches = false;
  return options;
}

/** Builds a template's kernel for sampling. Kernels of projects may need files and flags of their own. */
Result<SampledBuild> build_for_sampling(const kernel::Family& family, const codegen::KernelSource& source,
                                        const schedule::TargetDescription& target, double timeout_seconds) {
  if (family.data() != nullptr)
    return fail(ErrorCode::Refused, "the kernel is not from a template of this program",
                "use perf record with a program of your own");
  codegen::KernelSource kernel = source;
  if (kernel.flags.empty()) kernel.flags = codegen::sort_flags(source.dialect, target.flags).known;
  return sampled_build(kernel, target.compiler, timeout_seconds);
}

/** Adds the lines of source that the sampled instructions came from, and the hash of the code. */
void add_code(trial::CodeSamples& samples, const machine_code::MachineCode& code) {
  std::vector<std::int32_t> lines;
  for (const machine_code::MachineLine& line : code.lines)
    if (line.instruction()) lines.push_back(line.source_line);
  for (trial::InstructionSamples& at : samples.instructions)
    if (static_cast<std::size_t>(at.instruction) < lines.size())
      at.source_line = lines[static_cast<std::size_t>(at.instruction)];
  samples.code_hash = machine_code::instructions_hash(code);
}

}  // namespace

Result<std::optional<trial::CounterReading>> count_configuration(const kernel::Family& family,
                                                                 const schedule::TargetDescription& target,
                                                                 const trial::MeasureOptions& options,
                                                                 const space::Configuration& configuration,
                                                                 const std::function<bool()>& stop) {
  TRY(trial::check_measure_options(options));
  if (target.kind != schedule::TargetKind::Cpu) {
    return fail(ErrorCode::Refused,
                "counters are available for CPU kernels only, and this kernel is for a GPU",
                "use the GPU's own profiler");
  }
  if (options.build_only) {
    return fail(ErrorCode::Refused,
                "kernels of a build-only session are never run, so their events can't be counted",
                "run the task without --build-only");
  }
  const Interruption interruption{.descriptor = -1, .requested = stop};
  const trial::MeasureOptions one_region = options_of_counting(options);
  const codegen::KernelSource source = TRY(family.source(configuration));
  BuilderPool pool(target, one_region);
  std::optional<BuildOutcome> built = TRY(pool.build_one(source, interruption));
  if (!built) return std::nullopt;
  if (built->category != trial::ErrorCategory::NoError) return not_counted(built->category, built->message);
  Runner runner(family.task(), target, one_region);
  if (!TRY(prepare_program(family, target, one_region, pool, runner, interruption))) return std::nullopt;
  const Result<SampledBuild> sampled =
      build_for_sampling(family, source, target, one_region.build_timeout_seconds);
  auto counted = TRY(runner.run_counted(source, sampled ? sampled->artefact : std::move(built->artefact),
                                        one_region, interruption));
  if (!counted) return std::nullopt;
  if (!counted->counters) return not_counted(counted->measurement.category, counted->measurement.message);
  if (!sampled)
    counted->counters->missing.push_back({samples_name, sampled.error().message, sampled.error().hint});
  else if (counted->counters->samples)
    add_code(*counted->counters->samples, sampled->code);
  return std::move(counted->counters);
}

}  // namespace kernelscape::measure
