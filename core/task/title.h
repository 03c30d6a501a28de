#pragma once

#include <string>

#include "core/task/task.h"

namespace kernelscape::task {

/**
 * Returns the operator and shape of a task, as short as possible while tasks stay distinguishable: "conv2d
 * 1x64x56x56 64x64x3x3 stride 1 pad 1" without default values (no padding, dilation or groups of 1, f32). For
 * a task from a log, returns its operator with the shapes and attributes among its arguments: "batch_matmul
 * 12x128x64 12x128x64", or the task's name if the log is not understood.
 */
std::string shape_text(const Task& task);

/** Returns the name of a task in lists: its name in a catalogue ("resnet18/C6"), or else its shape_text(). */
std::string task_title(const Task& task);

}  // namespace kernelscape::task
