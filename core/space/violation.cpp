#include "core/space/violation.h"

#include <algorithm>
#include <cmath>

#include "core/space/constraint_arithmetic.h"

namespace kernelscape::space {
namespace {

double distance(std::int64_t a, std::int64_t b) {
  return std::abs(static_cast<double>(base::int128{a} - base::int128{b}));
}

/** Of a constraint that is violated. */
struct Violation {
  const std::vector<std::int64_t>& values;

  double operator()(const ProdConstraint& rule) const {
    return distance(values[rule.result], product_of_values(rule.factors, values.data()));
  }
  double operator()(const SumConstraint& rule) const {
    return distance(values[rule.result], sum_of_values(rule.terms, values.data()));
  }
  double operator()(const EqConstraint& rule) const {
    return distance(values[rule.left], values[rule.right]);
  }
  double operator()(const LeConstraint& rule) const {
    return distance(values[rule.left], values[rule.right]);
  }
  double operator()(const InConstraint& rule) const {
    if (rule.values.empty()) return 1;
    const auto to = [&](std::int64_t value) { return distance(values[rule.variable], value); };
    return to(*std::ranges::min_element(rule.values, {}, to));
  }
  double operator()(const SelectConstraint& rule) const {
    const std::int64_t selected = values[rule.selector];
    const auto choices = static_cast<std::int64_t>(rule.choices.size());
    if (choices == 0) return 1;
    if (selected < 0 || selected >= choices)
      return distance(selected, std::clamp<std::int64_t>(selected, 0, choices - 1));
    return distance(values[rule.result], values[rule.choices[static_cast<std::size_t>(selected)]]);
  }
  double operator()(const ExpressionConstraint&) const { return 1; }
};

}  // namespace

std::vector<double> violations_of(const ConstraintSystem& system, const Evaluation& evaluation) {
  std::vector<double> violations(system.constraints().size(), 0.0);
  for (const std::size_t constraint : evaluation.violated)
    violations[constraint] = std::visit(Violation{evaluation.values}, system.constraints()[constraint].rule);
  return violations;
}

}  // namespace kernelscape::space
