#include "core/base/media/shell_script.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/utf8.h"
#include "core/base/visible_text.h"

namespace kernelscape::base {
namespace {

bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("_-./=:,+%@").contains(c);
}

bool can_be_seen(std::string_view text) {
  while (!text.empty()) {
    const Utf8Character character = first_character(text);
    if (character.code == invalid_utf8 || is_unseen(character.code)) return false;
    text.remove_prefix(character.bytes);
  }
  return true;
}

/** "$(printf 'two\012lines')". */
std::string printed_word(std::string_view text) {
  std::string format;
  while (!text.empty()) {
    const Utf8Character character = first_character(text);
    const std::string_view bytes = text.substr(0, character.bytes);
    text.remove_prefix(character.bytes);
    const bool seen = character.code != invalid_utf8 && !is_unseen(character.code);
    if (seen && bytes != "'" && bytes != "\\") {
      format += bytes == "%" ? "%%" : bytes;
      continue;
    }
    for (const char byte : bytes)
      if (byte != '\0')
        format += fmt::format("\\{:03o}", static_cast<unsigned>(static_cast<unsigned char>(byte)));
  }
  // A format must not begin like an option.
  if (format.starts_with('-')) format.replace(0, 1, "\\055");
  return "\"$(printf '" + format + "')\"";
}

}  // namespace

std::string ShellScript::escaped(std::string_view text) {
  // zsh looks for a command behind a leading '='.
  if (!text.empty() && text.front() != '=' && std::ranges::all_of(text, is_plain)) return std::string(text);
  if (!can_be_seen(text)) return printed_word(text);
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'')
      quoted += "'\\''";
    else
      quoted += c;
  }
  return quoted + "'";
}

ShellText ShellScript::word(std::string_view text) { return ShellText::of_safe(escaped(text)); }

}  // namespace kernelscape::base
