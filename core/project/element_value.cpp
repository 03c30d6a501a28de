// A value in the memory format of an argument's element.
#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <limits>
#include <utility>

#include "core/project/reading.h"

namespace kernelscape::project {
namespace {

template <typename T>
std::string bytes_of(T value) {
  std::string bytes(sizeof(T), '\0');
  std::memcpy(bytes.data(), &value, sizeof(T));
  return bytes;
}

/** Converts to IEEE 754 binary16: rounds to nearest, ties to even; infinite from 65520 on. */
std::uint16_t half_bits(double value) {
  constexpr int min_exponent = -14;
  constexpr int fraction_bits = 10;
  constexpr int bias = 15;
  constexpr double first_infinite = 65520;
  const double magnitude = std::abs(value);
  const std::uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  if (magnitude >= first_infinite) return sign | 0x7C00;
  if (magnitude == 0) return sign;
  const int exponent = std::max(std::ilogb(magnitude), min_exponent);
  const auto units = static_cast<int>(std::nearbyint(std::ldexp(magnitude, fraction_bits - exponent)));
  // A rounding overflow carries into the exponent; subnormal values have no leading bit.
  return static_cast<std::uint16_t>(sign + ((exponent + bias - 1) << fraction_bits) + units);
}

template <std::integral T>
std::optional<std::string> integer_bytes(const PythonValue& value) {
  if (const auto* number = std::get_if<std::int64_t>(&value))
    return std::in_range<T>(*number) ? std::optional(bytes_of(static_cast<T>(*number))) : std::nullopt;
  if (const auto* truth = std::get_if<bool>(&value)) return bytes_of(static_cast<T>(*truth ? 1 : 0));
  const auto* real = std::get_if<double>(&value);
  // Both limits are powers of two, or one less, which a double rounds up.
  const double end = std::ldexp(1.0, std::numeric_limits<T>::digits);
  if (real == nullptr || std::trunc(*real) != *real || *real >= end ||
      *real < static_cast<double>(std::numeric_limits<T>::min()))
    return std::nullopt;
  return bytes_of(static_cast<T>(*real));
}

std::optional<double> double_of(const PythonValue& value) {
  if (const auto* real = std::get_if<double>(&value)) return *real;
  if (const auto* number = std::get_if<std::int64_t>(&value)) return static_cast<double>(*number);
  if (const auto* truth = std::get_if<bool>(&value)) return *truth ? 1 : 0;
  return std::nullopt;
}

}  // namespace

std::optional<std::string> element_of(ElementType type, const PythonValue& value) {
  const std::optional<double> real = double_of(value);
  if (!real || !std::isfinite(*real)) return std::nullopt;
  switch (type) {
    case ElementType::Bool:
      return *real == 0 || *real == 1 ? std::optional(bytes_of(*real == 1)) : std::nullopt;
    case ElementType::I8:
      return integer_bytes<std::int8_t>(value);
    case ElementType::U8:
      return integer_bytes<std::uint8_t>(value);
    case ElementType::I16:
      return integer_bytes<std::int16_t>(value);
    case ElementType::U16:
      return integer_bytes<std::uint16_t>(value);
    case ElementType::I32:
      return integer_bytes<std::int32_t>(value);
    case ElementType::U32:
      return integer_bytes<std::uint32_t>(value);
    case ElementType::I64:
      return integer_bytes<std::int64_t>(value);
    case ElementType::U64:
      return integer_bytes<std::uint64_t>(value);
    case ElementType::F16: {
      constexpr std::uint16_t infinite = 0x7C00;
      const std::uint16_t bits = half_bits(*real);
      return (bits & infinite) == infinite ? std::nullopt : std::optional(bytes_of(bits));
    }
    case ElementType::F32:
      if (std::abs(*real) > static_cast<double>(std::numeric_limits<float>::max())) return std::nullopt;
      return bytes_of(static_cast<float>(*real));
    case ElementType::F64:
      return bytes_of(*real);
  }
  return std::nullopt;
}

}  // namespace kernelscape::project
