#pragma once

#include <cstdint>
#include <vector>

#include "core/base/media/c_source.h"
#include "core/base/written.h"
#include "core/task/task.h"

namespace kernelscape {

/** Returns the initializer of a Layer: "{Kind::Convolution, {{1, 64, 56, 56}, ...}, ...}". */
CSourceText onednn_layer(const Task& task);

/** Returns "{1, 64, 56, 56}". */
CSourceText braced_list(const std::vector<std::int64_t>& values);

}  // namespace kernelscape
