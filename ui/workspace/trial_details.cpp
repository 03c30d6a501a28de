#include "ui/workspace/trial_details.h"

#include <fmt/format.h>

#include "core/kernel/kernel_family.h"
#include "core/machine_code/machine_code.h"
#include "core/measure/cpu/cpu_target.h"
#include "core/measure/cpu/second_build.h"
#include "core/schedule/template.h"
#include "core/session/session_report.h"

namespace kernelscape {
namespace {

constexpr double assembly_timeout_seconds = 30;

/** A line of assembly that says so where the measured kernel may have had other instructions. */
std::string compiler_note(const SourceData& source, const TargetDescription& here) {
  const auto& measured = source.origin->target;
  if (measured && measured->compiler_version == here.compiler_version && measured->flags == here.flags)
    return {};
  return "# compiled here; the session was measured with another compiler, other flags, or elsewhere\n";
}

}  // namespace

Result<KernelSource> kernel_source_of(const SourceData& source, const Configuration& configuration) {
  const SessionRecord& record = source.record();
  if (!source.origin->target) {
    return fail(ErrorCode::Refused, fmt::format("session {} does not say what it was built for", record.id),
                "only sessions of this program's templates have sources");
  }
  const ScheduledKernel kernel =
      TRY(apply_template(source.task(), *source.origin->target, record.template_name));
  if (kernel.template_version() != record.template_version) {
    return fail(ErrorCode::Refused,
                fmt::format("template {} is now version {}; the session was made with version {}",
                            record.template_name, kernel.template_version(), record.template_version),
                "run the task again with today's template");
  }
  const Result<MeasureOptions> options = stored_measure_options(record.options_json);
  const bool beyond_limits = options && options->beyond_limits;
  return ScheduleFamily(beyond_limits ? kernel.without_limits() : kernel).source(configuration);
}

Result<std::string> assembly_of(const SourceData& source, const KernelSource& kernel) {
  if (kernel.dialect == Dialect::Cuda)
    return fail(ErrorCode::Refused,
                "CUDA kernels are built into machine code, which is not disassembled here",
                "export the kernel and build it with nvcc -cubin: cuobjdump -sass shows its instructions");
  if (kernel.dialect == Dialect::OpenCl)
    return fail(ErrorCode::Refused,
                "OpenCL kernels are built by the device's driver, which shows no assembly",
                "export the kernel for the tools of the device's vendor");
  // The command that a session names may come from a file: this machine's own compiler is used.
  const TargetDescription here = TRY(describe_cpu_target(CompilerNeed::Required));
  const std::string assembly = TRY(second_build(kernel, here.compiler, assembly_timeout_seconds));
  return compiler_note(source, here) +
         parse_assembly(assembly, {.language = own_machine_language(), .entry = kernel.entry}).text();
}

Result<TrialDetails> load_trial_details(const std::filesystem::path& database, const Source& source,
                                        std::int64_t row) {
  const Store store = TRY(Store::open(database, OpenMode::ReadOnly));
  TrialDetails details;
  details.row = row;
  details.trial = TRY(store.trial(source->id(), source->trials.row(row).number));
  Result<std::vector<StoredSeries>> series = store.series(source->id());
  if (series) {
    for (StoredSeries& value : *series) {
      if (value.trial == details.trial.number) details.series.push_back(std::move(value));
    }
  }
  const Result<KernelSource> kernel = kernel_source_of(*source, details.trial.configuration);
  if (kernel) {
    details.source_text = kernel->text;
    details.layouts = layouts_text(*kernel);
    details.dialect = kernel->dialect;
    details.launch = kernel->launch;
  } else {
    details.source_problem = describe(kernel.error());
  }
  return details;
}

}  // namespace kernelscape
