#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace kernelscape::project {

/** Encodes bytes by RFC 4648, with padding and without line ends. */
std::string to_base64(std::string_view bytes);
/** Decodes a text of to_base64(). Returns nullopt for an invalid character, length or padding. */
std::optional<std::string> from_base64(std::string_view text);

}  // namespace kernelscape::project
