#pragma once

#include <string>
#include <string_view>

namespace kernelscape {

constexpr std::size_t max_message_bytes = 4096;

/** The first 4 KiB of what a compiler or kernel wrote, as valid UTF-8 without control characters. */
std::string clean_message(std::string_view raw);

/** "SIGSEGV (Segmentation fault)". */
std::string describe_signal(int signal);

}  // namespace kernelscape
