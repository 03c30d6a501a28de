#include "core/measure/worker/tensor_kernel.h"

#include <stdexcept>
#include <utility>
#include <vector>

#include "core/measure/cpu/packing.h"
#include "core/measure/worker/cache_flush.h"

namespace kernelscape::measure {
namespace {

/** The pointers that a kernel takes. */
struct Pointers {
  const void* first = nullptr;
  const void* second = nullptr;
  void* output = nullptr;
  std::vector<const void*> operands;  ///< of the epilogue
};

template <std::size_t>
using OperandPointer = const void*;

template <std::size_t... Operand>
std::function<void(int)> call_with(void* entry, int parts, Pointers pointers,
                                   std::index_sequence<Operand...>) {
  using Entry =
      void (*)(int part, int parts, const void*, const void*, void*, OperandPointer<Operand>... operands);
  return [function = reinterpret_cast<Entry>(entry), parts, p = std::move(pointers)](int part) {
    function(part, parts, p.first, p.second, p.output, p.operands[Operand]...);
  };
}

/** Returns a call of an entry that takes as many operands as there are. */
template <std::size_t Count = 0>
std::function<void(int)> make_call(void* entry, int parts, Pointers pointers) {
  if (pointers.operands.size() == Count)
    return call_with(entry, parts, std::move(pointers), std::make_index_sequence<Count>());
  if constexpr (Count < task::max_epilogue_steps)
    return make_call<Count + 1>(entry, parts, std::move(pointers));
  throw std::logic_error("an epilogue has more operands than steps");
}

constexpr int output_stagger = 2;

}  // namespace

bool TensorKernel::make_ready(void* entry, int parts) {
  output_ = PageBuffer::make(tensors_.output_bytes, output_stagger);
  if (!output_) return false;
  Pointers pointers{tensors_.inputs[0].data(), tensors_.inputs[1].data(), output_->data(), {}};
  for (const auto& operand : tensors_.operands) pointers.operands.push_back(operand.data());
  work_ = make_call(entry, parts, std::move(pointers));
  return true;
}

void TensorKernel::clear_outputs() { fill_unwritten(tensors_.op.output.type, output_->bytes()); }

OutputCheck TensorKernel::check() {
  return check_output(tensors_.op, tensors_.reference, output_->bytes(), tensors_.output_offsets,
                      output_->surroundings_intact(), tensors_.winograd_tile);
}

void TensorKernel::flush_caches() {
  for (const auto& input : tensors_.inputs) flush_from_caches(input.data(), input.size());
  for (const auto& operand : tensors_.operands) flush_from_caches(operand.data(), operand.size());
  flush_from_caches(output_->data(), output_->size());
}

}  // namespace kernelscape::measure
