#pragma once

#include <expected>
#include <optional>
#include <vector>

#include "core/analysis/filter/filter.h"
#include "core/analysis/filter/filter_tokens.h"
#include "core/analysis/filter/filter_tree.h"

namespace kernelscape::analysis {

/** The elements that may follow the last token, for completion. */
struct FilterExpectation {
  bool condition = false;
  bool column = false;  ///< only a column, which follows a number in a comparison
  bool connective = false;
  std::optional<std::size_t> comparison_of = {};  ///< the column, if an operator for it may follow
  std::optional<std::size_t> value_of = {};       ///< the column, if a value for it may follow
  std::optional<std::size_t> unit_of = {};        ///< the column, if the unit of its number may follow
};

/** Parses tokens as a filter. Recursive, to a depth of 64. */
class FilterParser {
 public:
  FilterParser(std::vector<FilterToken> tokens, const TrialColumns& columns);

  /** Parses all tokens as one tree; without tokens, it passes every trial. Must be called only once. */
  std::expected<FilterNode, FilterError> parse();

  /** Returns what may follow after `parse`. Empty if parsing failed before the end. */
  const FilterExpectation& expectation() const { return expectation_; }

 private:
  using Node = std::expected<FilterNode, FilterError>;
  using Step = std::expected<void, FilterError>;
  template <typename T>
  using Parsed = std::expected<T, FilterError>;

  /** A number whose unit is checked once its column is known. */
  struct Amount {
    double number = 0;
    FilterToken unit;  ///< End: no unit
    FilterToken written;
  };
  struct Operator {
    ComparisonOperator comparison = ComparisonOperator::Equal;
    FilterToken written;
  };

  const FilterToken& peek() const { return tokens_[here_]; }
  bool at_end() const { return peek().kind == TokenKind::End; }
  bool accept(TokenKind kind);

  Node any_of();
  Node all_of();
  Node negation();
  Node nested();
  Node condition();
  Node flipped_condition();
  Node column_condition();
  Node comparison(std::size_t column);
  Node column_comparison(std::size_t column, const Operator& by);
  Node membership(std::size_t column, bool negated);

  Parsed<ValueInterval> interval(std::size_t column);
  Parsed<double> value(std::size_t column);
  Parsed<double> label(std::size_t column);
  Parsed<std::string> tuple(std::size_t column);
  std::optional<double> find_label(std::size_t column, std::string_view label) const;
  Amount amount(std::size_t column);
  Parsed<double> in_column_unit(const Amount& amount, std::size_t column) const;
  Parsed<std::size_t> find_column(const FilterToken& name) const;
  std::optional<std::size_t> column_named(const FilterToken& name) const;
  Parsed<Operator> comparison_operator(std::size_t column);
  Step check_order(std::size_t column, const FilterToken& written) const;

  const Column& column(std::size_t position) const { return columns_.columns()[position]; }
  static std::unexpected<FilterError> refuse(const FilterToken& token, std::string message, std::string hint);
  std::unexpected<FilterError> unexpected_token(std::string_view wanted, std::string hint) const;

  std::vector<FilterToken> tokens_;
  const TrialColumns& columns_;
  FilterExpectation expectation_;
  std::size_t here_ = 0;
  int depth_ = 0;
};

}  // namespace kernelscape::analysis
