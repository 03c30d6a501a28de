#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/space/condition.h"
#include "core/space/solver/fold_sets.h"
#include "core/space/solver/knob_rows.h"
#include "core/space/solver/value_code.h"

namespace kernelscape {

// Gecode's own propagators end at 2^31, and its products propagate bounds only. Ours know the values that
// integers stand for. What they are posted with has to outlive every copy of the space.

/** result = the product or sum of the operands; EQ is the sum of one. */
struct FoldRule {
  FoldKind kind = FoldKind::Product;
  bool repeats = false;          ///< an operand is there twice, or is the result
  std::vector<ValueCode> codes;  ///< of the result, then of the operands
};

/** result = the choice that the selector counts. */
struct SelectRule {
  std::vector<ValueCode> codes;  ///< of the result, the selector, then the choices
};

/** left <= right. */
struct AtMostRule {
  ValueCode left;
  ValueCode right;
};

/** Numbers that depend on a knob: elements of its value, and what is derived from these alone. */
struct KnobRule {
  std::uint32_t count = 0;  ///< of the knob's values
  std::vector<ColumnRows> columns;
  std::vector<ValueCode> codes;  ///< of the columns
};

/** Domain consistent where the combinations are few or the values of the result are; else of bounds. */
void post_fold(Gecode::Space& space, const FoldRule& rule, const Gecode::IntVarArgs& result_and_operands);
/** Domain consistent for domains of some thousand values; else of bounds. */
void post_select(Gecode::Space& space, const SelectRule& rule,
                 const Gecode::IntVarArgs& result_selector_and_choices);
/** Domain consistent. */
void post_at_most(Gecode::Space& space, const AtMostRule& rule, const Gecode::IntVar& left,
                  const Gecode::IntVar& right);
/** Domain consistent. */
void post_knob(Gecode::Space& space, const KnobRule& rule, const Gecode::IntVarArgs& index_and_columns);
/** Consistent by ranges. @param indices of the knobs that the condition depends on, in its order */
void post_condition(Gecode::Space& space, const KnobCondition& condition, const Gecode::IntVarArgs& indices);

/** Leaves only these values. @param values ascending */
void post_values(Gecode::Space& space, const Gecode::IntVar& variable, const ValueCode& code,
                 std::span<const std::int64_t> values);

}  // namespace kernelscape
