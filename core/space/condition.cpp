#include "core/space/condition.h"

#include <compare>
#include <numeric>

namespace kernelscape::space {

KnobCondition::KnobCondition(const std::vector<Knob>& knobs, const ConstraintSystem& system, Check check)
    : knobs_(knobs), system_(system), check_(std::move(check)) {
  for (const std::uint32_t knob : check_.knobs) {
    std::vector<VariableId> elements;
    std::ranges::copy_if(check_.elements, std::back_inserter(elements),
                         [&](VariableId id) { return system_.variables()[id].element->knob == knob; });
    classes_.push_back(classes_of(knobs_[knob], elements));
    elements_.push_back(std::move(elements));
  }
}

std::vector<std::uint32_t> KnobCondition::classes_of(const Knob& knob,
                                                     const std::vector<VariableId>& elements) const {
  const auto compare = [&](std::uint32_t a, std::uint32_t b) {
    for (const VariableId id : elements) {
      const int position = system_.variables()[id].element->position;
      if (const auto order = knob.element(a, position) <=> knob.element(b, position); order != 0)
        return order;
    }
    return std::strong_ordering::equal;
  };
  std::vector<std::uint32_t> sorted(knob.count());
  std::iota(sorted.begin(), sorted.end(), 0U);
  std::ranges::sort(sorted, [&](std::uint32_t a, std::uint32_t b) { return compare(a, b) < 0; });
  std::vector<std::uint32_t> classes(knob.count());
  std::uint32_t current = 0;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    if (i > 0 && compare(sorted[i - 1], sorted[i]) != 0) ++current;
    classes[sorted[i]] = current;
  }
  return classes;
}

ConditionView::ConditionView(const KnobCondition& condition)
    : condition_(condition), ranges_(condition.system().variables().size()) {
  const auto& variables = condition.system().variables();
  for (std::size_t i = 0; i < ranges_.size(); ++i)
    if (variables[i].constant) ranges_[i] = {*variables[i].constant, *variables[i].constant};
}

Truth ConditionView::truth() {
  const auto& constraints = condition_.system().constraints();
  for (const std::size_t definition : condition_.check().definitions)
    ranges_[*left_side(constraints[definition])] = range_of_left_side(constraints[definition], ranges_);
  const std::size_t last = condition_.check().constraint;
  return truth_of(constraints[last], condition_.system().defines(last), ranges_);
}

}  // namespace kernelscape::space
