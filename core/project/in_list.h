#pragma once

#include <algorithm>
#include <functional>
#include <ranges>

namespace kernelscape::project {

/**
 * Returns true if an element of the list, or its projection, equals the value. Replaces C++23's
 * std::ranges::contains, which GCC 12 lacks.
 */
template <std::ranges::forward_range List, typename Value, typename Projection = std::identity>
bool in_list(const List& list, const Value& value, Projection projection = {}) {
  return std::ranges::find(list, value, projection) != std::ranges::end(list);
}

}  // namespace kernelscape::project
