#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

#include "core/base/crc32.h"
#include "core/store/sqlite.h"

namespace kernelscape::store {

/**
 * The content of a row as bytes, in an order that the schema version defines; the checksum of a row is
 * computed over these bytes. Values are normalized to what the database returns: SQLite does not keep the
 * sign of zero, and stores NaN as NULL.
 */
class RowBytes {
 public:
  /** Appends the integers in order. */
  RowBytes& integers(std::span<const std::int64_t> values) {
    bytes_.append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
    return *this;
  }
  /** Appends the integers in order. */
  RowBytes& integers(std::initializer_list<std::int64_t> values) {
    return integers(std::span(values.begin(), values.size()));
  }
  /** Appends the reals in order. */
  RowBytes& reals(std::initializer_list<double> values) {
    return reals(std::span(values.begin(), values.size()));
  }
  /** Appends the reals in order. */
  RowBytes& reals(std::span<const double> values) {
    for (const double value : values) {
      const double kept = value == value ? value + 0.0 : 0.0;  // -0.0 + 0.0 is 0.0
      bytes_.append(reinterpret_cast<const char*>(&kept), sizeof(kept));
      bytes_.push_back(value == value ? '\1' : '\0');
    }
    return *this;
  }
  /** Appends a text after its length, so that different rows have different bytes. */
  RowBytes& text(std::string_view text) {
    integers({static_cast<std::int64_t>(text.size())});
    bytes_.append(text);
    return *this;
  }
  /** Appends a blob after its length, like text(). */
  RowBytes& blob(std::span<const std::byte> bytes) {
    return text({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  }
  /** Returns the checksum of all values that were added since the last call. */
  std::uint32_t take_checksum() {
    const std::uint32_t checksum = base::crc32(bytes_);
    bytes_.clear();
    return checksum;
  }

 private:
  std::string bytes_;
};

/**
 * Returns true if a column holds this checksum. @param needed false: a row of an older schema version may
 * have no checksum. With true, a row that lost its checksum together with other values is not mistaken for
 * such a row.
 */
inline bool matches(const sqlite::Query& row, int column, std::int64_t checksum, bool needed) {
  return row.is_null(column) ? !needed : row.integer(column) == checksum;
}

}  // namespace kernelscape::store
