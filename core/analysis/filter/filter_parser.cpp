#include "core/analysis/filter/filter_parser.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "core/analysis/filter/filter_text.h"
#include "core/analysis/filter/filter_units.h"

namespace kernelscape::analysis {
namespace {

constexpr int deepest = 64;

ComparisonOperator comparison_of(std::string_view symbol) {
  using enum ComparisonOperator;
  for (const ComparisonOperator comparison : {Equal, NotEqual, Less, LessOrEqual, Greater})
    if (symbol_of(comparison) == symbol) return comparison;
  return GreaterOrEqual;
}

/** Converts 2 < x to x > 2. */
ComparisonOperator flipped(ComparisonOperator comparison) {
  switch (comparison) {
    case ComparisonOperator::Less:
      return ComparisonOperator::Greater;
    case ComparisonOperator::LessOrEqual:
      return ComparisonOperator::GreaterOrEqual;
    case ComparisonOperator::Greater:
      return ComparisonOperator::Less;
    case ComparisonOperator::GreaterOrEqual:
      return ComparisonOperator::LessOrEqual;
    case ComparisonOperator::Equal:
    case ComparisonOperator::NotEqual:
      break;
  }
  return comparison;
}

}  // namespace

FilterParser::FilterParser(std::vector<FilterToken> tokens, const TrialColumns& columns)
    : tokens_(std::move(tokens)), columns_(columns) {}

bool FilterParser::accept(TokenKind kind) {
  if (peek().kind != kind) return false;
  ++here_;
  return true;
}

std::unexpected<FilterError> FilterParser::refuse(const FilterToken& token, std::string message,
                                                  std::string hint) {
  return std::unexpected(FilterError{std::move(message), std::move(hint), token.position, token.length});
}

std::unexpected<FilterError> FilterParser::unexpected_token(std::string_view wanted, std::string hint) const {
  const FilterToken& token = peek();
  if (token.kind == TokenKind::Broken) return refuse(token, token.text, token.hint);
  const std::string found =
      token.kind == TokenKind::End ? "the filter ends" : fmt::format("\"{}\" is found", token.text);
  return refuse(token, fmt::format("{} where {} is expected", found, wanted), std::move(hint));
}

FilterParser::Node FilterParser::parse() {
  if (at_end()) {
    expectation_.condition = true;
    return FilterNode{Junction{}};
  }
  Node root = any_of();
  if (!root || at_end()) return root;
  if (peek().kind == TokenKind::Operator)
    return refuse(peek(), "a comparison has two sides", "write two comparisons, as in ms > 2 and ms < 3");
  if (peek().kind == TokenKind::Close)
    return refuse(peek(), "this ) has no matching (", "remove it, or open a parenthesis before it");
  return unexpected_token("\"and\" or \"or\"", "join conditions with and, or");
}

FilterParser::Node FilterParser::any_of() {
  Junction junction{.kind = Junction::Kind::Any, .parts = {}};
  do {
    junction.parts.push_back(TRY(all_of()));
  } while (accept(TokenKind::Or));
  if (junction.parts.size() == 1) return std::move(junction.parts.front());
  return FilterNode{std::move(junction)};
}

FilterParser::Node FilterParser::all_of() {
  Junction junction{.kind = Junction::Kind::All, .parts = {}};
  do {
    junction.parts.push_back(TRY(negation()));
    if (at_end()) expectation_.connective = true;
  } while (accept(TokenKind::And));
  if (junction.parts.size() == 1) return std::move(junction.parts.front());
  return FilterNode{std::move(junction)};
}

FilterParser::Node FilterParser::negation() {
  const bool deeper = peek().kind == TokenKind::Not || peek().kind == TokenKind::Open;
  if (!deeper) return condition();
  if (depth_ == deepest)
    return refuse(peek(), fmt::format("more than {} levels of parentheses and not", deepest),
                  "write the filter with fewer of them");
  ++depth_;
  Node node = nested();
  --depth_;
  return node;
}

FilterParser::Node FilterParser::nested() {
  if (accept(TokenKind::Not)) {
    FilterNode inner = TRY(negation());
    Junction junction{.kind = Junction::Kind::None, .parts = {}};
    junction.parts.push_back(std::move(inner));
    return FilterNode{std::move(junction)};
  }
  const FilterToken open = tokens_[here_++];
  Node inner = any_of();
  if (!inner || accept(TokenKind::Close)) return inner;
  if (at_end()) return refuse(open, "this ( is not closed", "write ) after the condition");
  return unexpected_token("\"and\", \"or\" or \")\"", "join conditions with and, or");
}

FilterParser::Node FilterParser::condition() {
  if (at_end()) expectation_.condition = true;
  if (peek().kind == TokenKind::Number) return flipped_condition();
  if (peek().kind != TokenKind::Name)
    return unexpected_token("a condition", "start with a column, as in ms < 2, or write valid");
  if (!peek().quoted && is_reserved(peek().text)) {
    const bool valid = equal_ignoring_case(peek().text, "valid");
    ++here_;
    return FilterNode{
        ValueTest{.column = *columns_.find(trial::Measured::Error),
                  .comparison = valid ? ComparisonOperator::Equal : ComparisonOperator::NotEqual}};
  }
  return column_condition();
}

FilterParser::Node FilterParser::flipped_condition() {
  const std::size_t start = here_++;
  accept(TokenKind::Name);  // a unit
  const std::size_t middle = here_;
  const Operator by = TRY(comparison_operator(*columns_.find(trial::Measured::Trial)));
  if (peek().kind != TokenKind::Name) {
    expectation_.column = at_end();
    return unexpected_token("a column", "compare with a column, as in 2 < ms");
  }
  const std::size_t column = TRY(find_column(peek()));
  const std::size_t end = std::exchange(here_, start) + 1;
  TRY(check_order(column, by.written));
  const double number = TRY(value(column));
  if (here_ != middle) return unexpected_token("a comparison", "labels have no unit");
  here_ = end;
  return FilterNode{ValueTest{column, flipped(by.comparison), number}};
}

FilterParser::Node FilterParser::column_condition() {
  const FilterToken name = peek();
  const std::size_t found = TRY(find_column(name));
  ++here_;
  if (peek().kind == TokenKind::Operator) return comparison(found);
  if (accept(TokenKind::In)) return membership(found, false);
  if (at_end()) expectation_.comparison_of = found;
  if (peek().kind == TokenKind::Not) {
    ++here_;
    if (accept(TokenKind::In)) return membership(found, true);
    return unexpected_token("\"in\"", "write not in (...), or not before the column");
  }
  if (is_truth(column(found)))
    return FilterNode{ValueTest{.column = found, .comparison = ComparisonOperator::Equal, .value = 1}};
  return unexpected_token(fmt::format("a comparison of {}", filter_name(column(found).name)),
                          "compare it with = != < <= > >= or in (...)");
}

FilterParser::Parsed<FilterParser::Operator> FilterParser::comparison_operator(std::size_t column) {
  if (peek().kind != TokenKind::Operator) {
    if (at_end()) expectation_.comparison_of = column;
    return unexpected_token("a comparison", "compare with = != < <= > >=");
  }
  const FilterToken written = tokens_[here_++];
  return Operator{comparison_of(written.text), written};
}

FilterParser::Step FilterParser::check_order(std::size_t position, const FilterToken& written) const {
  const Column& compared = column(position);
  if (compared.kind != ColumnKind::Label || has_numbered_labels(compared)) return {};
  if (written.kind == TokenKind::Operator && (written.text == "=" || written.text == "!=")) return {};
  return refuse(written, fmt::format("the values of {} are labels and have no order", compared.name),
                "compare them with =, != or in (...)");
}

FilterParser::Node FilterParser::comparison(std::size_t position) {
  const Operator by = TRY(comparison_operator(position));
  TRY(check_order(position, by.written));
  const bool is_label = column(position).kind == ColumnKind::Label && !peek().quoted &&
                        find_label(position, peek().text).has_value();
  if (peek().kind == TokenKind::Name && !is_label &&
      (column_named(peek()) || column(position).kind != ColumnKind::Label || peek().quoted))
    return column_comparison(position, by);
  const double compared = TRY(value(position));
  return FilterNode{ValueTest{position, by.comparison, compared}};
}

FilterParser::Node FilterParser::column_comparison(std::size_t position, const Operator& by) {
  const FilterToken name = tokens_[here_];
  const std::size_t other = TRY(find_column(name));
  ++here_;
  const Column& left = column(position);
  const Column& right = column(other);
  const bool both_labels = left.kind == ColumnKind::Label && right.kind == ColumnKind::Label;
  const bool any_label = left.kind == ColumnKind::Label || right.kind == ColumnKind::Label;
  if (any_label && !(both_labels && left.labels == right.labels))
    return refuse(name, fmt::format("{} and {} have different values", left.name, right.name),
                  "compare columns of numbers, or of the same labels");
  const std::optional<double> factor = column_factor(right, left);
  if (!factor)
    return refuse(name, fmt::format("{} and {} are in different units", left.name, right.name),
                  "compare times with times, speeds with speeds, plain numbers with plain numbers");
  return FilterNode{ColumnTest{position, by.comparison, other, *factor}};
}

FilterParser::Node FilterParser::membership(std::size_t position, bool negated) {
  if (!accept(TokenKind::Open)) return unexpected_token("\"(\"", "write the values as in (1, 2, 4..8)");
  MemberTest test{.column = position, .negated = negated};
  do {
    test.items.push_back(TRY(interval(position)));
  } while (accept(TokenKind::Comma));
  if (accept(TokenKind::Close)) return FilterNode{std::move(test)};
  return unexpected_token("\",\" or \")\"", "write the values as in (1, 2, 4..8)");
}

FilterParser::Parsed<ValueInterval> FilterParser::interval(std::size_t position) {
  const FilterToken first = peek();
  const bool numbers = column(position).kind != ColumnKind::Label && first.kind == TokenKind::Number;
  Amount from;
  double low = 0;
  if (numbers)
    from = amount(position);
  else
    low = TRY(value(position));
  const FilterToken range = peek();
  if (!accept(TokenKind::Range)) {
    if (numbers) low = TRY(in_column_unit(from, position));
    return ValueInterval{low, low};
  }
  TRY(check_order(position, range));
  const std::size_t last = here_;
  const double high = TRY(value(position));
  if (numbers) {
    // The unit of "1..2 ms" is only at the end.
    here_ = last;
    const Amount to = amount(position);
    if (from.unit.kind == TokenKind::End) from.unit = to.unit;
    low = TRY(in_column_unit(from, position));
  }
  if (low <= high) return ValueInterval{low, high};
  FilterToken whole = first;
  whole.length = tokens_[here_ - 1].end() - first.position;
  return refuse(whole, "this range is empty: it starts above its end", "write the smaller end first");
}

}  // namespace kernelscape::analysis
