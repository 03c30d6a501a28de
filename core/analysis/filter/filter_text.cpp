#include "core/analysis/filter/filter_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "core/analysis/filter/filter.h"
#include "core/analysis/filter/filter_tokens.h"
#include "core/base/text.h"

namespace kernelscape::analysis {
namespace {

std::string in_quotes(std::string_view text, char quote) {
  std::string written(1, quote);
  for (const char c : text) {
    if (c == quote || c == '\\') written += '\\';
    written += c;
  }
  return written + quote;
}

bool is_plain_name(const FilterToken& token) { return token.kind == TokenKind::Name && !token.quoted; }

/** Returns true if this text is a single word and needs no quotes. */
bool is_plain(std::string_view text) {
  const std::vector<FilterToken> tokens = filter_tokens(text);
  return tokens.size() == 2 && is_plain_name(tokens[0]) && tokens[0].text == text && !is_reserved(text);
}

/** Returns true if a parser that reads the tuple token by token reconstructs the same text. */
bool is_plain_tuple(std::string_view text) {
  const std::vector<FilterToken> tokens = filter_tokens(text);
  if (tokens.size() < 4 || tokens.front().kind != TokenKind::OpenTuple) return false;
  if (tokens[tokens.size() - 2].kind != TokenKind::CloseTuple) return false;
  std::string together;
  for (const FilterToken& token : tokens) together += token.kind == TokenKind::Comma ? ", " : token.text;
  for (std::size_t i = 1; i + 2 < tokens.size(); ++i) {
    const bool element = is_plain_name(tokens[i]) || tokens[i].kind == TokenKind::Number;
    if (i % 2 == 1 ? !element : tokens[i].kind != TokenKind::Comma) return false;
  }
  return tokens.size() % 2 == 0 && together == text;
}

std::string value_text(const Column& column, double value) {
  if (column.kind == ColumnKind::Label)
    return filter_label(column.labels.at(static_cast<std::size_t>(value)));
  return fmt::format("{}", value);
}

std::string comparison_text(const Column& column, ComparisonOperator comparison, double value) {
  if (is_error(column) && value == 0) {
    if (comparison == ComparisonOperator::Equal) return "valid";
    if (comparison == ComparisonOperator::NotEqual) return "invalid";
  }
  return fmt::format("{} {} {}", filter_name(column.name), symbol_of(comparison), value_text(column, value));
}

std::string membership_text(const Column& column, bool negated, std::span<const ValueInterval> items) {
  std::vector<std::string> texts;
  for (const ValueInterval& item : items) {
    std::string text = value_text(column, item.low);
    if (item.low != item.high) text += ".." + value_text(column, item.high);
    texts.push_back(std::move(text));
  }
  return fmt::format("{} {}in ({})", filter_name(column.name), negated ? "not " : "",
                     base::join(texts, ", "));
}

/** Writes the right side of a comparison, where a bare word is a label before it is a column. */
std::string compared_name(const Column& column, const std::string& other) {
  bool label = false;
  for (std::size_t position = 0; position < column.labels.size() && !label; ++position)
    label = equal_ignoring_case(column.labels.at(position), other);
  return label ? in_quotes(other, '`') : filter_name(other);
}

struct Writer {
  const TrialColumns& columns;

  std::string operator()(const ValueTest& test) const {
    return comparison_text(columns.columns()[test.column], test.comparison, test.value);
  }
  std::string operator()(const ColumnTest& test) const {
    const Column& column = columns.columns()[test.column];
    return fmt::format("{} {} {}", filter_name(column.name), symbol_of(test.comparison),
                       compared_name(column, columns.columns()[test.other].name));
  }
  std::string operator()(const MemberTest& test) const {
    return membership_text(columns.columns()[test.column], test.negated, test.items);
  }
  std::string operator()(const Junction& junction) const {
    std::vector<std::string> texts;
    for (const FilterNode& node : junction.parts) texts.push_back(part(node, junction.kind));
    if (junction.kind == Junction::Kind::None) return "not " + texts.front();
    return base::join(texts, junction.kind == Junction::Kind::All ? " and " : " or ");
  }

  /** Adds no parentheses that the original text did not have, since their depth is limited. */
  std::string part(const FilterNode& node, Junction::Kind around) const {
    const auto* inner = std::get_if<Junction>(&node.content);
    std::string text = std::visit(*this, node.content);
    if (!inner || inner->kind == Junction::Kind::None) return text;
    if (inner->kind == Junction::Kind::All && around == Junction::Kind::Any) return text;
    return "(" + text + ")";
  }
};

/** Returns a condition that passes trials with a value, or, negated by `!=`, no trials at all. */
std::string with_itself(const Column& column, std::string_view symbol) {
  return fmt::format("{} {} {}", filter_name(column.name), symbol, compared_name(column, column.name));
}

}  // namespace

std::string filter_name(std::string_view column_name) {
  return is_plain(column_name) ? std::string(column_name) : in_quotes(column_name, '`');
}

std::string filter_label(std::string_view label) {
  return is_plain(label) || is_plain_tuple(label) ? std::string(label) : in_quotes(label, '"');
}

std::string_view symbol_of(ComparisonOperator comparison) {
  switch (comparison) {
    case ComparisonOperator::Equal:
      return "=";
    case ComparisonOperator::NotEqual:
      return "!=";
    case ComparisonOperator::Less:
      return "<";
    case ComparisonOperator::LessOrEqual:
      return "<=";
    case ComparisonOperator::Greater:
      return ">";
    case ComparisonOperator::GreaterOrEqual:
      break;
  }
  return ">=";
}

std::string filter_text(const FilterNode& node, const TrialColumns& columns) {
  return std::visit(Writer{columns}, node.content);
}

std::string filter_equals(const Column& column, double value) {
  if (std::isnan(value)) return "not " + with_itself(column, "=");
  if (std::isinf(value))
    return fmt::format("{} {} {}", filter_name(column.name), value > 0 ? ">" : "<",
                       std::copysign(std::numeric_limits<double>::max(), value));
  return comparison_text(column, ComparisonOperator::Equal, value);
}

std::string filter_one_of(const Column& column, std::span<const double> values) {
  std::set<double> distinct;
  std::set<std::string> alternatives;  // what `in` cannot express
  for (const double value : values) {
    if (std::isfinite(value))
      distinct.insert(value);
    else
      alternatives.insert(filter_equals(column, value));
  }
  std::vector<ValueInterval> items;
  for (const double value : distinct) {
    if (column.kind == ColumnKind::Integer && !items.empty() && items.back().high + 1 == value)
      items.back().high = value;
    else
      items.push_back({value, value});
  }
  if (distinct.size() == 1) alternatives.insert(filter_equals(column, *distinct.begin()));
  if (distinct.size() > 1) alternatives.insert(membership_text(column, false, items));
  if (alternatives.empty()) return with_itself(column, "!=");
  return fmt::format("{}", fmt::join(alternatives, " or "));
}

std::string filter_range(const Column& column, double low, double high, RangeEnd high_end) {
  if (column.kind == ColumnKind::Label) {
    std::vector<double> positions;
    for (std::size_t label = 0; label < column.labels.size(); ++label) {
      const auto position = static_cast<double>(label);
      if (position >= low && (position < high || (position == high && high_end == RangeEnd::Included)))
        positions.push_back(position);
    }
    return filter_one_of(column, positions);
  }
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const auto upper =
      high_end == RangeEnd::Included ? ComparisonOperator::LessOrEqual : ComparisonOperator::Less;
  std::vector<std::string> ends;
  if (low > -infinity) ends.push_back(comparison_text(column, ComparisonOperator::GreaterOrEqual, low));
  if (high < infinity) ends.push_back(comparison_text(column, upper, high));
  return ends.empty() ? with_itself(column, "=") : base::join(ends, " and ");
}

std::string conjunction(std::span<const std::string> filters) {
  std::vector<std::string> parts;
  for (const std::string& filter : filters) {
    const std::vector<FilterToken> tokens = filter_tokens(filter);
    if (tokens.size() == 1) continue;
    const bool alternatives =
        std::ranges::any_of(tokens, [](const FilterToken& token) { return token.kind == TokenKind::Or; });
    parts.push_back(alternatives ? "(" + filter + ")" : filter);
  }
  return base::join(parts, " and ");
}

}  // namespace kernelscape::analysis
