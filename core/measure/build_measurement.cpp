#include "core/measure/build_measurement.h"

#include "core/kernel/kernel_arguments.h"
#include "core/measure/gpu/gpu_target.h"
#include "core/measure/worker/message_text.h"

namespace kernelscape {

Result<KernelSource> checked_source(const KernelFamily& family, const Configuration& configuration) {
  auto source = family.source(configuration);
  if (source && family.data() == nullptr) TRY(check_arguments(*family.task().op, source->arguments));
  return source;
}

Measurement instantiation_error(const Error& error, double seconds) {
  Measurement measurement;
  measurement.category = ErrorCategory::InstantiationError;
  measurement.message = clean_message(describe(error));
  measurement.build_seconds = seconds;
  return measurement;
}

void add_build(Measurement& measurement, double instantiation_seconds, const BuildOutcome& build,
               const KernelSource& source, const TargetDescription& target) {
  measurement.build_seconds = instantiation_seconds + build.build_seconds;
  if (build.category != ErrorCategory::NoError || source.dialect == Dialect::C) return;
  measurement.resources = with_occupancy(build.resources, source.launch.threads(), target);
  measurement.build_log = build.log;
}

}  // namespace kernelscape
