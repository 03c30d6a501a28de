#include <algorithm>

#include "core/codegen/c_emitter.h"
#include "core/codegen/gpu_emitter.h"
#include "core/kernel/family.h"

namespace kernelscape::kernel {
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

codegen::Dialect dialect_of(schedule::TargetKind target) {
  switch (target) {
    case schedule::TargetKind::Cpu:
      return codegen::Dialect::C;
    case schedule::TargetKind::Cuda:
      return codegen::Dialect::Cuda;
    case schedule::TargetKind::OpenCl:
      break;
  }
  return codegen::Dialect::OpenCl;
}

codegen::KernelSource emit_kernel(schedule::TargetKind target, const loop_nest::LoopNest& nest,
                                  const codegen::KernelDescription& description) {
  const codegen::Dialect dialect = dialect_of(target);
  return dialect == codegen::Dialect::C ? codegen::emit_c(nest, description)
                                        : codegen::emit_gpu(nest, dialect, description);
}

ScheduleFamily::ScheduleFamily(schedule::ScheduledKernel kernel)
    : kernel_(std::move(kernel)),
      flags_(codegen::flags_to_build_with(dialect_of(kernel_.target().kind), kernel_.target().flags).known) {}

codegen::KernelDescription ScheduleFamily::description_of(const space::Configuration& configuration) const {
  codegen::KernelDescription description;
  description.task = kernel_.task().text;
  description.template_name = kernel_.template_name();
  description.configuration = kernel_.space().describe(configuration);
  description.target = kernel_.target().device + ", " + kernel_.target().instructions();
  description.flags = flags_;
  if (kernel_.target().kind != schedule::TargetKind::Cpu)
    description.entry = entry_of(kernel_.template_name());
  return description;
}

Result<codegen::KernelSource> ScheduleFamily::source(const space::Configuration& configuration) const {
  const schedule::LoweredKernel lowered = TRY(kernel_.lower(configuration));
  return emit_kernel(kernel_.target().kind, lowered.nest, description_of(configuration));
}

Result<codegen::MappedSource> ScheduleFamily::mapped_source(const space::Configuration& configuration) const {
  const schedule::LoweredKernel lowered = TRY(kernel_.lower(configuration));
  return codegen::emit_mapped(dialect_of(kernel_.target().kind), lowered.nest, description_of(configuration));
}

}  // namespace kernelscape::kernel
