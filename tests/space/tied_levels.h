#pragma once

#include <string>
#include <vector>

#include "core/space/constraint.h"
#include "core/space/factorization.h"

namespace kernelscape::testing {

/** As many knobs as levels, each any divisor of a number, which their product is. */
struct TiedLevels {
  std::vector<space::Knob> knobs;
  space::ConstraintSystem system;
  std::vector<space::VariableId> levels;

  TiedLevels(std::int64_t number, int count) {
    std::vector<space::KnobValue> values;
    for (const std::int64_t divisor : space::divisors(number)) values.emplace_back(divisor);
    for (int i = 0; i < count; ++i) {
      knobs.push_back(*space::Knob::ordinal("level" + std::to_string(i), values));
      levels.push_back(system.add_element(knobs.back().name(), static_cast<std::uint32_t>(i), 0));
    }
    system.add(
        {space::ProdConstraint{system.add_constant("number", number), levels}, "levels make the loop"});
  }
};

}  // namespace kernelscape::testing
