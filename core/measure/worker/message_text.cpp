#include "core/measure/worker/message_text.h"

#include <fmt/format.h>

#include <csignal>
#include <cstring>

namespace kernelscape {
namespace {

/** Bytes of the valid UTF-8 sequence at the start of `text`; 0 where there is none. */
std::size_t sequence_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  // Overlong forms, surrogates and what lies beyond U+10FFFF.
  if ((first == 0xe0 && byte(1) < 0xa0) || (first == 0xed && byte(1) > 0x9f)) return 0;
  if ((first == 0xf0 && byte(1) < 0x90) || (first == 0xf4 && byte(1) > 0x8f)) return 0;
  return length;
}

bool is_control(char c) {
  const auto code = static_cast<unsigned char>(c);
  return (code < 0x20 && c != '\n' && c != '\t') || code == 0x7f;
}

}  // namespace

std::string clean_message(std::string_view raw) {
  std::string clean;
  while (!raw.empty()) {
    const std::size_t length = sequence_length(raw);
    const bool keep = length > 0 && !(length == 1 && is_control(raw.front()));
    const std::string_view piece = keep ? raw.substr(0, length) : "?";
    if (clean.size() + piece.size() > max_message_bytes) break;
    clean.append(piece);
    raw.remove_prefix(length > 0 ? length : 1);
  }
  while (!clean.empty() && clean.back() == '\n') clean.pop_back();
  return clean;
}

std::string describe_signal(int signal) {
  const char* name = sigabbrev_np(signal);
  const char* meaning = sigdescr_np(signal);
  if (name == nullptr || meaning == nullptr) return fmt::format("signal {}", signal);
  return fmt::format("SIG{} ({})", name, meaning);
}

}  // namespace kernelscape
