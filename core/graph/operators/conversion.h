#pragma once

#include "core/graph/graph.h"
#include "core/graph/interpreter.h"

namespace kernelscape::graph {

/** Returns true for signed and unsigned integers; a Bool is none. */
bool is_integer(ElementType type);

/** The numbers of an integer type. */
struct IntegerRange {
  double lowest;
  double highest;
};

/** Returns the range of an integer type; that of 64 bits ends at the double next to it. */
IntegerRange range_of(ElementType type);

/** Returns an integer modulo the size of its type, as processors do; of 64 bits the nearest end of the range.
 */
double wrapped(ElementType type, double value);
/** Truncates and wraps the elements of an integer tensor; leaves those of other types. */
void wrap_integers(Tensor& tensor);

/** Returns the nearest number of an integer type's range; 0 for NaN. */
double saturated(ElementType type, double value);

/**
 * Returns a number as an element of another type: nearest (ties to even) of a floating-point type, with
 * infinity beyond its range; truncated and saturated as an integer; 0 or 1 as a Bool. Integers wrap around
 * when they become shorter ones.
 */
double converted(ElementType from, ElementType to, double value);

}  // namespace kernelscape::graph
