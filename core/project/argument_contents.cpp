#include "core/project/argument_contents.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "core/base/random.h"

namespace kernelscape::project {
namespace {

#if defined(__FLT16_MAX__)
using Half = _Float16;
#else
#error "a compiler without _Float16 can't hold the elements of half arguments"
#endif

/** Calls visit(Type{}) with the C++ type of the elements. */
template <typename Visit>
auto with_element(ElementType type, const Visit& visit) {
  switch (type) {
    case ElementType::Bool:
    case ElementType::U8:
      return visit(std::uint8_t{});
    case ElementType::I8:
      return visit(std::int8_t{});
    case ElementType::I16:
      return visit(std::int16_t{});
    case ElementType::U16:
      return visit(std::uint16_t{});
    case ElementType::I32:
      return visit(std::int32_t{});
    case ElementType::U32:
      return visit(std::uint32_t{});
    case ElementType::I64:
      return visit(std::int64_t{});
    case ElementType::U64:
      return visit(std::uint64_t{});
    case ElementType::F16:
      return visit(Half{});
    case ElementType::F32:
      return visit(float{});
    case ElementType::F64:
      break;
  }
  return visit(double{});
}

template <typename T>
T element_at(std::span<const std::byte> bytes, std::size_t index) {
  T value;
  std::memcpy(&value, bytes.data() + index * sizeof(T), sizeof(T));
  return value;
}

template <typename T>
void set_element(std::span<std::byte> bytes, std::size_t index, T value) {
  std::memcpy(bytes.data() + index * sizeof(T), &value, sizeof(T));
}

template <typename T, typename Make>
void fill_elements(std::span<std::byte> into, const Make& make) {
  for (std::size_t index = 0; index < into.size() / sizeof(T); ++index)
    set_element<T>(into, index, make(index));
}

template <typename T>
T drawn_element(base::Random& random, double end) {
  if constexpr (std::is_integral_v<T>) {
    // A limit of 2^64 or more uses all bits.
    constexpr double beyond = 0x1p64;
    return static_cast<T>(end < beyond
                              ? random.below(std::max<std::uint64_t>(static_cast<std::uint64_t>(end), 1))
                              : random.bits());
  } else {
    const auto bound = static_cast<T>(end);
    const auto value = static_cast<T>(random.uniform() * end);
    // A value that would round to the limit would not be below it.
    return value < bound ? value : T(0);
  }
}

template <typename T>
T ramp_element(double start, std::size_t index) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(static_cast<std::uint64_t>(static_cast<std::int64_t>(start)) + index);
  else
    return static_cast<T>(start + static_cast<double>(index));
}

template <typename T>
void fill_as(const ArgumentFill& fill, std::span<std::byte> into) {
  switch (fill.kind) {
    case FillKind::Constant:
      fill_elements<T>(into, [&](std::size_t) { return static_cast<T>(fill.value); });
      return;
    case FillKind::Ramp:
      fill_elements<T>(into, [&](std::size_t index) { return ramp_element<T>(fill.value, index); });
      return;
    case FillKind::Random: {
      base::Random random(fill.seed);
      fill_elements<T>(into, [&](std::size_t) { return drawn_element<T>(random, fill.value); });
      return;
    }
    case FillKind::Bytes:
      std::memcpy(into.data(), fill.bytes.data(), std::min(fill.bytes.size(), into.size()));
      return;
  }
}

/** Returns |a - b| without overflow. */
template <typename T>
double distance(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    // NOLINTNEXTLINE(bugprone-signed-char-misuse): signs are meant: the difference is modulo 2^64
    const auto larger = static_cast<std::uint64_t>(std::max(a, b));
    return static_cast<double>(larger - static_cast<std::uint64_t>(std::min(a, b)));
  } else {
    // Two infinities of the same sign are equal.
    return a == b ? 0 : std::fabs(static_cast<double>(a) - static_cast<double>(b));
  }
}

template <typename T>
std::string number_text(T value) {
  if constexpr (std::is_integral_v<T>)
    return fmt::format("{}", +value);
  else
    return fmt::format("{:.9g}", static_cast<double>(value));
}

/** Collects wrong elements. */
struct WrongElements {
  std::size_t count = 0;
  std::size_t worst = 0;
  double worst_error = -1;

  void add(std::size_t index, double error) {
    ++count;
    if (error <= worst_error) return;
    worst = index;
    worst_error = error;
  }
};

template <typename T>
ArgumentComparison compare_as(const ProgramArgument& argument, std::span<const std::byte> right,
                              std::span<const std::byte> actual) {
  ArgumentComparison comparison;
  WrongElements wrong;
  const std::size_t elements = right.size() / sizeof(T);
  std::size_t unwritten = 0;
  T blank;
  fill_unwritten_argument(argument, std::as_writable_bytes(std::span(&blank, 1)));
  for (std::size_t index = 0; index < elements; ++index) {
    const T expected = element_at<T>(right, index);
    const T found = element_at<T>(actual, index);
    const double error = distance(found, expected);
    const double allowed =
        argument.tolerance.absolute + argument.tolerance.relative * std::fabs(static_cast<double>(expected));
    const double finite = std::isfinite(error) ? error : std::numeric_limits<double>::max();
    comparison.worst_error = std::max(comparison.worst_error, finite);
    if (error <= allowed) continue;  // a NaN is not equal to itself
    wrong.add(index, finite);
    // NOLINTNEXTLINE(bugprone-suspicious-memory-comparison): the very bytes are asked for
    if (std::memcmp(&found, &blank, sizeof(T)) == 0) ++unwritten;
  }
  if (wrong.count == 0) return comparison;
  comparison.problem = fmt::format("{} of {} elements of {} are wrong; the worst is {}[{}]: {} instead of {}",
                                   wrong.count, elements, argument.name, argument.name, wrong.worst,
                                   number_text(element_at<T>(actual, wrong.worst)),
                                   number_text(element_at<T>(right, wrong.worst)));
  if (unwritten > 0) comparison.problem += fmt::format("; {} elements were not written", unwritten);
  return comparison;
}

}  // namespace

void fill_argument(const ProgramArgument& argument, std::span<std::byte> into) {
  if (argument.memory == ArgumentMemory::Local) return;
  with_element(argument.type, [&]<typename T>(T) { fill_as<T>(argument.fill, into); });
}

void fill_unwritten_argument(const ProgramArgument& argument, std::span<std::byte> into) {
  const auto repeat = [into]<typename Bits>(Bits bits) {
    fill_elements<Bits>(into, [bits](std::size_t) { return bits; });
  };
  switch (argument.type) {
    case ElementType::F16:
      return repeat(std::uint16_t{0x7EAD});
    case ElementType::F32:
      return repeat(std::uint32_t{0x7FEDCBA9});
    case ElementType::F64:
      return repeat(std::uint64_t{0x7FFDCBA987654321});
    default:
      break;
  }
  std::ranges::fill(into, std::byte{0xA9});
}

ArgumentComparison compare_argument(const ProgramArgument& argument, std::span<const std::byte> right,
                                    std::span<const std::byte> actual) {
  return with_element(argument.type, [&]<typename T>(T) { return compare_as<T>(argument, right, actual); });
}

std::string describe_no_number(const ProgramArgument& argument, std::span<const std::byte> bytes) {
  return with_element(argument.type, [&]<typename T>(T) -> std::string {
    if constexpr (!std::is_integral_v<T>) {
      for (std::size_t index = 0; index < bytes.size() / sizeof(T); ++index) {
        const T value = element_at<T>(bytes, index);
        if (std::isnan(static_cast<double>(value))) return fmt::format("{}[{}] is nan", argument.name, index);
      }
    }
    return {};
  });
}

}  // namespace kernelscape::project
