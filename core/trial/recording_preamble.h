#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "core/trial/fields.h"
#include "core/trial/recording.h"

namespace kernelscape::trial {

/**
 * Columns of a recording's file that are not values of a field (fields.h), numbered by their place in
 * the file.
 */
enum class RecordedField : std::uint8_t {
  IndexLow = 0,        ///< u64 by row; omitted if every row's index is its number
  IndexHigh = 1,       ///< u64 by row
  Flags = 3,           ///< u8 by row: recorded_cut_short, recorded_own_objective, recorded_resources
  Message = 12,        ///< u32 by row: position of its text, or no_recorded_message
  SampleOffsets = 13,  ///< u64 by row and one more
  Samples = 14,        ///< f64
  MessageEnds = 15,    ///< u64 by message
  MessageTexts = 16,   ///< bytes
  BuildLog = 23        ///< u32 by row, as Message; since version 2; omitted if no row has a build log
};
constexpr std::size_t structural_field_count = 9;
/**
 * Number of all columns. Columns of fields have one value per row, and are omitted if all values are zero.
 */
constexpr std::size_t recorded_field_count =
    structural_field_count + field_count<trial_fields, &FieldFacts::recorded> +
    field_count<gpu_fields, &FieldFacts::recorded> + field_count<probe_fields, &FieldFacts::recorded>;

/** Returns a value of the type that a column uses for this type of value. */
constexpr auto recorded_form(auto value) {
  using Value = decltype(value);
  if constexpr (std::is_enum_v<Value>)
    return std::underlying_type_t<Value>();
  else if constexpr (std::is_integral_v<Value>)
    return std::make_unsigned_t<Value>();
  else
    return value;
}
/** The type of a field's value in its column: f64, u32 or u64 by its type, an enumerator as its number. */
template <typename Field>
using RecordedValue = decltype(recorded_form(typename Field::Value()));

constexpr std::string_view recording_magic{"KSREC\0\0", 7};  ///< a byte with the version follows
constexpr std::uint8_t newest_recording_version = 3;
constexpr std::size_t recording_prefix_bytes = 32;
constexpr std::size_t recording_crc_position = 24;
constexpr std::uint64_t max_recorded_rows = std::uint64_t{1} << 31;
constexpr std::uint8_t recorded_cut_short = 1;
constexpr std::uint8_t recorded_own_objective = 2;
constexpr std::uint8_t recorded_resources = 4;  ///< since version 2
constexpr std::uint32_t no_recorded_message = 0xffff'ffff;

/** The part of a file before its columns, which determines the place of each column. */
struct RecordingPreamble {
  std::uint8_t version = 1;  ///< of the file
  RecordingHeader header;
  std::string space_json;  ///< the swept space
  bool complete = false;
  std::uint64_t rows = 0;
  std::uint64_t samples = 0;
  std::uint64_t messages = 0;
  std::uint64_t message_bytes = 0;
  std::array<bool, recorded_field_count> present{};  ///< an omitted column is all zero
  std::vector<std::string> extra_columns;            ///< names of the metrics
  std::vector<std::string> extra_units{};            ///< units of the metrics; empty: no metric has a unit

  /** Returns true if the file contains the column; an omitted column is all zero. */
  bool has(RecordedField field) const { return present[static_cast<std::size_t>(field)]; }
  /** Returns true if it has a column that its version does not define. */
  bool has_newer() const;
  /**
   * Returns the bytes of the column at a place, without padding; 0 if it is omitted. Counts must not exceed
   * the file's bytes.
   */
  std::uint64_t field_bytes(std::size_t place) const;
};

/// returns the file's header: JSON on one line
std::string preamble_to_json(const RecordingPreamble& preamble);
/**
 * Reads the file's header. Errors: the mistake as text.
 * @param rows number of rows from the start of the file
 * @param file_bytes upper limit of all sizes
 */
Result<RecordingPreamble> preamble_from_json(std::string_view json, std::uint64_t rows,
                                             std::uint64_t file_bytes);

/** Returns the next multiple of 8, where a column of a recording begins. */
constexpr std::uint64_t aligned_to_8(std::uint64_t bytes) { return (bytes + 7) & ~std::uint64_t{7}; }

/**
 * Returns how many combinations may be enumerated to find out whether this many rows are all members of a
 * space.
 */
std::uint64_t completeness_effort(std::uint64_t rows);

}  // namespace kernelscape::trial
