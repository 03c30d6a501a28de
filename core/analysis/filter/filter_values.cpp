#include <fmt/format.h>

#include <cmath>
#include <span>

#include "core/analysis/filter/filter_parser.h"
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

std::optional<std::size_t> FilterParser::column_named(const FilterToken& name) const {
  if (const auto exact = columns_.find(name.text)) return exact;
  if (name.quoted) return std::nullopt;
  const std::vector<Column>& all = columns_.columns();
  return find_name(
      all.size(), [&](std::size_t position) -> const std::string& { return all[position].name; }, name.text);
}

FilterParser::Parsed<std::size_t> FilterParser::find_column(const FilterToken& name) const {
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
  return refuse(name, fmt::format("there is no column \"{}\"", name.text), suggest_name(name.text, names));
}

std::optional<double> FilterParser::find_label(std::size_t position, std::string_view label) const {
  const ColumnLabels& labels = column(position).labels;
  const auto found = find_name(labels.size(), [&](std::size_t at) { return labels.at(at); }, label);
  if (!found) return std::nullopt;
  return static_cast<double>(*found);
}

FilterParser::Parsed<double> FilterParser::value(std::size_t position) {
  const Column& compared = column(position);
  if (at_end()) expectation_.value_of = position;
  if (compared.kind == ColumnKind::Label) return label(position);
  if (peek().kind == TokenKind::Number) return in_column_unit(amount(position), position);
  if (peek().kind == TokenKind::OpenTuple || peek().kind == TokenKind::Text)
    return refuse(peek(), fmt::format("the values of {} are numbers", compared.name),
                  "compare with a number");
  return unexpected_token(fmt::format("a value of {}", compared.name), "compare with a number or a column");
}

FilterParser::Parsed<double> FilterParser::label(std::size_t position) {
  const Column& compared = column(position);
  FilterToken written = peek();
  switch (written.kind) {
    case TokenKind::Name:
    case TokenKind::Text:
    case TokenKind::Number:
      ++here_;
      break;
    case TokenKind::OpenTuple: {
      written.text = TRY(tuple(position));
      written.length = tokens_[here_ - 1].end() - written.position;
      break;
    }
    default:
      return unexpected_token(fmt::format("a value of {}", compared.name),
                              suggest_label(written.text, compared));
  }
  if (const auto found = find_label(position, written.text)) return *found;
  if (written.kind == TokenKind::Number && has_numbered_labels(compared)) {
    const bool whole = written.unit.empty() && written.number == std::floor(written.number);
    if (whole && written.number >= 0 && written.number < static_cast<double>(compared.labels.size()))
      return written.number + 0.0;
    return refuse(written, fmt::format("{} is not a value of {}", written.text, compared.name),
                  fmt::format("0 to {}, or: {}", compared.labels.size() - 1,
                              base::join(compared.labels.first(compared.labels.size()), ", ")));
  }
  return refuse(written, fmt::format("\"{}\" is not a value of {}", written.text, compared.name),
                suggest_label(written.text, compared));
}

FilterParser::Parsed<std::string> FilterParser::tuple(std::size_t position) {
  const FilterToken open = tokens_[here_++];
  std::vector<std::string> elements;
  do {
    const TokenKind kind = peek().kind;
    if (kind != TokenKind::Number && kind != TokenKind::Name && kind != TokenKind::Text)
      return unexpected_token(fmt::format("an element of {}", column(position).name),
                              "write the whole value, as in [4, 1, 8, 2]");
    elements.push_back(tokens_[here_++].text);
  } while (accept(TokenKind::Comma));
  if (accept(TokenKind::CloseTuple)) return fmt::format("[{}]", base::join(elements, ", "));
  if (at_end()) return refuse(open, "this [ is not closed", "write ] after the last element");
  return unexpected_token("\",\" or \"]\"", "write the whole value, as in [4, 1, 8, 2]");
}

FilterParser::Amount FilterParser::amount(std::size_t position) {
  Amount read;
  read.written = tokens_[here_++];
  read.number = read.written.number;
  if (!read.written.unit.empty()) {
    read.unit = read.written;
    read.unit.kind = TokenKind::Name;
    read.unit.text = read.written.unit;
    read.unit.length = read.written.unit.size();
    read.unit.position = read.written.end() - read.unit.length;
  } else if (peek().kind == TokenKind::Name) {
    read.unit = tokens_[here_++];
  } else if (at_end()) {
    expectation_.unit_of = position;
  }
  return read;
}

FilterParser::Parsed<double> FilterParser::in_column_unit(const Amount& amount, std::size_t position) const {
  if (amount.unit.kind == TokenKind::End) return amount.number;
  const Column& compared = column(position);
  const std::vector<std::string> units = accepted_units(compared);
  if (units.empty())
    return refuse(
        amount.unit,
        fmt::format("{} has no unit, but \"{}\" follows the number", compared.name, amount.unit.text),
        "remove it, or join another condition with and, or");
  const std::optional<double> converted = convert_to_column(amount.number, amount.unit.text, compared);
  if (!converted)
    return refuse(amount.unit, fmt::format("\"{}\" is not a unit of {}", amount.unit.text, compared.name),
                  fmt::format("use {}", base::join(units, ", ")));
  if (std::isfinite(*converted)) return *converted;
  return refuse(amount.written,
                fmt::format("{} {} is too large a number", amount.written.text, amount.unit.text),
                "use a smaller number");
}

}  // namespace kernelscape::analysis
