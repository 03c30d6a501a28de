#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "core/analysis/columns.h"

namespace kernelscape {

struct FilterNode;

enum class ComparisonOperator : std::uint8_t { Equal, NotEqual, Less, LessOrEqual, Greater, GreaterOrEqual };

/** A column with a number in its own unit, or with the position of a label. */
struct ValueTest {
  std::size_t column = 0;
  ComparisonOperator comparison = ComparisonOperator::Equal;
  double value = 0;
};

/** A column with another, whose values times `factor` are in the unit of the first. */
struct ColumnTest {
  std::size_t column = 0;
  ComparisonOperator comparison = ComparisonOperator::Equal;
  std::size_t other = 0;
  double factor = 1;
};

/** Both ends included. */
struct ValueInterval {
  double low = 0;
  double high = 0;
};

struct MemberTest {
  std::size_t column = 0;
  bool negated = false;
  std::vector<ValueInterval> items = {};
};

/** All or any of its parts; None of its only part. All of no parts passes everything. */
struct Junction {
  enum class Kind : std::uint8_t { All, Any, None };
  Kind kind = Kind::All;
  std::vector<FilterNode> parts;
};

/** A parsed filter; columns by their position. */
struct FilterNode {
  std::variant<ValueTest, ColumnTest, MemberTest, Junction> content;
};

/** Whether its labels are numbers with names, in an order: error categories and truths. */
bool has_numbered_labels(const Column& column);

/** Whether it can be a condition by itself. */
bool is_truth(const Column& column);

/** Whether it has the error categories. */
bool is_error(const Column& column);

}  // namespace kernelscape
