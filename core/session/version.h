#pragma once

#include <string_view>

namespace kernelscape {

/** The version that sessions are stored with and `--version` prints. */
inline constexpr std::string_view program_version = "0.1.0";

}  // namespace kernelscape
