#include "core/base/visible_text.h"

#include <fmt/format.h>

#include <cstdint>
#include <vector>

#include "core/base/utf8.h"

namespace kernelscape::base {
namespace {

constexpr char32_t first_printable = 0x20;
constexpr char32_t delete_character = 0x7F;
constexpr char32_t replacement_character = 0xFFFD;
constexpr char32_t control_pictures = 0x2400;  // "␀" and those after it
constexpr char32_t delete_picture = 0x2421;
constexpr std::string_view elision = " ... ";

bool is_no_character(char32_t code) {
  return (code & 0xFFFEU) == 0xFFFE || (code >= 0xFDD0 && code < 0xFDF0) || code > 0x10FFFF;
}

std::string escape_of(char32_t code) {
  switch (code) {
    case U'\n':
      return "\\n";
    case U'\r':
      return "\\r";
    case U'\t':
      return "\\t";
    default:
      break;
  }
  const auto number = static_cast<std::uint32_t>(code);
  if (code <= delete_character) return fmt::format("\\x{:02x}", number);
  return code <= 0xFFFF ? fmt::format("\\u{:04x}", number) : fmt::format("\\U{:08x}", number);
}

/** Removes the first character of `text` and returns it as a terminal shows it. */
std::string take_visible(std::string_view& text) {
  const Utf8Character character = first_character(text);
  std::string shown(text.substr(0, character.bytes));
  if (character.code == invalid_utf8)
    shown = fmt::format("\\x{:02x}", static_cast<unsigned>(static_cast<unsigned char>(text.front())));
  else if (is_unseen(character.code))
    shown = escape_of(character.code);
  text.remove_prefix(character.bytes);
  return shown;
}

/** The columns of what take_visible() gives. */
std::size_t characters_of(std::string_view visible) {
  return static_cast<unsigned char>(visible.front()) < 0x80 ? visible.size() : 1;
}

}  // namespace

bool is_unseen(char32_t code) {
  return code < first_printable || (code >= delete_character && code < 0xA0) || code == 0x061C ||
         code == 0x180E || code == 0x200B || code == 0x200E || code == 0x200F ||
         (code >= 0x2028 && code <= 0x202E) || (code >= 0x2060 && code <= 0x206F) || code == 0xFEFF ||
         (code >= 0xFFF9 && code <= 0xFFFB) || (code >= 0xE0000 && code <= 0xE007F);
}

std::string visible_text(std::string_view text) {
  std::string visible;
  visible.reserve(text.size());
  while (!text.empty()) visible += take_visible(text);
  return visible;
}

std::string visible_text(std::string_view text, std::size_t max_characters) {
  std::string visible;
  std::vector<std::size_t> ends;  // of each character in `visible`
  while (!text.empty()) {
    const std::string character = take_visible(text);
    visible += character;
    if (characters_of(character) == 1) {
      ends.push_back(visible.size());
    } else {
      for (std::size_t left = character.size(); left-- > 0;) ends.push_back(visible.size() - left);
    }
  }
  if (ends.size() <= max_characters) return visible;
  if (max_characters <= elision.size())
    return visible.substr(0, max_characters == 0 ? 0 : ends[max_characters - 1]);
  // The end, where the reason stands, is the shorter part.
  const std::size_t kept = max_characters - elision.size();
  const std::size_t tail = kept / 3;
  return visible.substr(0, ends[kept - tail - 1]) + std::string(elision) +
         visible.substr(ends[ends.size() - tail - 1]);
}

std::string one_line(std::string_view text, std::size_t max_characters) {
  constexpr std::string_view cut = "...";
  std::string line;
  std::size_t characters = 0;
  while (!text.empty()) {
    const bool line_end = text.front() == '\n' || text.front() == '\r';
    const std::string character = take_visible(text);
    characters += characters_of(character);
    if (characters > max_characters) return line.append(cut);
    line += character;
    if (line_end && !text.empty()) return line.append(cut);
  }
  return line;
}

std::string quoted_line(std::string_view text, std::size_t max_characters) {
  return '"' + one_line(text, max_characters) + '"';
}

std::string printable_text(std::string_view text) {
  std::string shown;
  shown.reserve(text.size());
  while (!text.empty()) {
    const auto [code, bytes] = first_character(text);
    const std::string_view character = text.substr(0, bytes);
    text.remove_prefix(bytes);
    if (code == U'\r') {
      // Half of a line end, or one of its own.
      if (!text.starts_with('\n')) shown += '\n';
    } else if (code == invalid_utf8 || is_no_character(code)) {
      append_utf8(shown, replacement_character);
    } else if (code == U'\n' || code == U'\t' || !is_unseen(code)) {
      shown += character;
    } else if (code < first_printable || code == delete_character) {
      append_utf8(shown, code == delete_character ? delete_picture : control_pictures + code);
    } else {
      shown += fmt::format("[U+{:04X}]", static_cast<std::uint32_t>(code));
    }
  }
  return shown;
}

}  // namespace kernelscape::base
