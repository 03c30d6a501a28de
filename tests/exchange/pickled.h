#pragma once

#include <zlib.h>

#include <bit>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <utility>

namespace kernelscape::exchange_tests {

/** The last bytes of a number, little-endian. */
inline std::string little_endian(std::uint64_t number, std::size_t bytes) {
  std::string text;
  for (std::size_t i = 0; i < bytes; ++i) text += static_cast<char>(number >> (8 * i));
  return text;
}

/** The instructions of protocol 2 that build a value. */
inline std::string pickled_body(const nlohmann::json& value) {
  if (value.is_null()) return "N";
  if (value.is_boolean()) return value.get<bool>() ? "\x88" : "\x89";
  if (value.is_string()) {
    const auto text = value.get<std::string>();
    return "X" + little_endian(text.size(), 4) + text;
  }
  if (value.is_number_integer()) {
    const auto number = value.get<std::int64_t>();
    if (number >= 0 && number < 256) return "K" + little_endian(static_cast<std::uint64_t>(number), 1);
    if (std::in_range<std::int32_t>(number))
      return "J" + little_endian(static_cast<std::uint64_t>(number), 4);
    return "\x8a\x08" + little_endian(static_cast<std::uint64_t>(number), 8);
  }
  if (value.is_number())
    return "G" + little_endian(std::byteswap(std::bit_cast<std::uint64_t>(value.get<double>())), 8);
  std::string text = value.is_array() ? "](" : "}(";
  for (const auto& [name, item] : value.items()) {
    if (value.is_object()) text += pickled_body(name);
    text += pickled_body(item);
  }
  return text + (value.is_array() ? "e" : "u");
}

/** A value as Python pickles it with protocol 2. */
inline std::string pickled(const nlohmann::json& value) { return "\x80\x02" + pickled_body(value) + "."; }

/** The bytes compressed by zlib. */
inline std::string compressed(const std::string& bytes) {
  uLongf size = compressBound(bytes.size());
  std::string packed(size, '\0');
  if (compress(reinterpret_cast<Bytef*>(packed.data()), &size, reinterpret_cast<const Bytef*>(bytes.data()),
               bytes.size()) != Z_OK)
    throw std::runtime_error("it cannot be compressed");
  packed.resize(size);
  return packed;
}

/** Bytes of hexadecimal digits. */
inline std::string bytes_of_hex(const std::string& digits) {
  std::string bytes;
  for (std::size_t at = 0; at + 1 < digits.size(); at += 2)
    bytes += static_cast<char>(std::stoi(digits.substr(at, 2), nullptr, 16));
  return bytes;
}

/** Bytes as a blob of SQL. */
inline std::string sql_blob(const std::string& bytes) {
  std::string text = "X'";
  for (const char byte : bytes) {
    constexpr const char* digits = "0123456789abcdef";
    text += digits[static_cast<unsigned char>(byte) >> 4];
    text += digits[static_cast<unsigned char>(byte) & 15];
  }
  return text + "'";
}

}  // namespace kernelscape::exchange_tests
