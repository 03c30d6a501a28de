#pragma once

#include <cstdint>
#include <vector>

#include "core/base/media/c_source.h"
#include "core/base/written.h"
#include "core/task/task.h"

namespace kernelscape::exchange {

/** Returns the initializer of a Layer: "{Kind::Convolution, {{1, 64, 56, 56}, ...}, ...}". */
base::CSourceText onednn_layer(const task::Task& task);

/** Returns "{1, 64, 56, 56}". */
base::CSourceText braced_list(const std::vector<std::int64_t>& values);

}  // namespace kernelscape::exchange
