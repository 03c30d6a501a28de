#include "core/network/model_constants.h"

#include <fmt/format.h>
#include <sys/stat.h>

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

ModelConstants::ModelConstants(const std::filesystem::path& path, const CutModel& cut, ExternalData external)
    : cut_(cut), external_(external) {
  std::error_code error;
  folder_ = std::filesystem::canonical(path.parent_path(), error);
  if (error) folder_ = path.parent_path();
  file_ = std::filesystem::canonical(path, error);
  if (error) file_ = path;
}

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
  if (reported.number >= cut_.data.size()) return bad_data(value, "does not exist in the model");
  const CutData& data = cut_.data[reported.number];
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
  value.data = part_of_model(data);
  return {};
}

Status ModelConstants::set_varints(const CutData& data, graph::Value& value, std::int64_t byte_count) {
  // Each varint has at least one byte, and at most ten.
  constexpr std::int64_t longest_varint = 10;
  const std::int64_t element_bytes = graph::bytes_of(value.type);
  const std::int64_t count = byte_count / element_bytes;
  if (std::cmp_less(data.byte_count, count) || std::cmp_greater(data.byte_count, longest_varint * count))
    return bad_data(value, fmt::format("has {} bytes, which cannot be {} numbers", data.byte_count, count));
  const auto read_bytes = static_cast<std::int64_t>(data.byte_count);
  TRY(hold(value, byte_count + read_bytes));
  const graph::Value stored{.name = value.name,
                            .type = graph::ElementType::U8,
                            .shape = {read_bytes},
                            .constant = true,
                            .data = part_of_model(data)};
  const auto varints = TRY(graph::constant_bytes(stored));
  std::vector<std::byte> bytes(static_cast<std::size_t>(byte_count));
  if (!decode_varints(*varints, static_cast<std::size_t>(element_bytes), bytes))
    return bad_data(value, "has another number of elements than its shape");
  held_ -= read_bytes;
  set_bytes(value, std::move(bytes));
  return {};
}

Result<std::filesystem::path> ModelConstants::external_file(const measure::ModelValue& reported,
                                                            const graph::Value& value) const {
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
  std::filesystem::path file = std::filesystem::canonical(folder_ / location, error);
  if (error)
    return bad_data(value,
                    fmt::format("is in the file {}, which cannot be opened: {}", shown, error.message()),
                    "Copy the file beside the model.");
  // In the cache of Hugging Face, the model and its data are links to one folder.
  if (external_ == ExternalData::InModelFolder && !lies_below(file, folder_) &&
      !lies_below(file, file_.parent_path()))
    return outside("which is a link out of the model's folder");
  return file;
}

Status ModelConstants::set_external(const measure::ModelValue& reported, graph::Value& value,
                                    std::int64_t byte_count) const {
  const std::filesystem::path file = TRY(external_file(reported, value));
  const std::string shown = base::quoted_line(reported.bytes);
  struct stat status{};
  if (lstat(file.c_str(), &status) != 0 || !S_ISREG(status.st_mode))
    return bad_data(value, fmt::format("is in {}, which is not a file", shown));
  const auto size = static_cast<std::uint64_t>(status.st_size);
  if (reported.length >= 0 && reported.length != byte_count)
    return wrong_size(value, static_cast<std::uint64_t>(reported.length), byte_count);
  if (reported.number > size || std::cmp_greater(byte_count, size - reported.number)) {
    return bad_data(value,
                    fmt::format("is {} bytes from byte {} of {}, which has only {} bytes", byte_count,
                                reported.number, shown, size),
                    "Check whether the file was copied completely.");
  }
  value.data = graph::FileRange{.file = file,
                                .offset = reported.number,
                                .byte_count = static_cast<std::uint64_t>(byte_count),
                                .identity = graph::identity_of(status)};
  return {};
}

}  // namespace kernelscape::network
