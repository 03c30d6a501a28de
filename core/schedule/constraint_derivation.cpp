#include "core/schedule/constraint_derivation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <stdexcept>

#include "core/schedule/resolved_record.h"

namespace kernelscape::schedule {
namespace {

std::int64_t largest_element(const Schedule& schedule, const LoopLength& length) {
  const space::Knob& knob = schedule.knobs()[static_cast<std::size_t>(length.knob.number)];
  std::int64_t largest = 1;
  for (std::uint32_t index = 0; index < knob.count(); ++index)
    largest = std::max(largest, knob.element(index, length.position));
  return largest;
}

}  // namespace

space::VariableId ConstraintBuilder::constant(std::int64_t value) {
  const auto [place, added] = constants_.try_emplace(value, 0);
  if (added) place->second = system_.add_constant(fmt::format("{}", value), value);
  return place->second;
}

space::VariableId ConstraintBuilder::length_of(LoopId id) {
  const Loop& loop = schedule_.loop(id);
  switch (loop.length.kind) {
    case LoopLength::Kind::Fixed:
      return constant(loop.length.fixed);
    case LoopLength::Kind::Element:
      return element_of(loop.length.knob, loop.length.position);
    case LoopLength::Kind::Quotient:
      if (loop.length.loops.size() != 1)
        throw std::logic_error("constraints cannot refer to a number of tiles");
      return quotient_of(id, LoopLength::of_number(loop.length.fixed), loop.length.loops.front());
    case LoopLength::Kind::Product: {
      std::vector<space::VariableId> factors;
      for (const LoopId factor : loop.length.loops) factors.push_back(length_of(factor));
      return defined_once(id, [&] { return product(loop.name, factors); });
    }
    case LoopLength::Kind::Select: {
      std::vector<space::VariableId> choices;
      for (const LoopId choice : loop.length.loops) choices.push_back(length_of(choice));
      return defined_once(id, [&] { return select(loop.name, loop.length.knob, choices); });
    }
    case LoopLength::Kind::CeilQuotient:
      return quotient_of(id, schedule_.loop(loop.length.whole).length, loop.length.tile);
  }
  throw std::logic_error("constraints cannot refer to a number of tiles");
}

space::VariableId ConstraintBuilder::element_of(KnobId id, int position) {
  const auto [place, added] = elements_.try_emplace({id.number, position}, 0);
  if (added) {
    const space::Knob& knob = schedule_.knobs()[static_cast<std::size_t>(id.number)];
    const std::string name =
        knob.element_count() > 1 ? fmt::format("{}.{}", knob.name(), position) : knob.name();
    place->second = system_.add_element(name, static_cast<std::uint32_t>(id.number), position);
  }
  return place->second;
}

/** Returns a variable defined by a table, by the value of the only knob that divides. */
space::VariableId ConstraintBuilder::quotient_of(LoopId id, const LoopLength& number, LoopId tile) {
  const LoopLength& by = schedule_.loop(tile).length;
  if (number.kind != LoopLength::Kind::Fixed || by.kind != LoopLength::Kind::Element)
    throw std::logic_error("constraints count tiles of a fixed loop only by a knob's value");
  return defined_once(id, [&] {
    const std::int64_t whole = number.fixed;
    std::vector<space::VariableId> choices{constant(whole)};
    for (std::int64_t value = 1; value <= largest_element(schedule_, by); ++value)
      choices.push_back(constant((whole + value - 1) / value));
    const space::VariableId divisor = element_of(by.knob, by.position);
    const std::string& name = schedule_.loop(id).name;
    const space::VariableId result = system_.add_derived(name);
    system_.add({space::SelectConstraint{result, divisor, std::move(choices)}, name});
    return result;
  });
}

space::VariableId ConstraintBuilder::defined_once(LoopId loop,
                                                  const std::function<space::VariableId()>& define) {
  if (const auto known = lengths_.find(loop.number); known != lengths_.end()) return known->second;
  const space::VariableId length = define();
  lengths_.emplace(loop.number, length);
  return length;
}

space::VariableId ConstraintBuilder::select(const std::string& name, KnobId knob,
                                            std::vector<space::VariableId> choices) {
  const space::VariableId selector = element_of(knob);
  const space::VariableId result = system_.add_derived(name);
  system_.add({space::SelectConstraint{result, selector, std::move(choices)}, name});
  return result;
}

space::VariableId ConstraintBuilder::product(const std::string& name,
                                             const std::vector<space::VariableId>& factors) {
  if (factors.size() == 1) return factors.front();
  const space::VariableId result = system_.add_derived(name);
  system_.add({space::ProdConstraint{result, factors}, name});
  return result;
}

space::VariableId ConstraintBuilder::sum(const std::string& name,
                                         const std::vector<space::VariableId>& terms) {
  if (terms.size() == 1) return terms.front();
  const space::VariableId result = system_.add_derived(name);
  system_.add({space::SumConstraint{result, terms}, name});
  return result;
}

void ConstraintBuilder::require(const ProductBound& bound) {
  std::vector<space::VariableId> factors;
  for (const LoopId loop : bound.loops) factors.push_back(length_of(loop));
  require_at_most(product(bound.name, factors), bound.bound, bound.reason);
}

void ConstraintBuilder::require_at_most(space::VariableId variable, std::int64_t bound,
                                        const std::string& reason) {
  require_not_more(variable, constant(bound), reason);
}

void ConstraintBuilder::require_not_more(space::VariableId variable, space::VariableId bound,
                                         const std::string& reason) {
  system_.add({space::LeConstraint{variable, bound}, reason});
}

void ConstraintBuilder::require_in(space::VariableId variable, std::vector<std::int64_t> values,
                                   const std::string& reason) {
  system_.add({space::InConstraint{variable, std::move(values)}, reason});
}

}  // namespace kernelscape::schedule
