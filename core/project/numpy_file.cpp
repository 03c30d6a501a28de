#include "core/project/numpy_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <optional>
#include <vector>

#include "core/base/text.h"
#include "core/base/visible_text.h"

namespace kernelscape::project {
namespace {

constexpr std::string_view numpy_magic = "\x93NUMPY";
constexpr std::string_view save_hint = "write it with numpy.save(name, numpy.ascontiguousarray(array))";

std::unexpected<Error> damaged_numpy(std::string_view what) {
  return fail(ErrorCode::Corrupt, fmt::format("a .npy file that {}", what), std::string(save_hint));
}

/** Kind and bytes of each ElementType, in NumPy's notation behind the byte order. */
constexpr std::array<std::string_view, element_type_count> numpy_types{"b1", "i1", "u1", "i2", "u2", "i4",
                                                                       "u4", "i8", "u8", "f2", "f4", "f8"};

struct NumpyParts {
  std::string_view header;
  std::string_view contents;
};

Result<NumpyParts> split_numpy(std::string_view file) {
  constexpr std::size_t version_at = 6;
  constexpr std::size_t length_at = 8;
  if (!is_numpy_file(file) || file.size() < length_at + 2) return damaged_numpy("ends within its head");
  const int version = static_cast<unsigned char>(file[version_at]);
  if (version < 1 || version > 3)
    return fail(ErrorCode::InvalidArgument, fmt::format("a .npy file of version {}", version),
                "versions 1 to 3 are read");
  const std::size_t length_bytes = version == 1 ? 2 : 4;
  if (file.size() < length_at + length_bytes) return damaged_numpy("ends within its head");
  std::size_t length = 0;
  for (std::size_t at = length_bytes; at > 0; --at)
    length = length * 256 + static_cast<unsigned char>(file[length_at + at - 1]);
  const std::size_t start = length_at + length_bytes;
  if (file.size() - start < length) return damaged_numpy("ends within its head");
  return NumpyParts{file.substr(start, length), file.substr(start + length)};
}

/** Returns the text behind a key of the header's dictionary, without leading blanks. */
std::optional<std::string_view> behind_key(std::string_view header, std::string_view key) {
  for (const char quote : {'\'', '"'}) {
    const std::string written = fmt::format("{0}{1}{0}", quote, key);
    const std::size_t found = header.find(written);
    if (found == std::string_view::npos) continue;
    const std::string_view rest = base::trimmed(header.substr(found + written.size()));
    if (rest.starts_with(':')) return base::trimmed(rest.substr(1));
  }
  return std::nullopt;
}

Status check_numpy_type(std::string_view header, ElementType type) {
  const auto written = behind_key(header, "descr");
  if (!written || written->size() < 2) return damaged_numpy("names no type");
  if (written->front() != '\'' && written->front() != '"')
    return fail(ErrorCode::InvalidArgument, "a .npy file of structures", "save each member by itself");
  const std::string_view inner = written->substr(1);
  const std::string_view named = inner.substr(0, inner.find(written->front()));
  const std::string_view wanted = numpy_types[static_cast<std::size_t>(type)];
  if (named.size() < 2) return damaged_numpy("names no type");
  if (named.front() == '>' && element_bytes(type) > 1)
    return fail(ErrorCode::InvalidArgument,
                fmt::format("a .npy file of {}, which has the other byte order", base::quoted_line(named)),
                fmt::format("save array.astype(\"<{}\")", wanted));
  const bool has_order = std::string_view("<>|=").contains(named.front());
  if (named.substr(has_order ? 1 : 0) != wanted)
    return fail(
        ErrorCode::InvalidArgument,
        fmt::format("a .npy file of {}, and the argument is {}", base::quoted_line(named), to_string(type)),
        fmt::format("save array.astype(\"<{}\"), or change the argument's type", wanted));
  return {};
}

/**
 * Returns the product of a shape; nullopt if the text is not a list of numbers, or has over 2^64 elements.
 */
std::optional<std::uint64_t> count_of_shape(std::string_view header) {
  auto shape = behind_key(header, "shape");
  if (!shape || !shape->starts_with('(') || !shape->contains(')')) return std::nullopt;
  std::uint64_t count = 1;
  bool empty = false;
  for (const std::string& part : base::split_text(shape->substr(1, shape->find(')') - 1), ',')) {
    const std::string_view digits = base::trimmed(part);
    if (digits.empty()) continue;
    std::uint64_t extent = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), extent);
    if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
    empty = empty || extent == 0;
    if (!empty && count > std::numeric_limits<std::uint64_t>::max() / extent) return std::nullopt;
    count *= extent;
  }
  return empty ? 0 : count;
}

}  // namespace

bool is_numpy_file(std::string_view file) { return file.starts_with(numpy_magic); }

Result<std::string> numpy_elements(std::string_view file, ElementType type, std::uint64_t elements) {
  const NumpyParts parts = TRY(split_numpy(file));
  TRY(check_numpy_type(parts.header, type));
  const auto columns_first = behind_key(parts.header, "fortran_order");
  if (!columns_first) return damaged_numpy("does not say whether its order is column-major");
  if (!columns_first->starts_with("False"))
    return fail(ErrorCode::InvalidArgument, "a .npy file in column-major order (fortran_order)",
                std::string(save_hint));
  const auto count = count_of_shape(parts.header);
  if (!count) return damaged_numpy("has no readable shape");
  if (*count != elements)
    return fail(ErrorCode::InvalidArgument,
                fmt::format("a .npy file of {} elements, and {} are wanted", *count, elements),
                "change the argument's Size, or save that number of elements");
  if (elements > std::numeric_limits<std::uint64_t>::max() / element_bytes(type) ||
      parts.contents.size() != elements * element_bytes(type))
    return damaged_numpy(fmt::format("has {} bytes behind its header instead of {}", parts.contents.size(),
                                     elements * element_bytes(type)));
  return std::string(parts.contents);
}

}  // namespace kernelscape::project
