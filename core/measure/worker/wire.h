#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace kernelscape::measure {

/**
 * The members of a struct in the order of the wire format: specialised as `static constexpr auto value =
 * std::tuple{...}`.
 */
template <typename T>
struct WireMembers;

/** Number of enumerators of an enum on the wire, which count from 0; larger numbers are refused. */
template <typename E>
inline constexpr std::uint64_t wire_enumerators = 0;

namespace wire {

template <typename T>
inline constexpr bool is_list = false;
template <typename T>
inline constexpr bool is_list<std::vector<T>> = true;
template <typename T>
inline constexpr bool is_fixed_array = false;
template <typename T, std::size_t n>
inline constexpr bool is_fixed_array<std::array<T, n>> = true;
template <typename T>
inline constexpr bool is_optional = false;
template <typename T>
inline constexpr bool is_optional<std::optional<T>> = true;

}  // namespace wire

/**
 * Encodes values as bytes: little-endian integers, texts and lists after their 64-bit length, optional values
 * after a bool, structs member by member.
 */
class WireWriter {
 public:
  /** Appends a value: bool, enum, integer, double, text, list, array, optional, or a struct with WireMembers.
   */
  template <typename T>
  void write(const T& value) {
    if constexpr (std::is_same_v<T, bool>) {
      bytes_.push_back(value ? '\1' : '\0');
    } else if constexpr (std::is_enum_v<T>) {
      write(std::to_underlying(value));
    } else if constexpr (std::is_integral_v<T>) {
      const auto bits = static_cast<std::uint64_t>(static_cast<std::make_unsigned_t<T>>(value));
      for (std::size_t i = 0; i < sizeof(T); ++i)
        bytes_.push_back(static_cast<char>((bits >> (8 * i)) & 0xff));
    } else if constexpr (std::is_same_v<T, double>) {
      write(std::bit_cast<std::uint64_t>(value));
    } else if constexpr (std::is_same_v<T, std::string>) {
      write(static_cast<std::uint64_t>(value.size()));
      bytes_.append(value);
    } else if constexpr (wire::is_list<T> || wire::is_fixed_array<T>) {
      if constexpr (wire::is_list<T>) write(static_cast<std::uint64_t>(value.size()));
      for (const auto& item : value) write(item);
    } else if constexpr (wire::is_optional<T>) {
      write(value.has_value());
      if (value) write(*value);
    } else {
      std::apply([&](auto... members) { (write(value.*members), ...); }, WireMembers<T>::value);
    }
  }

  std::string take() { return std::move(bytes_); }  ///< the bytes; the writer is empty afterwards

 private:
  std::string bytes_;
};

/** Reads the format of WireWriter from untrusted bytes: nothing is read or allocated beyond them. */
class WireReader {
 public:
  explicit WireReader(std::string_view bytes) : bytes_(bytes) {}

  /**
   * Reads a value. Returns false if the bytes end too early or hold no such value; all later calls then
   * return false too.
   */
  template <typename T>
  bool read(T& value) {
    if constexpr (std::is_same_v<T, bool>) {
      std::uint8_t bits = 0;
      if (!read(bits) || bits > 1) return refuse();
      value = bits == 1;
    } else if constexpr (std::is_enum_v<T>) {
      std::underlying_type_t<T> bits = 0;
      if (!read(bits) || static_cast<std::uint64_t>(bits) >= wire_enumerators<T>) return refuse();
      value = static_cast<T>(bits);
    } else if constexpr (std::is_integral_v<T>) {
      return read_integer(value);
    } else if constexpr (std::is_same_v<T, double>) {
      std::uint64_t bits = 0;
      if (!read(bits)) return false;
      value = std::bit_cast<double>(bits);
    } else if constexpr (std::is_same_v<T, std::string>) {
      std::uint64_t length = 0;
      if (!read(length) || length > bytes_.size()) return refuse();
      value.assign(bytes_.substr(0, length));
      bytes_.remove_prefix(length);
    } else if constexpr (wire::is_list<T>) {
      return read_list(value);
    } else if constexpr (wire::is_fixed_array<T>) {
      for (auto& item : value) {
        if (!read(item)) return false;
      }
    } else if constexpr (wire::is_optional<T>) {
      bool has_value = false;
      if (!read(has_value)) return false;
      value.reset();
      return !has_value || read(value.emplace());
    } else {
      return std::apply([&](auto... members) { return (read(value.*members) && ...); },
                        WireMembers<T>::value);
    }
    return good_;
  }

  /** Returns true if everything was read without error, and no bytes are left. */
  bool complete() const { return good_ && bytes_.empty(); }

 private:
  bool refuse() { return good_ = false; }

  template <typename T>
  bool read_integer(T& value) {
    if (!good_ || bytes_.size() < sizeof(T)) return refuse();
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < sizeof(T); ++i) {
      bits |= static_cast<std::uint64_t>(static_cast<unsigned char>(bytes_[i])) << (8 * i);
    }
    bytes_.remove_prefix(sizeof(T));
    value = static_cast<T>(bits);
    return true;
  }

  template <typename T>
  bool read_list(std::vector<T>& list) {
    std::uint64_t length = 0;
    // Every item takes at least one byte, so that a wrong length is detected before memory is allocated.
    if (!read(length) || length > bytes_.size()) return refuse();
    list.clear();
    for (std::uint64_t i = 0; i < length; ++i) {
      T item{};
      if (!read(item)) return false;
      list.push_back(std::move(item));
    }
    return true;
  }

  std::string_view bytes_;
  bool good_ = true;
};

}  // namespace kernelscape::measure
