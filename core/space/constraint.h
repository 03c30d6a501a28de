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

namespace kernelscape::space {

/** Position of a variable in its ConstraintSystem. */
using VariableId = std::uint32_t;

/** An element of a knob (factor, item, or the value itself). */
struct KnobElement {
  std::uint32_t knob = 0;
  int position = 0;

  bool operator==(const KnobElement&) const = default;
};

/**
 * A variable of constraints: an element of a knob, a constant, or a value derived by a constraint that
 * defines it.
 */
struct Variable {
  std::string name;
  std::optional<KnobElement> element;
  std::optional<std::int64_t> constant;

  /** Returns true if the variable is neither an element nor a constant: a constraint defines its value. */
  bool derived() const { return !element && !constant; }
  bool operator==(const Variable&) const = default;
};

inline constexpr int deepest_expression = 200;  ///< levels of a tree; deeper ones are refused

/**
 * Node of a typed expression tree over variables. Booleans are 0 and 1; as a condition, every number other
 * than 0 is true. Add, Multiply, Minimum, Maximum, And and Or take one or more operands. Every node's value
 * is exact, then saturates. Division and remainder round down as in Python, and are 0 if the divisor is 0.
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

/** Returns true if nodes of this kind give only 0 or 1: comparisons, And, Or, Not. */
bool is_boolean(Expression::Kind kind);

/**
 * Heron's six kinds (Table 7) and EXPRESSION (T1's conditions). PROD, SUM, SELECT and EQ define a derived
 * left side that no earlier constraint defined, and check any other. A selector counts choices from 0; a
 * selector out of range violates SELECT, whose result is then 0.
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
/** Holds if the tree is true. */
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

/** Returns the result of PROD, SUM and SELECT, or the left side of EQ. */
std::optional<VariableId> left_side(const Constraint& constraint);

/** Returns every other variable of the constraint, in order, with repetitions. */
std::vector<VariableId> operands(const Constraint& constraint);

/** Replaces every variable `id` by `names[id]`. */
void rename_variables(Constraint& constraint, const std::vector<VariableId>& names);

struct Evaluation {
  std::vector<std::int64_t> values;   ///< one per variable
  std::vector<std::size_t> violated;  ///< indices of constraints, ascending
};

/**
 * Named variables and constraints over a space's knobs. It has value semantics and is stored with the
 * session. Derived variables must be defined (left side of PROD, SUM, SELECT or EQ) before a later constraint
 * uses them. Arithmetic is exact in 128 bits and saturates at the ends of 64.
 */
class ConstraintSystem {
 public:
  /**
   * Adds an element of a knob; `validate` with knobs checks that it exists.
   * @return the variable's position
   */
  VariableId add_element(std::string name, std::uint32_t knob, int position);
  /**
   * Adds a variable of a fixed value, which needs no definition.
   * @return the variable's position
   */
  VariableId add_constant(std::string name, std::int64_t value);
  /**
   * Adds a variable without a value until a PROD, SUM, SELECT or EQ defines it.
   * @return the variable's position
   */
  VariableId add_derived(std::string name);
  /** Adds a constraint, whose variables must be added before. */
  void add(Constraint constraint);
  /** Appends another system over the same knobs; equal elements and constants are shared. */
  void append(const ConstraintSystem& other);
  /**
   * Returns the same variables with some of the constraints, which must include the definitions that they
   * use.
   */
  ConstraintSystem with_constraints(const std::vector<std::size_t>& kept) const;

  bool empty() const { return constraints_.empty(); }  ///< true without constraints; there may be variables
  /** Returns the variables by VariableId, in the order they were added. */
  const std::vector<Variable>& variables() const { return variables_; }
  /** Returns the constraints in the order they were added; a definition of a variable precedes its uses. */
  const std::vector<Constraint>& constraints() const { return constraints_; }
  /**
   * Returns true if this constraint defines the value of its left side (and so always holds, except for a
   * SELECT).
   */
  bool defines(std::size_t constraint) const { return defines_[constraint] != 0; }
  /** Returns the first variable of this name, or nullopt if there is none. */
  std::optional<VariableId> find(std::string_view name) const;

  /**
   * Checks that all variables exist and are defined before use, and that expressions are well-formed, which
   * evaluation requires.
   */
  Status validate() const;
  /** As validate(), and checks that the elements exist in these knobs. */
  Status validate(const std::vector<Knob>& knobs) const;

  /** Returns the value of every variable and the violated constraints. */
  Evaluation evaluate(const std::vector<Knob>& knobs, const Configuration& configuration) const;

  /**
   * Returns true if no constraint is violated. CompiledConstraints is many times faster for repeated checks.
   */
  bool satisfied(const std::vector<Knob>& knobs, const Configuration& configuration) const;

  /** Describes a violated constraint: "threads per block: threads = 2048 is not <= 1024". */
  std::string explain(std::size_t constraint, const Evaluation& evaluation) const;

  /** Returns a constraint as text: "threads = tile_f.2 * tile_y.2 * tile_x.2". */
  std::string describe(std::size_t constraint) const;

  bool operator==(const ConstraintSystem&) const = default;

 private:
  VariableId add_variable(Variable variable);

  std::vector<Variable> variables_;
  std::vector<Constraint> constraints_;
  std::vector<std::uint8_t> defined_;  ///< per variable: the constraints so far define its value
  std::vector<std::uint8_t> defines_;  ///< per constraint
};

}  // namespace kernelscape::space
