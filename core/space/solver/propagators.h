#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/space/condition.h"
#include "core/space/solver/fold_sets.h"
#include "core/space/solver/knob_rows.h"
#include "core/space/solver/value_code.h"

namespace kernelscape::space {

// Gecode's own propagators are limited to 2^31, and its products propagate bounds only. The propagators here
// know the values that integers stand for. The rules they are posted with must outlive every copy of the
// space.

/** result = the product or sum of the operands; EQ is the sum of one. */
struct FoldRule {
  FoldKind kind = FoldKind::Product;
  bool repeats = false;          ///< an operand occurs twice, or is also the result
  std::vector<ValueCode> codes;  ///< of the result, then of the operands
};

/** result = choices[selector]. */
struct SelectRule {
  std::vector<ValueCode> codes;  ///< of the result, the selector, then the choices
};

/** left <= right. */
struct AtMostRule {
  ValueCode left;
  ValueCode right;
};

/** Numbers that depend on a knob: elements of its value, and variables derived from these alone. */
struct KnobRule {
  std::uint32_t count = 0;  ///< of the knob's values
  std::vector<ColumnRows> columns;
  std::vector<ValueCode> codes;  ///< of the columns
};

/**
 * Posts a product or sum: domain consistent if the combinations or the values of the result are few; else
 * bounds consistent.
 */
void post_fold(Gecode::Space& space, const FoldRule& rule, const Gecode::IntVarArgs& result_and_operands);
/** Posts a SELECT: domain consistent for domains of some thousand values; else bounds consistent. */
void post_select(Gecode::Space& space, const SelectRule& rule,
                 const Gecode::IntVarArgs& result_selector_and_choices);
/** Posts left <= right, domain consistent. */ void post_at_most(Gecode::Space& space, const AtMostRule& rule,
                                                                 const Gecode::IntVar& left,
                                                                 const Gecode::IntVar& right);
/** Posts the columns of a knob, domain consistent. */ void post_knob(
    Gecode::Space& space, const KnobRule& rule, const Gecode::IntVarArgs& index_and_columns);
/**
 * Posts a condition, with range consistency.
 * @param indices of the knobs that the condition depends on, in its order
 */
void post_condition(Gecode::Space& space, const KnobCondition& condition, const Gecode::IntVarArgs& indices);

/** Restricts a variable to these values. @param values ascending */
void post_values(Gecode::Space& space, const Gecode::IntVar& variable, const ValueCode& code,
                 std::span<const std::int64_t> values);

}  // namespace kernelscape::space
