#include "core/measure/build_measurement.h"

#include "core/kernel/arguments.h"
#include "core/measure/gpu/gpu_target.h"
#include "core/measure/worker/message_text.h"

namespace kernelscape::measure {

Result<codegen::KernelSource> checked_source(const kernel::Family& family,
                                             const space::Configuration& configuration) {
  auto source = family.source(configuration);
  if (source && family.data() == nullptr) TRY(kernel::check_arguments(*family.task().op, source->arguments));
  return source;
}

trial::Measurement instantiation_error(const Error& error, double seconds) {
  trial::Measurement measurement;
  measurement.category = trial::ErrorCategory::InstantiationError;
  measurement.message = clean_message(describe(error));
  measurement.build_seconds = seconds;
  return measurement;
}

void add_build(trial::Measurement& measurement, double instantiation_seconds, const BuildOutcome& build,
               const codegen::KernelSource& source, const schedule::TargetDescription& target) {
  measurement.build_seconds = instantiation_seconds + build.build_seconds;
  if (build.category != trial::ErrorCategory::NoError) return;
  if (build.code_bytes > 0)
    measurement.add_metric({trial::code_size_metric, "B", static_cast<double>(build.code_bytes)});
  if (source.dialect == codegen::Dialect::C) return;
  measurement.resources = with_occupancy(build.resources, source.launch.threads(), target);
  measurement.build_log = build.log;
}

}  // namespace kernelscape::measure
