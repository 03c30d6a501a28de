#pragma once

#include <functional>
#include <span>
#include <vector>

#include "core/base/media/c_source.h"
#include "core/exchange/model/strided_loops.h"

namespace kernelscape::exchange {

/** A tensor that loops access: the C type of its elements and the address of its memory. */
struct LoopPointer {
  base::Literal type;
  base::CSourceText address;
  /// true: the memory of the first pointer; each element is read before it is written
  bool in_place = false;
};

/**
 * Returns the statements of a function of (part, parts) that executes a statement at every index of the
 * nests. The first pointer is written; `statement` gets the element that is written as an lvalue, and the
 * names of local variables that hold the elements read.
 */
base::CSourceText loop_text(
    std::span<const StridedNest> nests, std::span<const LoopPointer> pointers,
    const std::function<base::CSourceText(const std::vector<base::CSourceText>&)>& statement);

/**
 * Returns the statements of a function of (part, parts) that reduces one tensor: `begin` declares variables,
 * `statement` combines `v` into them at every index of the inner nests, `end` assigns to the given element.
 * Both nests have the views {result, operand}; the inner ones step only through the operand.
 */
base::CSourceText reduction_text(std::span<const StridedNest> outer, std::span<const StridedNest> inner,
                                 std::span<const LoopPointer> pointers, base::Literal begin,
                                 base::Literal statement, const base::CSourceText& end);

}  // namespace kernelscape::exchange
