#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/project/condition_lowering.h"
#include "core/project/exact_number.h"
#include "core/project/python_value.h"

namespace kernelscape::project {

/** Computes parts of one condition: those that are the same in all configurations, and those that are tried
 * for all values of their knobs. */
class ConditionValues {
 public:
  /** @param text of the condition @param budget of all conditions of a project; both have to outlive this */
  ConditionValues(const std::string& text, const ConditionScope& scope, ConditionBudget& budget)
      : text_(text), scope_(scope), budget_(budget) {}

  /** Returns the knobs of several values that a part names, ascending. */
  std::vector<std::uint32_t> knobs_of(const PythonExpression::Node& node) const;
  /** Returns the knob of this name. */
  std::optional<std::uint32_t> knob_named(std::string_view name) const;

  /** Returns the value of a part that is the same in all configurations. It is an error too if the budget is
   * spent. */
  Result<PythonObject> constant_value(const PythonExpression::Node& node) const;
  /** Tries a part for all values of its own knobs; it is an error if these are too many. */
  Result<LoweredTruth> tabulated(const PythonExpression::Node& node);

 private:
  void fold_constants(PythonExpression::Node& node) const;
  void spend(std::uint64_t steps, std::uint64_t nodes) const;
  std::optional<std::vector<std::uint8_t>> table_of(const PythonExpression::Node& node,
                                                    const std::vector<std::uint32_t>& knobs,
                                                    std::uint64_t combinations) const;
  std::unexpected<Error> too_large(const std::vector<std::uint32_t>& knobs, std::string_view how_many) const;

  const std::string& text_;
  const ConditionScope& scope_;
  ConditionBudget& budget_;
  std::uint64_t computed_ = 0;
};

}  // namespace kernelscape::project
