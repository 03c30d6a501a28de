#include "core/project/base64.h"

#include <array>
#include <cstdint>

namespace kernelscape::project {
namespace {

constexpr std::string_view base64_letters =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::uint8_t no_digit = 0xFF;

constexpr std::array<std::uint8_t, 256> base64_digits = [] {
  std::array<std::uint8_t, 256> digits{};
  digits.fill(no_digit);
  for (std::size_t digit = 0; digit < base64_letters.size(); ++digit)
    digits[static_cast<unsigned char>(base64_letters[digit])] = static_cast<std::uint8_t>(digit);
  return digits;
}();

}  // namespace

std::string to_base64(std::string_view bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    std::uint32_t group = 0;
    for (std::size_t byte = 0; byte < 3; ++byte)
      group = group << 8 | (at + byte < bytes.size() ? static_cast<unsigned char>(bytes[at + byte]) : 0U);
    for (std::size_t letter = 0; letter < 4; ++letter)
      text += at + letter > bytes.size() ? '=' : base64_letters[group >> (18 - 6 * letter) & 63U];
  }
  return text;
}

std::optional<std::string> from_base64(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  const std::size_t padding = text.ends_with("==") ? 2 : text.ends_with('=') ? 1 : 0;
  const std::string_view letters = text.substr(0, text.size() - padding);
  std::string bytes;
  bytes.reserve(text.size() / 4 * 3);
  std::uint32_t group = 0;
  int bits = 0;
  for (const char letter : letters) {
    const std::uint8_t digit = base64_digits[static_cast<unsigned char>(letter)];
    if (digit == no_digit) return std::nullopt;
    group = group << 6 | digit;
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes += static_cast<char>(group >> bits & 0xFFU);
    group &= (1U << bits) - 1;
  }
  // The unused bits must be 0, so that the same bytes always have the same text.
  if (group != 0) return std::nullopt;
  return bytes;
}

}  // namespace kernelscape::project
