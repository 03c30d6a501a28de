#include "core/task/library_tensors.h"

#include <utility>
#include <variant>

namespace kernelscape::task {
namespace {

using Dimensions = std::vector<std::int64_t>;

StridedTensor row_major_tensor(const Dimensions& dimensions) {
  Dimensions strides(dimensions.size(), 1);
  for (std::size_t i = dimensions.size() - 1; i-- > 0;) strides[i] = strides[i + 1] * dimensions[i + 1];
  return {dimensions, strides};
}

void swap_dimensions(StridedTensor& tensor, std::size_t a, std::size_t b) {
  std::swap(tensor.dimensions[a], tensor.dimensions[b]);
  std::swap(tensor.strides[a], tensor.strides[b]);
}

void renumber(const Convolution& convolution, LibraryTensors& tensors) {
  Dimensions weight = tensors.weight.dimensions;
  if (convolution.groups > 1) {
    weight.front() /= convolution.groups;
    weight.insert(weight.begin(), convolution.groups);
  }
  tensors.weight = row_major_tensor(weight);
  const std::size_t first = convolution.groups > 1 ? 1 : 0;
  // The weights of a transposed convolution have [input, output] channels here, and always [output, input] in
  // the library.
  if (convolution.transposed) swap_dimensions(tensors.weight, first, first + 1);
}

void renumber(const MatrixMultiplication& multiplication, LibraryTensors& tensors) {
  const std::size_t row = multiplication.batched ? 1 : 0;
  if (multiplication.transpose_a) swap_dimensions(tensors.data, row, row + 1);
  if (multiplication.transpose_b) swap_dimensions(tensors.weight, row, row + 1);
}

void renumber(const GenericProblem&, LibraryTensors&) {}

}  // namespace

LibraryTensors library_tensors(const Task& task) {
  LibraryTensors tensors{row_major_tensor(task.op->inputs[0].shape),
                         row_major_tensor(task.op->inputs[1].shape), row_major_tensor(task.op->output.shape)};
  std::visit([&](const auto& definition) { renumber(definition, tensors); }, task.definition);
  return tensors;
}

}  // namespace kernelscape::task
