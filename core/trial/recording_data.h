#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
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

/** A column in a mapped file; empty: all zero. */
template <typename Field>
struct RecordedSpan {
  std::span<const RecordedValue<Field>> values;
};

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

struct RecordingUnmap {
  std::size_t bytes = 0;
  void operator()(void* start) const;
};

/** The data of a recording, which refer to bytes that it keeps alive: a mapped file or its own text. */
struct Recording::Data {
  std::unique_ptr<void, RecordingUnmap> mapped;
  std::string owned;
  std::string_view bytes;

  RecordingPreamble preamble;
  std::uint64_t hash = 0;
  std::optional<space::SearchSpace> whole;
  std::optional<space::SearchSpace> space;
  std::vector<std::string> messages;
  std::vector<RecordedColumn> columns;
  std::optional<std::uint32_t> best;

  HeldOfPlacedFields<RecordedSpan, trial_fields, &FieldFacts::recorded> fields;
  HeldOfPlacedFields<RecordedSpan, gpu_fields, &FieldFacts::recorded> kernel_fields;
  HeldOfPlacedFields<RecordedSpan, probe_fields, &FieldFacts::recorded> probes;
  // An empty column is all zero.
  std::span<const std::uint64_t> index_low;
  std::span<const std::uint64_t> index_high;
  std::span<const std::uint8_t> flags;
  std::span<const std::uint32_t> message;
  std::span<const std::uint64_t> sample_offsets;
  std::span<const double> samples;
  std::span<const std::uint32_t> build_log;
  bool any_resources = false;

  /** Returns the column of a field. */
  template <typename Field>
  const auto& column(Field) const {
    if constexpr (Field::of_resources)
      return std::get<RecordedSpan<Field>>(kernel_fields).values;
    else if constexpr (Field::template is_in<probe_fields>)
      return std::get<RecordedSpan<Field>>(probes).values;
    else
      return std::get<RecordedSpan<Field>>(fields).values;
  }
  /** Returns the column of the field with this member. */
  template <auto member>
  const auto& column() const {
    return column(FieldOf<trial_fields, member>());
  }
  /** Returns the ErrorCategory by row; never empty. */
  std::span<const std::uint8_t> category() const { return column<&Measurement::category>(); }
  /** Returns the times by which rows are ranked. */
  std::span<const double> seconds() const { return column<&Row::median_seconds>(); }

  /** Returns true if every row's index is its number, so that the file has no column of indices. */
  bool dense() const { return index_low.empty(); }
  /** Returns a row's index: mixed radix in the swept space. */
  base::uint128 index(std::size_t row) const {
    if (dense()) return row;
    const base::uint128 high = index_high.empty() ? 0 : index_high[row];
    return high << 64 | index_low[row];
  }

  /** Returns the resources of a row's GPU kernel; nullopt if the row has none. */
  std::optional<KernelResources> resources(std::size_t row) const;

  /** Reads and checks `bytes`. @param name its name in errors */
  Status load(std::string_view name);

 private:
  Status read_prefix(std::string_view name, std::uint64_t& columns_start);
  Status place_columns(std::uint64_t columns_start);
  Status read_messages(std::span<const std::uint64_t> ends, std::string_view texts);
  Status check_values() const;
  Status check_row(std::size_t row) const;
  Status read_spaces();
};

/** Returns the position of a row's text; nullopt if the column is omitted or the row has no text. */
std::optional<std::uint32_t> text_at(std::span<const std::uint32_t> column, std::size_t row);

/** Returns the value of a column that may be omitted. */
template <typename T>
T value_at(std::span<const T> column, std::size_t row) {
  return column.empty() ? T{} : column[row];
}

}  // namespace kernelscape::trial
