#include "core/measure/worker/message_text.h"

#include <fmt/format.h>

#include <csignal>
#include <cstring>

#include "core/base/utf8.h"

namespace kernelscape::measure {
namespace {

bool is_control(char c) {
  const auto code = static_cast<unsigned char>(c);
  return (code < 0x20 && c != '\n' && c != '\t') || code == 0x7f;
}

}  // namespace

std::string clean_message(std::string_view raw) {
  std::string clean;
  while (!raw.empty()) {
    const base::Utf8Character character = base::first_character(raw);
    const bool control = character.bytes == 1 && is_control(raw.front());
    const bool keep = character.code != base::invalid_utf8 && !control;
    const std::string_view piece = keep ? raw.substr(0, character.bytes) : "?";
    if (clean.size() + piece.size() > max_message_bytes) break;
    clean.append(piece);
    raw.remove_prefix(character.bytes);
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

}  // namespace kernelscape::measure
