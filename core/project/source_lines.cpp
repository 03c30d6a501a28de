#include "core/project/source_lines.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "core/base/text.h"
#include "core/project/in_list.h"

namespace kernelscape::project {
namespace {

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

bool is_decimal_digit(char letter) { return std::isdigit(static_cast<unsigned char>(letter)) != 0; }

/**
 * Returns the end of a string or character constant that begins here; the line's end closes an unterminated
 * one.
 */
std::size_t end_of_literal(std::string_view text, std::size_t start) {
  for (std::size_t at = start + 1; at < text.size(); ++at) {
    if (text[at] == '\\')
      ++at;
    else if (text[at] == text[start])
      return at + 1;
    else if (text[at] == '\n')
      return at;
  }
  return text.size();
}

/** Returns the end of a number: "1'000", "0x1p-3f", "1.5e+3". */
std::size_t end_of_number(std::string_view text, std::size_t start) {
  std::size_t at = start;
  while (at < text.size()) {
    const bool sign =
        (text[at] == '+' || text[at] == '-') && std::string_view("eEpP").contains(text[at - 1]) && at > start;
    const bool separator = text[at] == '\'' && at + 1 < text.size() && is_word_letter(text[at + 1]);
    if (!is_word_letter(text[at]) && text[at] != '.' && !sign && !separator) break;
    ++at;
  }
  return at;
}

std::size_t end_of_word(std::string_view text, std::size_t start) {
  const auto end =
      std::find_if_not(text.begin() + static_cast<std::ptrdiff_t>(start), text.end(), is_word_letter);
  return static_cast<std::size_t>(end - text.begin());
}

/** Returns the end of R"delimiter(...)delimiter", whose first quote is here. */
std::size_t end_of_raw_string(std::string_view text, std::size_t quote) {
  constexpr std::size_t max_delimiter = 16;
  const std::size_t length = text.substr(quote + 1, max_delimiter + 1).find('(');
  if (length == std::string_view::npos) return end_of_literal(text, quote);
  const std::size_t opening = quote + 1 + length;
  const std::string closing = ")" + std::string(text.substr(quote + 1, length)) + "\"";
  const std::size_t end = text.find(closing, opening);
  return end == std::string_view::npos ? text.size() : end + closing.size();
}

/** The kind of text at a position of a source. */
enum class Piece { Comment, Literal, RawString, Number, Word, Mark, Other };

struct PieceAt {
  Piece kind = Piece::Other;
  std::size_t end = 0;
};

PieceAt piece_at(std::string_view text, std::size_t at) {
  static constexpr std::array<std::string_view, 5> raw_prefixes{"R", "LR", "uR", "UR", "u8R"};
  const std::string_view rest = text.substr(at);
  if (rest.starts_with("//")) return {Piece::Comment, std::min(text.find('\n', at), text.size())};
  if (rest.starts_with("/*")) {
    const std::size_t closing = text.find("*/", at + 2);
    return {Piece::Comment, closing == std::string_view::npos ? text.size() : closing + 2};
  }
  if (rest.starts_with(byte_order_mark)) return {Piece::Mark, at + byte_order_mark.size()};
  if (rest.front() == '"' || rest.front() == '\'') return {Piece::Literal, end_of_literal(text, at)};
  if (is_decimal_digit(rest.front())) return {Piece::Number, end_of_number(text, at)};
  if (is_word_letter(rest.front())) {
    const std::size_t end = end_of_word(text, at);
    if (end < text.size() && text[end] == '"' && in_list(raw_prefixes, text.substr(at, end - at)))
      return {Piece::RawString, end_of_raw_string(text, end)};
    return {Piece::Word, end};
  }
  return {Piece::Other, at + 1};
}

/**
 * Returns the length of a line continuation here (backslash, blanks and a line's end); 0 if there is none.
 */
std::size_t joint_at(std::string_view text, std::size_t at) {
  if (text[at] != '\\') return 0;
  const std::size_t end = text.find_first_not_of(" \t\r", at + 1);
  return end == std::string_view::npos || text[end] != '\n' ? 0 : end + 1 - at;
}

/**
 * Returns the operator that ends here: the longest of those that distinguish an expression from a
 * declaration.
 */
std::string_view operator_before(std::string_view text, std::size_t end) {
  static constexpr std::array<std::string_view, 10> doubled{
      "&&", "||", "==", "!=", "<=", ">=", "->", "##", "<<", "::"};
  if (end >= 2 && in_list(doubled, text.substr(end - 2, 2))) return text.substr(end - 2, 2);
  return text.substr(end - 1, 1);
}

/** Splits off the name of a directive; the line is code if there is none. */
SourceLine line_of(std::string_view text, std::size_t number) {
  SourceLine line{.directive = {}, .text = text, .number = number};
  std::string_view rest = base::trimmed(text);
  if (rest.starts_with("%:"))
    rest.remove_prefix(2);
  else if (rest.starts_with('#'))
    rest.remove_prefix(1);
  else
    return line;
  rest = base::trimmed(rest);
  const std::size_t end = end_of_word(rest, 0);
  return {.directive = rest.substr(0, end), .text = base::trimmed(rest.substr(end)), .number = number};
}

}  // namespace

bool is_word_letter(char letter) {
  return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_';
}

bool has_word(std::string_view text, std::string_view name) {
  for (std::size_t at = text.find(name); at != std::string_view::npos; at = text.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    if ((at == 0 || !is_word_letter(text[at - 1])) && (end == text.size() || !is_word_letter(text[end])))
      return true;
  }
  return false;
}

SourceLines::SourceLines(std::string_view source) {
  join_lines(source);
  blank_comments();
  split(source);
}

void SourceLines::join_lines(std::string_view source) {
  std::size_t removed = 0;
  for (std::size_t at = 0; at < source.size();) {
    if (const std::size_t length = joint_at(source, at); length > 0) {
      removed += length;
      joints_.push_back({text_.size(), removed});
      at += length;
    } else {
      text_ += source[at++];
    }
  }
}

void SourceLines::blank_comments() {
  for (std::size_t at = 0; at < text_.size();) {
    const PieceAt piece = piece_at(text_, at);
    const auto start = text_.begin() + static_cast<std::ptrdiff_t>(at);
    const auto end = text_.begin() + static_cast<std::ptrdiff_t>(piece.end);
    if (piece.kind == Piece::Comment || piece.kind == Piece::Mark) std::fill(start, end, ' ');
    // Otherwise its quotes would be read as those of strings.
    if (piece.kind == Piece::RawString) {
      std::fill(start, end, ' ');
      *start = '"';
      *(end - 1) = '"';
    }
    at = piece.end;
  }
}

void SourceLines::split(std::string_view source) {
  std::size_t number = 1;
  std::size_t counted = 0;
  for (std::size_t start = 0; start < text_.size();) {
    const std::size_t end = std::min(text_.find('\n', start), text_.size());
    // A comment before it may span many lines.
    const std::size_t first = std::min(text_.find_first_not_of(" \t\r", start), end);
    const std::size_t place = std::min(source_place(first), source.size());
    number += static_cast<std::size_t>(std::ranges::count(source.substr(counted, place - counted), '\n'));
    counted = place;
    lines_.push_back(line_of(std::string_view(text_).substr(start, end - start), number));
    start = end + 1;
  }
}

std::size_t SourceLines::source_place(std::size_t place) const {
  const auto after = std::ranges::upper_bound(joints_, place, {}, &Joint::place);
  return after == joints_.begin() ? place : place + std::prev(after)->removed;
}

std::vector<SourceWord> text_of_words(std::string_view text) {
  std::vector<SourceWord> words;
  std::string_view before;
  for (std::size_t at = 0; at < text.size();) {
    const PieceAt piece = piece_at(text, at);
    const std::string_view piece_text = text.substr(at, piece.end - at);
    if (piece.kind == Piece::Word) words.push_back({piece_text, before});
    if (piece.kind == Piece::Other)
      before = base::trimmed(piece_text).empty() ? before : operator_before(text, piece.end);
    else
      before = piece_text;
    at = piece.end;
  }
  return words;
}

std::string without_byte_order_marks(std::string source) {
  if (!source.contains(byte_order_mark)) return source;
  std::string text;
  for (std::size_t at = 0; at < source.size();) {
    const PieceAt piece = piece_at(source, at);
    if (piece.kind != Piece::Mark) text.append(source, at, piece.end - at);
    at = piece.end;
  }
  return text;
}

}  // namespace kernelscape::project
