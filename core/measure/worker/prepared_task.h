#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/base/result.h"
#include "core/codegen/kernel_source.h"
#include "core/loop_nest/layout.h"
#include "core/measure/worker/page_buffer.h"
#include "core/task/reference.h"
#include "core/task/tensor_operator.h"

namespace kernelscape::measure {

/** The data that a trial reads, writes and is compared with. */
struct TrialTensors {
  const task::TensorOperator& op;
  const task::Reference& reference;
  std::array<std::span<const std::byte>, 2> inputs{};  ///< inputs on read-only pages, in the kernel's layouts
  std::vector<std::span<const std::byte>> operands{};  ///< operands of the epilogue, on such pages
  std::span<const std::int64_t> output_offsets{};  ///< offsets of the output's elements, in row-major order
  std::size_t output_bytes = 0;
  int winograd_tile = 0;  ///< of the weights' layout, which decides the tolerance
};

/** A task's inputs and reference, made once, and the inputs in each recently requested layout. */
class PreparedTask {
 public:
  PreparedTask(const task::TensorOperator& op, std::uint64_t seed, int threads);

  const task::TensorOperator& op() const {
    return op_;
  }  ///< the operator whose inputs and reference were made

  /**
   * Returns the tensors for a kernel with these arguments, valid until the next call. Errors: arguments that
   * differ from those of the operator, invalid layouts; Environment if there is not enough memory.
   */
  Result<TrialTensors> tensors(const std::vector<codegen::KernelArgument>& arguments);

 private:
  /** @param position of an input, or of an operand after all inputs */
  Result<std::span<const std::byte>> input(std::size_t position, const loop_nest::Layout& layout);
  Result<std::span<const std::int64_t>> output_offsets(const loop_nest::Layout& layout);
  void forget_old_layouts();

  struct PackedInput {
    std::size_t position = 0;
    loop_nest::Layout layout;
    PageBuffer buffer;
  };
  struct OutputOffsets {
    loop_nest::Layout layout;
    std::vector<std::int64_t> offsets;
  };

  task::TensorOperator op_;
  task::ReferenceInputs inputs_;
  std::shared_ptr<const task::Reference> reference_;
  std::list<PackedInput> packed_;  ///< most recently used first
  std::optional<OutputOffsets> output_;
};

}  // namespace kernelscape::measure
