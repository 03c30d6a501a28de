#include "core/base/media/csv.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace kernelscape::base {
namespace {

constexpr std::array<std::string_view, 8> formula_marks = {
    "=", "+", "-", "@", "\xef\xbc\x9d", "\xef\xbc\x8b", "\xef\xbc\x8d", "\xef\xbc\xa0"};

/** Characters at which a spreadsheet may split lines, for all settings of its separator. */
constexpr std::string_view part_ends = ",;\t\r\n";

bool is_number_text(std::string_view text) {
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && std::isfinite(value);
}

bool begins_with_formula_mark(std::string_view text) {
  return std::ranges::any_of(formula_marks, [&](std::string_view mark) { return text.starts_with(mark); });
}

/**
 * Spreadsheets remove leading white space before they check for a formula.
 * @param also what else they may take off
 */
std::string_view without_white_space(std::string_view text, std::string_view also = {}) {
  constexpr std::string_view no_break_space = "\xc2\xa0";
  while (!text.empty()) {
    if (text.starts_with(no_break_space)) {
      text.remove_prefix(no_break_space.size());
    } else if (std::string_view(" \t\r\n\v\f").contains(text.front()) || also.contains(text.front())) {
      text.remove_prefix(1);
    } else {
      break;
    }
  }
  return text;
}

bool is_formula(std::string_view text) {
  if (text.empty() || is_number_text(text)) return false;
  return std::string_view("\t\r\n").contains(text.front()) ||
         begins_with_formula_mark(without_white_space(text));
}

/** A part that was a field's, and stands alone where the field's quotes mean nothing. */
bool is_formula_part(std::string_view part) {
  return !is_number_text(part) && begins_with_formula_mark(without_white_space(part, "\""));
}

std::string guarded(std::string_view text) {
  std::string all;
  if (is_formula(text)) all += '\'';
  while (true) {
    const std::size_t end = std::min(text.find_first_of(part_ends), text.size());
    all += text.substr(0, end);
    if (end == text.size()) return all;
    all += text[end];
    text.remove_prefix(end + 1);
    if (is_formula_part(text.substr(0, text.find_first_of(part_ends)))) all += '\'';
  }
}

std::string in_quotes(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

std::string quoted_field(std::string_view text, CsvFormulas formulas) {
  std::string field = formulas == CsvFormulas::Guarded ? guarded(text) : std::string(text);
  const auto has_to_be_quoted = [](char c) { return c == '"' || part_ends.contains(c); };
  if (std::ranges::none_of(field, has_to_be_quoted)) return field;
  return in_quotes(field);
}

}  // namespace

std::string Csv::escaped(std::string_view text) { return quoted_field(text, CsvFormulas::Guarded); }

CsvText Csv::field(std::string_view text, CsvFormulas formulas) {
  return CsvText::of_safe(quoted_field(text, formulas));
}

CsvText Csv::field(double number) {
  return std::isnan(number) ? CsvText() : CsvText::of_safe(fmt::format("{}", number));
}

std::string Tsv::escaped(std::string_view text) {
  std::string cell(text);
  std::ranges::replace_if(cell, [](char c) { return std::string_view("\t\r\n\v\f").contains(c); }, ' ');
  // Quotes that stand around all of it are taken off.
  const bool behind_quotes = !is_formula(cell) && is_formula_part(cell);
  cell = (behind_quotes ? "'" : "") + guarded(cell);
  return without_white_space(cell).starts_with('"') ? in_quotes(cell) : cell;
}

TsvText Tsv::row(std::span<const std::string> cells) {
  std::string row;
  for (std::size_t i = 0; i < cells.size(); ++i) row += (i > 0 ? "\t" : "") + escaped(cells[i]);
  return TsvText::of_safe(row + '\n');
}

}  // namespace kernelscape::base
