#pragma once

#include <string>
#include <string_view>

namespace kernelscape::fleet {

/** Returns the HMAC with SHA-256 (RFC 2104): 32 bytes. */
std::string hmac_sha256(std::string_view key, std::string_view bytes);

/** Compares two texts in a time that does not depend on the position of the first difference. */
bool equal_secrets(std::string_view one, std::string_view other);

/** Returns 128 random bits as hexadecimal digits, which are unique in practice. */
std::string draw_nonce();

}  // namespace kernelscape::fleet
