#pragma once

#include <algorithm>
#include <functional>
#include <ranges>

namespace kernelscape {

/** Whether one of a list equals the value, or is called so: C++23's std::ranges::contains, which GCC 12
 * lacks. */
template <std::ranges::forward_range List, typename Value, typename Projection = std::identity>
bool in_list(const List& list, const Value& value, Projection projection = {}) {
  return std::ranges::find(list, value, projection) != std::ranges::end(list);
}

}  // namespace kernelscape
