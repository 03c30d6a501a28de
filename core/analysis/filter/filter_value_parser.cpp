#include "core/analysis/filter/filter_value_parser.h"

#include <fmt/format.h>

#include <cmath>
#include <span>

#include "core/analysis/filter/filter_units.h"
#include "core/base/text.h"

namespace kernelscape::analysis {
namespace {

// Suggestions compare letter by letter.
constexpr std::size_t max_searched_labels = 1000;
constexpr std::size_t max_searched_letters = 100;

std::string suggest_name(const std::string& wrong, std::span<const std::string> known) {
  return base::suggest(std::string_view(wrong).substr(0, max_searched_letters), known);
}

std::string suggest_label(const std::string& wrong, const Column& column) {
  if (column.labels.size() > max_searched_labels)
    return fmt::format("write a value such as {}", column.labels.at(0));
  return suggest_name(wrong, column.labels.first(max_searched_labels));
}

/**
 * Returns the position of the name that is equal, or of the only one that is equal in another case.
 * @param name_of of a position below `size`
 */
template <typename Name>
std::optional<std::size_t> find_name(std::size_t size, const Name& name_of, std::string_view wanted) {
  std::optional<std::size_t> similar;
  std::size_t count = 0;
  for (std::size_t position = 0; position < size; ++position) {
    const std::string& name = name_of(position);
    if (name == wanted) return position;
    if (!equal_ignoring_case(name, wanted)) continue;
    similar = position;
    ++count;
  }
  return count == 1 ? similar : std::nullopt;
}

}  // namespace

std::optional<std::size_t> FilterValueParser::column_named(const FilterToken& name) const {
  if (const auto exact = columns_.find(name.text)) return exact;
  if (name.quoted) return std::nullopt;
  const std::vector<Column>& all = columns_.columns();
  return find_name(
      all.size(), [&](std::size_t position) -> const std::string& { return all[position].name; }, name.text);
}

FilterParsed<std::size_t> FilterValueParser::find_column(const FilterToken& name) const {
  if (const auto found = column_named(name)) return *found;
  std::vector<std::string> names;
  std::vector<std::size_t> titled;
  for (std::size_t position = 0; position < columns_.columns().size(); ++position) {
    const Column& column = columns_.columns()[position];
    names.push_back(column.name);
    if (equal_ignoring_case(column.title, name.text)) titled.push_back(position);
  }
  // Readers of a table know the columns by their headings.
  if (titled.size() == 1 && !name.quoted) return titled.front();
  return FilterCursor::refuse(name, fmt::format("there is no column \"{}\"", name.text),
                              suggest_name(name.text, names));
}

std::optional<double> FilterValueParser::find_label(std::size_t position, std::string_view label) const {
  const ColumnLabels& labels = column(position).labels;
  const auto found = find_name(labels.size(), [&](std::size_t at) { return labels.at(at); }, label);
  if (!found) return std::nullopt;
  return static_cast<double>(*found);
}

FilterParsed<double> FilterValueParser::value(std::size_t position) {
  const Column& compared = column(position);
  if (cursor_.at_end()) cursor_.expectation.value_of = position;
  if (compared.kind == ColumnKind::Label) return label(position);
  if (cursor_.peek().kind == TokenKind::Number) return in_column_unit(amount(position), position);
  if (cursor_.peek().kind == TokenKind::OpenTuple || cursor_.peek().kind == TokenKind::Text)
    return FilterCursor::refuse(cursor_.peek(), fmt::format("the values of {} are numbers", compared.name),
                                "compare with a number");
  return cursor_.unexpected_token(fmt::format("a value of {}", compared.name),
                                  "compare with a number or a column");
}

FilterParsed<double> FilterValueParser::label(std::size_t position) {
  const Column& compared = column(position);
  FilterToken written = cursor_.peek();
  switch (written.kind) {
    case TokenKind::Name:
    case TokenKind::Text:
    case TokenKind::Number:
      ++cursor_.position;
      break;
    case TokenKind::OpenTuple: {
      written.text = TRY(tuple(position));
      written.length = cursor_.last().end() - written.position;
      break;
    }
    default:
      return cursor_.unexpected_token(fmt::format("a value of {}", compared.name),
                                      suggest_label(written.text, compared));
  }
  if (const auto found = find_label(position, written.text)) return *found;
  if (written.kind == TokenKind::Number && has_numbered_labels(compared)) {
    const bool whole = written.unit.empty() && written.number == std::floor(written.number);
    if (whole && written.number >= 0 && written.number < static_cast<double>(compared.labels.size()))
      return written.number + 0.0;
    return FilterCursor::refuse(written, fmt::format("{} is not a value of {}", written.text, compared.name),
                                fmt::format("0 to {}, or: {}", compared.labels.size() - 1,
                                            base::join(compared.labels.first(compared.labels.size()), ", ")));
  }
  return FilterCursor::refuse(written,
                              fmt::format("\"{}\" is not a value of {}", written.text, compared.name),
                              suggest_label(written.text, compared));
}

FilterParsed<std::string> FilterValueParser::tuple(std::size_t position) {
  const FilterToken open = cursor_.take();
  std::vector<std::string> elements;
  do {
    const TokenKind kind = cursor_.peek().kind;
    if (kind != TokenKind::Number && kind != TokenKind::Name && kind != TokenKind::Text)
      return cursor_.unexpected_token(fmt::format("an element of {}", column(position).name),
                                      "write the whole value, as in [4, 1, 8, 2]");
    elements.push_back(cursor_.take().text);
  } while (cursor_.accept(TokenKind::Comma));
  if (cursor_.accept(TokenKind::CloseTuple)) return fmt::format("[{}]", base::join(elements, ", "));
  if (cursor_.at_end())
    return FilterCursor::refuse(open, "this [ is not closed", "write ] after the last element");
  return cursor_.unexpected_token("\",\" or \"]\"", "write the whole value, as in [4, 1, 8, 2]");
}

FilterValueParser::Amount FilterValueParser::amount(std::size_t position) {
  Amount read;
  read.written = cursor_.take();
  read.number = read.written.number;
  if (!read.written.unit.empty()) {
    read.unit = read.written;
    read.unit.kind = TokenKind::Name;
    read.unit.text = read.written.unit;
    read.unit.length = read.written.unit.size();
    read.unit.position = read.written.end() - read.unit.length;
  } else if (cursor_.peek().kind == TokenKind::Name) {
    read.unit = cursor_.take();
  } else if (cursor_.at_end()) {
    cursor_.expectation.unit_of = position;
  }
  return read;
}

FilterParsed<double> FilterValueParser::in_column_unit(const Amount& amount, std::size_t position) const {
  if (amount.unit.kind == TokenKind::End) return amount.number;
  const Column& compared = column(position);
  const std::vector<std::string> units = accepted_units(compared);
  if (units.empty())
    return FilterCursor::refuse(
        amount.unit,
        fmt::format("{} has no unit, but \"{}\" follows the number", compared.name, amount.unit.text),
        "remove it, or join another condition with and, or");
  const std::optional<double> converted = convert_to_column(amount.number, amount.unit.text, compared);
  if (!converted)
    return FilterCursor::refuse(amount.unit,
                                fmt::format("\"{}\" is not a unit of {}", amount.unit.text, compared.name),
                                fmt::format("use {}", base::join(units, ", ")));
  if (std::isfinite(*converted)) return *converted;
  return FilterCursor::refuse(
      amount.written, fmt::format("{} {} is too large a number", amount.written.text, amount.unit.text),
      "use a smaller number");
}

FilterParsed<void> FilterValueParser::check_order(std::size_t position, const FilterToken& written) const {
  const Column& compared = column(position);
  if (compared.kind != ColumnKind::Label || has_numbered_labels(compared)) return {};
  if (written.kind == TokenKind::Operator && (written.text == "=" || written.text == "!=")) return {};
  return FilterCursor::refuse(written,
                              fmt::format("the values of {} are labels and have no order", compared.name),
                              "compare them with =, != or in (...)");
}

FilterParsed<ValueInterval> FilterValueParser::interval(std::size_t position) {
  const FilterToken first = cursor_.peek();
  const bool numbers = column(position).kind != ColumnKind::Label && first.kind == TokenKind::Number;
  Amount from;
  double low = 0;
  if (numbers)
    from = amount(position);
  else
    low = TRY(value(position));
  const FilterToken range = cursor_.peek();
  if (!cursor_.accept(TokenKind::Range)) {
    if (numbers) low = TRY(in_column_unit(from, position));
    return ValueInterval{low, low};
  }
  TRY(check_order(position, range));
  const std::size_t last = cursor_.position;
  const double high = TRY(value(position));
  if (numbers) {
    // The unit of "1..2 ms" is only at the end.
    cursor_.position = last;
    const Amount to = amount(position);
    if (from.unit.kind == TokenKind::End) from.unit = to.unit;
    low = TRY(in_column_unit(from, position));
  }
  if (low <= high) return ValueInterval{low, high};
  FilterToken whole = first;
  whole.length = cursor_.last().end() - first.position;
  return FilterCursor::refuse(whole, "this range is empty: it starts above its end",
                              "write the smaller end first");
}

}  // namespace kernelscape::analysis
