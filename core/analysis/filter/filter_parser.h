#pragma once

#include <expected>
#include <vector>

#include "core/analysis/filter/filter.h"
#include "core/analysis/filter/filter_cursor.h"
#include "core/analysis/filter/filter_tokens.h"
#include "core/analysis/filter/filter_tree.h"
#include "core/analysis/filter/filter_value_parser.h"

namespace kernelscape::analysis {

/** Parses tokens as a filter. Recursive, to a depth of 64. */
class FilterParser {
 public:
  FilterParser(std::vector<FilterToken> tokens, const TrialColumns& columns);
  FilterParser(const FilterParser&) = delete;  // its parts refer to each other
  FilterParser& operator=(const FilterParser&) = delete;

  /** Parses all tokens as one tree; without tokens, it passes every trial. Must be called only once. */
  std::expected<FilterNode, FilterError> parse();

  /** Returns what may follow after `parse`. Empty if parsing failed before the end. */
  const FilterExpectation& expectation() const { return cursor_.expectation; }

 private:
  using Node = std::expected<FilterNode, FilterError>;
  struct Operator {
    ComparisonOperator comparison = ComparisonOperator::Equal;
    FilterToken written;
  };

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

  FilterParsed<Operator> comparison_operator(std::size_t column);

  const Column& column(std::size_t position) const { return columns_.columns()[position]; }

  const TrialColumns& columns_;
  FilterCursor cursor_;
  FilterValueParser values_;
  int depth_ = 0;
};

}  // namespace kernelscape::analysis
