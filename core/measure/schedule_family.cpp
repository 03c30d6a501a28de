#include "core/codegen/c_emitter.h"
#include "core/measure/kernel_family.h"

namespace kernelscape {

ScheduleFamily::ScheduleFamily(ScheduledKernel kernel) : kernel_(std::move(kernel)) {}

Result<KernelSource> ScheduleFamily::source(const Configuration& configuration) const {
  const Result<LoweredKernel> lowered = kernel_.lower(configuration);
  if (!lowered) return std::unexpected(lowered.error());
  KernelDescription description;
  description.task = kernel_.task().text;
  description.template_name = kernel_.template_name();
  description.configuration = kernel_.space().describe(configuration);
  description.target = kernel_.target().device + ", " + kernel_.target().isa;
  description.flags = kernel_.target().flags;
  return emit_c(lowered->nest, description);
}

}  // namespace kernelscape
