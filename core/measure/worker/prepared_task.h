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

namespace kernelscape {

/** The data that a trial reads, writes and is compared with. */
struct TrialTensors {
  const TensorOperator& op;
  const Reference& reference;
  std::array<std::span<const std::byte>, 2> inputs{};  ///< inputs on read-only pages, in the kernel's layouts
  std::span<const std::int64_t> output_offsets{};  ///< offsets of the output's elements, in row-major order
  std::size_t output_bytes = 0;
};

/** A task's inputs and reference, made once, and the inputs in each recently requested layout. */
class PreparedTask {
 public:
  PreparedTask(const TensorOperator& op, std::uint64_t seed, int threads);

  const TensorOperator& op() const { return op_; }  ///< the operator whose inputs and reference were made

  /**
   * Returns the tensors for a kernel with these arguments, valid until the next call. Errors: arguments that
   * differ from those of the operator, invalid layouts; Environment if there is not enough memory.
   */
  Result<TrialTensors> tensors(const std::vector<KernelArgument>& arguments);

 private:
  Result<std::span<const std::byte>> input(std::size_t position, const Layout& layout);
  Result<std::span<const std::int64_t>> output_offsets(const Layout& layout);
  void forget_old_layouts();

  struct PackedInput {
    std::size_t position = 0;
    Layout layout;
    PageBuffer buffer;
  };
  struct OutputOffsets {
    Layout layout;
    std::vector<std::int64_t> offsets;
  };

  TensorOperator op_;
  ReferenceInputs inputs_;
  std::shared_ptr<const Reference> reference_;
  std::list<PackedInput> packed_;  ///< most recently used first
  std::optional<OutputOffsets> output_;
};

}  // namespace kernelscape
