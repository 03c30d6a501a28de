#include "core/graph/passes/passes.h"

#include <array>

namespace kernelscape::graph::passes {

std::span<const Pass> simplifying_passes() {
  static constexpr std::array passes{
      Pass{"dead code", remove_dead_nodes},
      Pass{"constant folding", fold_constants},
      Pass{"no-operations", remove_no_operations},
      Pass{"changes of shape", merge_shape_changes},
      Pass{"common expressions", merge_common_expressions},
      Pass{"activations", recognise_activations},
      Pass{"layer normalization", recognise_layer_normalization},
      Pass{"softmax", recognise_softmax},
      Pass{"global average", recognise_global_average},
      Pass{"transposes", remove_transposes},
      Pass{"padding", merge_padding},
      Pass{"scales into weights", fold_scales_into_weights},
  };
  return passes;
}

std::span<const Pass> fusing_passes() {
  static constexpr std::array passes{
      Pass{"epilogues", fuse_epilogues},
      Pass{"dead code", remove_dead_nodes},
  };
  return passes;
}

}  // namespace kernelscape::graph::passes
