#pragma once

#include <string_view>

namespace kernelscape::session {

/** The program version, which is stored with sessions and printed by `--version`. */
inline constexpr std::string_view program_version = "0.1.0";

}  // namespace kernelscape::session
