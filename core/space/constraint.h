#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
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

/** What a constraint speaks of: an element of a knob, a constant, or a value derived by a constraint that defines it. */
struct Variable {
  std::string name;
  std::optional<KnobElement> element;
  std::optional<std::int64_t> constant;

  bool derived() const { return !element && !constant; }
  bool operator==(const Variable&) const = default;
};

/** Node of a typed expression tree over variables. Booleans are 0 and 1. */
struct Expression {
  enum class Kind : std::uint8_t {
    Constant, Variable, Add, Subtract, Multiply, Divide /* floor */, Modulo /* floor */, Negate, Minimum, Maximum,
    Equal, NotEqual, Less, LessEqual, And, Or, Not
  };
  Kind kind = Kind::Constant;
  std::int64_t constant = 0;
  VariableId variable = 0;
  std::vector<Expression> operands;

  bool operator==(const Expression&) const = default;
};

bool is_boolean(Expression::Kind kind);

/** Heron's six kinds (Table 7) and EXPRESSION (T1's conditions). PROD, SUM and SELECT define a derived left side. */
struct ProdConstraint { VariableId result; std::vector<VariableId> factors; bool operator==(const ProdConstraint&) const = default; };
struct SumConstraint { VariableId result; std::vector<VariableId> terms; bool operator==(const SumConstraint&) const = default; };
struct EqConstraint { VariableId left; VariableId right; bool operator==(const EqConstraint&) const = default; };
struct LeConstraint { VariableId left; VariableId right; bool operator==(const LeConstraint&) const = default; };
struct InConstraint { VariableId variable; std::vector<std::int64_t> values; bool operator==(const InConstraint&) const = default; };
struct SelectConstraint { VariableId result; VariableId selector; std::vector<VariableId> choices; bool operator==(const SelectConstraint&) const = default; };
/** Holds where the tree is true. */
struct ExpressionConstraint { Expression condition; bool operator==(const ExpressionConstraint&) const = default; };

struct Constraint {
  std::variant<ProdConstraint, SumConstraint, EqConstraint, LeConstraint, InConstraint, SelectConstraint, ExpressionConstraint> rule;
  std::string reason;  ///< why it exists, for messages: "threads per block", "shared memory of a block"

  bool operator==(const Constraint&) const = default;
};

struct Evaluation {
  std::vector<std::int64_t> values;    ///< one per variable
  std::vector<std::size_t> violated;   ///< indices of constraints, ascending
};

/**
 * Named variables and constraints over a space's knobs: a value, stored with the session.
 * Derived variables must be defined (left side of PROD, SUM, SELECT or EQ) before a later constraint uses them.
 * Arithmetic is exact in 128 bits and saturates at the ends of 64.
 */
class ConstraintSystem {
 public:
  VariableId add_element(std::string name, std::uint32_t knob, int position);
  VariableId add_constant(std::string name, std::int64_t value);
  VariableId add_derived(std::string name);
  void add(Constraint constraint) { constraints_.push_back(std::move(constraint)); }

  bool empty() const { return constraints_.empty(); }
  const std::vector<Variable>& variables() const { return variables_; }
  const std::vector<Constraint>& constraints() const { return constraints_; }
  std::optional<VariableId> find(std::string_view name) const;

  /** Every variable's value and what is violated. */
  Evaluation evaluate(const std::vector<Knob>& knobs, const Configuration& configuration) const;

  /** Faster: whether nothing is violated. */
  bool satisfied(const std::vector<Knob>& knobs, const Configuration& configuration) const;

  /** "threads per block: threads = 2048 is not <= 1024": one violated constraint in words. */
  std::string explain(std::size_t constraint, const Evaluation& evaluation) const;

  /** One constraint as text: "threads = tile_f.2 * tile_y.2 * tile_x.2". */
  std::string describe(std::size_t constraint) const;

  bool operator==(const ConstraintSystem&) const = default;

 private:
  std::vector<Variable> variables_;
  std::vector<Constraint> constraints_;
};

}  // namespace kernelscape
