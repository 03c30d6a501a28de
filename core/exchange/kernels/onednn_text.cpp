#include "core/exchange/kernels/onednn_text.h"

#include <variant>

#include "core/exchange/kernels/kernel_files.h"
#include "core/task/library_tensors.h"

namespace kernelscape::exchange {
namespace {

base::CSourceText tensor(const task::StridedTensor& tensor) {
  return base::write<base::CSource>("{{{}, {}}}", braced_list(tensor.dimensions),
                                    braced_list(tensor.strides));
}

base::CSourceText parameters(const task::Convolution& convolution) {
  std::vector<std::int64_t> gaps = convolution.dilation;
  for (std::int64_t& value : gaps) --value;
  return base::write<base::CSource>("{}, {}, {}, {}", braced_list(convolution.stride), braced_list(gaps),
                                    braced_list(convolution.padding), braced_list(convolution.end_padding()));
}

}  // namespace

base::CSourceText onednn_layer(const task::Task& task) {
  const task::LibraryTensors tensors = task::library_tensors(task);
  const auto* convolution = std::get_if<task::Convolution>(&task.definition);
  const base::Literal kind = convolution == nullptr    ? base::Literal("Multiplication")
                             : convolution->transposed ? base::Literal("Deconvolution")
                                                       : base::Literal("Convolution");
  return base::write<base::CSource>(
      "{{Kind::{}, {}, {}, {}, {}}}", kind, tensor(tensors.data), tensor(tensors.weight),
      tensor(tensors.output),
      convolution == nullptr ? base::CSourceText("{}, {}, {}, {}") : parameters(*convolution));
}

base::CSourceText braced_list(const std::vector<std::int64_t>& values) {
  return base::write<base::CSource>("{{{}}}", number_list(values, ", "));
}

}  // namespace kernelscape::exchange
