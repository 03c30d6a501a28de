#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "core/loop_nest/loop_nest.h"
#include "core/task/reference.h"
#include "tests/schedule/random_tasks.h"

namespace kernelscape::testing {

inline constexpr std::uint64_t input_seed = 11;

/** Inputs packed as the loop nest asks, and an output of NaN. */
inline std::vector<std::vector<double>> arguments_of(const loop_nest::LoopNest& nest,
                                                     const task::TensorOperator& op) {
  const task::ReferenceInputs inputs = task::make_reference_inputs(op, input_seed);
  std::vector<std::vector<double>> arguments;
  std::size_t next = 0;  // tensor of the next argument that is read
  for (const loop_nest::Buffer& buffer : nest.buffers) {
    if (buffer.scope != loop_nest::BufferScope::Global) continue;
    arguments.emplace_back(static_cast<std::size_t>(buffer.layout.physical_count()),
                           std::numeric_limits<double>::quiet_NaN());
    if (!buffer.written) pack<double>(buffer.layout, inputs.tensors.at(next++), arguments.back());
  }
  return arguments;
}

/** The bytes of an element of a CPU's buffer, of any type. */
inline std::int64_t bytes_of_element(const loop_nest::Buffer& buffer) {
  if (buffer.element_type.ends_with("32")) return 4;
  return buffer.element_type.ends_with("16") ? 2 : 1;
}

}  // namespace kernelscape::testing
