#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace kernelscape {

/** Inclusive bounds of a value. */
struct Range {
  std::int64_t low = 0;
  std::int64_t high = 0;

  bool operator==(const Range&) const = default;
};

/** Range of every loop variable, by its number. */
using Ranges = std::vector<Range>;

/**
 * An integer expression over loop variables in canonical form: a constant plus coefficients times atoms, an
 * atom being a variable, or the floor quotient or remainder of another expression by a constant. An immutable
 * value.
 */
class IndexExpression {
 public:
  IndexExpression() = default;
  IndexExpression(std::int64_t constant)
      : constant_(constant) {}  // NOLINT(google-explicit-constructor): numbers are expressions

  /** The variable alone, by its number in the nest. */
  static IndexExpression variable(int number);

  bool is_constant() const { return terms_.empty(); }  ///< no variable is left in it
  /** The term without variables; the value where is_constant(). */
  std::int64_t constant() const { return constant_; }
  /** Whether the variable stands anywhere in it, inside quotients and remainders too. */
  bool depends_on(int variable) const;
  /** All variables, ascending. */
  std::vector<int> variables() const;

  /** Factor of a variable where the expression is affine in it; none where it stands inside a quotient or
   * remainder. */
  std::optional<std::int64_t> coefficient(int variable) const;

  /**
   * Bounds of the value by interval arithmetic: they hold every value, but may be wider than the values are.
   */
  Range range(const Ranges& ranges) const;
  /** The value where variable i is values[i]. */
  std::int64_t evaluate(const std::vector<std::int64_t>& values) const;

  /** The expression with `replacement` for the variable, simplified again by what the ranges prove. */
  IndexExpression substitute(int variable, const IndexExpression& replacement, const Ranges& ranges) const;

  /** This expression without its constant. */
  IndexExpression without_constant() const;

  /** C spelling; `name` gives the variables' names. */
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
  /** c*d*(e/d) + c*(e%d) = c*e. */
  void merge_quotients_and_remainders();

  std::vector<Term> terms_;  // ascending by atom, no zero coefficient
  std::int64_t constant_ = 0;
};

inline IndexExpression operator+(IndexExpression a, const IndexExpression& b) { return a += b; }
inline IndexExpression operator*(IndexExpression a, std::int64_t factor) { return a *= factor; }

/** Floor quotient by a positive constant, simplified by what the ranges prove. */
IndexExpression floor_divide(const IndexExpression& value, std::int64_t divisor, const Ranges& ranges);
/** Remainder in [0, divisor). */
IndexExpression modulo(const IndexExpression& value, std::int64_t divisor, const Ranges& ranges);

/** value / divisor rounded towards minus infinity, as C's division does not. `divisor` > 0. */
std::int64_t floor_quotient(std::int64_t value, std::int64_t divisor);

}  // namespace kernelscape
