#include "core/network/model_constants.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <memory>
#include <string>
#include <system_error>
#include <utility>

#include "core/base/visible_text.h"

namespace kernelscape::network {
namespace {

constexpr std::int64_t max_held_bytes = std::int64_t{4} << 30;

std::unexpected<Error> bad_data(const graph::Value& value, std::string_view why,
                                std::string hint = "Export the model again.") {
  return fail(ErrorCode::InvalidArgument,
              fmt::format("the data of the constant {} {}", base::quoted_line(value.name), why),
              std::move(hint));
}

std::unexpected<Error> wrong_size(const graph::Value& value, std::uint64_t has, std::int64_t needs) {
  return bad_data(value, fmt::format("has {} bytes, but its shape needs {}", has, needs));
}

void set_bytes(graph::Value& value, std::vector<std::byte> bytes) {
  value.data = std::make_shared<const std::vector<std::byte>>(std::move(bytes));
}

std::vector<std::byte> bytes_of_text(const std::string& text) {
  std::vector<std::byte> bytes(text.size());
  if (!text.empty()) std::memcpy(bytes.data(), text.data(), text.size());
  return bytes;
}

/** Writes the lower bytes of each varint one after the other. @return false if the varints don't fill `to` */
bool decode_varints(const std::vector<std::byte>& from, std::size_t element_bytes,
                    std::vector<std::byte>& to) {
  std::size_t written = 0;
  std::uint64_t number = 0;
  unsigned shift = 0;
  constexpr unsigned number_bits = 64;
  for (const std::byte byte : from) {
    if (shift >= number_bits) return false;
    number |= static_cast<std::uint64_t>(byte & std::byte{0x7f}) << shift;
    shift += 7;
    if ((byte & std::byte{0x80}) != std::byte{0}) continue;
    if (to.size() - written < element_bytes) return false;
    std::memcpy(to.data() + written, &number, element_bytes);
    written += element_bytes;
    number = 0;
    shift = 0;
  }
  return shift == 0 && written == to.size();
}

/** Returns true if a path leads out of the folder that it is relative to. */
bool leaves_folder(const std::filesystem::path& location) {
  if (location.is_absolute()) return true;
  for (const std::filesystem::path& part : location)
    if (part == "..") return true;
  return false;
}

/** Returns true if a file lies below a folder. Both paths are without links. */
bool lies_below(const std::filesystem::path& file, const std::filesystem::path& folder) {
  auto part = file.begin();
  for (const std::filesystem::path& wanted : folder) {
    if (wanted.empty()) continue;
    if (part == file.end() || *part != wanted) return false;
    ++part;
  }
  return part != file.end();
}

bool is_varint_type(graph::ElementType type) {
  return type != graph::ElementType::F32 && type != graph::ElementType::F64;
}

}  // namespace

Status ModelConstants::set(const measure::ModelValue& reported, graph::Value& value) {
  const std::int64_t count = TRY(graph::checked_element_count(value));
  const std::int64_t byte_count = count * graph::bytes_of(value.type);
  value.constant = true;
  switch (reported.data) {
    case measure::ModelData::Computed:
      value.constant = false;
      return {};
    case measure::ModelData::Bytes:
      if (std::cmp_not_equal(reported.bytes.size(), byte_count))
        return wrong_size(value, reported.bytes.size(), byte_count);
      set_bytes(value, bytes_of_text(reported.bytes));
      return {};
    case measure::ModelData::Repeated:
      return set_repeated(reported, value, byte_count);
    case measure::ModelData::Cut:
      return set_cut(reported, value, byte_count);
    case measure::ModelData::External:
      return set_external(reported, value, byte_count);
  }
  return bad_data(value, "is of an unknown kind");
}

Status ModelConstants::hold(const graph::Value& value, std::int64_t byte_count) {
  held_ += byte_count;
  if (held_ <= max_held_bytes) return {};
  return bad_data(value,
                  fmt::format("and of the constants before it take more than {} GiB of memory: they are not "
                              "stored as bytes in a file",
                              max_held_bytes >> 30),
                  "Export the model with its weights as raw data.");
}

Status ModelConstants::set_repeated(const measure::ModelValue& reported, graph::Value& value,
                                    std::int64_t byte_count) {
  const auto element_bytes = static_cast<std::size_t>(graph::bytes_of(value.type));
  if (reported.bytes.size() != element_bytes)
    return wrong_size(value, reported.bytes.size(), graph::bytes_of(value.type));
  TRY(hold(value, byte_count));
  std::vector<std::byte> bytes(static_cast<std::size_t>(byte_count));
  if (reported.bytes.find_first_not_of('\0') != std::string::npos)
    for (std::size_t at = 0; at < bytes.size(); at += element_bytes)
      std::memcpy(bytes.data() + at, reported.bytes.data(), element_bytes);
  set_bytes(value, std::move(bytes));
  return {};
}

Status ModelConstants::set_cut(const measure::ModelValue& reported, graph::Value& value,
                               std::int64_t byte_count) {
  if (reported.number >= cut_.size()) return bad_data(value, "does not exist in the model");
  const CutData& data = cut_[reported.number];
  const auto wrong_type = [&] {
    return bad_data(
        value, fmt::format("is stored in a field of another type than {}", graph::to_string(value.type)));
  };
  switch (data.encoding) {
    case CutEncoding::Varints:
      return is_varint_type(value.type) ? set_varints(data, value, byte_count) : wrong_type();
    case CutEncoding::Other:
      return wrong_type();
    case CutEncoding::Floats:
      if (value.type != graph::ElementType::F32) return wrong_type();
      break;
    case CutEncoding::Doubles:
      if (value.type != graph::ElementType::F64) return wrong_type();
      break;
    case CutEncoding::Raw:
      break;
  }
  if (std::cmp_not_equal(data.byte_count, byte_count)) return wrong_size(value, data.byte_count, byte_count);
  value.data = graph::FileRange{path_, data.offset, data.byte_count};
  return {};
}

Status ModelConstants::set_varints(const CutData& data, graph::Value& value, std::int64_t byte_count) {
  // Each varint has at least one byte.
  const std::int64_t element_bytes = graph::bytes_of(value.type);
  if (std::cmp_less(data.byte_count, byte_count / element_bytes))
    return wrong_size(value, data.byte_count, byte_count);
  TRY(hold(value, byte_count));
  const graph::Value stored{.name = value.name,
                            .type = graph::ElementType::U8,
                            .shape = {static_cast<std::int64_t>(data.byte_count)},
                            .constant = true,
                            .data = graph::FileRange{path_, data.offset, data.byte_count}};
  const auto varints = TRY(graph::constant_bytes(stored));
  std::vector<std::byte> bytes(static_cast<std::size_t>(byte_count));
  if (!decode_varints(*varints, static_cast<std::size_t>(element_bytes), bytes))
    return bad_data(value, "has another number of elements than its shape");
  set_bytes(value, std::move(bytes));
  return {};
}

Status ModelConstants::set_external(const measure::ModelValue& reported, graph::Value& value,
                                    std::int64_t byte_count) const {
  const std::string shown = base::quoted_line(reported.bytes);
  const auto outside = [&](std::string_view why) {
    return fail(
        ErrorCode::Refused,
        fmt::format("the data of the constant {} is in {}, {}", base::quoted_line(value.name), shown, why),
        "A model from elsewhere could read your files this way. If you trust it, allow external data "
        "outside of the model's folder.");
  };
  if (reported.bytes.empty() || reported.bytes.contains('\0'))
    return bad_data(value, fmt::format("is in the file {}, which is no name of a file", shown));
  const std::filesystem::path location(reported.bytes);
  if (external_ == ExternalData::InModelFolder && leaves_folder(location))
    return outside("which is not in the model's folder");
  std::error_code error;
  const std::filesystem::path folder = std::filesystem::canonical(path_.parent_path(), error);
  const std::filesystem::path file =
      error ? std::filesystem::path() : std::filesystem::canonical(folder / location, error);
  if (error)
    return bad_data(value,
                    fmt::format("is in the file {}, which cannot be opened: {}", shown, error.message()),
                    "Copy the file beside the model.");
  if (external_ == ExternalData::InModelFolder && !lies_below(file, folder))
    return outside("which is a link out of the model's folder");
  const bool regular = std::filesystem::is_regular_file(file, error);
  const std::uintmax_t size = regular && !error ? std::filesystem::file_size(file, error) : 0;
  if (!regular || error) return bad_data(value, fmt::format("is in {}, which is not a file", shown));
  if (reported.length >= 0 && reported.length != byte_count)
    return wrong_size(value, static_cast<std::uint64_t>(reported.length), byte_count);
  if (reported.number > size || std::cmp_greater(byte_count, size - reported.number)) {
    return bad_data(value,
                    fmt::format("is {} bytes from byte {} of {}, which has only {} bytes", byte_count,
                                reported.number, shown, size),
                    "Check whether the file was copied completely.");
  }
  value.data = graph::FileRange{file, reported.number, static_cast<std::uint64_t>(byte_count)};
  return {};
}

}  // namespace kernelscape::network
