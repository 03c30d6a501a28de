#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace kernelscape::loop_nest {

/** Inclusive bounds of a value. */
struct Range {
  std::int64_t low = 0;
  std::int64_t high = 0;

  bool operator==(const Range&) const = default;
};

/** The range of every loop variable, by its number. */
using Ranges = std::vector<Range>;

/**
 * An integer expression over loop variables in canonical form: a constant plus coefficients times atoms. An
 * atom is a variable, or the floor quotient or remainder of another expression by a constant. An immutable
 * value.
 */
class IndexExpression {
 public:
  IndexExpression() = default;
  IndexExpression(std::int64_t constant)
      : constant_(constant) {}  // NOLINT(google-explicit-constructor): numbers are expressions

  /** Returns the expression that is a single variable, by its number in the nest. */
  static IndexExpression variable(int number);

  bool is_constant() const { return terms_.empty(); }  ///< true if it contains no variable
  /** Returns the term without variables; the value if is_constant(). */
  std::int64_t constant() const { return constant_; }
  /** Returns true if the expression contains the variable, also inside quotients and remainders. */
  bool depends_on(int variable) const;
  /** Returns all variables, ascending. */
  std::vector<int> variables() const;

  /**
   * Returns the factor of a variable if the expression is affine in it; nullopt if the variable occurs inside
   * a quotient or remainder.
   */
  std::optional<std::int64_t> coefficient(int variable) const;

  /**
   * Returns bounds of the value by interval arithmetic: they contain every value, but may be wider than
   * necessary.
   */
  Range range(const Ranges& ranges) const;
  /** Returns the value for variable i = values[i]. */
  std::int64_t evaluate(const std::vector<std::int64_t>& values) const;

  /** Returns the expression with `replacement` in place of the variable, simplified with the ranges. */
  IndexExpression substitute(int variable, const IndexExpression& replacement, const Ranges& ranges) const;

  /** Returns this expression without its constant. */
  IndexExpression without_constant() const;

  /** Returns the expression in C; `name` returns the variables' names. */
  std::string to_c(const std::function<std::string(int)>& name) const;

  IndexExpression& operator+=(const IndexExpression& other);
  IndexExpression& operator*=(std::int64_t factor);

  friend std::strong_ordering operator<=>(const IndexExpression& a, const IndexExpression& b);
  friend bool operator==(const IndexExpression& a, const IndexExpression& b) { return (a <=> b) == 0; }

  friend IndexExpression floor_divide(const IndexExpression& value, std::int64_t divisor,
                                      const Ranges& ranges);
  friend IndexExpression modulo(const IndexExpression& value, std::int64_t divisor, const Ranges& ranges);

 private:
  enum class AtomKind : std::uint8_t { Variable, Quotient, Remainder };
  struct Atom {
    AtomKind kind = AtomKind::Variable;
    int variable = 0;
    std::int64_t divisor = 1;
    std::shared_ptr<const IndexExpression> inner;
  };
  struct Term {
    Atom atom;
    std::int64_t coefficient = 0;
  };

  static std::strong_ordering compare(const Atom& a, const Atom& b);
  static Range atom_range(const Atom& atom, const Ranges& ranges);
  void add_term(const Atom& atom, std::int64_t coefficient);
  /** Applies c*d*(e/d) + c*(e%d) = c*e. */
  void merge_quotients_and_remainders();

  std::vector<Term> terms_;  // ascending by atom, no zero coefficient
  std::int64_t constant_ = 0;
};

inline IndexExpression operator+(IndexExpression a, const IndexExpression& b) { return a += b; }
inline IndexExpression operator*(IndexExpression a, std::int64_t factor) { return a *= factor; }

/** Returns the floor quotient by a positive constant, simplified with the ranges. */
IndexExpression floor_divide(const IndexExpression& value, std::int64_t divisor, const Ranges& ranges);
/** Returns the remainder in [0, divisor). */
IndexExpression modulo(const IndexExpression& value, std::int64_t divisor, const Ranges& ranges);

/** Returns value / divisor rounded towards minus infinity, unlike C's division. `divisor` > 0. */
std::int64_t floor_quotient(std::int64_t value, std::int64_t divisor);

}  // namespace kernelscape::loop_nest
