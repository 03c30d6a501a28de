#pragma once

#include <algorithm>
#include <functional>

#include "core/loop_nest/loop_nest.h"

namespace kernelscape::loop_nest {

using Rewrite = std::function<StatementPtr(const StatementPtr&)>;

/**
 * Returns the statement with `rewrite` applied to its direct parts: the same node if nothing changed, null if
 * nothing is left of it. Null parts are removed.
 */
StatementPtr rewrite_parts(const StatementPtr& statement, const Rewrite& rewrite);

/** Calls `visit` for every operation below. */
void for_each_compute(const StatementPtr& statement, const std::function<void(const Compute&)>& visit);

/** Replaces a variable by an expression everywhere below. */
StatementPtr substitute(const StatementPtr& statement, int variable, const IndexExpression& replacement,
                        const Ranges& ranges);

enum class Certainty : std::uint8_t { Always, Never, Open };

/** Returns what the ranges prove about a condition. */
Certainty decide(const Condition& condition, const Ranges& ranges);

/** std::ranges::contains, which GCC 12 lacks. */
template <typename Items, typename Item>
bool contains(const Items& items, const Item& item) {
  return std::ranges::find(items, item) != items.end();
}

/**
 * Returns a sequence of the statements that are not null; null if there is none. Nested sequences are
 * flattened, so that passes never recurse as deep as a body is long.
 */
StatementPtr make_sequence(const std::vector<StatementPtr>& statements);

}  // namespace kernelscape::loop_nest
