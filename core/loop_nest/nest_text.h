#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/loop_nest/loop_nest.h"

namespace kernelscape::loop_nest {

/**
 * The position of a statement in the text of its loop nest, and its number of executions. Statements are
 * numbered in preorder: the body first, each before its parts, parts in order. A statement that occurs in two
 * places has two numbers.
 */
struct StatementPlace {
  int line = 0;  ///< line of to_text, from 1; for a statement without a line, that of the enclosing statement
  double executions = 1;     ///< per call of the whole kernel, over all parts or all threads of the launch
  double multiply_adds = 0;  ///< over all executions, counting lanes; 0 if the statement multiplies nothing
  bool exact = true;         ///< false inside a condition: the numbers are then upper bounds
};

/** The text of a loop nest (to_text), and its statements' places by number. */
struct NestText {
  std::string text;
  std::vector<StatementPlace> statements;
};

/** Returns the text of a loop nest with the place of each statement. */
NestText nest_text(const LoopNest& nest);

/** Returns how many numbers a statement takes: one for itself and one for each statement inside it. */
int count_statements(const StatementPtr& statement);

}  // namespace kernelscape::loop_nest
