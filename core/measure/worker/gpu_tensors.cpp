#include "core/measure/worker/gpu_tensors.h"

#include <algorithm>
#include <utility>

#include "core/measure/cpu/packing.h"
#include "core/measure/worker/gpu_guard.h"

namespace kernelscape::measure {

void GpuTensors::set(const TrialTensors& tensors, const std::vector<codegen::KernelArgument>& arguments) {
  tensors_ = &tensors;
  kernel_arguments_ = &arguments;
  launched_.resize(arguments.size());
  // What an earlier kernel with more arguments has placed stays until forget().
  inputs_.resize(std::max(inputs_.size(), arguments.size()));
}

std::span<const std::byte> GpuTensors::contents(std::size_t position) const {
  const std::size_t inputs = tensors_->inputs.size();
  return position < inputs ? tensors_->inputs[position] : tensors_->operands[position - inputs - 1];
}

/** Uploads an input if the latest kernel used another layout. */
DeviceResult<void> GpuTensors::place_input(GpuDevice& device, std::size_t position) {
  const loop_nest::Layout& layout = (*kernel_arguments_)[position].layout;
  std::optional<Input>& kept = inputs_[position];
  if (!kept || kept->layout != layout) {
    if (kept) device.release(std::exchange(kept, std::nullopt)->memory);
    const std::span<const std::byte> bytes = contents(position);
    auto memory = TRY(device.allocate(bytes.size()));
    kept = Input{layout, memory};
    TRY(device.write(memory, bytes));
  }
  launched_[position].memory = kept->memory;
  return {};
}

DeviceResult<void> GpuTensors::place(GpuDevice& device) {
  const std::size_t output = tensors_->inputs.size();
  for (std::size_t i = 0; i < launched_.size(); ++i)
    if (i != output) TRY(place_input(device, i));
  blank_.resize(tensors_->output_bytes + gpu_guard_bytes);
  fill_unwritten(tensors_->op.output.type, blank_);
  output_ = TRY(device.allocate(blank_.size()));
  launched_[output].memory = *output_;
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
  for (std::size_t i = 0; i < launched_.size(); ++i) {
    if ((*kernel_arguments_)[i].output) continue;
    read_back_.resize(contents(i).size());
    TRY(device.read(launched_[i].memory, read_back_));
    if (!std::ranges::equal(read_back_, contents(i))) return (*kernel_arguments_)[i].name;
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
  inputs_.assign(inputs_.size(), std::nullopt);
  output_.reset();
}

}  // namespace kernelscape::measure
