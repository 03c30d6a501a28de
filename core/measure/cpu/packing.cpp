#include "core/measure/cpu/packing.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace kernelscape::measure {
namespace {

/** Converts a value to IEEE half precision, which must represent it exactly. */
std::uint16_t to_half(double value) {
  const std::uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  const double magnitude = std::fabs(value);
  if (std::isnan(value)) return 0x7e00;
  if (magnitude > 65504) return sign | 0x7c00;
  if (magnitude < 0x1p-14) return static_cast<std::uint16_t>(sign | static_cast<int>(magnitude * 0x1p24));
  int exponent = 0;
  const double fraction = std::frexp(magnitude, &exponent);  // in [0.5, 1)
  const int mantissa = static_cast<int>((fraction * 2 - 1) * 1024);
  return static_cast<std::uint16_t>(sign | ((exponent + 14) << 10) | mantissa);
}

double from_half(std::uint16_t bits) {
  const double sign = (bits & 0x8000) != 0 ? -1 : 1;
  const int exponent = (bits >> 10) & 0x1f;
  const int mantissa = bits & 0x3ff;
  if (exponent == 0x1f)
    return mantissa != 0 ? std::numeric_limits<double>::quiet_NaN()
                         : sign * std::numeric_limits<double>::infinity();
  if (exponent == 0) return sign * std::ldexp(mantissa, -24);
  return sign * std::ldexp(1024 + mantissa, exponent - 25);
}

std::uint16_t to_bfloat(double value) {
  return static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(static_cast<float>(value)) >> 16);
}

double from_bfloat(std::uint16_t bits) {
  return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16));
}

/** Calls visit(stored type, to_stored(double), from_stored) for an element type. */
template <typename Visitor>
auto with_type(task::ScalarType type, Visitor visit) {
  const auto plain = [&]<typename Stored>(Stored) {
    return visit([](double value) { return static_cast<Stored>(value); },
                 [](Stored stored) { return static_cast<double>(stored); }, Stored{});
  };
  switch (type) {
    case task::ScalarType::F16:
      return visit(to_half, from_half, std::uint16_t{});
    case task::ScalarType::BF16:
      return visit(to_bfloat, from_bfloat, std::uint16_t{});
    case task::ScalarType::F64:
      return plain(double{});
    case task::ScalarType::I8:
      return plain(std::int8_t{});
    case task::ScalarType::U8:
      return plain(std::uint8_t{});
    case task::ScalarType::I32:
      return plain(std::int32_t{});
    case task::ScalarType::F32:
      break;
  }
  return plain(float{});
}

template <typename Stored>
Stored load(std::span<const std::byte> packed, std::int64_t offset) {
  Stored stored;
  std::memcpy(&stored, packed.data() + static_cast<std::size_t>(offset) * sizeof(Stored), sizeof(Stored));
  return stored;
}

/** Returns the bytes of one unwritten element. */
std::span<const unsigned char> unwritten_pattern(task::ScalarType type) {
  static constexpr unsigned char f16[] = {0xad, 0x7e};
  static constexpr unsigned char bf16[] = {0xed, 0x7f};
  static constexpr unsigned char f32[] = {0xad, 0xde, 0xed, 0x7f};
  static constexpr unsigned char f64[] = {0xad, 0xde, 0xef, 0xbe, 0xad, 0xde, 0xfa, 0x7f};
  static constexpr unsigned char i8[] = {0x93};
  static constexpr unsigned char i32[] = {0xad, 0xde, 0xed, 0x87};
  switch (type) {
    case task::ScalarType::F16:
      return f16;
    case task::ScalarType::BF16:
      return bf16;
    case task::ScalarType::F32:
      return f32;
    case task::ScalarType::F64:
      return f64;
    case task::ScalarType::I8:
    case task::ScalarType::U8:
      return i8;
    case task::ScalarType::I32:
      break;
  }
  return i32;
}

}  // namespace

std::size_t packed_bytes(task::ScalarType type, const loop_nest::Layout& layout) {
  return static_cast<std::size_t>(layout.physical_count()) * static_cast<std::size_t>(task::bytes_of(type));
}

Result<std::vector<std::int64_t>> checked_offsets(const loop_nest::Layout& layout) {
  std::vector<std::int64_t> offsets = loop_nest::physical_offsets(layout);
  const std::int64_t count = layout.physical_count();
  const auto outside = std::ranges::find_if(offsets, [&](std::int64_t o) { return o < 0 || o >= count; });
  if (outside == offsets.end()) return offsets;
  return fail(ErrorCode::Internal,
              fmt::format("the layout {} of {} elements has an element at {}", layout.name, count, *outside));
}

void pack(task::ScalarType type, std::span<const double> values, std::span<const std::int64_t> offsets,
          std::span<std::byte> packed) {
  std::ranges::fill(packed, std::byte{0});
  with_type(type, [&](auto to_stored, auto, auto kind) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      const decltype(kind) stored = to_stored(values[i]);
      std::memcpy(packed.data() + static_cast<std::size_t>(offsets[i]) * sizeof stored, &stored,
                  sizeof stored);
    }
  });
}

std::vector<double> unpack(task::ScalarType type, std::span<const std::byte> packed,
                           std::span<const std::int64_t> offsets) {
  std::vector<double> values(offsets.size());
  with_type(type, [&](auto, auto from_stored, auto kind) {
    for (std::size_t i = 0; i < offsets.size(); ++i) {
      values[i] = from_stored(load<decltype(kind)>(packed, offsets[i]));
    }
  });
  return values;
}

void fill_unwritten(task::ScalarType type, std::span<std::byte> packed) {
  const auto pattern = unwritten_pattern(type);
  const std::size_t first = std::min(pattern.size(), packed.size());
  for (std::size_t i = 0; i < first; ++i) packed[i] = std::byte{pattern[i]};
  // The filled part, a whole number of patterns, is copied behind itself.
  for (std::size_t filled = first; filled < packed.size();) {
    const std::size_t more = std::min(filled, packed.size() - filled);
    std::memcpy(packed.data() + filled, packed.data(), more);
    filled += more;
  }
}

std::int64_t count_unwritten(task::ScalarType type, std::span<const std::byte> packed,
                             std::span<const std::int64_t> offsets) {
  const auto pattern = unwritten_pattern(type);
  return std::ranges::count_if(offsets, [&](std::int64_t offset) {
    return std::memcmp(packed.data() + static_cast<std::size_t>(offset) * pattern.size(), pattern.data(),
                       pattern.size()) == 0;
  });
}

}  // namespace kernelscape::measure
