#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/analysis/column_labels.h"
#include "core/space/search_space.h"
#include "core/trial/fields.h"
#include "core/trial/table.h"

namespace kernelscape::analysis {

/** The type of a column's values. */
enum class ColumnKind : std::uint8_t {
  Integer,
  Real,
  Label  ///< one of a few texts: its value is the text's position in `labels`
};

/**
 * A number or label per trial, as named by tables, filters and axes. Each knob has several columns: a
 * factorization one per factor and one for the tuple, a permutation the position of each item and one for the
 * order.
 */
struct Column {
  std::string name;  ///< unique, as written in filters: "gflops", "ms", "error", "tile_oc[3]", "order[ic]"
  std::string title = {};  ///< "GFLOPS", "build"
  std::string unit = {};   ///< "ms", "s"; empty: none
  ColumnKind kind = ColumnKind::Integer;
  bool logarithmic = false;  ///< a log2 axis is suitable for its values, all of which are positive
  std::optional<std::size_t> knob = {};  ///< the knob, for a column of a knob
  int element = -1;                      ///< index of the factor or item of the knob; -1: the whole value
  ColumnLabels labels = {};              ///< Label only
  std::optional<trial::Measured> measured = {};  ///< the measured quantity, for a column of no knob or metric
  std::optional<std::size_t> metric = {};        ///< the metric's position in the session's list of metrics
  int usual = trial::nowhere;                    ///< see ColumnFacts; nowhere: hidden in a table by default
  bool of_runs = false;                          ///< has no value if kernels are only built
};

/**
 * The columns of a session's trials: first the measured ones (those of trial_fields.h in the order of
 * Measured; gflops if FLOPs are known; resources only for GPU kernels; workers only for a fleet), then those
 * of the knobs in their order, the whole value before its elements, then the bandwidth if the bytes of a call
 * are known, the times of the speed probe and the machine's speed, which a session gets with its first
 * reading, and the metrics, which a session gets with the first trial that has them. Only metrics that come
 * before the first reading of the speed change their positions later. Immutable; copies share their data; may
 * be read from any thread.
 */
class TrialColumns {
 public:
  /**
   * @param flops of the task; 0: unknown
   * @param with_resources the trials are of GPU kernels: see Trials::has_resources()
   * @param workers names of the workers of a fleet that measured the trials, by index; nullopt: this machine
   * measured them
   * @param own_objectives not all trials are ranked by the median of their samples, see
   *   Trials::has_own_objectives(): "ms" and "gflops" are of the objective as always, "objective" names its
   *   kind, and "ms_median" is the median of the samples
   * @param with_probes trials have times of the speed probe, see Trials::has_probes(), from which "speed" and
   *   "slow_phase" are derived; beside knobs of these names they are "machine.speed" and so on
   * @param metrics of the session, see Trials::metrics(); beside other columns of these names they are
   *   "metric.energy" and so on
   * @param bytes that a call moves at least, see task::task_bytes(), from which "gbs" is derived; 0: unknown
   */
  TrialColumns(const space::SearchSpace& space, double flops, bool with_resources = false,
               const std::optional<std::vector<std::string>>& workers = {}, bool own_objectives = false,
               bool with_probes = false, const std::vector<trial::MetricName>& metrics = {},
               double bytes = 0);

  /**
   * Returns the measured columns, then those of the knobs. Column numbers in all functions below are
   * positions in this list.
   */
  const std::vector<Column>& columns() const;
  /**
   * Returns the positions of the columns that a table shows by default, in its order: measured values, the
   * knobs' whole values, costs. @param with_runs kernels were run, not only built
   */
  std::vector<std::size_t> usual_columns(bool with_runs) const;
  /** Returns the position of the column with exactly this name, or nullopt. */
  std::optional<std::size_t> find(std::string_view name) const;
  /**
   * Returns the position of a measured column, or nullopt if it does not exist, for example speed if no FLOP
   * count is known.
   */
  std::optional<std::size_t> find(trial::Measured what) const;
  /**
   * Returns the knob's column that charts show by default: the innermost factor, the first item's position,
   * else the value.
   */
  std::size_t default_column(std::size_t knob) const;

  /**
   * Returns the value of a trial, or NaN if it has none: the speed of an error or of a kernel that was only
   * built.
   */
  double value(const trial::Snapshot& trials, std::int64_t row, std::size_t column) const;
  /** Returns the values of the rows [first, last) at once, for charts and sorting. */
  std::vector<double> values(const trial::Snapshot& trials, std::int64_t first, std::int64_t last,
                             std::size_t column) const;
  /** Returns the value of a knob's column for an index of the knob. */
  double value_of_index(std::size_t column, std::uint32_t index) const;
  /**
   * Returns every value that a knob's column of numbers can have, once, ascending. Returns an empty list for
   * any other column, and for knobs with more values than `most`.
   */
  std::vector<double> values_of_knob(std::size_t column, std::size_t most) const;
  /**
   * Returns a value as shown in tables and written in files of the C locale: "341.2", "[4, 1, 8, 2]",
   * "NO_ERROR"; empty if there is none.
   */
  std::string text(const trial::Snapshot& trials, std::int64_t row, std::size_t column) const;

 private:
  struct Data;
  std::shared_ptr<const Data> data_;
};

}  // namespace kernelscape::analysis
