#include "core/graph/operators/conversion.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace kernelscape::graph {

namespace {

/** Returns the nearest number with so many significant bits. @param last_exponent of the smallest number */
double with_significant_bits(double value, int bits, int last_exponent, double largest) {
  if (!std::isfinite(value) || value == 0) return value;
  int exponent = 0;
  std::frexp(value, &exponent);
  const int last = std::max(exponent - bits, last_exponent);
  const double nearest = std::ldexp(std::nearbyint(std::ldexp(value, -last)), last);
  return std::abs(nearest) > largest ? std::copysign(std::numeric_limits<double>::infinity(), value)
                                     : nearest;
}

/** Returns the nearest number of a floating-point type. */
double nearest_float(ElementType type, double value) {
  if (type == ElementType::F32)
    return with_significant_bits(value, 24, -149, static_cast<double>(std::numeric_limits<float>::max()));
  if (type == ElementType::F16) return with_significant_bits(value, 11, -24, 65504);
  if (type == ElementType::BF16) return with_significant_bits(value, 8, -133, 0x1.fep127);
  return value;
}

}  // namespace

bool is_integer(ElementType type) {
  return type != ElementType::F32 && type != ElementType::F64 && type != ElementType::F16 &&
         type != ElementType::BF16 && type != ElementType::Bool;
}

IntegerRange range_of(ElementType type) {
  const bool is_signed = type == ElementType::I8 || type == ElementType::I16 || type == ElementType::I32 ||
                         type == ElementType::I64;
  const auto bits = static_cast<int>(8 * bytes_of(type));
  const double values = std::ldexp(1.0, bits);
  return is_signed ? IntegerRange{-values / 2, values / 2 - 1} : IntegerRange{0, values - 1};
}

double wrapped(ElementType type, double value) {
  const IntegerRange range = range_of(type);
  if (bytes_of(type) == 8 || !std::isfinite(value)) return saturated(type, value);
  const double values = range.highest - range.lowest + 1;
  return value - values * std::floor((value - range.lowest) / values);
}

void wrap_integers(Tensor& tensor) {
  if (!is_integer(tensor.type)) return;
  for (double& element : tensor.elements) element = wrapped(tensor.type, std::trunc(element));
}

double saturated(ElementType type, double value) {
  if (std::isnan(value)) return 0;
  const IntegerRange range = range_of(type);
  return std::clamp(value, range.lowest, range.highest);
}

double converted(ElementType from, ElementType to, double value) {
  if (to == ElementType::Bool) return value != 0 ? 1 : 0;
  if (!is_integer(to)) return nearest_float(to, value);
  return is_integer(from) ? wrapped(to, value) : saturated(to, std::trunc(value));
}

}  // namespace kernelscape::graph
