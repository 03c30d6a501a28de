#pragma once

#include <cstdint>
#include <vector>

#include "core/space/constraint.h"

namespace kernelscape::space {

/** The part of a system that depends on one knob alone. */
struct KnobTable {
  /** A variable's value by the index of the knob's value. */
  struct Column {
    VariableId variable = 0;
    std::vector<std::int64_t> values;
  };
  std::vector<Column> columns;  ///< elements of the knob, and variables derived from these alone
  std::vector<bool> refused;    ///< by the index of the knob's value; empty: no value is refused
};

/**
 * The part of a system that depends on single knobs: products of a factorization's factors become columns
 * instead of product constraints.
 */
struct KnobTables {
  std::vector<KnobTable> knobs;
  std::vector<bool> held;  ///< by constraint: true if the tables express it
};

/**
 * Tabulates a system, which must be valid over the knobs. Tables that would take long to compute are skipped.
 */
KnobTables tabulate_knobs(const std::vector<Knob>& knobs, const ConstraintSystem& system);

}  // namespace kernelscape::space
