#pragma once

#include <cstdint>

namespace kernelscape::codegen {

/** The language that a kernel's source is written in. */
enum class Dialect : std::uint8_t { C, Cuda, OpenCl };

}  // namespace kernelscape::codegen
