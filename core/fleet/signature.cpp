#include "core/fleet/signature.h"

#include <fmt/format.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>

#include <array>
#include <stdexcept>

namespace kernelscape::fleet {
namespace {

const unsigned char* bytes_of(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

}  // namespace

std::string hmac_sha256(std::string_view key, std::string_view bytes) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  if (HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), bytes_of(bytes), bytes.size(),
           digest.data(), &size) == nullptr)
    throw std::runtime_error("libcrypto does not support HMAC with SHA-256");
  return {reinterpret_cast<const char*>(digest.data()), size};
}

bool equal_secrets(std::string_view one, std::string_view other) {
  return one.size() == other.size() && CRYPTO_memcmp(one.data(), other.data(), one.size()) == 0;
}

std::string draw_nonce() {
  std::array<unsigned char, 16> random{};
  if (RAND_bytes(random.data(), static_cast<int>(random.size())) != 1)
    throw std::runtime_error("the system returned no random numbers");
  std::string digits;
  for (const unsigned char byte : random) digits += fmt::format("{:02x}", byte);
  return digits;
}

}  // namespace kernelscape::fleet
