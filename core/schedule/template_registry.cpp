#include <fmt/format.h>

#include <utility>

#include "core/schedule/template.h"

namespace kernelscape::schedule {

/** One line per template, in the order in which they are tried; each is a function in its own file. */
#define KERNELSCAPE_TEMPLATES(ENTRY)       \
  ENTRY(conv2d_bf16_template)              \
  ENTRY(matmul_bf16_template)              \
  ENTRY(conv2d_packed_template)            \
  ENTRY(conv2d_nchwc_template)             \
  ENTRY(conv1d_packed_template)            \
  ENTRY(conv3d_packed_template)            \
  ENTRY(transposed_packed_template)        \
  ENTRY(depthwise_packed_template)         \
  ENTRY(grouped_packed_template)           \
  ENTRY(matmul_packed_template)            \
  ENTRY(batch_matmul_packed_template)      \
  ENTRY(matmul_tiled_template)             \
  ENTRY(batch_matmul_tiled_template)       \
  ENTRY(conv2d_vnni_template)              \
  ENTRY(matmul_vnni_template)              \
  ENTRY(conv2d_nchwc_int8_template)        \
  ENTRY(dense_vnni_template)               \
  ENTRY(conv2d_direct_template)            \
  ENTRY(depthwise_direct_template)         \
  ENTRY(matmul_template)                   \
  ENTRY(batch_matmul_template)             \
  ENTRY(matmul_tensor_core_template)       \
  ENTRY(batch_matmul_tensor_core_template) \
  ENTRY(conv2d_tensor_core_template)       \
  ENTRY(conv2d_rows_template)              \
  ENTRY(conv2d_winograd_2_template)        \
  ENTRY(conv2d_winograd_4_template)        \
  ENTRY(conv2d_winograd_6_template)        \
  ENTRY(matmul_blocked_template)           \
  ENTRY(batch_matmul_blocked_template)     \
  ENTRY(matmul_copied_template)            \
  ENTRY(batch_matmul_copied_template)      \
  ENTRY(generated_template)                \
  ENTRY(generated_local_template)          \
  ENTRY(generated_vnni_template)

#define KERNELSCAPE_DECLARE(function) TemplateDeclaration function();
KERNELSCAPE_TEMPLATES(KERNELSCAPE_DECLARE)
#undef KERNELSCAPE_DECLARE

namespace {

/** Returns a template that refuses epilogues where its kernels do not apply them. */
TemplateDeclaration with_epilogue_check(TemplateDeclaration declaration) {
  declaration.fits = [fits = std::move(declaration.fits)](const task::Task& task,
                                                          const TargetDescription& target) -> Status {
    const bool epilogue = task.op && !task.op->epilogue.empty();
    if (epilogue && task.op->output.type != task::ScalarType::F32)
      return fail(ErrorCode::InvalidArgument, fmt::format("kernels apply an epilogue to f32, not to {}",
                                                          task::to_string(task.op->output.type)));
    if (epilogue && target.kind != TargetKind::Cpu && task.op->inputs[0].type != task::ScalarType::F32)
      return fail(ErrorCode::InvalidArgument, "kernels of tensor cores apply no epilogue to their sums");
    return fits(task, target);
  };
  return declaration;
}

}  // namespace

const std::vector<TemplateDeclaration>& template_registry() {
#define KERNELSCAPE_CALL(function) with_epilogue_check(function()),
  static const std::vector<TemplateDeclaration> templates{KERNELSCAPE_TEMPLATES(KERNELSCAPE_CALL)};
#undef KERNELSCAPE_CALL
  return templates;
}

}  // namespace kernelscape::schedule
