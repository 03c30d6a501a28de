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
    : columns_(columns), cursor_(std::move(tokens)), values_(cursor_, columns) {}

FilterParser::Node FilterParser::parse() {
  if (cursor_.at_end()) {
    cursor_.expectation.condition = true;
    return FilterNode{Junction{}};
  }
  Node root = any_of();
  if (!root || cursor_.at_end()) return root;
  if (cursor_.peek().kind == TokenKind::Operator)
    return FilterCursor::refuse(cursor_.peek(), "a comparison has two sides",
                                "write two comparisons, as in ms > 2 and ms < 3");
  if (cursor_.peek().kind == TokenKind::Close)
    return FilterCursor::refuse(cursor_.peek(), "this ) has no matching (",
                                "remove it, or open a parenthesis before it");
  return cursor_.unexpected_token("\"and\" or \"or\"", "join conditions with and, or");
}

FilterParser::Node FilterParser::any_of() {
  Junction junction{.kind = Junction::Kind::Any, .parts = {}};
  do {
    junction.parts.push_back(TRY(all_of()));
  } while (cursor_.accept(TokenKind::Or));
  if (junction.parts.size() == 1) return std::move(junction.parts.front());
  return FilterNode{std::move(junction)};
}

FilterParser::Node FilterParser::all_of() {
  Junction junction{.kind = Junction::Kind::All, .parts = {}};
  do {
    junction.parts.push_back(TRY(negation()));
    if (cursor_.at_end()) cursor_.expectation.connective = true;
  } while (cursor_.accept(TokenKind::And));
  if (junction.parts.size() == 1) return std::move(junction.parts.front());
  return FilterNode{std::move(junction)};
}

FilterParser::Node FilterParser::negation() {
  const bool deeper = cursor_.peek().kind == TokenKind::Not || cursor_.peek().kind == TokenKind::Open;
  if (!deeper) return condition();
  if (depth_ == deepest)
    return FilterCursor::refuse(cursor_.peek(),
                                fmt::format("more than {} levels of parentheses and not", deepest),
                                "write the filter with fewer of them");
  ++depth_;
  Node node = nested();
  --depth_;
  return node;
}

FilterParser::Node FilterParser::nested() {
  if (cursor_.accept(TokenKind::Not)) {
    FilterNode inner = TRY(negation());
    Junction junction{.kind = Junction::Kind::None, .parts = {}};
    junction.parts.push_back(std::move(inner));
    return FilterNode{std::move(junction)};
  }
  const FilterToken open = cursor_.take();
  Node inner = any_of();
  if (!inner || cursor_.accept(TokenKind::Close)) return inner;
  if (cursor_.at_end())
    return FilterCursor::refuse(open, "this ( is not closed", "write ) after the condition");
  return cursor_.unexpected_token("\"and\", \"or\" or \")\"", "join conditions with and, or");
}

FilterParser::Node FilterParser::condition() {
  if (cursor_.at_end()) cursor_.expectation.condition = true;
  if (cursor_.peek().kind == TokenKind::Number) return flipped_condition();
  if (cursor_.peek().kind != TokenKind::Name)
    return cursor_.unexpected_token("a condition", "start with a column, as in ms < 2, or write valid");
  if (!cursor_.peek().quoted && is_reserved(cursor_.peek().text)) {
    const bool valid = equal_ignoring_case(cursor_.peek().text, "valid");
    ++cursor_.position;
    return FilterNode{
        ValueTest{.column = *columns_.find(trial::Measured::Error),
                  .comparison = valid ? ComparisonOperator::Equal : ComparisonOperator::NotEqual}};
  }
  return column_condition();
}

FilterParser::Node FilterParser::flipped_condition() {
  const std::size_t start = cursor_.position++;
  cursor_.accept(TokenKind::Name);  // a unit
  const std::size_t middle = cursor_.position;
  const Operator by = TRY(comparison_operator(*columns_.find(trial::Measured::Trial)));
  if (cursor_.peek().kind != TokenKind::Name) {
    cursor_.expectation.column = cursor_.at_end();
    return cursor_.unexpected_token("a column", "compare with a column, as in 2 < ms");
  }
  const std::size_t column = TRY(values_.find_column(cursor_.peek()));
  const std::size_t end = std::exchange(cursor_.position, start) + 1;
  TRY(values_.check_order(column, by.written));
  const double number = TRY(values_.value(column));
  if (cursor_.position != middle) return cursor_.unexpected_token("a comparison", "labels have no unit");
  cursor_.position = end;
  return FilterNode{ValueTest{column, flipped(by.comparison), number}};
}

FilterParser::Node FilterParser::column_condition() {
  const FilterToken name = cursor_.peek();
  const std::size_t found = TRY(values_.find_column(name));
  ++cursor_.position;
  if (cursor_.peek().kind == TokenKind::Operator) return comparison(found);
  if (cursor_.accept(TokenKind::In)) return membership(found, false);
  if (cursor_.at_end()) cursor_.expectation.comparison_of = found;
  if (cursor_.peek().kind == TokenKind::Not) {
    ++cursor_.position;
    if (cursor_.accept(TokenKind::In)) return membership(found, true);
    return cursor_.unexpected_token("\"in\"", "write not in (...), or not before the column");
  }
  if (is_truth(column(found)))
    return FilterNode{ValueTest{.column = found, .comparison = ComparisonOperator::Equal, .value = 1}};
  return cursor_.unexpected_token(fmt::format("a comparison of {}", filter_name(column(found).name)),
                                  "compare it with = != < <= > >= or in (...)");
}

FilterParsed<FilterParser::Operator> FilterParser::comparison_operator(std::size_t column) {
  if (cursor_.peek().kind != TokenKind::Operator) {
    if (cursor_.at_end()) cursor_.expectation.comparison_of = column;
    return cursor_.unexpected_token("a comparison", "compare with = != < <= > >=");
  }
  const FilterToken written = cursor_.take();
  return Operator{comparison_of(written.text), written};
}

FilterParser::Node FilterParser::comparison(std::size_t position) {
  const Operator by = TRY(comparison_operator(position));
  TRY(values_.check_order(position, by.written));
  const bool is_label = column(position).kind == ColumnKind::Label && !cursor_.peek().quoted &&
                        values_.find_label(position, cursor_.peek().text).has_value();
  if (cursor_.peek().kind == TokenKind::Name && !is_label &&
      (values_.column_named(cursor_.peek()) || column(position).kind != ColumnKind::Label ||
       cursor_.peek().quoted))
    return column_comparison(position, by);
  const double compared = TRY(values_.value(position));
  return FilterNode{ValueTest{position, by.comparison, compared}};
}

FilterParser::Node FilterParser::column_comparison(std::size_t position, const Operator& by) {
  const FilterToken name = cursor_.peek();
  const std::size_t other = TRY(values_.find_column(name));
  ++cursor_.position;
  const Column& left = column(position);
  const Column& right = column(other);
  const bool both_labels = left.kind == ColumnKind::Label && right.kind == ColumnKind::Label;
  const bool any_label = left.kind == ColumnKind::Label || right.kind == ColumnKind::Label;
  if (any_label && !(both_labels && left.labels == right.labels))
    return FilterCursor::refuse(name, fmt::format("{} and {} have different values", left.name, right.name),
                                "compare columns of numbers, or of the same labels");
  const std::optional<double> factor = column_factor(right, left);
  if (!factor)
    return FilterCursor::refuse(
        name, fmt::format("{} and {} are in different units", left.name, right.name),
        "compare times with times, speeds with speeds, plain numbers with plain numbers");
  return FilterNode{ColumnTest{position, by.comparison, other, *factor}};
}

FilterParser::Node FilterParser::membership(std::size_t position, bool negated) {
  if (!cursor_.accept(TokenKind::Open))
    return cursor_.unexpected_token("\"(\"", "write the values as in (1, 2, 4..8)");
  MemberTest test{.column = position, .negated = negated};
  do {
    test.items.push_back(TRY(values_.interval(position)));
  } while (cursor_.accept(TokenKind::Comma));
  if (cursor_.accept(TokenKind::Close)) return FilterNode{std::move(test)};
  return cursor_.unexpected_token("\",\" or \")\"", "write the values as in (1, 2, 4..8)");
}

}  // namespace kernelscape::analysis
