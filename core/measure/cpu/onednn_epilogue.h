#pragma once

#include <cstddef>
#include <oneapi/dnnl/dnnl.hpp>
#include <optional>
#include <vector>

#include "core/task/task.h"

namespace kernelscape::measure {

/** A task's epilogue as oneDNN's bias and post-operations. */
struct OneDnnEpilogue {
  /** An operand of the epilogue, and the argument of the primitive that takes it. */
  struct Operand {
    int argument = 0;
    dnnl::memory::desc layout;
    bool residual = false;  ///< it has the output's shape and layout; else a vector over the channels
    bool in_place = false;  ///< it is in the output's memory before a call, and has no argument
  };

  dnnl::primitive_attr attributes;
  std::optional<dnnl::memory::desc> bias{};  ///< of the primitive itself: the first step if it adds a bias
  std::vector<Operand> operands{};           ///< one per operand of the task's operator, in order
};

/**
 * Returns the epilogue of a task; every step has a counterpart. The first residual connection of a
 * convolution is added in place, as networks do with oneDNN: its fast convolutions add no other tensor of the
 * output's shape. @param output the layout that the library chose for the output
 */
OneDnnEpilogue onednn_epilogue(const task::Task& task, const dnnl::memory::desc& output);

}  // namespace kernelscape::measure
