#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "core/base/random.h"
#include "core/space/constraint.h"

namespace kernelscape::testing {

/** A few small knobs, and constraints of all seven kinds over them. */
struct RandomSystem {
  std::vector<space::Knob> knobs;
  space::ConstraintSystem system;
  std::vector<bool> defines;  ///< by construction, per constraint
};

inline std::vector<std::int64_t> some_numbers(base::Random& random, std::size_t count, bool wide) {
  std::vector<std::int64_t> all;
  for (std::size_t i = 0; i < count; ++i)
    all.push_back(wide && random.chance(0.3) ? std::int64_t{1} << (20 + random.below(30))
                                             : static_cast<std::int64_t>(random.below(14)) - 4);
  std::ranges::sort(all);
  all.erase(std::ranges::unique(all).begin(), all.end());
  return all;
}

inline space::Knob random_knob(base::Random& random, const std::string& name, bool wide) {
  static const std::vector<std::int64_t> products{1, 2, 6, 8, 12, 16, 30};
  switch (random.below(5)) {
    case 0:
    case 1:
      return *space::Knob::factorization(name, products[random.below(products.size())],
                                         static_cast<int>(2 + random.below(2)));
    case 2: {
      const auto numbers = some_numbers(random, 4, wide);
      return *space::Knob::ordinal(name, {numbers.begin(), numbers.end()});
    }
    case 3:
      return *space::Knob::categorical(
          name, {space::KnobValue(false), space::KnobValue(true), space::KnobValue("text")});
    default:
      return *space::Knob::permutation(name, {"a", "b", "c"});
  }
}

inline std::int64_t extreme_number(base::Random& random) {
  switch (random.below(5)) {
    case 0:
      return static_cast<std::int64_t>(random.bits());
    case 1:
      return static_cast<std::int64_t>(random.bits() >> 30) * (random.chance(0.5) ? 1 : -1);
    default:
      return static_cast<std::int64_t>(random.below(13)) - 6;
  }
}

/** Over the first `variables` variables; of any kind of node. */
inline space::Expression random_expression(base::Random& random, std::size_t variables, int depth) {
  using enum space::Expression::Kind;
  if (depth == 0 || random.chance(0.2)) {
    if (random.chance(0.7)) return {Variable, 0, static_cast<space::VariableId>(random.below(variables)), {}};
    return {Constant,
            random.chance(0.1) ? extreme_number(random) : static_cast<std::int64_t>(random.below(9)) - 2,
            0,
            {}};
  }
  space::Expression result;
  result.kind = static_cast<space::Expression::Kind>(2 + random.below(15));
  std::size_t operands = 2;
  if (result.kind == Negate || result.kind == Not) operands = 1;
  if (result.kind == Add || result.kind == Multiply || result.kind == Minimum || result.kind == Maximum ||
      result.kind == And || result.kind == Or)
    operands = 1 + random.below(3);
  for (std::size_t i = 0; i < operands; ++i)
    result.operands.push_back(random_expression(random, variables, depth - 1));
  return result;
}

/** Draws variables and constraints so that some systems have solutions and some have none. */
class SystemBuilder {
 public:
  SystemBuilder(base::Random& random, bool wide) : random_(random) {
    const std::size_t knobs = 2 + random.below(3);
    for (std::size_t i = 0; i < knobs; ++i)
      drawn_.knobs.push_back(random_knob(random, "k" + std::to_string(i), wide));
    for (std::uint32_t i = 0; i < knobs; ++i)
      for (int position = 0; position < drawn_.knobs[i].element_count(); ++position)
        add_known(
            drawn_.system.add_element(drawn_.knobs[i].name() + "." + std::to_string(position), i, position));
    for (int i = 0; i < 2; ++i) {
      const std::int64_t value = wide && random.chance(0.4) ? (std::int64_t{1} << (29 + random.below(6))) - 3
                                                            : static_cast<std::int64_t>(random.below(20)) - 2;
      add_known(drawn_.system.add_constant("c" + std::to_string(i), value));
    }
  }

  RandomSystem run() {
    const std::size_t count = 2 + random_.below(5);
    for (std::size_t i = 0; i < count; ++i) add_constraint();
    return std::move(drawn_);
  }

 private:
  void add_known(space::VariableId id) { known_.push_back(id); }
  space::VariableId any() { return known_[random_.below(known_.size())]; }
  std::vector<space::VariableId> some(std::size_t fewest) {
    std::vector<space::VariableId> ids;
    for (std::size_t i = fewest + random_.below(3); i > 0; --i) ids.push_back(any());
    return ids;
  }

  void add_constraint() {
    const std::uint64_t kind = random_.below(7);
    const bool can_define = kind < 4;
    const bool defines = can_define && random_.chance(0.75);
    // Operands are drawn before the left side is known: it can't be among them.
    space::Constraint constraint{rule_of(kind), "reason"};
    if (can_define) {
      const space::VariableId left =
          defines ? drawn_.system.add_derived("d" + std::to_string(known_.size())) : any();
      set_left(constraint, left);
      if (defines) add_known(left);
    }
    drawn_.system.add(constraint);
    drawn_.defines.push_back(defines);
  }

  decltype(space::Constraint::rule) rule_of(std::uint64_t kind) {
    switch (kind) {
      case 0:
        return space::ProdConstraint{0, some(0)};
      case 1:
        return space::SumConstraint{0, some(0)};
      case 2:
        return space::EqConstraint{0, any()};
      case 3:
        return space::SelectConstraint{0, any(), some(1)};
      case 4:
        return space::LeConstraint{any(), any()};
      case 5: {
        space::InConstraint rule{any(), {}};
        for (int i = 0; i < 6; ++i) rule.values.push_back(static_cast<std::int64_t>(random_.below(16)) - 2);
        if (random_.chance(0.2)) rule.values.push_back(extreme_number(random_));
        return rule;
      }
      default: {
        space::Expression expression = random_expression(random_, known_.size(), 3);
        // Numbers 0.. of the expression are positions in known_.
        space::Constraint renamed{space::ExpressionConstraint{std::move(expression)}, ""};
        space::rename_variables(renamed, known_);
        return renamed.rule;
      }
    }
  }

  static void set_left(space::Constraint& constraint, space::VariableId left) {
    if (auto* prod = std::get_if<space::ProdConstraint>(&constraint.rule)) prod->result = left;
    if (auto* sum = std::get_if<space::SumConstraint>(&constraint.rule)) sum->result = left;
    if (auto* equal = std::get_if<space::EqConstraint>(&constraint.rule)) equal->left = left;
    if (auto* select = std::get_if<space::SelectConstraint>(&constraint.rule)) select->result = left;
  }

  base::Random& random_;
  RandomSystem drawn_;
  std::vector<space::VariableId> known_;
};

/** @param wide some values and bounds lie around and beyond 2^31 */
inline RandomSystem random_system(base::Random& random, bool wide = true) {
  return SystemBuilder(random, wide).run();
}

inline std::int64_t clamp_to_64(base::int128 value) {
  const base::int128 low = -(base::int128{1} << 63);
  const base::int128 high = (base::int128{1} << 63) - 1;
  return static_cast<std::int64_t>(value < low ? low : value > high ? high : value);
}

inline std::int64_t reference_product(const std::vector<std::int64_t>& factors) {
  bool negative = false;
  base::uint128 magnitude = 1;
  for (const std::int64_t factor : factors) {
    if (factor == 0) return 0;
    negative = negative != (factor < 0);
    const base::uint128 size = factor < 0
                                   ? base::uint128{0} - static_cast<base::uint128>(base::int128{factor})
                                   : static_cast<base::uint128>(factor);
    magnitude = std::min(magnitude * size, base::uint128{1} << 63);
  }
  return clamp_to_64(negative ? -static_cast<base::int128>(magnitude) : static_cast<base::int128>(magnitude));
}

inline std::int64_t reference_value(const space::Expression& expression,
                                    const std::vector<std::int64_t>& values) {
  using enum space::Expression::Kind;
  std::vector<std::int64_t> of;
  for (const space::Expression& operand : expression.operands) of.push_back(reference_value(operand, values));
  base::int128 sum = 0;
  for (const std::int64_t value : of) sum += value;
  switch (expression.kind) {
    case Constant:
      return expression.constant;
    case Variable:
      return values[expression.variable];
    case Add:
      return clamp_to_64(sum);
    case Subtract:
      return clamp_to_64(base::int128{of[0]} - of[1]);
    case Multiply:
      return reference_product(of);
    case Divide:
    case Modulo: {
      if (of[1] == 0) return 0;
      // The quotient rounded down leaves a rest between 0 and the divisor, on its side.
      base::int128 quotient = base::int128{of[0]} / of[1];
      while (of[1] > 0 ? quotient * of[1] > of[0] : quotient * of[1] < of[0]) --quotient;
      return clamp_to_64(expression.kind == Divide ? quotient : base::int128{of[0]} - quotient * of[1]);
    }
    case Negate:
      return clamp_to_64(-base::int128{of[0]});
    case Minimum:
      return *std::ranges::min_element(of);
    case Maximum:
      return *std::ranges::max_element(of);
    case Equal:
      return of[0] == of[1];
    case NotEqual:
      return of[0] != of[1];
    case Less:
      return of[0] < of[1];
    case LessEqual:
      return of[0] <= of[1];
    case And:
      return std::ranges::count(of, 0) == 0;
    case Or:
      return static_cast<std::size_t>(std::ranges::count(of, 0)) < of.size();
    case Not:
      return of[0] == 0;
  }
  return 0;
}

/** Every variable's value and what is violated, written apart from the code under test. */
inline space::Evaluation reference_evaluation(const RandomSystem& drawn,
                                              const space::Configuration& configuration) {
  space::Evaluation result;
  for (const space::Variable& variable : drawn.system.variables()) {
    std::int64_t value = variable.constant.value_or(0);
    if (variable.element)
      value = drawn.knobs[variable.element->knob].row(
          configuration
              .indices[variable.element->knob])[static_cast<std::size_t>(variable.element->position)];
    result.values.push_back(value);
  }
  auto& values = result.values;
  const auto gather = [&](const std::vector<space::VariableId>& ids) {
    std::vector<std::int64_t> all;
    for (const space::VariableId id : ids) all.push_back(values[id]);
    return all;
  };
  for (std::size_t i = 0; i < drawn.system.constraints().size(); ++i) {
    const auto& rule = drawn.system.constraints()[i].rule;
    bool holds = true;
    const auto equate = [&](space::VariableId left, std::int64_t value) {
      if (drawn.defines[i]) values[left] = value;
      holds = holds && values[left] == value;
    };
    if (const auto* prod = std::get_if<space::ProdConstraint>(&rule)) {
      equate(prod->result, reference_product(gather(prod->factors)));
    } else if (const auto* sum = std::get_if<space::SumConstraint>(&rule)) {
      base::int128 total = 0;
      for (const std::int64_t term : gather(sum->terms)) total += term;
      equate(sum->result, clamp_to_64(total));
    } else if (const auto* equal = std::get_if<space::EqConstraint>(&rule)) {
      equate(equal->left, values[equal->right]);
    } else if (const auto* select = std::get_if<space::SelectConstraint>(&rule)) {
      const auto choices = gather(select->choices);
      const std::int64_t chosen = values[select->selector];
      const bool inside = chosen >= 0 && chosen < static_cast<std::int64_t>(choices.size());
      equate(select->result, inside ? choices[static_cast<std::size_t>(chosen)] : 0);
      holds = holds && inside;
    } else if (const auto* most = std::get_if<space::LeConstraint>(&rule)) {
      holds = !(values[most->left] > values[most->right]);
    } else if (const auto* in = std::get_if<space::InConstraint>(&rule)) {
      holds = std::ranges::count(in->values, values[in->variable]) > 0;
    } else {
      holds = reference_value(std::get<space::ExpressionConstraint>(rule).condition, values) != 0;
    }
    if (!holds) result.violated.push_back(i);
  }
  return result;
}

/** All configurations, first knob fastest. */
template <typename Visit>
void for_each_configuration(const std::vector<space::Knob>& knobs, const Visit& visit) {
  space::Configuration configuration;
  configuration.indices.assign(knobs.size(), 0);
  for (;;) {
    visit(configuration);
    std::size_t i = 0;
    while (i < knobs.size() && ++configuration.indices[i] == knobs[i].count()) configuration.indices[i++] = 0;
    if (i == knobs.size()) return;
  }
}

/** All configurations that violate nothing, first knob fastest. */
inline std::vector<space::Configuration> solutions_of(const RandomSystem& drawn) {
  std::vector<space::Configuration> solutions;
  for_each_configuration(drawn.knobs, [&](const space::Configuration& one) {
    if (reference_evaluation(drawn, one).violated.empty()) solutions.push_back(one);
  });
  return solutions;
}

}  // namespace kernelscape::testing
