#pragma once

#include <string>
#include <string_view>

namespace kernelscape::measure {

constexpr std::size_t max_message_bytes = 4096;

/**
 * Returns the first 4 KiB of the output of a compiler or kernel, as valid UTF-8 without control characters.
 */
std::string clean_message(std::string_view raw);

/** Returns the name and text of a signal: "SIGSEGV (Segmentation fault)". */
std::string describe_signal(int signal);

}  // namespace kernelscape::measure
