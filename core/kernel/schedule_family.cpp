#include <algorithm>

#include "core/codegen/c_emitter.h"
#include "core/codegen/gpu_emitter.h"
#include "core/kernel/kernel_family.h"

namespace kernelscape {
namespace {

/** "conv2d_direct": a GPU's kernel is named by its template, since "kernel" is a keyword of OpenCL C. */
std::string entry_of(std::string template_name) {
  std::ranges::replace(template_name, '-', '_');
  return template_name;
}

}  // namespace

KernelSource emit_kernel(TargetKind target, const LoopNest& nest, const KernelDescription& description) {
  switch (target) {
    case TargetKind::Cpu:
      return emit_c(nest, description);
    case TargetKind::Cuda:
      return emit_gpu(nest, Dialect::Cuda, description);
    case TargetKind::OpenCl:
      break;
  }
  return emit_gpu(nest, Dialect::OpenCl, description);
}

ScheduleFamily::ScheduleFamily(ScheduledKernel kernel) : kernel_(std::move(kernel)) {}

Result<KernelSource> ScheduleFamily::source(const Configuration& configuration) const {
  const LoweredKernel lowered = TRY(kernel_.lower(configuration));
  KernelDescription description;
  description.task = kernel_.task().text;
  description.template_name = kernel_.template_name();
  description.configuration = kernel_.space().describe(configuration);
  description.target = kernel_.target().device + ", " + kernel_.target().isa;
  description.flags = kernel_.target().flags;
  if (kernel_.target().kind != TargetKind::Cpu) description.entry = entry_of(kernel_.template_name());
  return emit_kernel(kernel_.target().kind, lowered.nest, description);
}

}  // namespace kernelscape
