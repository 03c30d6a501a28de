#include "core/space/constraint_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <set>

namespace kernelscape::space {
namespace {

constexpr std::size_t max_listed = 16;

/** Operator text and precedence of a kind of node. */
struct Notation {
  const char* text;
  int precedence;
};

Notation notation(Expression::Kind kind) {
  static constexpr std::array<Notation, 17> all{{{"", 9},
                                                 {"", 9},
                                                 {" + ", 5},
                                                 {" - ", 5},
                                                 {" * ", 6},
                                                 {" // ", 6},
                                                 {" % ", 6},
                                                 {"-", 7},
                                                 {"min", 9},
                                                 {"max", 9},
                                                 {" == ", 4},
                                                 {" != ", 4},
                                                 {" < ", 4},
                                                 {" <= ", 4},
                                                 {" and ", 2},
                                                 {" or ", 1},
                                                 {"not ", 3}}};
  return all[static_cast<std::size_t>(kind)];
}

/** Formats constraints as text; with values, every variable except constants is followed by its value. */
class Writer {
 public:
  explicit Writer(const std::vector<Variable>& variables) : variables_(variables) {}

  std::string name(VariableId id) const {
    const Variable& variable = variables_[id];
    return variable.constant ? fmt::format("{}", *variable.constant) : variable.name;
  }

  std::string names(const std::vector<VariableId>& ids, std::string_view separator,
                    std::string_view none) const {
    std::vector<std::string> all;
    for (const VariableId id : ids) all.push_back(name(id));
    return all.empty() ? std::string(none) : fmt::format("{}", fmt::join(all, separator));
  }

  std::string operator()(const ProdConstraint& rule) const {
    return fmt::format("{} = {}", name(rule.result), names(rule.factors, " * ", "1"));
  }
  std::string operator()(const SumConstraint& rule) const {
    return fmt::format("{} = {}", name(rule.result), names(rule.terms, " + ", "0"));
  }
  std::string operator()(const EqConstraint& rule) const {
    return fmt::format("{} = {}", name(rule.left), name(rule.right));
  }
  std::string operator()(const LeConstraint& rule) const {
    return fmt::format("{} <= {}", name(rule.left), name(rule.right));
  }
  std::string operator()(const InConstraint& rule) const {
    return fmt::format("{} in {}", name(rule.variable), set_text(rule.values));
  }
  std::string operator()(const SelectConstraint& rule) const {
    return fmt::format("{} = [{}][{}]", name(rule.result), names(rule.choices, ", ", ""),
                       name(rule.selector));
  }
  std::string operator()(const ExpressionConstraint& rule) const { return text(rule.condition); }

  static std::string set_text(const std::vector<std::int64_t>& values) {
    const std::vector<std::int64_t> shown(
        values.begin(), values.begin() + static_cast<std::ptrdiff_t>(std::min(values.size(), max_listed)));
    return fmt::format("{{{}{}}}", fmt::join(shown, ", "),
                       values.size() > max_listed ? fmt::format(", ... {} values", values.size()) : "");
  }

  std::string text(const Expression& expression) const {
    using enum Expression::Kind;
    const auto [symbol, precedence] = notation(expression.kind);
    const auto& operands = expression.operands;
    switch (expression.kind) {
      case Constant:
        return fmt::format("{}", expression.constant);
      case Variable:
        return name(expression.variable);
      case Negate:
      case Not:
        return symbol + bracketed(operands[0], precedence);
      case Minimum:
      case Maximum: {
        std::vector<std::string> parts;
        for (const Expression& operand : operands) parts.push_back(text(operand));
        return fmt::format("{}({})", symbol, fmt::join(parts, ", "));
      }
      default:
        break;
    }
    // All operators except comparisons, which would chain, group to the left; only nodes of the same kind
    // need no brackets.
    const bool comparison = precedence == 4;
    std::string all = bracketed(operands[0], comparison ? precedence + 1 : precedence);
    const bool associative =
        expression.kind != Subtract && expression.kind != Divide && expression.kind != Modulo;
    for (std::size_t i = 1; i < operands.size(); ++i) {
      const bool same = !comparison && associative && operands[i].kind == expression.kind;
      all += symbol + bracketed(operands[i], same ? precedence : precedence + 1);
    }
    return all;
  }

 private:
  std::string bracketed(const Expression& expression, int at_least) const {
    const std::string inner = text(expression);
    return notation(expression.kind).precedence < at_least ? "(" + inner + ")" : inner;
  }

  const std::vector<Variable>& variables_;
};

/** Describes a violation with values: "threads = 2048 is not <= 1024". */
class Explainer {
 public:
  Explainer(const std::vector<Variable>& variables, const std::vector<std::int64_t>& values)
      : variables_(variables), values_(values), writer_(variables) {}

  std::string operator()(const ProdConstraint& rule) const {
    return not_equal(rule.result, writer_.names(rule.factors, " * ", "1"), numbers(rule.factors, " * "));
  }
  std::string operator()(const SumConstraint& rule) const {
    return not_equal(rule.result, writer_.names(rule.terms, " + ", "0"), numbers(rule.terms, " + "));
  }
  std::string operator()(const EqConstraint& rule) const {
    return fmt::format("{} is not equal to {}", valued(rule.left), valued(rule.right));
  }
  std::string operator()(const LeConstraint& rule) const {
    return fmt::format("{} is not <= {}", valued(rule.left), valued(rule.right));
  }
  std::string operator()(const InConstraint& rule) const {
    return fmt::format("{} is not in {}", valued(rule.variable), Writer::set_text(rule.values));
  }
  std::string operator()(const SelectConstraint& rule) const {
    const std::int64_t selected = values_[rule.selector];
    const auto count = static_cast<std::int64_t>(rule.choices.size());
    if (selected < 0 || selected >= count)
      return fmt::format("{} does not choose among {} values", valued(rule.selector), count);
    return fmt::format("{} is not equal to {}, which {} chooses", valued(rule.result),
                       valued(rule.choices[static_cast<std::size_t>(selected)]), valued(rule.selector));
  }
  std::string operator()(const ExpressionConstraint& rule) const {
    std::vector<std::string> where;
    std::set<VariableId> mentioned;
    for (const VariableId id : operands(Constraint{rule, {}}))
      if (!variables_[id].constant && mentioned.insert(id).second) where.push_back(valued(id));
    std::string text = fmt::format("not true: {}", writer_.text(rule.condition));
    if (!where.empty()) text += fmt::format(" where {}", fmt::join(where, ", "));
    return text;
  }

 private:
  std::string valued(VariableId id) const {
    return variables_[id].constant ? writer_.name(id) : fmt::format("{} = {}", writer_.name(id), values_[id]);
  }
  std::string numbers(const std::vector<VariableId>& ids, std::string_view separator) const {
    std::vector<std::int64_t> all;
    for (const VariableId id : ids) all.push_back(values_[id]);
    return fmt::format("{}", fmt::join(all, separator));
  }
  std::string not_equal(VariableId left, const std::string& right, const std::string& with_values) const {
    if (with_values.empty() || with_values == right)
      return fmt::format("{} is not equal to {}", valued(left), right);
    return fmt::format("{} is not equal to {} = {}", valued(left), right, with_values);
  }

  const std::vector<Variable>& variables_;
  const std::vector<std::int64_t>& values_;
  Writer writer_;
};

}  // namespace

std::string constraint_text(const Constraint& constraint, const std::vector<Variable>& variables) {
  return std::visit(Writer(variables), constraint.rule);
}

std::string violation_text(const Constraint& violated, const std::vector<Variable>& variables,
                           const std::vector<std::int64_t>& values) {
  const std::string what = std::visit(Explainer(variables, values), violated.rule);
  return violated.reason.empty() ? what : violated.reason + ": " + what;
}

}  // namespace kernelscape::space
