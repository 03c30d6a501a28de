#pragma once

#include <expected>
#include <optional>
#include <vector>

#include "core/analysis/filter/filter.h"
#include "core/analysis/filter/filter_tokens.h"
#include "core/analysis/filter/filter_tree.h"

namespace kernelscape {

/** What could have followed where the tokens ended; completion offers it. */
struct FilterExpectation {
  bool condition = false;
  bool column = false;  ///< a column alone, to compare a number with
  bool connective = false;
  std::optional<std::size_t> comparison_of = {};  ///< a column that waits for an operator
  std::optional<std::size_t> value_of = {};       ///< ... for a value
  std::optional<std::size_t> unit_of = {};        ///< ... for the unit of a number
};

/** Reads tokens as a filter. Recursive, to a depth of 64. */
class FilterParser {
 public:
  FilterParser(std::vector<FilterToken> tokens, const TrialColumns& columns);

  /** All tokens as one tree; no tokens pass every trial. To be called once. */
  std::expected<FilterNode, FilterError> parse();

  /** After `parse`. Nothing where it failed before the end. */
  const FilterExpectation& expectation() const { return expectation_; }

 private:
  using Node = std::expected<FilterNode, FilterError>;
  using Step = std::expected<void, FilterError>;
  template <typename T>
  using Parsed = std::expected<T, FilterError>;

  /** A number whose unit is looked at when its column is known. */
  struct Amount {
    double number = 0;
    FilterToken unit;  ///< End: none
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

}  // namespace kernelscape
