#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/analysis/columns.h"
#include "core/trial/table.h"

namespace kernelscape::analysis {

/** The direction in which a quantity is better. */
enum class Better : std::uint8_t { Less, More };

/**
 * Returns the usual direction of a column, by its unit and its name: more is better for rates ("GB/s",
 * "GFLOPS"), shares of a peak and accuracies; less is better for times, energies, sizes and all others.
 */
Better usual_direction(const Column& column);

/** One of two objectives: its values and their direction. */
struct Objective {
  std::span<const double> values;  ///< NaN: the point has no value
  Better better = Better::Less;
};

/**
 * Returns the positions of the points that no other point dominates, from the best x to the worst; equal
 * points are all on the front, by ascending position. A point dominates another if it is at least as good in
 * both objectives and better in one. Points without one of the values are not on the front and dominate
 * nothing. Takes O(n log n). Both objectives must have the same number of values.
 */
std::vector<std::size_t> pareto_front(const Objective& x, const Objective& y);

/**
 * Returns a column's values of these rows. Failed trials have NaN: a kernel with wrong results is no
 * candidate, however small or frugal it is.
 */
std::vector<double> objective_values(const TrialColumns& columns, const trial::Snapshot& trials,
                                     std::span<const std::int64_t> rows, std::size_t column);

}  // namespace kernelscape::analysis
