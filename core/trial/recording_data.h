#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "core/trial/fields.h"
#include "core/trial/recording.h"
#include "core/trial/recording_preamble.h"

namespace kernelscape::trial {

/** A column in a mapped file; empty: all zero. */
template <typename Field>
struct RecordedSpan {
  std::span<const RecordedValue<Field>> values;
};

/** Unmaps the file of a recording. */
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
