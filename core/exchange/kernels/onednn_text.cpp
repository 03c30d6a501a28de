#include "core/exchange/kernels/onednn_text.h"

#include <variant>

#include "core/exchange/kernels/kernel_files.h"
#include "core/task/library_tensors.h"

namespace kernelscape {
namespace {

CSourceText tensor(const StridedTensor& tensor) {
  return write<CSource>("{{{}, {}}}", braced_list(tensor.dimensions), braced_list(tensor.strides));
}

CSourceText parameters(const Convolution& convolution) {
  std::vector<std::int64_t> gaps = convolution.dilation;
  for (std::int64_t& value : gaps) --value;
  return write<CSource>("{}, {}, {}, {}", braced_list(convolution.stride), braced_list(gaps),
                        braced_list(convolution.padding), braced_list(convolution.end_padding()));
}

}  // namespace

CSourceText onednn_layer(const Task& task) {
  const LibraryTensors tensors = library_tensors(task);
  const auto* convolution = std::get_if<Convolution>(&task.definition);
  const Literal kind = convolution == nullptr    ? Literal("Multiplication")
                       : convolution->transposed ? Literal("Deconvolution")
                                                 : Literal("Convolution");
  return write<CSource>("{{Kind::{}, {}, {}, {}, {}}}", kind, tensor(tensors.data), tensor(tensors.weight),
                        tensor(tensors.output),
                        convolution == nullptr ? CSourceText("{}, {}, {}, {}") : parameters(*convolution));
}

CSourceText braced_list(const std::vector<std::int64_t>& values) {
  return write<CSource>("{{{}}}", number_list(values, ", "));
}

}  // namespace kernelscape
