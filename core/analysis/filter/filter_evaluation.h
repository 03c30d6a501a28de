#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/analysis/filter/filter_tree.h"
#include "core/analysis/filter/row_set.h"
#include "core/trial/table.h"

namespace kernelscape::analysis {

/**
 * Evaluates a filter block by block, with one bit per trial. A condition on a knob's value is evaluated once
 * per value. Keeps references to its arguments.
 */
class FilterEvaluation {
 public:
  FilterEvaluation(const FilterNode& root, const trial::Snapshot& trials, const TrialColumns& columns);

  /**
   * Evaluates the rows from `first` on; `rows` covers all trials. Earlier rows in the same word are evaluated
   * again.
   */
  void fill(RowSet& rows, std::int64_t first);

 private:
  /** A condition on one or two columns: values in ascending disjoint intervals, or a comparison. */
  struct Leaf {
    std::size_t column = 0;
    std::vector<ValueInterval> intervals = {};
    bool negated = false;
    std::optional<ColumnTest> columns = {};
    std::optional<std::size_t> knob = {};      ///< the only knob on which the condition depends
    std::vector<std::uint8_t> decisions = {};  ///< per index of the knob: not yet evaluated, no, yes
  };
  struct Step {
    Junction::Kind kind = Junction::Kind::All;
    std::vector<Step> parts = {};
    std::optional<Leaf> leaf = {};
  };
  using Words = std::span<std::uint64_t>;

  Step prepare(const FilterNode& node) const;
  Leaf prepare_values(std::size_t column, std::vector<ValueInterval> intervals, bool negated) const;
  Leaf prepare_columns(const ColumnTest& test) const;

  void run(Step& step, std::int64_t first, std::int64_t last, Words words) const;
  void run_knob(Leaf& leaf, std::int64_t first, std::int64_t last, Words words) const;
  void run_values(const Leaf& leaf, std::int64_t first, std::int64_t last, Words words) const;
  void run_columns(const ColumnTest& test, std::int64_t first, std::int64_t last, Words words) const;
  bool decide_index(Leaf& leaf, std::uint32_t index) const;

  const trial::Snapshot& trials_;
  const TrialColumns& columns_;
  Step root_;
};

}  // namespace kernelscape::analysis
