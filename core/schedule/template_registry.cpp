#include "core/schedule/template.h"
#include "core/schedule/template_support.h"

namespace kernelscape {

const std::vector<TemplateDeclaration>& template_registry() {
  static const std::vector<TemplateDeclaration> templates{
      conv2d_packed_template(),
      conv2d_nchwc_template(),
      conv1d_packed_template(),
      conv3d_packed_template(),
      transposed_packed_template(),
      depthwise_packed_template(),
      matmul_packed_template(),
      batch_matmul_packed_template(),
      matmul_tiled_template(),
      batch_matmul_tiled_template(),
      conv2d_direct_template(),
      depthwise_direct_template(),
      matmul_template(),
      batch_matmul_template(),
      matmul_tensor_core_template(),
      batch_matmul_tensor_core_template(),
      conv2d_tensor_core_template(),
  };
  return templates;
}

}  // namespace kernelscape
