#include "core/graph/passes/constants.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <utility>

namespace kernelscape::graph::passes {
namespace {

/** Returns the bits of a number in a format of 16 bits, rounded to nearest, ties to even. */
std::uint16_t encode_short_float(double number, int fraction_bits, int bias) {
  const std::uint32_t sign = std::signbit(number) ? 0x8000U : 0U;
  const std::uint32_t infinity = static_cast<std::uint32_t>(2 * bias + 1) << fraction_bits;
  std::uint32_t bits = 0;
  if (std::isnan(number)) {
    bits = infinity + 1;
  } else if (std::isinf(number)) {
    bits = infinity;
  } else if (number != 0) {
    const double magnitude = std::abs(number);
    const int exponent = std::max(std::ilogb(magnitude), 1 - bias);
    // The leading bit of a normal number adds one to the exponent; one that overflows does, too.
    const auto fraction =
        static_cast<std::uint64_t>(std::nearbyint(std::ldexp(magnitude, fraction_bits - exponent)));
    const std::uint64_t wide = (static_cast<std::uint64_t>(exponent + bias - 1) << fraction_bits) + fraction;
    bits = static_cast<std::uint32_t>(std::min<std::uint64_t>(wide, infinity));
  }
  return static_cast<std::uint16_t>(sign | bits);
}

template <typename To>
To saturated(double number) {
  const double rounded = std::nearbyint(number);
  if (!(rounded > static_cast<double>(std::numeric_limits<To>::min()))) return std::numeric_limits<To>::min();
  if (rounded >= static_cast<double>(std::numeric_limits<To>::max())) return std::numeric_limits<To>::max();
  return static_cast<To>(rounded);
}

template <typename To, typename Convert>
ConstantData encode_all(std::span<const double> elements, const Convert& convert) {
  std::vector<std::byte> bytes(elements.size() * sizeof(To));
  for (std::size_t i = 0; i < elements.size(); ++i) {
    const To element = convert(elements[i]);
    std::memcpy(bytes.data() + i * sizeof(To), &element, sizeof(To));
  }
  return std::make_shared<const std::vector<std::byte>>(std::move(bytes));
}

}  // namespace

bool is_floating(ElementType type) {
  return type == ElementType::F32 || type == ElementType::F64 || type == ElementType::F16 ||
         type == ElementType::BF16;
}

ConstantData encode(ElementType type, std::span<const double> elements) {
  switch (type) {
    case ElementType::F32:
      return encode_all<float>(elements, [](double x) { return static_cast<float>(x); });
    case ElementType::F64:
      return encode_all<double>(elements, [](double x) { return x; });
    case ElementType::F16:
      return encode_all<std::uint16_t>(elements, [](double x) { return encode_short_float(x, 10, 15); });
    case ElementType::BF16:
      return encode_all<std::uint16_t>(elements, [](double x) { return encode_short_float(x, 7, 127); });
    case ElementType::I8:
      return encode_all<std::int8_t>(elements, saturated<std::int8_t>);
    case ElementType::U8:
      return encode_all<std::uint8_t>(elements, saturated<std::uint8_t>);
    case ElementType::I16:
      return encode_all<std::int16_t>(elements, saturated<std::int16_t>);
    case ElementType::U16:
      return encode_all<std::uint16_t>(elements, saturated<std::uint16_t>);
    case ElementType::I32:
      return encode_all<std::int32_t>(elements, saturated<std::int32_t>);
    case ElementType::U32:
      return encode_all<std::uint32_t>(elements, saturated<std::uint32_t>);
    case ElementType::I64:
      return encode_all<std::int64_t>(elements, saturated<std::int64_t>);
    case ElementType::U64:
      return encode_all<std::uint64_t>(elements, saturated<std::uint64_t>);
    case ElementType::Bool:
      break;
  }
  return encode_all<std::uint8_t>(elements, [](double x) { return static_cast<std::uint8_t>(x != 0); });
}

Result<std::optional<double>> scalar_constant(const Rewriter& rewriter, std::size_t value) {
  if (!rewriter.is_constant(value) || element_count(rewriter.value(value).shape) != 1)
    return std::optional<double>{};
  const std::vector<double> elements = TRY(constant_doubles(rewriter.value(value)));
  return std::optional(elements.front());
}

Result<std::optional<std::vector<double>>> vector_constant(const Rewriter& rewriter, std::size_t value,
                                                           const Shape& tensor, std::size_t axis) {
  if (!rewriter.is_constant(value)) return std::optional<std::vector<double>>{};
  const Shape& shape = rewriter.value(value).shape;
  if (shape.size() > tensor.size()) return std::optional<std::vector<double>>{};
  const std::size_t first = tensor.size() - shape.size();
  for (std::size_t i = 0; i < shape.size(); ++i)
    if (shape[i] != 1 && (first + i != axis || shape[i] != tensor[axis]))
      return std::optional<std::vector<double>>{};
  std::vector<double> elements = TRY(constant_doubles(rewriter.value(value)));
  if (elements.size() == 1) elements.assign(static_cast<std::size_t>(tensor[axis]), double{elements.front()});
  return std::optional(std::move(elements));
}

Result<std::optional<std::vector<std::int64_t>>> integers_of(const Rewriter& rewriter, const Node& node,
                                                             std::string_view attribute, std::size_t input) {
  std::optional<std::vector<std::int64_t>> integers;
  if (input < node.inputs.size() && node.inputs[input] != absent) {
    if (rewriter.is_constant(node.inputs[input]))
      integers = TRY(constant_integers(rewriter.value(node.inputs[input])));
  } else if (const auto found = node.attributes.find(std::string(attribute));
             found != node.attributes.end()) {
    if (const auto* values = std::get_if<std::vector<std::int64_t>>(&found->second)) integers = *values;
  }
  return integers;
}

std::vector<std::size_t> positive_axes(std::span<const std::int64_t> axes, std::size_t rank) {
  std::vector<std::size_t> positive;
  for (const std::int64_t axis : axes)
    positive.push_back(static_cast<std::size_t>(axis < 0 ? axis + static_cast<std::int64_t>(rank) : axis));
  std::ranges::sort(positive);
  return positive;
}

std::size_t add_integers(Rewriter& rewriter, std::string name, std::span<const std::int64_t> elements) {
  const auto* begin = reinterpret_cast<const std::byte*>(elements.data());
  return rewriter.add_constant(
      std::move(name), ElementType::I64, {static_cast<std::int64_t>(elements.size())},
      std::make_shared<const std::vector<std::byte>>(begin, begin + elements.size_bytes()));
}

Result<std::size_t> add_transposed(Rewriter& rewriter, std::size_t constant,
                                   std::span<const std::int64_t> permutation) {
  const Value& value = rewriter.value(constant);
  const auto bytes = TRY(constant_bytes(value));
  const std::size_t rank = value.shape.size();
  const auto width = static_cast<std::size_t>(bytes_of(value.type));
  std::vector<std::size_t> strides(rank, width);
  for (std::size_t i = rank; i > 1; --i)
    strides[i - 2] = strides[i - 1] * static_cast<std::size_t>(value.shape[i - 1]);
  Shape shape;
  std::vector<std::size_t> steps;
  for (const std::int64_t axis : permutation) {
    shape.push_back(value.shape[static_cast<std::size_t>(axis)]);
    steps.push_back(strides[static_cast<std::size_t>(axis)]);
  }
  std::vector<std::byte> result(bytes->size());
  std::vector<std::int64_t> position(rank, 0);
  std::size_t from = 0;
  for (std::size_t to = 0; to < result.size(); to += width) {
    std::memcpy(result.data() + to, bytes->data() + from, width);
    for (std::size_t axis = rank; axis-- > 0;) {
      from += steps[axis];
      if (++position[axis] < shape[axis]) break;
      from -= steps[axis] * static_cast<std::size_t>(shape[axis]);
      position[axis] = 0;
    }
  }
  std::string name = value.name + " transposed";
  return rewriter.add_constant(std::move(name), value.type, std::move(shape),
                               std::make_shared<const std::vector<std::byte>>(std::move(result)));
}

}  // namespace kernelscape::graph::passes
