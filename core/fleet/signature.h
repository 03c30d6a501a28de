#pragma once

#include <string>
#include <string_view>

namespace kernelscape {

/** HMAC with SHA-256 (RFC 2104): 32 bytes. */
std::string hmac_sha256(std::string_view key, std::string_view bytes);

/** Whether two texts are the same, in a time that does not tell where they differ. */
bool equal_secrets(std::string_view one, std::string_view other);

/** 128 random bits as hexadecimal digits: nobody draws the same again. */
std::string draw_nonce();

}  // namespace kernelscape
