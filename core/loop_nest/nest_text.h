#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/loop_nest/loop_nest.h"

namespace kernelscape {

/**
 * Where a statement of a loop nest stands in its text, and how often it runs. Statements are numbered in
 * preorder: the body first, each before its parts, parts in order; a statement that stands in two places has
 * two numbers.
 */
struct StatementPlace {
  int line = 0;  ///< of to_text, from 1; that of the statement around it where it has none of its own
  double executions = 1;     ///< in one call of the whole kernel, all parts or all threads of the launch
  double multiply_adds = 0;  ///< of all these executions, lanes counted; 0 of what multiplies nothing
  bool exact = true;         ///< false inside a condition: the numbers are then the most that they can be
};

/** to_text of a loop nest, and its statements' places by number. */
struct NestText {
  std::string text;
  std::vector<StatementPlace> statements;
};

/** The text of a loop nest with the place of each statement. */
NestText nest_text(const LoopNest& nest);

/** How many numbers a statement takes: itself and all in it. */
int count_statements(const StatementPtr& statement);

}  // namespace kernelscape
