#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/trial/recording.h"

namespace kernelscape::trial {

/** A row from which build_recording() makes a recording. */
struct RecordingRow {
  base::uint128 index = 0;                   ///< of its configuration, mixed radix in the swept space
  const Measurement* measurement = nullptr;  ///< plausible; valid until the next row is requested
};

/**
 * Builds a recording from rows that are produced one by one, so that no copy of all measurements is needed.
 * @param swept the swept space; for an imported file its knobs without constraints @param rows their number
 * @param row returns the row at a position; called once for each, in ascending order; indices ascend @param
 * columns metrics by row, beside those of the measurements. Errors: no row; over 2^31 rows.
 */
Result<std::shared_ptr<const Recording>> build_recording(const RecordingHeader& header,
                                                         const space::SearchSpace& swept, std::size_t rows,
                                                         const std::function<RecordingRow(std::size_t)>& row,
                                                         const std::vector<RecordedColumn>& columns);

/** Collects rows in any order and builds a recording from them. */
class RecordingBuilder {
 public:
  /** @param swept the swept space; for an imported file its knobs without constraints */
  RecordingBuilder(RecordingHeader header, space::SearchSpace swept);

  /**
   * Adds a configuration. A configuration that was added before is replaced, including its columns. Samples
   * and objective of an error are dropped. Errors: it is no member of the swept space; a time is negative or
   * not finite; no kernel can have these resources.
   */
  Status add(const space::Configuration& configuration, const Measurement& measurement);
  /**
   * Sets a metric of an added configuration, in place of that of its measurement; names keep the order of
   * their first use, and the unit of the first use is kept. A configuration that was not added is a
   * programming error and throws std::invalid_argument.
   */
  void set_column(std::string_view name, const space::Configuration& configuration, double value,
                  std::string_view unit = {});
  std::size_t size() const;  ///< number of different configurations added so far

  /** Builds the recording. Errors: nothing was added; over 2^31 rows. */
  Result<std::shared_ptr<const Recording>> build() const;

 private:
  struct Row {
    space::Configuration configuration;
    Measurement measurement;
    std::vector<std::pair<std::uint32_t, double>> columns;
  };
  RecordingHeader header_;
  space::SearchSpace swept_;
  std::vector<Row> rows_;
  std::unordered_map<space::Configuration, std::size_t> positions_;  ///< positions in rows_
  std::vector<MetricName> column_names_;
};

}  // namespace kernelscape::trial
