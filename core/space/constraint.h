#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "core/base/result.h"
#include "core/space/configuration.h"
#include "core/space/knob.h"

namespace kernelscape {

/** Position of a variable in its ConstraintSystem. */
using VariableId = std::uint32_t;

/** An element of a knob (factor, item, or the value itself). */
struct KnobElement {
  std::uint32_t knob = 0;
  int position = 0;

  bool operator==(const KnobElement&) const = default;
};

/** What a constraint speaks of: an element of a knob, a constant, or a value derived by a constraint that
 * defines it. */
struct Variable {
  std::string name;
  std::optional<KnobElement> element;
  std::optional<std::int64_t> constant;

  /** Neither an element nor a constant: a constraint gives it its value. */
  bool derived() const { return !element && !constant; }
  bool operator==(const Variable&) const = default;
};

inline constexpr int deepest_expression = 200;  ///< levels of a tree; deeper ones are refused

/**
 * Node of a typed expression tree over variables. Booleans are 0 and 1; where a condition is asked for, every
 * other number is true. Add, Multiply, Minimum, Maximum, And and Or take one or more operands. Every node's
 * value is exact, then saturates. Division and remainder round down as Python's, and are 0 where the divisor
 * is 0.
 */
struct Expression {
  enum class Kind : std::uint8_t {
    Constant,
    Variable,
    Add,
    Subtract,
    Multiply,
    Divide /* floor */,
    Modulo /* floor */,
    Negate,
    Minimum,
    Maximum,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    And,
    Or,
    Not
  };
  Kind kind = Kind::Constant;
  std::int64_t constant = 0;
  VariableId variable = 0;
  std::vector<Expression> operands;

  bool operator==(const Expression&) const = default;
};

/** Whether nodes of this kind give 0 or 1 only: comparisons, And, Or, Not. */
bool is_boolean(Expression::Kind kind);

/**
 * Heron's six kinds (Table 7) and EXPRESSION (T1's conditions). PROD, SUM, SELECT and EQ define
 * a derived left side that no earlier constraint defined, and check any other. A selector counts choices from
 * 0; one outside violates SELECT, whose result then is 0.
 */
struct ProdConstraint {
  VariableId result = 0;
  std::vector<VariableId> factors;
  bool operator==(const ProdConstraint&) const = default;
};
struct SumConstraint {
  VariableId result = 0;
  std::vector<VariableId> terms;
  bool operator==(const SumConstraint&) const = default;
};
struct EqConstraint {
  VariableId left;
  VariableId right;
  bool operator==(const EqConstraint&) const = default;
};
struct LeConstraint {
  VariableId left;
  VariableId right;
  bool operator==(const LeConstraint&) const = default;
};
struct InConstraint {
  VariableId variable;
  std::vector<std::int64_t> values;
  bool operator==(const InConstraint&) const = default;
};
struct SelectConstraint {
  VariableId result = 0;
  VariableId selector;
  std::vector<VariableId> choices;
  bool operator==(const SelectConstraint&) const = default;
};
/** Holds where the tree is true. */
struct ExpressionConstraint {
  Expression condition;
  bool operator==(const ExpressionConstraint&) const = default;
};

struct Constraint {
  std::variant<ProdConstraint, SumConstraint, EqConstraint, LeConstraint, InConstraint, SelectConstraint,
               ExpressionConstraint>
      rule;
  std::string reason;  ///< why it exists, for messages: "threads per block", "shared memory of a block"

  bool operator==(const Constraint&) const = default;
};

/** What PROD, SUM and SELECT give, or the left of EQ. */
std::optional<VariableId> left_side(const Constraint& constraint);

/** Every other variable it names, in order, repeated where it repeats. */
std::vector<VariableId> operands(const Constraint& constraint);

/** Replaces every variable `id` by `names[id]`. */
void rename_variables(Constraint& constraint, const std::vector<VariableId>& names);

struct Evaluation {
  std::vector<std::int64_t> values;   ///< one per variable
  std::vector<std::size_t> violated;  ///< indices of constraints, ascending
};

/**
 * Named variables and constraints over a space's knobs: a value, stored with the session.
 * Derived variables must be defined (left side of PROD, SUM, SELECT or EQ) before a later constraint uses
 * them. Arithmetic is exact in 128 bits and saturates at the ends of 64.
 */
class ConstraintSystem {
 public:
  /** An element of a knob; `validate` with knobs asks whether it exists. @return its position */
  VariableId add_element(std::string name, std::uint32_t knob, int position);
  /** A variable of a fixed value, which needs no definition. @return its position */
  VariableId add_constant(std::string name, std::int64_t value);
  /** A variable without a value until a PROD, SUM, SELECT or EQ defines it. @return its position */
  VariableId add_derived(std::string name);
  /** Its variables have to be added before. */
  void add(Constraint constraint);
  /** All of another system over the same knobs; equal elements and constants are shared. */
  void append(const ConstraintSystem& other);
  /** The same variables with some of the constraints; these have to bring their definitions. */
  ConstraintSystem with_constraints(const std::vector<std::size_t>& kept) const;

  bool empty() const { return constraints_.empty(); }  ///< no constraints; there may be variables
  /** By VariableId, in the order they were added. */
  const std::vector<Variable>& variables() const { return variables_; }
  /** In the order they were added; those that define a variable stand before its uses. */
  const std::vector<Constraint>& constraints() const { return constraints_; }
  /** Whether this constraint gives its left side its value (and so always holds, but for a SELECT). */
  bool defines(std::size_t constraint) const { return defines_[constraint] != 0; }
  /** The first variable of this name; none where there is none. */
  std::optional<VariableId> find(std::string_view name) const;

  /** All variables exist and are defined before use, expressions are well-formed: evaluation needs it. */
  Status validate() const;
  /** The same, and whether the elements exist in these knobs. */
  Status validate(const std::vector<Knob>& knobs) const;

  /** Every variable's value and what is violated. */
  Evaluation evaluate(const std::vector<Knob>& knobs, const Configuration& configuration) const;

  /** Whether nothing is violated. CompiledConstraints answers it many times as fast, again and again. */
  bool satisfied(const std::vector<Knob>& knobs, const Configuration& configuration) const;

  /** "threads per block: threads = 2048 is not <= 1024": one violated constraint in words. */
  std::string explain(std::size_t constraint, const Evaluation& evaluation) const;

  /** One constraint as text: "threads = tile_f.2 * tile_y.2 * tile_x.2". */
  std::string describe(std::size_t constraint) const;

  bool operator==(const ConstraintSystem&) const = default;

 private:
  VariableId add_variable(Variable variable);

  std::vector<Variable> variables_;
  std::vector<Constraint> constraints_;
  std::vector<std::uint8_t> defined_;  ///< per variable: has a value after the constraints so far
  std::vector<std::uint8_t> defines_;  ///< per constraint
};

}  // namespace kernelscape
