#include "core/base/media/markdown.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/visible_text.h"

namespace kernelscape::base {
namespace {

constexpr std::string_view always_markup = "\\`*[]<>&|~!#$@{}";

bool is_ascii_punctuation(char c) {
  return (c >= '!' && c <= '/') || (c >= ':' && c <= '@') || (c >= '[' && c <= '`') || (c >= '{' && c <= '~');
}

/** printable_text() in one line. */
std::string printable_line(std::string_view text) {
  std::string line = printable_text(text);
  std::ranges::replace_if(line, [](char c) { return c == '\n' || c == '\t'; }, ' ');
  return line;
}

bool is_ascii_letter_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/** Between letters it is a part of the word. */
bool is_emphasis(std::string_view before, char c, std::string_view after) {
  if (c != '_') return false;
  return before.empty() || after.empty() || !is_ascii_letter_or_digit(before.back()) ||
         !is_ascii_letter_or_digit(after.front());
}

/** Whether what ends here would make a link of what follows: "https:", "www." */
bool begins_address(std::string_view before, char c, std::string_view after) {
  if (c == ':') return after.starts_with('/');
  const std::string_view last = before.substr(before.size() - std::min<std::size_t>(before.size(), 3));
  return c == '.' && last.size() == 3 &&
         std::ranges::all_of(last, [](char letter) { return letter == 'w' || letter == 'W'; });
}

/** The marks of lists, headings, rules and tables, where a line begins with the text. */
bool begins_line(std::string_view before, char c, std::string_view after) {
  const bool number = !before.empty() && before.find_first_not_of("0123456789") == std::string_view::npos;
  const bool ends_mark = after.empty() || after.front() == ' ';
  if (number) return (c == '.' || c == ')') && ends_mark;
  constexpr std::string_view marks = "-+=:";
  return before.find_first_not_of("-+=: ") == std::string_view::npos && marks.contains(c);
}

}  // namespace

std::string Markdown::escaped(std::string_view text) {
  std::string line = printable_line(text);
  // Leading spaces are not displayed, and would turn the line into code.
  line.erase(0, line.find_first_not_of(' '));
  std::string safe;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const std::string_view before = std::string_view(line).substr(0, i);
    const std::string_view after = std::string_view(line).substr(i + 1);
    const char c = line[i];
    if (always_markup.contains(c) || is_emphasis(before, c, after) || begins_address(before, c, after) ||
        begins_line(before, c, after))
      safe += '\\';
    safe += c;
  }
  return safe;
}

MarkdownText Markdown::words(std::string_view text) { return MarkdownText::of_safe(escaped(text)); }

MarkdownText Markdown::code(std::string_view text) {
  const std::string line = printable_line(text);
  // Spaces at both ends are taken off, a bar ends a cell, and nothing between two backticks is no code.
  const bool plain = !line.empty() && line.find_first_of("`|") == std::string::npos && line.front() != ' ' &&
                     line.back() != ' ';
  if (plain) return MarkdownText::of_safe("`" + line + "`");
  std::string safe = "<code>";
  for (const char c : line) {
    if (is_ascii_punctuation(c) || c == ' ')
      safe += fmt::format("&#{};", static_cast<int>(c));
    else
      safe += c;
  }
  return MarkdownText::of_safe(safe + "</code>");
}

MarkdownText Markdown::block_lines(std::string_view text, std::size_t indent) {
  constexpr std::size_t code_indent = 4;  // behind so many spaces no fence ends a block
  std::string lines;
  while (true) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    const std::string_view begun = line.substr(std::min(line.find_first_not_of(' '), line.size()));
    const bool fence = begun.starts_with("```") || begun.starts_with("~~~");
    lines += std::string(line.empty() ? 0 : indent + (fence ? code_indent : 0), ' ');
    lines += line;
    if (end == std::string_view::npos) return MarkdownText::of_safe(std::move(lines));
    lines += '\n';
    text.remove_prefix(end + 1);
  }
}

}  // namespace kernelscape::base
