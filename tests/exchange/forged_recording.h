#pragma once

#include <cstdint>
#include <cstring>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "core/base/crc32.h"
#include "core/trial/recording.h"

namespace kernelscape::exchange_tests {

/** Where a recorded space's file has what. */
struct RecordedPlaces {
  static constexpr std::size_t header_bytes = 8;
  static constexpr std::size_t checksum = 24;
  static constexpr std::size_t header = 32;  ///< JSON; what the checksum is of

  /** Of the columns, behind a header of so many bytes. */
  static constexpr std::size_t columns(std::size_t bytes_of_header) {
    return header + aligned(bytes_of_header);
  }
  /** The next multiple of 8, where columns begin. */
  static constexpr std::size_t aligned(std::size_t bytes) { return (bytes + 7) / 8 * 8; }
};

/** As if whoever changed the file knew the format; one that ends before its header stays as it is. */
inline std::string with_right_checksum(std::string file) {
  if (file.size() < RecordedPlaces::header) return file;
  const std::uint64_t checksum = base::crc32(std::string_view(file).substr(RecordedPlaces::header));
  std::memcpy(file.data() + RecordedPlaces::checksum, &checksum, sizeof checksum);
  return file;
}

/** The bytes of a file's header. */
inline std::uint64_t recorded_header_bytes(std::string_view file) {
  std::uint64_t bytes = 0;
  std::memcpy(&bytes, file.data() + RecordedPlaces::header_bytes, sizeof bytes);
  return bytes;
}

/** A recorded space's file, with what a forger changes. */
class ForgedRecording {
 public:
  explicit ForgedRecording(const trial::Recording& recording) : bytes_(recording.bytes()) {
    const std::uint64_t header_bytes = recorded_header_bytes(bytes_);
    header_ = nlohmann::json::parse(bytes_.substr(RecordedPlaces::header, header_bytes));
    columns_ = bytes_.substr(RecordedPlaces::columns(header_bytes));
  }

  nlohmann::json& header() { return header_; }
  std::string& columns() { return columns_; }

  /** With a checksum that fits. */
  std::string file() const {
    const std::string text = header_.dump();
    std::string file = bytes_.substr(0, RecordedPlaces::header) + text;
    const std::uint64_t header_bytes = text.size();
    std::memcpy(file.data() + RecordedPlaces::header_bytes, &header_bytes, sizeof header_bytes);
    file.resize(RecordedPlaces::columns(header_bytes), '\0');
    return with_right_checksum(file + columns_);
  }

 private:
  std::string bytes_;
  nlohmann::json header_;
  std::string columns_;
};

}  // namespace kernelscape::exchange_tests
