#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "core/base/int128.h"
#include "core/base/random.h"
#include "core/project/python_expression.h"

namespace kernelscape::testing {

/** An expression and its value, which is computed while the text is made; none: it has none. */
struct MadePython {
  std::string text;
  std::optional<project::PythonValue> value;
  int precedence =
      9;  ///< of or 1, and 2, not 3, comparisons 4, sums 5, products 6, signs 7, powers 8, others 9
};

/** Names of random expressions: "five" is 5, "half" 0.5, "yes" True. */
inline std::optional<project::PythonBinding> made_names(std::string_view name) {
  if (name == "five") return project::PythonBinding{{std::int64_t{5}}};
  if (name == "half") return project::PythonBinding{{0.5}};
  if (name == "yes") return project::PythonBinding{{true}};
  return std::nullopt;
}

inline bool is_real(const project::PythonValue& value) { return std::holds_alternative<double>(value); }

inline base::int128 whole_part(const project::PythonValue& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return *integer;
  return std::get<bool>(value) ? 1 : 0;
}

inline double real_part(const project::PythonValue& value) {
  return is_real(value) ? std::get<double>(value) : static_cast<double>(whole_part(value));
}

inline bool truth_part(const project::PythonValue& value) {
  return is_real(value) ? real_part(value) != 0 : whole_part(value) != 0;
}

inline std::optional<project::PythonValue> narrow(base::int128 value) {
  if (value < std::numeric_limits<std::int64_t>::min() || value > std::numeric_limits<std::int64_t>::max())
    return std::nullopt;
  return static_cast<std::int64_t>(value);
}

inline std::optional<project::PythonValue> made_arithmetic(std::string_view by, const project::PythonValue& a,
                                                           const project::PythonValue& b) {
  const bool real = is_real(a) || is_real(b);
  if (by == "+") return real ? real_part(a) + real_part(b) : narrow(whole_part(a) + whole_part(b));
  if (by == "-") return real ? real_part(a) - real_part(b) : narrow(whole_part(a) - whole_part(b));
  if (by == "*") return real ? real_part(a) * real_part(b) : narrow(whole_part(a) * whole_part(b));
  if (real_part(b) == 0) return std::nullopt;
  // Small whole numbers alone: their quotient as a real is that of the reals.
  if (by == "/") return real_part(a) / real_part(b);
  const base::int128 quotient = whole_part(a) / whole_part(b);
  const base::int128 rest = whole_part(a) % whole_part(b);
  const bool up = rest != 0 && (rest < 0) != (whole_part(b) < 0);
  return by == "//" ? narrow(up ? quotient - 1 : quotient) : narrow(up ? rest + whole_part(b) : rest);
}

inline bool made_comparison(std::string_view by, const project::PythonValue& a,
                            const project::PythonValue& b) {
  // Exact: a long double holds every 64-bit integer and every real.
  const auto number = [](const project::PythonValue& value) {
    return is_real(value) ? static_cast<long double>(real_part(value))
                          : static_cast<long double>(whole_part(value));
  };
  const long double left = number(a);
  const long double right = number(b);
  if (by == "==") return left == right;
  if (by == "!=") return left != right;
  if (by == "<") return left < right;
  if (by == "<=") return left <= right;
  return by == ">" ? left > right : left >= right;
}

inline std::string in_brackets(base::Random& random, const MadePython& made, int least) {
  const std::string blank = random.chance(0.1) ? " " : "";
  if (made.precedence < least || random.chance(0.1)) return "(" + blank + made.text + blank + ")";
  return made.text;
}

inline MadePython made_leaf(base::Random& random) {
  switch (random.below(7)) {
    case 0:
      return {"five", std::int64_t{5}};
    case 1:
      return {"half", 0.5};
    case 2:
      return {"yes", true};
    case 3:
      return random.chance(0.5) ? MadePython{"True", true} : MadePython{"False", false};
    case 4: {
      const double value = static_cast<double>(random.below(64)) / 8;
      std::string text = std::to_string(value);
      return {text, value};
    }
    case 5: {
      const std::int64_t value = std::int64_t{1} << random.below(62);
      return {std::to_string(value), value};
    }
    default: {
      const auto value = static_cast<std::int64_t>(random.below(12));
      return {std::to_string(value), value};
    }
  }
}

MadePython made_python(base::Random& random, int levels);

inline MadePython made_operation(base::Random& random, int levels, bool sum) {
  MadePython left = made_python(random, levels - 1);
  const MadePython right = made_python(random, levels - 1);
  static constexpr std::string_view products[] = {"*", "/", "//", "%"};
  std::string by = sum ? (random.chance(0.5) ? "+" : "-") : std::string(products[random.below(4)]);
  const bool both = left.value && right.value;
  // The language's own definitions of what reals do here are in the table of known values.
  const bool small =
      both && std::abs(real_part(*left.value)) < 0x1p53 && std::abs(real_part(*right.value)) < 0x1p53;
  if ((by == "//" || by == "%") && both && (is_real(*left.value) || is_real(*right.value))) by = "*";
  if (by == "/" && both && !small) by = "*";
  const int level = sum ? 5 : 6;
  MadePython made{
      in_brackets(random, left, level) + " " + by + " " + in_brackets(random, right, level + 1), {}, level};
  if (both) made.value = made_arithmetic(by, *left.value, *right.value);
  return made;
}

inline MadePython made_chain(base::Random& random, int levels) {
  static constexpr std::string_view all[] = {"==", "!=", "<", "<=", ">", ">="};
  MadePython left = made_python(random, levels - 1);
  MadePython made{in_brackets(random, left, 5),
                  left.value ? std::optional<project::PythonValue>(true) : std::nullopt, 4};
  bool open = true;  // whether the next operand is computed
  for (std::uint64_t more = 1 + random.below(2); more-- > 0;) {
    const std::string by(all[random.below(6)]);
    MadePython right = made_python(random, levels - 1);
    made.text += " " + by + " " + in_brackets(random, right, 5);
    if (!made.value || !open) continue;
    if (!right.value) {
      made.value.reset();
      continue;
    }
    open = made_comparison(by, *left.value, *right.value);
    made.value = open;
    left = std::move(right);
  }
  return made;
}

inline MadePython made_connection(base::Random& random, int levels) {
  const bool any = random.chance(0.5);
  const MadePython left = made_python(random, levels - 1);
  const MadePython right = made_python(random, levels - 1);
  const int level = any ? 1 : 2;
  MadePython made{
      in_brackets(random, left, level) + (any ? " or " : " and ") + in_brackets(random, right, level + 1),
      {},
      level};
  if (left.value) made.value = truth_part(*left.value) == any ? left.value : right.value;
  return made;
}

inline MadePython made_call(base::Random& random, int levels) {
  const MadePython left = made_python(random, levels - 1);
  const MadePython right = made_python(random, levels - 1);
  const bool largest = random.chance(0.5);
  const bool listed = random.chance(0.3);
  MadePython made{std::string(largest ? "max" : "min") + (listed ? "([" : "(") + left.text + ", " +
                      right.text + (listed ? "])" : ")"),
                  {},
                  9};
  if (left.value && right.value)
    made.value = made_comparison(largest ? ">" : "<", *right.value, *left.value) ? right.value : left.value;
  return made;
}

inline MadePython made_sign(base::Random& random, int levels) {
  const MadePython of = made_python(random, levels - 1);
  if (random.chance(0.5)) {
    MadePython made{"not " + in_brackets(random, of, 3), {}, 3};
    if (of.value) made.value = !truth_part(*of.value);
    return made;
  }
  MadePython made{"-" + in_brackets(random, of, 7), {}, 7};
  if (of.value)
    made.value = is_real(*of.value) ? std::optional<project::PythonValue>(-real_part(*of.value))
                                    : narrow(-whole_part(*of.value));
  return made;
}

/** @param levels of operations in one another, at most */
inline MadePython made_python(base::Random& random, int levels) {
  if (levels == 0 || random.chance(0.1)) return made_leaf(random);
  switch (random.below(7)) {
    case 0:
    case 1:
      return made_operation(random, levels, true);
    case 2:
      return made_operation(random, levels, false);
    case 3:
      return made_chain(random, levels);
    case 4:
      return made_connection(random, levels);
    case 5:
      return made_call(random, levels);
    default:
      return made_sign(random, levels);
  }
}

}  // namespace kernelscape::testing
