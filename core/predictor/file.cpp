#include "core/predictor/file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <span>

#include "core/base/sha256.h"

namespace kernelscape::predictor {
namespace {

static_assert(std::endian::native == std::endian::little, "numbers are written as they lie in memory");

constexpr std::string_view predictor_magic{"KSPRED\0", 7};
constexpr char newest_predictor_version = 1;
/// Maximum size of the description: that of ten thousand tasks.
constexpr std::uint64_t max_description_bytes = std::uint64_t{4} << 20;
/// Numbers of the label scale: mean and deviation.
constexpr std::size_t label_numbers = 2;

std::unexpected<Error> damaged_predictor(std::string_view name, std::string_view what) {
  return fail(ErrorCode::Corrupt, fmt::format("the predictor {} is damaged: {}", name, what),
              "restore a copy of it, or train a new predictor with `kernelscape train`");
}

std::uint64_t file_number(std::string_view bytes, std::size_t place) {
  std::uint64_t number = 0;
  std::memcpy(&number, bytes.data() + place, sizeof number);
  return number;
}

void append_number(std::string& bytes, std::uint64_t number) {
  bytes.append(reinterpret_cast<const char*>(&number), sizeof number);
}

void append_numbers(std::string& bytes, std::span<const float> numbers) {
  bytes.append(reinterpret_cast<const char*>(numbers.data()), numbers.size_bytes());
}

Status check_prefix(std::string_view bytes, std::string_view name) {
  if (bytes.size() <= Places::version || !bytes.starts_with(predictor_magic)) {
    return fail(ErrorCode::InvalidArgument, fmt::format("{} is not a predictor of Kernelscape", name),
                "name a file written by `kernelscape train` or by an export");
  }
  const auto version = static_cast<std::uint8_t>(bytes[Places::version]);
  if (version != newest_predictor_version) {
    return fail(
        ErrorCode::Refused,
        fmt::format("the predictor {} has format version {}; this program supports version {}", name, version,
                    int{newest_predictor_version}),
        "use the version of Kernelscape that wrote it, or train a new predictor with `kernelscape train`");
  }
  if (bytes.size() < Places::description) return damaged_predictor(name, "it ends too early");
  const std::uint64_t behind = bytes.size() - Places::description;
  const std::uint64_t description_bytes = file_number(bytes, Places::description_bytes);
  const std::uint64_t numbers = file_number(bytes, Places::numbers);
  if (description_bytes > std::min(behind, max_description_bytes) || numbers > behind / sizeof(float) ||
      description_bytes + numbers * sizeof(float) != behind)
    return damaged_predictor(name, "its sizes do not match the file");
  const std::string_view hash = bytes.substr(Places::hash, Places::hash_digits);
  if (hash != base::sha256(bytes.substr(Places::description)))
    return damaged_predictor(name, "its checksum is wrong");
  return {};
}

/** Removes the first numbers from `bytes`. */
std::vector<float> take_numbers(std::string_view& bytes, std::size_t count) {
  std::vector<float> numbers(count);
  if (count > 0) std::memcpy(numbers.data(), bytes.data(), count * sizeof(float));
  bytes.remove_prefix(count * sizeof(float));
  return numbers;
}

Status read_numbers(std::string_view bytes, std::string_view name, File& file) {
  const std::size_t columns = scales_rows(file.shape.kind) ? file.shape.network.columns : 0;
  if (bytes.size() / sizeof(float) < label_numbers + 2 * columns)
    return damaged_predictor(name, "numbers are missing");
  const std::vector<float> label = take_numbers(bytes, label_numbers);
  file.label_scale.mean = label[0];
  file.label_scale.deviation = label[1];
  file.row_scale = {take_numbers(bytes, columns), take_numbers(bytes, columns),
                    columns == 0 ? 0 : kept_columns(file.shape.kind)};
  const auto finite = [](float number) { return std::isfinite(number); };
  if (!std::ranges::all_of(label, finite) || !(label[1] > 0) ||
      !std::ranges::all_of(file.row_scale.means, finite) ||
      !std::ranges::all_of(file.row_scale.scales, finite))
    return damaged_predictor(name, "its scales are invalid");
  file.numbers = take_numbers(bytes, bytes.size() / sizeof(float));
  return {};
}

}  // namespace

std::string predictor_to_bytes(const File& file) {
  std::string behind = predictor_description_to_json(file);
  const std::uint64_t description_bytes = behind.size();
  append_numbers(behind, std::array{file.label_scale.mean, file.label_scale.deviation});
  append_numbers(behind, file.row_scale.means);
  append_numbers(behind, file.row_scale.scales);
  append_numbers(behind, file.numbers);

  std::string bytes(predictor_magic);
  bytes.push_back(newest_predictor_version);
  append_number(bytes, description_bytes);
  append_number(bytes, (behind.size() - description_bytes) / sizeof(float));
  bytes += base::sha256(behind);
  return bytes + behind;
}

Result<File> predictor_from_bytes(std::string_view bytes, std::string_view name) {
  TRY(check_prefix(bytes, name));
  const std::uint64_t description_bytes = file_number(bytes, Places::description_bytes);
  bytes.remove_prefix(Places::description);
  File file;
  if (const Status read = read_predictor_description(bytes.substr(0, description_bytes), file); !read)
    return damaged_predictor(name, read.error().message);
  TRY(read_numbers(bytes.substr(description_bytes), name, file));
  return file;
}

}  // namespace kernelscape::predictor
