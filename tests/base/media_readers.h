#pragma once

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

/**
 * What a text is once its medium was read: small readers by the media's own rules, without anything of what
 * writes. They give nothing where a text is more than a text there, or does not end.
 */
namespace kernelscape::base_tests {

/** Which bytes may begin a character of UTF-8, and which may follow first (Unicode, table 3-7). */
struct Utf8Row {
  unsigned char first, last;
  unsigned char second_first, second_last;
  std::size_t bytes;
};
inline constexpr std::array<Utf8Row, 9> utf8_rows = {{{0x00, 0x7F, 0x00, 0x00, 1},
                                                      {0xC2, 0xDF, 0x80, 0xBF, 2},
                                                      {0xE0, 0xE0, 0xA0, 0xBF, 3},
                                                      {0xE1, 0xEC, 0x80, 0xBF, 3},
                                                      {0xED, 0xED, 0x80, 0x9F, 3},
                                                      {0xEE, 0xEF, 0x80, 0xBF, 3},
                                                      {0xF0, 0xF0, 0x90, 0xBF, 4},
                                                      {0xF1, 0xF3, 0x80, 0xBF, 4},
                                                      {0xF4, 0xF4, 0x80, 0x8F, 4}}};

/** The characters of a text of UTF-8. */
inline std::optional<std::u32string> code_points(std::string_view text) {
  const auto byte_at = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  std::u32string characters;
  while (!text.empty()) {
    const auto row = std::ranges::find_if(utf8_rows, [&](const Utf8Row& one) {
      return one.first <= byte_at(0) && byte_at(0) <= one.last && one.bytes <= text.size() &&
             (one.bytes == 1 || (one.second_first <= byte_at(1) && byte_at(1) <= one.second_last));
    });
    if (row == utf8_rows.end()) return std::nullopt;
    constexpr std::array<unsigned, 5> own_bits = {0, 0x7F, 0x1F, 0x0F, 0x07};
    char32_t code = byte_at(0) & own_bits.at(row->bytes);
    for (std::size_t i = 1; i < row->bytes; ++i) {
      if (byte_at(i) < 0x80 || byte_at(i) > 0xBF) return std::nullopt;
      code = code * 64 + (byte_at(i) - 0x80U);
    }
    characters += code;
    text.remove_prefix(row->bytes);
  }
  return characters;
}

/** Whether a terminal would obey or hide something of it, or it is no UTF-8. */
inline bool steers(std::string_view text, std::u32string_view allowed = {}) {
  const std::optional<std::u32string> characters = code_points(text);
  if (!characters) return true;
  return std::ranges::any_of(*characters, [&](char32_t code) {
    if (allowed.find(code) != std::u32string_view::npos) return false;
    const bool control = code < 0x20 || (code >= 0x7F && code < 0xA0);
    const bool direction = code == 0x061C || (code >= 0x200E && code <= 0x200F) ||
                           (code >= 0x202A && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
    return control || direction || code == 0xFEFF || code == 0x200B;
  });
}

/** Whether it is letters, digits, marks and spaces alone, which every medium shows as they are. */
inline bool is_plain_text(std::string_view text) {
  const std::optional<std::u32string> characters = code_points(text);
  return characters && std::ranges::all_of(*characters, [](char32_t code) {
           return (code >= 0x20 && code < 0x7F) || (code >= 0xA0 && code < 0x600) ||
                  (code >= 0x3000 && code < 0xD800);
         });
}

/** Line feeds and tabs as spaces. */
inline std::string in_one_line(std::string text) {
  std::ranges::replace_if(text, [](char c) { return c == '\n' || c == '\t'; }, ' ');
  return text;
}

inline std::string without_indent(std::string text) { return text.erase(0, text.find_first_not_of(' ')); }

inline bool is_letter_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

inline bool is_ascii_mark(char c) { return c > ' ' && c <= '~' && !is_letter_or_digit(c); }

/** What is in front of `text` goes; false where something else is. */
inline bool take(std::string_view& text, std::string_view expected) {
  if (!text.starts_with(expected)) return false;
  text.remove_prefix(expected.size());
  return true;
}

// Terminal

/** The text of a visible one, where "\n", "\x1b" and "\u202e" stand for characters: one that had no
 * backslash. */
inline std::optional<std::string> terminal_text(std::string_view visible) {
  std::string text;
  while (!visible.empty()) {
    const char c = visible.front();
    visible.remove_prefix(1);
    if (c != '\\') {
      text += c;
      continue;
    }
    if (visible.empty()) return std::nullopt;
    const char kind = visible.front();
    visible.remove_prefix(1);
    if (kind == 'n' || kind == 'r' || kind == 't') {
      text += kind == 'n' ? '\n' : kind == 'r' ? '\r' : '\t';
      continue;
    }
    const std::size_t digits = kind == 'x' ? 2 : kind == 'u' ? 4 : kind == 'U' ? 8 : 0;
    unsigned number = 0;
    if (digits == 0 || visible.size() < digits) return std::nullopt;
    const auto [end, error] = std::from_chars(visible.data(), visible.data() + digits, number, 16);
    if (error != std::errc() || end != visible.data() + digits) return std::nullopt;
    visible.remove_prefix(digits);
    // A number of two digits is a byte; one of more is above U+007F.
    if (kind == 'x') {
      text += static_cast<char>(static_cast<unsigned char>(number));
      continue;
    }
    const std::size_t bytes = number < 0x800 ? 2 : number < 0x10000 ? 3 : 4;
    constexpr std::array<unsigned, 5> marks = {0, 0, 0xC0, 0xE0, 0xF0};
    for (std::size_t left = bytes; left-- > 0;) {
      const unsigned bits = number >> (6 * left);
      const unsigned byte = left + 1 == bytes ? marks.at(bytes) | bits : 0x80U | (bits & 0x3FU);
      text += static_cast<char>(static_cast<unsigned char>(byte));
    }
  }
  return text;
}

// CSV

/** The fields of one record, by RFC 4180. */
inline std::optional<std::vector<std::string>> csv_record(std::string_view text) {
  std::vector<std::string> fields;
  do {
    std::string& field = fields.emplace_back();
    if (!take(text, "\"")) {
      const std::size_t end = std::min(text.find(','), text.size());
      field = text.substr(0, end);
      if (field.find_first_of("\"\r\n") != std::string::npos) return std::nullopt;
      text.remove_prefix(end);
      continue;
    }
    while (!take(text, "\"") || text.starts_with('"')) {
      if (text.empty()) return std::nullopt;
      field += text.front();
      text.remove_prefix(1);
    }
    if (!text.empty() && !text.starts_with(',')) return std::nullopt;
  } while (take(text, ","));
  return fields;
}

/** Whether a spreadsheet may calculate the text: it begins like a formula behind white space. */
inline bool styles_calculated(std::string_view text, bool quotes_are_space = false) {
  if (text.starts_with('\t') || text.starts_with('\r') || text.starts_with('\n')) return true;
  while (take(text, " ") || take(text, "\t") || take(text, "\r") || take(text, "\n") || take(text, "\v") ||
         take(text, "\f") || take(text, "\xc2\xa0") || (quotes_are_space && take(text, "\""))) {
  }
  constexpr std::array<std::string_view, 8> marks = {"=", "+", "-", "@", "＝", "＋", "－", "＠"};
  return std::ranges::any_of(marks, [&](std::string_view mark) { return text.starts_with(mark); });
}

/** Whether the whole text is a number, which a sign may stand before. */
inline bool is_number(const std::string& text) {
  double value = 0;
  const char* begin = text.data() + (text.size() > 1 && text[0] == '+' && text[1] != '-' ? 1 : 0);
  const auto [end, error] = std::from_chars(begin, text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && std::isfinite(value);
}

/** The parts that a reader sees who divides texts wherever any program does. */
inline std::vector<std::string> divided(std::string_view text) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (std::string_view(",;\t\r\n").contains(c))
      parts.emplace_back();
    else
      parts.back() += c;
  }
  return parts;
}

/** The text with an apostrophe before all of it, and before each later part, that may be calculated. */
inline std::string guarded_text(const std::string& text) {
  std::string all = styles_calculated(text) && !is_number(text) ? "'" : "";
  std::size_t at = 0;
  for (const std::string& part : divided(text)) {
    if (at > 0) all += text[at - 1];
    if (at > 0 && styles_calculated(part, true) && !is_number(part)) all += '\'';
    all += part;
    at += part.size() + 1;
  }
  return all;
}

// HTML and SVG

/** The text of an element, or of a value in double quotes. */
inline std::optional<std::string> html_text(std::string_view markup) {
  constexpr std::array<std::pair<std::string_view, char>, 5> entities = {
      {{"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&#39;", '\''}}};
  std::string text;
  while (!markup.empty()) {
    const auto entity =
        std::ranges::find_if(entities, [&](const auto& one) { return take(markup, one.first); });
    if (entity != entities.end()) {
      text += entity->second;
      continue;
    }
    if (std::string_view("&<>\"'").contains(markup.front())) return std::nullopt;
    text += markup.front();
    markup.remove_prefix(1);
  }
  return text;
}

// C

/** The bytes of a string literal of C. */
inline std::optional<std::string> c_bytes(std::string_view literal) {
  if (literal.size() < 2 || literal.front() != '"' || literal.back() != '"') return std::nullopt;
  literal = literal.substr(1, literal.size() - 2);
  std::string bytes;
  while (!literal.empty()) {
    const char c = literal.front();
    literal.remove_prefix(1);
    if (c == '"' || c == '\n' || (c == '?' && literal.starts_with('?'))) return std::nullopt;
    if (c != '\\') {
      bytes += c;
      continue;
    }
    if (literal.empty()) return std::nullopt;
    if (std::string_view("\"\\?'").contains(literal.front())) {
      bytes += literal.front();
      literal.remove_prefix(1);
      continue;
    }
    int value = 0;
    std::size_t digits = 0;
    for (; digits < 3 && digits < literal.size() && literal[digits] >= '0' && literal[digits] <= '7';
         ++digits)
      value = value * 8 + (literal[digits] - '0');
    if (digits == 0) return std::nullopt;
    literal.remove_prefix(digits);
    bytes += static_cast<char>(value);
  }
  return bytes;
}

/** Whether the text is one comment from its beginning to its end, on one line, with no other begun in it. */
inline bool is_c_comment(std::string_view text) {
  return text.size() >= 4 && text.starts_with("/*") && text.find("*/", 2) == text.size() - 2 &&
         text.rfind("/*") == 0 && text.find_first_of("\\\r\n") == std::string_view::npos;
}

inline bool is_c_name(std::string_view text) {
  return !text.empty() && (text[0] < '0' || text[0] > '9') &&
         std::ranges::all_of(text, [](char c) { return is_letter_or_digit(c) || c == '_'; });
}

// CMake

/** The value of an argument in quotes, in which no variable is asked for. */
inline std::optional<std::string> cmake_value(std::string_view argument) {
  if (argument.size() < 2 || argument.front() != '"' || argument.back() != '"') return std::nullopt;
  argument = argument.substr(1, argument.size() - 2);
  std::string value;
  while (!argument.empty()) {
    const char c = argument.front();
    argument.remove_prefix(1);
    if (c == '"' || c == '$') return std::nullopt;
    if (c != '\\') {
      value += c;
      continue;
    }
    // Names of characters, such as \n, are not expected; a semicolon keeps its backslash for the list.
    if (argument.empty() || !is_ascii_mark(argument.front())) return std::nullopt;
    if (argument.front() == ';') value += '\\';
    value += argument.front();
    argument.remove_prefix(1);
  }
  return value;
}

/** What CMake takes a list apart into. */
inline std::vector<std::string> cmake_elements(std::string_view list) {
  std::vector<std::string> elements(1);
  int open = 0;
  while (!list.empty()) {
    if (take(list, "\\;")) {
      elements.back() += ';';
      continue;
    }
    const char c = list.front();
    list.remove_prefix(1);
    if (c == '[') ++open;
    if (c == ']') --open;
    if (c == ';' && open == 0)
      elements.emplace_back();
    else
      elements.back() += c;
  }
  return elements;
}

/** The element that an argument is where it stands among others. */
inline std::optional<std::string> cmake_element(std::string_view argument) {
  const std::optional<std::string> value = cmake_value(argument);
  if (!value) return std::nullopt;
  std::vector<std::string> elements = cmake_elements("before;" + *value + ";behind");
  if (elements.size() != 3 || elements.front() != "before" || elements.back() != "behind")
    return std::nullopt;
  return std::move(elements[1]);
}

/** Whether an element of a list can be the text: it has no bracket without its other one, and no backslash at
 * its end. */
inline bool fits_cmake_element(std::string_view text) {
  int open = 0;
  for (const char c : text) {
    open += c == '[' ? 1 : c == ']' ? -1 : 0;
    if (open < 0) return false;
  }
  return open == 0 && !text.ends_with('\\');
}

// POSIX shell

/** What `printf 'FORMAT'` prints. */
inline std::optional<std::string> printf_output(std::string_view format) {
  std::string output;
  if (format.starts_with('-')) return std::nullopt;
  while (!format.empty()) {
    if (take(format, "%%")) {
      output += '%';
      continue;
    }
    const char c = format.front();
    format.remove_prefix(1);
    if (c == '%') return std::nullopt;
    if (c != '\\') {
      output += c;
      continue;
    }
    int value = 0;
    for (std::size_t digit = 0; digit < 3; ++digit) {
      if (format.empty() || format.front() < '0' || format.front() > '7') return std::nullopt;
      value = value * 8 + (format.front() - '0');
      format.remove_prefix(1);
    }
    output += static_cast<char>(value);
  }
  return output;
}

/** A word: as the shell reads it, and whether a command printed it. */
struct ShellWord {
  std::string text;
  bool printed = false;
};

/** One word of a line: what is not quoted means nothing to any shell, and of commands there is printf alone.
 */
inline std::optional<ShellWord> shell_word(std::string_view line) {
  ShellWord word;
  if (take(line, "\"$(printf '")) {
    const std::size_t end = line.find('\'');
    if (end == std::string_view::npos || line.substr(end) != "')\"") return std::nullopt;
    std::optional<std::string> printed = printf_output(line.substr(0, end));
    if (!printed || printed->contains('\0')) return std::nullopt;
    while (printed->ends_with('\n')) printed->pop_back();
    return ShellWord{std::move(*printed), true};
  }
  // zsh looks for a command behind a leading '=', every shell for a home behind '~'.
  if (line.empty() || line.starts_with('=') || line.starts_with('~')) return std::nullopt;
  while (!line.empty()) {
    if (take(line, "'")) {
      const std::size_t end = line.find('\'');
      if (end == std::string_view::npos) return std::nullopt;
      word.text += line.substr(0, end);
      line.remove_prefix(end + 1);
      continue;
    }
    const bool escaped = take(line, "\\");
    if (line.empty() || line.front() == '\n') return std::nullopt;
    const bool means_nothing =
        is_letter_or_digit(line.front()) || std::string_view("_-./=:,+%@").contains(line.front());
    if (!escaped && !means_nothing) return std::nullopt;
    word.text += line.front();
    line.remove_prefix(1);
  }
  return word;
}

// Markdown

/** Whether Markdown takes the beginning of a line, which nothing is escaped of, for a mark of its own. */
inline bool begins_markdown_block(std::string_view line) {
  const std::size_t start = line.find_first_not_of(' ');
  if (start == std::string_view::npos) return false;
  if (start >= 4) return true;  // code
  line.remove_prefix(start);
  const auto ends_mark = [&](std::size_t mark) { return line.size() == mark || line[mark] == ' '; };
  if (std::string_view("-+*").contains(line[0]) && ends_mark(1)) return true;
  if (line.starts_with('#') || line.starts_with('>')) return true;
  const std::size_t digits = std::min(line.find_first_not_of("0123456789"), line.size());
  if (digits > 0 && digits < 10 && digits < line.size() && (line[digits] == '.' || line[digits] == ')') &&
      ends_mark(digits + 1))
    return true;
  // Lines below a heading, rules, and what stands between a table's head and its rows.
  return line.find_first_not_of("=- ") == std::string_view::npos ||
         (line.find_first_not_of(":- ") == std::string_view::npos && line.contains('-'));
}

/** Words of a paragraph, also where a line begins with them, as a reader of Markdown sees them. */
inline std::optional<std::string> markdown_text(std::string_view markup) {
  std::string text;
  std::string unescaped;  // where an escaped mark is a letter
  while (!markup.empty()) {
    const bool escaped = markup.size() > 1 && markup[0] == '\\' && is_ascii_mark(markup[1]);
    if (escaped) markup.remove_prefix(1);
    text += markup.front();
    unescaped += escaped ? 'a' : markup.front();
    markup.remove_prefix(1);
  }
  if (unescaped.find_first_of("\\`*[]<>&|~!#@$\r\n\t") != std::string::npos) return std::nullopt;
  if (begins_markdown_block(unescaped)) return std::nullopt;
  for (const std::string_view address : {"http://", "https://", "ftp://", "www."})
    if (unescaped.contains(address)) return std::nullopt;
  for (std::size_t i = unescaped.find('_'); i != std::string::npos; i = unescaped.find('_', i + 1)) {
    const bool in_word =
        i > 0 && is_letter_or_digit(text[i - 1]) && i + 1 < text.size() && is_letter_or_digit(text[i + 1]);
    if (!in_word) return std::nullopt;
  }
  return text;
}

/** "&#124;" as "|"; nothing where another mark stands. */
inline std::optional<std::string> without_numbers(std::string_view markup) {
  std::string text;
  while (!markup.empty()) {
    if (take(markup, "&#")) {
      int code = 0;
      const auto [end, error] = std::from_chars(markup.data(), markup.data() + markup.size(), code);
      markup.remove_prefix(static_cast<std::size_t>(end - markup.data()));
      if (error != std::errc() || !take(markup, ";") || code < 0x20 || code > 0x7E) return std::nullopt;
      text += static_cast<char>(code);
      continue;
    }
    if (is_ascii_mark(markup.front()) || markup.front() == ' ') return std::nullopt;
    text += markup.front();
    markup.remove_prefix(1);
  }
  return text;
}

/** What stands in a line as code. */
inline std::optional<std::string> markdown_code(std::string_view markup) {
  constexpr std::string_view end = "</code>";
  if (take(markup, "<code>")) {
    if (!markup.ends_with(end)) return std::nullopt;
    return without_numbers(markup.substr(0, markup.size() - end.size()));
  }
  if (!take(markup, "`") || !markup.ends_with('`')) return std::nullopt;
  markup.remove_suffix(1);
  if (markup.empty() || markup.front() == ' ' || markup.back() == ' ' ||
      markup.find_first_of("`|\r\n") != std::string_view::npos)
    return std::nullopt;
  return std::string(markup);
}

/** The lines of a block of code that is written behind so many spaces, each without the spaces it begins
 * with. */
inline std::optional<std::vector<std::string>> markdown_block(std::string_view markup, std::size_t indent) {
  constexpr std::size_t deepest_fence = 3;
  std::vector<std::string> lines;
  do {
    const std::string_view line = markup.substr(0, markup.find('\n'));
    markup.remove_prefix(line.size());
    const std::size_t spaces = std::min(line.find_first_not_of(' '), line.size());
    const std::string_view begun = line.substr(spaces);
    if (!line.empty() && spaces < indent) return std::nullopt;
    if (spaces <= indent + deepest_fence && (begun.starts_with("```") || begun.starts_with("~~~")))
      return std::nullopt;
    lines.emplace_back(begun);
  } while (take(markup, "\n"));
  return lines;
}

}  // namespace kernelscape::base_tests
