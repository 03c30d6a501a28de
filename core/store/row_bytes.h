#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

#include "core/base/crc32.h"
#include "core/store/sqlite.h"

namespace kernelscape {

/**
 * What a row holds as bytes, in an order that the schema's version fixes: what its checksum is of. Values are
 * taken as they come back from the database: it keeps no sign of zero, and not-a-number as NULL.
 */
class RowBytes {
 public:
  /** In their order. */
  RowBytes& integers(std::span<const std::int64_t> values) {
    bytes_.append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
    return *this;
  }
  /** In their order. */
  RowBytes& integers(std::initializer_list<std::int64_t> values) {
    return integers(std::span(values.begin(), values.size()));
  }
  /** In their order. */
  RowBytes& reals(std::initializer_list<double> values) {
    return reals(std::span(values.begin(), values.size()));
  }
  /** In their order. */
  RowBytes& reals(std::span<const double> values) {
    for (const double value : values) {
      const double kept = value == value ? value + 0.0 : 0.0;  // -0.0 + 0.0 is 0.0
      bytes_.append(reinterpret_cast<const char*>(&kept), sizeof(kept));
      bytes_.push_back(value == value ? '\1' : '\0');
    }
    return *this;
  }
  /** With its length, so that no two rows look alike. */
  RowBytes& text(std::string_view text) {
    integers({static_cast<std::int64_t>(text.size())});
    bytes_.append(text);
    return *this;
  }
  /** As text(). */
  RowBytes& blob(std::span<const std::byte> bytes) {
    return text({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  }
  /** Of all that was added since the last one. */
  std::uint32_t take_checksum() {
    const std::uint32_t checksum = crc32(bytes_);
    bytes_.clear();
    return checksum;
  }

 private:
  std::string bytes_;
};

/**
 * Whether a column's checksum is this one. @param needed false: a row of an older schema version may have
 * none. One that lost it together with the values beside it would else be taken for such a row.
 */
inline bool matches(const sqlite::Query& row, int column, std::int64_t checksum, bool needed) {
  return row.is_null(column) ? !needed : row.integer(column) == checksum;
}

}  // namespace kernelscape
