#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/graph/passes/rewriter.h"

namespace kernelscape::graph::passes {

/** The reduction of an operand over axes. */
struct Reduction {
  std::size_t node = absent;
  std::size_t operand = absent;
  std::vector<std::size_t> axes;  ///< ascending
  bool keeps_axes = true;
};

/** Returns the reduction of this operator that writes a value; nullopt if none does, or if its axes are
 * computed. */
Result<std::optional<Reduction>> match_reduction(const Rewriter& rewriter, std::size_t value,
                                                 std::string_view operation);

}  // namespace kernelscape::graph::passes
