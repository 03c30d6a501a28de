#include "core/trial/failure_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>

#include "core/base/text.h"
#include "core/base/visible_text.h"

namespace kernelscape::trial {
namespace {

constexpr std::size_t max_text_characters = 240;
constexpr std::string_view error_prefix = "error: ";

bool is_digit(char letter) { return letter >= '0' && letter <= '9'; }
/** Whether a letter may stand in a word or in a number, which has a point. */
bool is_word_or_number_letter(char letter) {
  return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_' || letter == '.';
}

/** Removes the digits at the beginning of the text and returns their number; nullopt if there are none. */
std::optional<std::int64_t> take_number(std::string_view& text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || text.starts_with('-')) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

bool take_letter(std::string_view& text, char letter) {
  if (!text.starts_with(letter)) return false;
  text.remove_prefix(1);
  return true;
}

/** A line that begins with a place. */
struct PlacedLine {
  SourcePlace place;
  std::string_view before;  ///< "scale.c:12:5" or "scale.cu(12)"
  std::string_view rest;    ///< the text after the place, without blanks at its ends
};

/** Reads "FILE:LINE:", "FILE:LINE:COLUMN:", "FILE(LINE):" and "FILE(LINE)" at the beginning of a line. */
std::optional<PlacedLine> placed_line(std::string_view line) {
  const std::size_t end = line.find_first_of(":()");
  if (end == 0 || end == std::string_view::npos || line[end] == ')' || line.front() == ' ')
    return std::nullopt;
  std::string_view rest = line.substr(end + 1);
  const std::optional<std::int64_t> number = take_number(rest);
  if (!number) return std::nullopt;
  const char* before_end = rest.data();
  if (line[end] == '(') {
    if (!take_letter(rest, ')')) return std::nullopt;
    before_end = rest.data();
    take_letter(rest, ':');
  } else {
    if (!take_letter(rest, ':')) return std::nullopt;
    if (std::string_view behind = rest; take_number(behind) && behind.starts_with(':')) {
      before_end = behind.data();
      rest = behind.substr(1);
    }
  }
  return PlacedLine{{std::string(line.substr(0, end)), *number},
                    line.substr(0, static_cast<std::size_t>(before_end - line.data())),
                    base::trimmed(rest)};
}

/**
 * Reads a compiler's error with its place: "scale.c:12:5: error: ...", or "error: scale.cl:12:5: ..." of
 * PoCL.
 */
std::optional<FailureText> placed_error(ErrorCategory category, std::string_view line) {
  if (line.starts_with(error_prefix)) {
    const std::optional<PlacedLine> placed = placed_line(line.substr(error_prefix.size()));
    if (!placed) return std::nullopt;
    return FailureText{category, fmt::format("{}: error: {}", placed->before, placed->rest), placed->place};
  }
  const std::optional<PlacedLine> placed = placed_line(line);
  if (!placed || !(placed->rest.starts_with("error") || placed->rest.starts_with("fatal error")))
    return std::nullopt;
  return FailureText{category, std::string(line), placed->place};
}

/** Returns true for an error without a place: "ptxas error : ...", "cc1: error: ...". */
bool says_error(std::string_view line) {
  constexpr std::string_view word = "error";
  for (std::size_t at = line.find(word); at != std::string_view::npos; at = line.find(word, at + 1)) {
    const std::size_t behind = line.find_first_not_of(' ', at + word.size());
    if (behind != std::string_view::npos && line[behind] == ':') return true;
  }
  return false;
}

bool of_compiler(ErrorCategory category) {
  return category == ErrorCategory::CompileHost || category == ErrorCategory::CompileDevice;
}

FailureText found_text(ErrorCategory category, const std::vector<std::string>& lines) {
  if (of_compiler(category)) {
    for (const std::string& line : lines) {
      if (std::optional<FailureText> error = placed_error(category, base::trimmed(line, "\r"))) return *error;
    }
    const auto error = std::ranges::find_if(lines, says_error);
    if (error != lines.end()) return {category, std::string(base::trimmed(*error))};
  }
  const auto first =
      std::ranges::find_if(lines, [](const std::string& line) { return !base::trimmed(line).empty(); });
  return {category, first == lines.end() ? std::string() : std::string(base::trimmed(*first))};
}

std::string_view said_of(ErrorCategory category) {
  switch (category) {
    case ErrorCategory::CompileHost:
    case ErrorCategory::CompileDevice:
      return "does not compile";
    case ErrorCategory::WrongAnswer:
      return "computes a wrong result";
    case ErrorCategory::BuildTimeout:
      return "takes too long to compile";
    case ErrorCategory::RunTimeout:
      return "takes too long to run";
    case ErrorCategory::InstantiationError:
      return "can't be built";
    case ErrorCategory::RuntimeDevice:
      return "fails while it runs";
    case ErrorCategory::NoError:
    case ErrorCategory::UnknownError:
      break;
  }
  return "fails";
}

/** Returns the end of the word at `begin`; a number's exponent belongs to it: "1e-05". */
std::size_t end_of_word(std::string_view text, std::size_t begin) {
  std::size_t end = begin;
  const auto continues = [&] {
    if (is_word_or_number_letter(text[end])) return true;
    const bool sign = text[end] == '-' || text[end] == '+';
    const bool exponent = end > begin && (text[end - 1] == 'e' || text[end - 1] == 'p');
    return sign && exponent && is_digit(text[begin]) && end + 1 < text.size() && is_digit(text[end + 1]);
  };
  while (end < text.size() && continues()) ++end;
  return end;
}

/** Returns a word with numbers and the configuration's values blanked out. */
std::string blanked_word(std::string_view word, std::span<const std::string> values) {
  constexpr char blank = '#';
  const bool number = is_digit(word.front()) || word == "nan" || word == "inf";
  if (number || std::ranges::find(values, word) != values.end()) return {blank};
  std::string text;
  for (const char letter : word) {
    if (!is_digit(letter))
      text += letter;
    else if (!text.ends_with(blank))
      text += blank;
  }
  return text;
}

}  // namespace

FailureText failure_text(ErrorCategory category, std::string_view message) {
  FailureText found = found_text(category, base::split_text(message, '\n'));
  found.text = base::one_line(found.text, max_text_characters);
  return found;
}

std::string describe(const FailureText& failure) {
  return failure.text.empty() ? std::string(said_of(failure.category))
                              : fmt::format("{}: {}", said_of(failure.category), failure.text);
}

std::string failure_signature(const FailureText& failure, std::span<const std::string> values) {
  std::string signature(to_string(failure.category));
  if (failure.place) signature += fmt::format(" {}:{}", failure.place->file, failure.place->line);
  signature += ' ';
  const std::string_view text = failure.text;
  for (std::size_t at = 0; at < text.size();) {
    if (!is_word_or_number_letter(text[at])) {
      // The sign of a number is part of it.
      const bool sign = text[at] == '-' && at + 1 < text.size() && is_word_or_number_letter(text[at + 1]);
      if (!sign) signature += text[at];
      ++at;
      continue;
    }
    const std::size_t end = end_of_word(text, at);
    signature += blanked_word(text.substr(at, end - at), values);
    at = end;
  }
  return signature;
}

}  // namespace kernelscape::trial
