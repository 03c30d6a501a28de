#include <algorithm>
#include <utility>

#include "core/measure/cpu/packing.h"
#include "core/measure/worker/gpu_guard.h"
#include "core/measure/worker/gpu_operands.h"

namespace kernelscape::measure {

void GpuTensors::set(const TrialTensors& tensors, const std::vector<codegen::KernelArgument>& arguments) {
  tensors_ = &tensors;
  kernel_arguments_ = &arguments;
}

/** Uploads an input if the latest kernel used another layout. */
DeviceResult<void> GpuTensors::place_input(GpuDevice& device, std::size_t position) {
  const loop_nest::Layout& layout = (*kernel_arguments_)[position].layout;
  std::optional<Input>& kept = inputs_[position];
  if (!kept || kept->layout != layout) {
    if (kept) device.release(std::exchange(kept, std::nullopt)->memory);
    const std::span<const std::byte> bytes = tensors_->inputs[position];
    auto memory = TRY(device.allocate(bytes.size()));
    kept = Input{layout, memory};
    TRY(device.write(memory, bytes));
  }
  launched_[position].memory = kept->memory;
  return {};
}

DeviceResult<void> GpuTensors::place(GpuDevice& device) {
  for (std::size_t i = 0; i < inputs_.size(); ++i) TRY(place_input(device, i));
  blank_.resize(tensors_->output_bytes + gpu_guard_bytes);
  fill_unwritten(tensors_->op.output.type, blank_);
  output_ = TRY(device.allocate(blank_.size()));
  launched_.back().memory = *output_;
  return device.write(*output_, blank_);
}

DeviceResult<OutputCheck> GpuTensors::check(GpuDevice& device) {
  read_back_.resize(blank_.size());
  TRY(device.read(*output_, read_back_));
  const std::span<const std::byte> bytes(read_back_);
  const bool intact = std::ranges::equal(bytes.subspan(tensors_->output_bytes),
                                         std::span(blank_).subspan(tensors_->output_bytes));
  return check_output(tensors_->op, tensors_->reference, bytes.first(tensors_->output_bytes),
                      tensors_->output_offsets, intact);
}

DeviceResult<std::string> GpuTensors::changed_input(GpuDevice& device) {
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    read_back_.resize(tensors_->inputs[i].size());
    TRY(device.read(launched_[i].memory, read_back_));
    if (!std::ranges::equal(read_back_, tensors_->inputs[i])) return (*kernel_arguments_)[i].name;
  }
  return std::string();
}

void GpuTensors::take_back(GpuDevice& device) {
  if (output_) device.release(*std::exchange(output_, std::nullopt));
}

void GpuTensors::forget(GpuDevice& device) {
  for (std::optional<Input>& input : inputs_) {
    if (input) device.release(std::exchange(input, std::nullopt)->memory);
  }
}

void GpuTensors::lose() {
  inputs_ = {};
  output_.reset();
}

}  // namespace kernelscape::measure
