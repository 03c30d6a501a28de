#include "core/measure/worker/gpu_program.h"

#include <algorithm>
#include <string>

#include "core/measure/worker/gpu_guard.h"
#include "core/project/argument_contents.h"

namespace kernelscape::measure {
namespace {

std::string text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

DeviceResult<void> GpuProgram::allocate(GpuDevice& device) {
  for (std::size_t index = 0; index < program_.arguments().size(); ++index) {
    const project::ProgramArgument& argument = program_.arguments()[index];
    if (argument.memory != project::ArgumentMemory::Vector) continue;
    const auto contents = program_.contents(index);
    // Stored at once, so that a failure of a later step frees it too.
    vectors_.push_back(
        {.argument = index, .memory = TRY(device.allocate(contents.size() + gpu_guard_bytes))});
    if (argument.access == project::ArgumentAccess::ReadOnly)
      TRY(device.write(vectors_.back().memory, contents));
    if (argument.access != project::ArgumentAccess::ReadWrite) continue;
    vectors_.back().original = TRY(device.allocate(contents.size()));
    TRY(device.write(*vectors_.back().original, contents));
  }
  return {};
}

/** Fills the vector and its guard with the patterns that no kernel leaves. */
DeviceResult<void> GpuProgram::clear(GpuDevice& device, const Vector& vector) {
  const project::ProgramArgument& argument = program_.arguments()[vector.argument];
  blank_.resize(argument.bytes() + gpu_guard_bytes);
  project::fill_unwritten_argument(argument, std::span(blank_).first(argument.bytes()));
  std::ranges::fill(std::span(blank_).subspan(argument.bytes()), gpu_guard);
  return device.write(vector.memory, blank_);
}

DeviceResult<void> GpuProgram::place(GpuDevice& device) {
  if (vectors_.empty()) TRY(allocate(device));
  launched_.clear();
  std::size_t next_vector = 0;
  std::size_t next_local = 0;
  for (std::size_t index = 0; index < program_.arguments().size(); ++index) {
    const project::ProgramArgument& argument = program_.arguments()[index];
    switch (argument.memory) {
      case project::ArgumentMemory::Constant:
        continue;
      case project::ArgumentMemory::Scalar:
        launched_.push_back(
            {.kind = LaunchArgument::Kind::Value, .value = text_of(program_.contents(index))});
        continue;
      case project::ArgumentMemory::Local:
        launched_.push_back({.kind = LaunchArgument::Kind::Local,
                             .local_bytes = next_local < local_bytes_.size() ? local_bytes_[next_local] : 0});
        ++next_local;
        continue;
      case project::ArgumentMemory::Vector:
        break;
    }
    const Vector& vector = vectors_[next_vector++];
    if (is_written(argument)) TRY(clear(device, vector));
    launched_.push_back({.memory = vector.memory});
  }
  return restore(device);
}

DeviceResult<void> GpuProgram::fill_constants(GpuDevice& device) {
  for (std::size_t index = 0; index < program_.arguments().size(); ++index) {
    const project::ProgramArgument& argument = program_.arguments()[index];
    if (argument.memory != project::ArgumentMemory::Constant) continue;
    // A configuration without this array does not use it: its outputs are checked as always.
    TRY(device.write_constant(argument.name, program_.contents(index)));
  }
  return {};
}

bool GpuProgram::restores() const {
  return std::ranges::any_of(vectors_, [](const Vector& vector) { return vector.original.has_value(); });
}

DeviceResult<void> GpuProgram::restore(GpuDevice& device) {
  for (const Vector& vector : vectors_) {
    if (vector.original)
      TRY(device.copy(vector.memory, *vector.original, program_.contents(vector.argument).size()));
  }
  return {};
}

DeviceResult<OutputCheck> GpuProgram::check(GpuDevice& device) {
  OutputCheck all;
  for (const Vector& vector : vectors_) {
    const project::ProgramArgument& argument = program_.arguments()[vector.argument];
    if (!is_written(argument)) continue;
    read_back_.resize(argument.bytes() + gpu_guard_bytes);
    TRY(device.read(vector.memory, read_back_));
    const std::span<const std::byte> bytes(read_back_);
    const bool intact = std::ranges::all_of(bytes.subspan(argument.bytes()),
                                            [](std::byte byte) { return byte == gpu_guard; });
    merge_check(all, program_.check(vector.argument, bytes.first(argument.bytes()), intact));
  }
  return all;
}

DeviceResult<std::string> GpuProgram::changed_input(GpuDevice& device) {
  for (const Vector& vector : vectors_) {
    const project::ProgramArgument& argument = program_.arguments()[vector.argument];
    if (is_written(argument)) continue;
    read_back_.resize(argument.bytes());
    TRY(device.read(vector.memory, read_back_));
    if (!std::ranges::equal(read_back_, program_.contents(vector.argument))) return argument.name;
  }
  return std::string();
}

void GpuProgram::forget(GpuDevice& device) {
  for (const Vector& vector : vectors_) {
    device.release(vector.memory);
    if (vector.original) device.release(*vector.original);
  }
  vectors_.clear();
}

DeviceResult<void> GpuProgram::read_output(GpuDevice& device, std::size_t argument,
                                           std::span<std::byte> into) {
  const auto vector = std::ranges::find(vectors_, argument, &Vector::argument);
  return device.read(vector->memory, into);
}

}  // namespace kernelscape::measure
