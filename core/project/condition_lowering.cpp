#include "core/project/condition_lowering.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "core/base/text.h"
#include "core/base/visible_text.h"
#include "core/project/condition_values.h"
#include "core/project/exact_membership.h"
#include "core/project/exact_number.h"
#include "core/project/python_value.h"

namespace kernelscape::project {
namespace {

using Node = PythonExpression::Node;
using Kind = space::Expression::Kind;

constexpr std::size_t max_condition_nodes = 8192;

std::unexpected<Error> too_large_condition(const std::string& text) {
  return fail(ErrorCode::InvalidArgument,
              fmt::format("{} is too large a condition", base::quoted_line(text, 200)),
              "split it into several conditions, all of which have to hold");
}

std::unexpected<Error> takes_too_long(const std::string& text) {
  return fail(ErrorCode::InvalidArgument,
              fmt::format("the conditions up to {} take over {} steps together", base::quoted_line(text, 200),
                          ConditionBudget::max_steps),
              "let them run through fewer values");
}

class ConditionLowering {
 public:
  ConditionLowering(const PythonExpression& condition, const ConditionScope& scope, ConditionBudget& budget)
      : text_(condition.text()), scope_(scope), values_(text_, scope, budget) {}

  Result<LoweredTruth> truth(const Node& node) {
    using enum Node::Kind;
    if (values_.knobs_of(node).empty()) return constant_truth(node);
    if (node.kind == And || node.kind == Or) return connected(node);
    if (node.kind == Compare) return compared(node);
    if (node.kind == Not) {
      LoweredTruth of = TRY(truth(node.operands[0]));
      of.truth = not_expression(std::move(of.truth));
      return of;
    }
    if (node.kind == Conditional) return conditional(node);
    if (node.kind == Call && node.name == "bool" && node.operands.size() == 1) return truth(node.operands[0]);
    if (node.kind == Call && (node.name == "any" || node.name == "all") && listed(node)) return decided(node);
    if (auto of = number(node))
      return LoweredTruth{truth_of_number(std::move(of->value)), std::move(of->valid)};
    return values_.tabulated(node);
  }

 private:
  using Number = ExactNumber;

  LoweredTruth constant_truth(const Node& node) const {
    const Result<PythonObject> value = values_.constant_value(node);
    if (!value) return {constant_expression(0), constant_expression(0)};
    return {constant_expression(python_truth(*value) ? 1 : 0)};
  }

  static space::Expression truth_of_number(space::Expression value) {
    if (space::is_boolean(value.kind)) return value;
    return operation(Kind::NotEqual, std::move(value), constant_expression(0));
  }

  /** Lowers and/or: an operand must be valid only if those before it do not decide the result. */
  Result<LoweredTruth> connected(const Node& node) {
    const bool any = node.kind == Node::Kind::Or;
    std::vector<space::Expression> truths;
    std::vector<space::Expression> valid;
    for (const Node& operand : node.operands) {
      LoweredTruth next = TRY(truth(operand));
      TRY(add_valid(valid, truths, any, std::move(next.valid)));
      truths.push_back(std::move(next.truth));
    }
    return LoweredTruth{any ? or_expression(std::move(truths)) : and_expression(std::move(truths)),
                        and_expression(std::move(valid))};
  }

  /** Lowers a conditional: the condition decides which of the two other operands must be valid. */
  Result<LoweredTruth> conditional(const Node& node) {
    LoweredTruth wanted = TRY(truth(node.operands[1]));
    LoweredTruth value = TRY(truth(node.operands[0]));
    LoweredTruth other = TRY(truth(node.operands[2]));
    const space::Expression unwanted = not_expression(wanted.truth);
    LoweredTruth made{.truth = or_expression({and_expression({wanted.truth, std::move(value.truth)}),
                                              and_expression({unwanted, std::move(other.truth)})})};
    made.valid = and_expression({std::move(wanted.valid), or_expression({unwanted, std::move(value.valid)}),
                                 or_expression({wanted.truth, std::move(other.valid)})});
    if (size_of(made.truth) + size_of(made.valid) > max_condition_nodes) return too_large_condition(text_);
    return made;
  }

  /** Returns true if a function's only argument is an explicit list of values. */
  static bool listed(const Node& node) {
    if (node.operands.size() != 1) return false;
    const Node& list = node.operands[0];
    return (list.kind == Node::Kind::List || list.kind == Node::Kind::Tuple) &&
           std::ranges::find(list.operands, Node::Kind::Spread, &Node::kind) == list.operands.end();
  }

  /** Lowers any() or all() of a list, which is computed completely first. */
  Result<LoweredTruth> decided(const Node& node) {
    std::vector<space::Expression> truths;
    std::vector<space::Expression> valid;
    for (const Node& operand : node.operands[0].operands) {
      LoweredTruth next = TRY(truth(operand));
      truths.push_back(std::move(next.truth));
      valid.push_back(std::move(next.valid));
    }
    return LoweredTruth{
        node.name == "any" ? or_expression(std::move(truths)) : and_expression(std::move(truths)),
        and_expression(std::move(valid))};
  }

  /** Adds the condition that `next` is valid if all of `before` are true (`any`: if none of them is). */
  Status add_valid(std::vector<space::Expression>& valid, const std::vector<space::Expression>& before,
                   bool any, space::Expression next) {
    if (is_constant(next, 1)) return {};
    std::vector<space::Expression> enough;
    for (const space::Expression& one : before) enough.push_back(any ? one : not_expression(one));
    enough.push_back(std::move(next));
    valid.push_back(or_expression(std::move(enough)));
    valid_nodes_ += size_of(valid.back());
    if (valid_nodes_ > max_condition_nodes) return too_large_condition(text_);
    return {};
  }

  /** Lowers the comparisons of neighbours in a chain; each must be valid if those before it hold. */
  Result<LoweredTruth> compared(const Node& node) {
    std::vector<space::Expression> truths;
    std::vector<space::Expression> valid;
    for (std::size_t i = 0; i < node.operators.size(); ++i) {
      LoweredTruth next = TRY(pair(node, i));
      TRY(add_valid(valid, truths, false, std::move(next.valid)));
      truths.push_back(std::move(next.truth));
    }
    return LoweredTruth{and_expression(std::move(truths)), and_expression(std::move(valid))};
  }

  Result<LoweredTruth> pair(const Node& chain, std::size_t at) {
    Node two{.kind = Node::Kind::Compare,
             .operators = {chain.operators[at]},
             .operands = {chain.operands[at], chain.operands[at + 1]},
             .position = chain.position};
    if (values_.knobs_of(two).empty()) return constant_truth(two);
    const PythonOperator by = two.operators[0];
    if (by == PythonOperator::In || by == PythonOperator::NotIn) {
      if (auto found = contained(two)) return *std::move(found);
      return values_.tabulated(two);
    }
    if (by == PythonOperator::Is || by == PythonOperator::IsNot) return values_.tabulated(two);
    const Number left = number(two.operands[0]);
    const Number right = left ? number(two.operands[1]) : std::nullopt;
    if (left && right)
      if (auto made = exact_comparison(by, *left, *right)) return *std::move(made);
    return values_.tabulated(two);
  }

  /** Lowers a test whether a number is an element of a list or a range. */
  std::optional<LoweredTruth> contained(const Node& node) {
    const Number item = number(node.operands[0]);
    if (!item || item->divisor) return std::nullopt;
    const Node& row = node.operands[1];
    std::optional<LoweredTruth> found = in_list(*item, row);
    if (!found && row.kind != Node::Kind::Name && values_.knobs_of(row).empty())
      if (const Result<PythonObject> values = values_.constant_value(row)) found = exact_in(*item, *values);
    if (found && node.operators[0] == PythonOperator::NotIn)
      found->truth = not_expression(std::move(found->truth));
    return found;
  }

  std::optional<LoweredTruth> in_list(const LoweredNumber& item, const Node& list) {
    using enum Node::Kind;
    if (list.kind != List && list.kind != Tuple && list.kind != Set) return std::nullopt;
    std::vector<space::Expression> equal;
    std::vector<space::Expression> valid{item.valid};
    for (const Node& operand : list.operands) {
      Number one = number(operand);
      if (!one || one->divisor) return std::nullopt;
      equal.push_back(operation(Kind::Equal, item.value, std::move(one->value)));
      valid.push_back(std::move(one->valid));
    }
    return LoweredTruth{or_expression(std::move(equal)), and_expression(std::move(valid))};
  }

  /**
   * Lowers a part to a number over integers; nullopt: it is not such a number, may round or overflow, or is
   * too long.
   */
  Number number(const Node& node) {
    Number of = values_.knobs_of(node).empty() ? constant_number(node) : number_over_knobs(node);
    // Some parts stand in what they become twice.
    if (of && size_of(of->value) + size_of(of->valid) > max_condition_nodes) return std::nullopt;
    return of;
  }

  Number number_over_knobs(const Node& node) {
    using enum Node::Kind;
    switch (node.kind) {
      case Name:
        return parameter(node.name);
      case Sum:
        return folded(node, exact_sum);
      case Product:
        return folded(node, exact_product);
      case Power:
        return power(node);
      case Bits:
        return folded(node, exact_bits);
      case Conditional:
        return conditional_number(node);
      case Negate:
        return exact_negative(number(node.operands[0]));
      case Plus:
        return number(node.operands[0]);
      case Not:
      case Compare:
        return number_of_truth(node);
      case And:
      case Or:
        return chosen(node);
      case Call:
        return called(node);
      default:
        return std::nullopt;
    }
  }

  Number constant_number(const Node& node) const {
    const Result<PythonObject> object = values_.constant_value(node);
    if (!object || object->items) return std::nullopt;
    return exact_constant(object->value);
  }

  /** Lowers a knob whose element is its value. */
  Number parameter(const std::string& name) const {
    const std::uint32_t knob = *values_.knob_named(name);
    const space::Knob& of = scope_.knobs[knob];
    if (std::holds_alternative<double>(of.value(0)) || std::holds_alternative<std::string>(of.value(0)))
      return std::nullopt;
    space::ValueRange range{of.element(0, 0), of.element(0, 0)};
    for (std::uint32_t index = 1; index < of.count(); ++index)
      range = {std::min(range.low, of.element(index, 0)), std::max(range.high, of.element(index, 0))};
    return LoweredNumber{.value = variable_expression(scope_.variables[knob]), .range = range};
  }

  Number folded(const Node& node, Number (*step)(PythonOperator, LoweredNumber, LoweredNumber)) {
    Number left = number(node.operands[0]);
    for (std::size_t i = 0; left && i < node.operators.size(); ++i) {
      Number right = number(node.operands[i + 1]);
      if (!right) return std::nullopt;
      left = step(node.operators[i], *std::move(left), *std::move(right));
    }
    return left;
  }

  Number power(const Node& node) {
    const Number base = number(node.operands[0]);
    const Number exponent = base ? number(node.operands[1]) : std::nullopt;
    if (!exponent) return std::nullopt;
    return exact_power(*base, *exponent);
  }

  Number number_of_truth(const Node& node) {
    Result<LoweredTruth> of = truth(node);
    if (!of) return std::nullopt;
    return LoweredNumber{.value = std::move(of->truth), .range = {0, 1}, .valid = std::move(of->valid)};
  }

  /** Lowers and/or of numbers: the value is that of the last operand if none before it decides. */
  Number chosen(const Node& node) {
    Number rest = number(node.operands.back());
    for (std::size_t i = node.operands.size() - 1; rest && i-- > 0;) {
      Number first = number(node.operands[i]);
      if (!first) return std::nullopt;
      rest = exact_choice(node.kind == Node::Kind::Or, *std::move(first), *std::move(rest));
    }
    return rest;
  }

  Number conditional_number(const Node& node) {
    Number wanted = number_of_truth(node.operands[1]);
    Number value = wanted ? number(node.operands[0]) : std::nullopt;
    Number other = value ? number(node.operands[2]) : std::nullopt;
    if (!other) return std::nullopt;
    return exact_conditional(*std::move(wanted), *std::move(value), *std::move(other));
  }

  Number sum_of(const Node& list) {
    Number all = exact_constant(std::int64_t{0});
    for (const Node& operand : list.operands) {
      Number next = all ? number(operand) : std::nullopt;
      if (!next) return std::nullopt;
      all = exact_sum(PythonOperator::Add, *std::move(all), *std::move(next));
    }
    return all;
  }

  Number called(const Node& node) {
    if (node.name == "min" || node.name == "max") return extreme(node);
    if ((node.name == "any" || node.name == "all") && listed(node)) return number_of_truth(node);
    if (node.name == "sum" && listed(node)) return sum_of(node.operands[0]);
    if (node.operands.size() != 1) return std::nullopt;
    if (node.name == "bool") return number_of_truth(node);
    Number of = number(node.operands[0]);
    if (!of) return std::nullopt;
    if (node.name == "float") return exact_real(*std::move(of));
    if (node.name == "int") return exact_whole(*std::move(of));
    if (node.name == "abs") return exact_magnitude(*std::move(of));
    return std::nullopt;
  }

  Number extreme(const Node& node) {
    const bool alone = node.operands.size() == 1;
    const Node& list = alone ? node.operands[0] : node;
    if (alone && list.kind != Node::Kind::List && list.kind != Node::Kind::Tuple) return std::nullopt;
    Number all;
    for (const Node& operand : list.operands) {
      Number next = number(operand);
      if (all && next) next = exact_extreme(node.name == "max", *std::move(all), *std::move(next));
      if (!next || next->divisor) return std::nullopt;
      all = std::move(next);
    }
    return all;
  }

  const std::string& text_;
  const ConditionScope& scope_;
  ConditionValues values_;
  std::size_t valid_nodes_ = 0;
};

}  // namespace

Result<LoweredCondition> lower_condition(const PythonExpression& condition, const ConditionScope& scope,
                                         ConditionBudget& budget) {
  Result<LoweredTruth> truth = ConditionLowering(condition, scope, budget).truth(condition.root());
  // What could not be computed any more is missing in it.
  if (budget.spent()) return takes_too_long(condition.text());
  LoweredTruth lowered = TRY(std::move(truth));
  LoweredCondition made{.holds = and_expression({lowered.valid, std::move(lowered.truth)})};
  if (!is_constant(lowered.valid, 1)) made.fails = not_expression(std::move(lowered.valid));
  if (depth_of(made.holds) > space::deepest_expression - 2 || size_of(made.holds) > max_condition_nodes)
    return too_large_condition(condition.text());
  return made;
}

PythonNames names_in(const ConditionScope& scope, const space::Configuration& configuration) {
  return [&](std::string_view name) -> std::optional<PythonBinding> {
    const auto knob = std::ranges::find(scope.knobs, name, &space::Knob::name);
    if (knob != scope.knobs.end())
      return PythonBinding{
          {knob->value(configuration.indices[static_cast<std::size_t>(knob - scope.knobs.begin())])}};
    if (name != "ProblemSize" || scope.problem_size.empty()) return std::nullopt;
    return PythonBinding{{scope.problem_size.begin(), scope.problem_size.end()}, true};
  };
}

}  // namespace kernelscape::project
