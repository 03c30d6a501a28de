#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/space/constraint_graph.h"
#include "core/space/value_range.h"

namespace kernelscape::space {

/**
 * A constraint that Gecode's own propagators cannot express: its arithmetic is 64-bit, over elements of knobs
 * alone. Knobs are numbered by their position among the knobs that the constraint depends on. Refers to the
 * knobs and the system.
 */
class KnobCondition {
 public:
  KnobCondition(const std::vector<Knob>& knobs, const ConstraintSystem& system, Check check);

  /** Returns the constraint system that contains the constraint. */
  const ConstraintSystem& system() const { return system_; }
  /** Returns the constraint, the definitions that it uses, and the knobs that it depends on. */
  const Check& check() const { return check_; }
  /**
   * Returns a knob.
   * @param position among the knobs that the constraint depends on, not among those of the space
   */
  const Knob& knob(std::size_t position) const { return knobs_[check_.knobs[position]]; }

  /** Returns the elements of a knob that the constraint uses. */
  const std::vector<VariableId>& elements(std::size_t position) const { return elements_[position]; }

  /**
   * Returns the class of each value of a knob: values of the same class have equal elements, as far as the
   * constraint uses them.
   */
  const std::vector<std::uint32_t>& classes(std::size_t position) const { return classes_[position]; }

 private:
  std::vector<std::uint32_t> classes_of(const Knob& knob, const std::vector<VariableId>& elements) const;

  const std::vector<Knob>& knobs_;
  const ConstraintSystem& system_;
  Check check_;
  std::vector<std::vector<VariableId>> elements_;
  std::vector<std::vector<std::uint32_t>> classes_;
};

/** Evaluates a condition whose knobs are sets of values; `set` each knob before `truth`. */
class ConditionView {
 public:
  explicit ConditionView(const KnobCondition& condition);

  /** Narrows a knob to the values that `for_each(visit)` visits. */
  template <typename ForEach>
  void set(std::size_t position, const ForEach& for_each) {
    const Knob& knob = condition_.knob(position);
    for (const VariableId id : condition_.elements(position)) {
      const int element = condition_.system().variables()[id].element->position;
      ValueRange range{std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min()};
      for_each([&](int index) {
        const std::int64_t value = knob.element(static_cast<std::uint32_t>(index), element);
        range = {std::min(range.low, value), std::max(range.high, value)};
      });
      ranges_[id] = range;
    }
  }

  /**
   * Returns the truth of the whole condition over the sets of values last `set`; exact if each set has one
   * value.
   */
  Truth truth();

 private:
  const KnobCondition& condition_;
  std::vector<ValueRange> ranges_;
};

}  // namespace kernelscape::space
