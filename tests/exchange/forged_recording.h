#pragma once

#include <cstdint>
#include <cstring>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "core/base/crc32.h"
#include "core/trial/recording.h"

namespace kernelscape::exchange_tests {

/** A recorded space's file, with what a forger changes. */
class ForgedRecording {
 public:
  explicit ForgedRecording(const Recording& recording) : bytes_(recording.bytes()) {
    std::uint64_t header_bytes = 0;
    std::memcpy(&header_bytes, bytes_.data() + magic_bytes, sizeof header_bytes);
    header_ = nlohmann::json::parse(bytes_.substr(prefix_bytes, header_bytes));
    columns_ = bytes_.substr(prefix_bytes + aligned(header_bytes));
  }

  nlohmann::json& header() { return header_; }
  std::string& columns() { return columns_; }

  /** With a checksum that fits. */
  std::string file() const {
    const std::string text = header_.dump();
    std::string file = bytes_.substr(0, magic_bytes) + packed(text.size());
    file += bytes_.substr(file.size(), sizeof(std::uint64_t)) + packed(0) + text;
    file.resize(aligned(file.size()), '\0');
    file += columns_;
    const std::uint64_t crc = crc32(std::string_view(file).substr(prefix_bytes));
    return file.replace(crc_position, sizeof crc, packed(crc));
  }

 private:
  static constexpr std::size_t magic_bytes = 8;
  static constexpr std::size_t crc_position = 24;
  static constexpr std::size_t prefix_bytes = 32;

  static std::size_t aligned(std::size_t bytes) { return (bytes + 7) / 8 * 8; }
  static std::string packed(std::uint64_t value) {
    return {reinterpret_cast<const char*>(&value), sizeof value};
  }

  std::string bytes_;
  nlohmann::json header_;
  std::string columns_;
};

}  // namespace kernelscape::exchange_tests
