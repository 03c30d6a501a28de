#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/graph/graph.h"
#include "core/graph/passes/rewriter.h"

namespace kernelscape::graph::passes {

/** Returns true for F32, F64, F16 and BF16. */
bool is_floating(ElementType type);

/**
 * Returns the bytes of elements in a type: floating-point numbers are rounded to nearest, ties to even;
 * integers are rounded and saturate.
 */
ConstantData encode(ElementType type, std::span<const double> elements);

/** Returns the element of a constant of one element; nullopt for other values and `absent`. Errors as
 * constant_doubles(). */
Result<std::optional<double>> scalar_constant(const Rewriter& rewriter, std::size_t value);

/**
 * Returns a constant's elements as a vector over an axis of a tensor: of a constant that, broadcast to the
 * tensor, depends on this axis only. nullopt for other values. Errors as constant_doubles().
 */
Result<std::optional<std::vector<double>>> vector_constant(const Rewriter& rewriter, std::size_t value,
                                                           const Shape& tensor, std::size_t axis);

/**
 * Returns integers: of a constant input at a position, or of an attribute if there is no such input. nullopt
 * if there is neither, or if the input is computed.
 */
Result<std::optional<std::vector<std::int64_t>>> integers_of(const Rewriter& rewriter, const Node& node,
                                                             std::string_view attribute, std::size_t input);

/** Returns axes as positions in a shape of a rank, ascending: negative ones count from the end. */
std::vector<std::size_t> positive_axes(std::span<const std::int64_t> axes, std::size_t rank);

/** Adds a constant vector of integers. */
std::size_t add_integers(Rewriter& rewriter, std::string name, std::span<const std::int64_t> elements);

/** Adds a transposed copy of a constant. Errors as constant_bytes(). */
Result<std::size_t> add_transposed(Rewriter& rewriter, std::size_t constant,
                                   std::span<const std::int64_t> permutation);

}  // namespace kernelscape::graph::passes
