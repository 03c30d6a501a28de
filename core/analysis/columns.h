#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/analysis/column_labels.h"
#include "core/space/search_space.h"
#include "core/trial/trial_fields.h"
#include "core/trial/trial_table.h"

namespace kernelscape {

/** What the values of a column are. */
enum class ColumnKind : std::uint8_t {
  Integer,
  Real,
  Label  ///< one of a few texts: its value is the text's position in `labels`
};

/**
 * A number or label per trial, as table, filters and axes name it. A knob becomes columns:
 * a factorization one per factor and one for the tuple, a permutation the position of each item and one for
 * the order.
 */
struct Column {
  std::string name;  ///< unique, as filters write it: "gflops", "ms", "error", "tile_oc[3]", "order[ic]"
  std::string title = {};  ///< "GFLOPS", "build"
  std::string unit = {};   ///< "ms", "s"; empty: none
  ColumnKind kind = ColumnKind::Integer;
  bool logarithmic = false;               ///< a log2 axis suits its values, all of which are positive
  std::optional<std::size_t> knob = {};   ///< where it comes from a knob
  int element = -1;                       ///< which factor or item of the knob; -1: the whole value
  ColumnLabels labels = {};               ///< Label only
  std::optional<Measured> measured = {};  ///< what it is where it comes from no knob
  int usual = nowhere;                    ///< see ColumnFacts; nowhere: a table does not show it at first
  bool of_runs = false;                   ///< says nothing where kernels are only built
};

/**
 * The columns of a session's trials: what was measured first (those of trial_fields.h in the order of
 * Measured; gflops where FLOPs are known; resources of GPU kernels alone; workers of a fleet alone), then
 * those of the knobs in their order, the whole value before its elements. Immutable; copies share their data;
 * any thread may read.
 */
class TrialColumns {
 public:
  /**
   * @param flops of the task; 0: unknown
   * @param with_resources the trials are of GPU kernels: see Store::has_resources()
   * @param workers of a fleet that measured them, by their places; none: this machine did
   * @param own_objectives not all trials are ranked by the median of their samples, see
   *   Store::has_own_objectives(): "ms" and "gflops" are of the objective as always, "objective" says what
   * that is, and "ms_median" is the median of the samples
   */
  TrialColumns(const SearchSpace& space, double flops, bool with_resources = false,
               const std::optional<std::vector<std::string>>& workers = {}, bool own_objectives = false);

  /** What was measured first, then the knobs'; positions in it name columns everywhere below. */
  const std::vector<Column>& columns() const;
  /**
   * Positions of those that a table shows at first, in its order: what was measured, the knobs' whole values,
   * what it cost. @param with_runs kernels were run, not built alone
   */
  std::vector<std::size_t> usual_columns(bool with_runs) const;
  /** Position of the column of exactly this name; none: there is none. */
  std::optional<std::size_t> find(std::string_view name) const;
  /** None: it was not measured, as speed where no FLOP count is known. */
  std::optional<std::size_t> find(Measured what) const;
  /** The knob's column that charts start with: the innermost factor, the first item's position, else the
   * value. */
  std::size_t default_column(std::size_t knob) const;

  /** NaN where the trial has none: the speed of an error or of a kernel that was only built. */
  double value(const TrialSnapshot& trials, std::int64_t row, std::size_t column) const;
  /** Values of the rows [first, last) at once, for charts and sorting. */
  std::vector<double> values(const TrialSnapshot& trials, std::int64_t first, std::int64_t last,
                             std::size_t column) const;
  /** Of a knob's column: the value for a knob's index. */
  double value_of_index(std::size_t column, std::uint32_t index) const;
  /** Of a knob's column of numbers: every value it can have, once, ascending; empty of any other column, and
   * of knobs with more values than `most`. */
  std::vector<double> values_of_knob(std::size_t column, std::size_t most) const;
  /** As tables show and files of the C locale write it: "341.2", "[4, 1, 8, 2]", "NO_ERROR"; empty: none. */
  std::string text(const TrialSnapshot& trials, std::int64_t row, std::size_t column) const;

 private:
  struct Data;
  std::shared_ptr<const Data> data_;
};

}  // namespace kernelscape
