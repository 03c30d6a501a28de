#include "core/base/utf8.h"

namespace kernelscape::base {
namespace {

constexpr char32_t continuation_bits = 6;

/** What a first byte says: how many bytes there are, its own bits, and the least that needs so many. */
struct Utf8Form {
  std::size_t bytes;
  char32_t bits;
  char32_t least;
};

Utf8Form form_of(unsigned char first) {
  if (first < 0x80) return {1, first, 0};
  if ((first & 0xE0U) == 0xC0) return {2, first & 0x1FU, 0x80};
  if ((first & 0xF0U) == 0xE0) return {3, first & 0x0FU, 0x800};
  if ((first & 0xF8U) == 0xF0) return {4, first & 0x07U, 0x10000};
  return {0, 0, 0};
}

}  // namespace

Utf8Character first_character(std::string_view text) {
  const Utf8Form form = form_of(static_cast<unsigned char>(text.front()));
  if (form.bytes == 0 || form.bytes > text.size()) return {};
  char32_t code = form.bits;
  for (std::size_t i = 1; i < form.bytes; ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if ((byte & 0xC0U) != 0x80) return {};
    code = code << continuation_bits | (byte & 0x3FU);
  }
  const bool surrogate = code >= 0xD800 && code < 0xE000;
  if (code < form.least || surrogate || code > 0x10FFFF) return {};
  return {code, form.bytes};
}

void append_utf8(std::string& text, char32_t code) {
  const auto add = [&](char32_t byte) { text += static_cast<char>(static_cast<unsigned char>(byte)); };
  if (code < 0x80) return add(code);
  if (code < 0x800) {
    add(0xC0U | code >> 6U);
  } else {
    if (code < 0x10000) {
      add(0xE0U | code >> 12U);
    } else {
      add(0xF0U | code >> 18U);
      add(0x80U | (code >> 12U & 0x3FU));
    }
    add(0x80U | (code >> 6U & 0x3FU));
  }
  add(0x80U | (code & 0x3FU));
}

}  // namespace kernelscape::base
