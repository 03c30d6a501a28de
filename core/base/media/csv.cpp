#include "core/base/media/csv.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace kernelscape {
namespace {

constexpr std::array<std::string_view, 8> formula_marks = {
    "=", "+", "-", "@", "\xef\xbc\x9d", "\xef\xbc\x8b", "\xef\xbc\x8d", "\xef\xbc\xa0"};

bool is_number_text(std::string_view text) {
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && std::isfinite(value);
}

/** Spreadsheets take white space off before they look. */
bool is_formula(std::string_view text) {
  if (text.empty() || is_number_text(text)) return false;
  if (std::string_view("\t\r\n").contains(text.front())) return true;
  constexpr std::string_view no_break_space = "\xc2\xa0";
  while (!text.empty()) {
    if (text.starts_with(no_break_space)) {
      text.remove_prefix(no_break_space.size());
    } else if (std::string_view(" \t\r\n\v\f").contains(text.front())) {
      text.remove_prefix(1);
    } else {
      break;
    }
  }
  return std::ranges::any_of(formula_marks, [&](std::string_view mark) { return text.starts_with(mark); });
}

std::string quoted_field(std::string_view text, CsvFormulas formulas) {
  std::string field;
  if (formulas == CsvFormulas::Guarded && is_formula(text)) field += '\'';
  field += text;
  if (field.find_first_of(",\"\r\n") == std::string::npos) return field;
  std::string quoted = "\"";
  for (const char c : field) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

}  // namespace

std::string Csv::escaped(std::string_view text) { return quoted_field(text, CsvFormulas::Guarded); }

CsvText Csv::field(std::string_view text, CsvFormulas formulas) {
  return CsvText::of_safe(quoted_field(text, formulas));
}

CsvText Csv::field(double number) {
  return std::isnan(number) ? CsvText() : CsvText::of_safe(fmt::format("{}", number));
}

}  // namespace kernelscape
