#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace kernelscape {

/** RFC 4648, with padding and without line ends. */
std::string to_base64(std::string_view bytes);
/** None: a letter that is none of it, or a length or padding that it never has. */
std::optional<std::string> from_base64(std::string_view text);

}  // namespace kernelscape
