#pragma once

#include <string>

#include "core/task/task.h"

namespace kernelscape {

/**
 * Operator and shape of a task, as short as they tell tasks apart: "conv2d 1x64x56x56 64x64x3x3 stride 1 pad
 * 1" without what is usual (no padding, dilation or groups of 1, f32); of a task that only a log knows, its
 * operator with the shapes and attributes among its arguments: "batch_matmul 12x128x64 12x128x64". Where a
 * log says nothing that can be read, the task's name.
 */
std::string shape_text(const Task& task);

/** What lists call a task: its name in a catalogue ("resnet18/C6"), else its shape_text(). */
std::string task_title(const Task& task);

}  // namespace kernelscape
