#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <bit>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <limits>
#include <span>

#include "core/base/read_file.h"
#include "core/base/visible_text.h"
#include "core/graph/graph.h"

namespace kernelscape::graph {
namespace {

static_assert(std::endian::native == std::endian::little, "constants are stored little-endian");

std::unexpected<Error> bad_constant(const Value& value, std::string_view why, std::string hint = {}) {
  return fail(ErrorCode::InvalidArgument,
              fmt::format("the constant {} {}", base::quoted_line(value.name), why), std::move(hint));
}

/** Opens the file of a constant. It is not waited for: a pipe may have taken the place of the file. */
Result<base::ReadableFile> open_constant_file(const FileRange& range) {
  const int no_links = range.identity ? O_NOFOLLOW : 0;
  const int descriptor = open(range.file.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC | no_links);
  if (descriptor < 0) return base::cannot_read_file(range.file, errno);
  return base::ReadableFile(descriptor);
}

/** Reads a part of a file; the error names the constant and the file. */
Result<std::vector<std::byte>> read_file_range(const Value& value, const FileRange& range) {
  base::ReadableFile file = TRY(open_constant_file(range));
  const auto changed = [&](std::string_view why) {
    return fail(ErrorCode::Corrupt,
                fmt::format("the constant {} cannot be read from {}: {}", base::quoted_line(value.name),
                            range.file.string(), why),
                "Check whether the file was changed since the model was opened, and open the model again.");
  };
  struct stat status{};
  if (fstat(file.descriptor(), &status) != 0) return changed(std::strerror(errno));
  const auto length = static_cast<std::uint64_t>(status.st_size);
  if (!S_ISREG(status.st_mode)) return changed("it is not a file");
  if (range.offset > length || range.byte_count > length - range.offset)
    return changed(fmt::format("it has only {} bytes", length));
  if (range.identity && *range.identity != identity_of(status))
    return changed("it was written or replaced since the model was opened");
  if (lseek(file.descriptor(), static_cast<off_t>(range.offset), SEEK_SET) < 0)
    return changed(std::strerror(errno));
  std::vector<std::byte> bytes(range.byte_count);
  const auto count = file.read(std::span(reinterpret_cast<char*>(bytes.data()), bytes.size()));
  if (!count) return changed(std::strerror(count.error()));
  if (*count != bytes.size()) return changed("it became shorter");
  return bytes;
}

template <typename To, typename From>
std::vector<To> convert_elements(const std::vector<std::byte>& bytes) {
  std::vector<To> numbers(bytes.size() / sizeof(From));
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    From element{};
    std::memcpy(&element, bytes.data() + i * sizeof(From), sizeof(From));
    numbers[i] = static_cast<To>(element);
  }
  return numbers;
}

template <typename To>
std::vector<To> convert_bools(const std::vector<std::byte>& bytes) {
  std::vector<To> numbers(bytes.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = bytes[i] != std::byte{0} ? To{1} : To{0};
  return numbers;
}

/** Returns the value of an IEEE 754 number of 16 bits. */
double decode_half(std::uint16_t bits) {
  constexpr int fraction_bits = 10;
  constexpr int bias = 15;
  constexpr int largest_exponent = 31;
  const double sign = (bits & 0x8000U) != 0 ? -1.0 : 1.0;
  const int exponent = (bits >> fraction_bits) & 0x1f;
  const int fraction = bits & 0x3ff;
  if (exponent == largest_exponent)
    return fraction == 0 ? sign * std::numeric_limits<double>::infinity()
                         : std::numeric_limits<double>::quiet_NaN();
  if (exponent == 0) return sign * std::ldexp(fraction, 1 - bias - fraction_bits);
  return sign * std::ldexp((1 << fraction_bits) + fraction, exponent - bias - fraction_bits);
}

double decode_bfloat(std::uint16_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

template <double (*decode)(std::uint16_t)>
std::vector<double> decode_all(const std::vector<std::byte>& bytes) {
  std::vector<double> numbers(bytes.size() / sizeof(std::uint16_t));
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    std::uint16_t bits = 0;
    std::memcpy(&bits, bytes.data() + i * sizeof bits, sizeof bits);
    numbers[i] = decode(bits);
  }
  return numbers;
}

}  // namespace

Result<std::shared_ptr<const std::vector<std::byte>>> constant_bytes(const Value& value) {
  if (!value.constant) return bad_constant(value, "is asked for, but it is computed");
  std::shared_ptr<const std::vector<std::byte>> bytes;
  if (const auto* range = std::get_if<FileRange>(&value.data)) {
    bytes = std::make_shared<const std::vector<std::byte>>(TRY(read_file_range(value, *range)));
  } else {
    bytes = std::get<std::shared_ptr<const std::vector<std::byte>>>(value.data);
  }
  const auto wanted = static_cast<std::size_t>(element_count(value.shape) * bytes_of(value.type));
  if (bytes == nullptr || bytes->size() != wanted)
    return bad_constant(value, fmt::format("has {} bytes, but its shape needs {}",
                                           bytes == nullptr ? 0 : bytes->size(), wanted));
  return bytes;
}

Result<std::vector<double>> constant_doubles(const Value& value) {
  const std::shared_ptr<const std::vector<std::byte>> bytes = TRY(constant_bytes(value));
  switch (value.type) {
    case ElementType::F32:
      return convert_elements<double, float>(*bytes);
    case ElementType::F64:
      return convert_elements<double, double>(*bytes);
    case ElementType::F16:
      return decode_all<decode_half>(*bytes);
    case ElementType::BF16:
      return decode_all<decode_bfloat>(*bytes);
    case ElementType::I8:
      return convert_elements<double, std::int8_t>(*bytes);
    case ElementType::U8:
      return convert_elements<double, std::uint8_t>(*bytes);
    case ElementType::I16:
      return convert_elements<double, std::int16_t>(*bytes);
    case ElementType::U16:
      return convert_elements<double, std::uint16_t>(*bytes);
    case ElementType::I32:
      return convert_elements<double, std::int32_t>(*bytes);
    case ElementType::U32:
      return convert_elements<double, std::uint32_t>(*bytes);
    case ElementType::I64:
      return convert_elements<double, std::int64_t>(*bytes);
    case ElementType::U64:
      return convert_elements<double, std::uint64_t>(*bytes);
    case ElementType::Bool:
      return convert_bools<double>(*bytes);
  }
  return bad_constant(value, "has an unknown type");
}

Result<std::vector<std::int64_t>> constant_integers(const Value& value) {
  const std::shared_ptr<const std::vector<std::byte>> bytes = TRY(constant_bytes(value));
  switch (value.type) {
    case ElementType::I8:
      return convert_elements<std::int64_t, std::int8_t>(*bytes);
    case ElementType::U8:
      return convert_elements<std::int64_t, std::uint8_t>(*bytes);
    case ElementType::I16:
      return convert_elements<std::int64_t, std::int16_t>(*bytes);
    case ElementType::U16:
      return convert_elements<std::int64_t, std::uint16_t>(*bytes);
    case ElementType::I32:
      return convert_elements<std::int64_t, std::int32_t>(*bytes);
    case ElementType::U32:
      return convert_elements<std::int64_t, std::uint32_t>(*bytes);
    case ElementType::I64:
      return convert_elements<std::int64_t, std::int64_t>(*bytes);
    case ElementType::U64:
      return convert_elements<std::int64_t, std::uint64_t>(*bytes);
    case ElementType::Bool:
      return convert_bools<std::int64_t>(*bytes);
    case ElementType::F32:
    case ElementType::F64:
    case ElementType::F16:
    case ElementType::BF16:
      break;
  }
  return bad_constant(value, fmt::format("has the type {}, not an integer type", to_string(value.type)));
}

}  // namespace kernelscape::graph
