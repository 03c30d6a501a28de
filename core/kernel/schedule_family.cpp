#include <algorithm>

#include "core/codegen/c_emitter.h"
#include "core/codegen/gpu_emitter.h"
#include "core/kernel/kernel_family.h"

namespace kernelscape {
namespace {

/**
 * Returns the name of a template's kernel. A GPU kernel is named by its template, such as "conv2d_direct",
 * since "kernel" is a keyword of OpenCL C.
 */
std::string entry_of(std::string template_name) {
  std::ranges::replace(template_name, '-', '_');
  return template_name;
}

}  // namespace

Dialect dialect_of(TargetKind target) {
  switch (target) {
    case TargetKind::Cpu:
      return Dialect::C;
    case TargetKind::Cuda:
      return Dialect::Cuda;
    case TargetKind::OpenCl:
      break;
  }
  return Dialect::OpenCl;
}

KernelSource emit_kernel(TargetKind target, const LoopNest& nest, const KernelDescription& description) {
  const Dialect dialect = dialect_of(target);
  return dialect == Dialect::C ? emit_c(nest, description) : emit_gpu(nest, dialect, description);
}

ScheduleFamily::ScheduleFamily(ScheduledKernel kernel)
    : kernel_(std::move(kernel)),
      flags_(flags_to_build_with(dialect_of(kernel_.target().kind), kernel_.target().flags).known) {}

KernelDescription ScheduleFamily::description_of(const Configuration& configuration) const {
  KernelDescription description;
  description.task = kernel_.task().text;
  description.template_name = kernel_.template_name();
  description.configuration = kernel_.space().describe(configuration);
  description.target = kernel_.target().device + ", " + kernel_.target().instructions();
  description.flags = flags_;
  if (kernel_.target().kind != TargetKind::Cpu) description.entry = entry_of(kernel_.template_name());
  return description;
}

Result<KernelSource> ScheduleFamily::source(const Configuration& configuration) const {
  const LoweredKernel lowered = TRY(kernel_.lower(configuration));
  return emit_kernel(kernel_.target().kind, lowered.nest, description_of(configuration));
}

Result<MappedSource> ScheduleFamily::mapped_source(const Configuration& configuration) const {
  const LoweredKernel lowered = TRY(kernel_.lower(configuration));
  return emit_mapped(dialect_of(kernel_.target().kind), lowered.nest, description_of(configuration));
}

}  // namespace kernelscape
