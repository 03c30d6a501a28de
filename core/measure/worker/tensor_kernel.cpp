#include "core/measure/worker/tensor_kernel.h"

#include "core/measure/cpu/packing.h"
#include "core/measure/worker/cache_flush.h"

namespace kernelscape::measure {
namespace {

using TensorEntry = void (*)(int part, int parts, const void* input0, const void* input1, void* output);

constexpr int output_stagger = 2;

}  // namespace

bool TensorKernel::make_ready(void* entry, int parts) {
  output_ = PageBuffer::make(tensors_.output_bytes, output_stagger);
  if (!output_) return false;
  work_ = [entry = reinterpret_cast<TensorEntry>(entry), parts, first = tensors_.inputs[0].data(),
           second = tensors_.inputs[1].data(),
           data = output_->data()](int part) { entry(part, parts, first, second, data); };
  return true;
}

void TensorKernel::clear_outputs() { fill_unwritten(tensors_.op.output.type, output_->bytes()); }

OutputCheck TensorKernel::check() {
  return check_output(tensors_.op, tensors_.reference, output_->bytes(), tensors_.output_offsets,
                      output_->surroundings_intact(), tensors_.winograd_tile);
}

void TensorKernel::flush_caches() {
  for (const auto& input : tensors_.inputs) flush_from_caches(input.data(), input.size());
  flush_from_caches(output_->data(), output_->size());
}

}  // namespace kernelscape::measure
