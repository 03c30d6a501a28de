#pragma once

#include <cstdint>
#include <vector>

#include "core/space/constraint.h"

namespace kernelscape {

/** What a system says of one knob alone. */
struct KnobTable {
  /** A variable's value by the index of the knob's. */
  struct Column {
    VariableId variable = 0;
    std::vector<std::int64_t> values;
  };
  std::vector<Column> columns;  ///< elements of the knob, and what is derived from these alone
  std::vector<bool> refused;    ///< by the index of the knob's value; empty: none
};

/** A system as far as single knobs go: products of a factorization's factors are no product but a column. */
struct KnobTables {
  std::vector<KnobTable> knobs;
  std::vector<bool> held;  ///< by constraint: the tables hold it
};

/** The system has to be valid over the knobs. Constraints are left out of tables that would be long to make.
 */
KnobTables tabulate_knobs(const std::vector<Knob>& knobs, const ConstraintSystem& system);

}  // namespace kernelscape
