#include "core/measure/worker/prepared_task.h"

#include "core/kernel/arguments.h"
#include "core/measure/cpu/packing.h"
#include "core/task/winograd.h"

namespace kernelscape::measure {
namespace {

constexpr std::uint64_t kept_layout_bytes = 1ULL << 30;

}  // namespace

PreparedTask::PreparedTask(const task::TensorOperator& op, std::uint64_t seed, int threads)
    : op_(op),
      inputs_(task::make_reference_inputs(op, seed)),
      reference_(task::cached_reference(op, seed, threads)) {}

Result<TrialTensors> PreparedTask::tensors(const std::vector<codegen::KernelArgument>& arguments) {
  forget_old_layouts();
  TRY(kernel::check_arguments(op_, arguments));
  TrialTensors tensors{.op = op_, .reference = *reference_};
  const std::size_t output = op_.inputs.size();
  const loop_nest::Layout& output_layout = arguments[output].layout;
  tensors.output_offsets = TRY(output_offsets(output_layout));
  tensors.winograd_tile = arguments[1].layout.winograd_tile;
  tensors.output_bytes = packed_bytes(op_.output.type, output_layout);
  for (std::size_t i = 0; i < tensors.inputs.size(); ++i)
    tensors.inputs[i] = TRY(input(i, arguments[i].layout));
  for (std::size_t i = 0; i < op_.operands.size(); ++i)
    tensors.operands.push_back(TRY(input(output + i, arguments[output + 1 + i].layout)));
  return tensors;
}

Result<std::span<const std::byte>> PreparedTask::input(std::size_t position,
                                                       const loop_nest::Layout& layout) {
  for (auto entry = packed_.begin(); entry != packed_.end(); ++entry) {
    if (entry->position == position && entry->layout == layout) {
      packed_.splice(packed_.begin(), packed_, entry);
      return packed_.front().buffer.bytes();
    }
  }
  const std::size_t inputs = op_.inputs.size();
  const task::ScalarType type =
      position < inputs ? op_.inputs[position].type : op_.operands[position - inputs].type;
  const auto offsets = TRY(checked_offsets(layout));
  // The output has the stagger behind those of the inputs.
  const std::size_t stagger = position < inputs ? position : position + 1;
  auto buffer = PageBuffer::make(packed_bytes(type, layout), static_cast<int>(stagger));
  if (!buffer) return fail(ErrorCode::Environment, "not enough memory for the inputs of a kernel");
  if (layout.winograd_tile > 0)
    pack(type, task::winograd_weights(layout.winograd_tile, inputs_.tensors[position]), offsets,
         buffer->bytes());
  else
    pack(type, inputs_.tensors[position], offsets, buffer->bytes());
  buffer->protect_read_only();
  packed_.push_front({position, layout, std::move(*buffer)});
  return packed_.front().buffer.bytes();
}

Result<std::span<const std::int64_t>> PreparedTask::output_offsets(const loop_nest::Layout& layout) {
  if (!output_ || output_->layout != layout) {
    auto offsets = TRY(checked_offsets(layout));
    output_ = OutputOffsets{layout, std::move(offsets)};
  }
  return output_->offsets;
}

/** Drops the least recently used layouts. */
void PreparedTask::forget_old_layouts() {
  std::uint64_t bytes = 0;
  for (const PackedInput& entry : packed_) bytes += entry.buffer.size();
  while (bytes > kept_layout_bytes) {
    bytes -= packed_.back().buffer.size();
    packed_.pop_back();
  }
}

}  // namespace kernelscape::measure
