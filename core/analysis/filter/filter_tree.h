#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "core/analysis/columns.h"

namespace kernelscape::analysis {

struct FilterNode;

enum class ComparisonOperator : std::uint8_t { Equal, NotEqual, Less, LessOrEqual, Greater, GreaterOrEqual };

/** Compares a column with a number in the column's unit, or with the position of a label. */
struct ValueTest {
  std::size_t column = 0;
  ComparisonOperator comparison = ComparisonOperator::Equal;
  double value = 0;
};

/** Compares a column with another, whose values times `factor` are in the unit of the first. */
struct ColumnTest {
  std::size_t column = 0;
  ComparisonOperator comparison = ComparisonOperator::Equal;
  std::size_t other = 0;
  double factor = 1;
};

/** An interval that includes both ends. */
struct ValueInterval {
  double low = 0;
  double high = 0;
};

struct MemberTest {
  std::size_t column = 0;
  bool negated = false;
  std::vector<ValueInterval> items = {};
};

/**
 * A conjunction (All) or disjunction (Any) of its parts, or the negation (None) of its only part. All without
 * parts passes everything.
 */
struct Junction {
  enum class Kind : std::uint8_t { All, Any, None };
  Kind kind = Kind::All;
  std::vector<FilterNode> parts;
};

/** A parsed filter; columns are referred to by position. */
struct FilterNode {
  std::variant<ValueTest, ColumnTest, MemberTest, Junction> content;
};

/**
 * Returns true if the labels of the column are named numbers with an order: error categories and truth
 * values.
 */
bool has_numbered_labels(const Column& column);

/** Returns true if the column can be a condition by itself. */
bool is_truth(const Column& column);

/** Returns true if the column has the error categories. */
bool is_error(const Column& column);

}  // namespace kernelscape::analysis
