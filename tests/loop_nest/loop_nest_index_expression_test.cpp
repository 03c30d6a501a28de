#include <fmt/format.h>

#include <QTest>
#include <cctype>
#include <memory>

#include "core/base/random.h"
#include "core/loop_nest/index_expression.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/test_program.h"

namespace kernelscape::loop_nest_index_expression_test {
using kernelscape::testing::random_seed;

namespace {

using Values = std::vector<std::int64_t>;

std::int64_t floored(std::int64_t value, std::int64_t divisor) {
  std::int64_t rest = value % divisor;
  if (rest < 0) rest += divisor;
  return (value - rest) / divisor;
}

/** The same arithmetic as an IndexExpression, kept as a tree and evaluated node by node. */
struct Tree {
  enum class Kind { Constant, Variable, Add, Multiply, Quotient, Remainder };
  Kind kind = Kind::Constant;
  std::int64_t number = 0;  ///< constant, variable, factor or divisor
  std::shared_ptr<const Tree> left, right;

  std::int64_t evaluate(const Values& values) const {
    switch (kind) {
      case Kind::Constant:
        return number;
      case Kind::Variable:
        return values[static_cast<std::size_t>(number)];
      case Kind::Add:
        return left->evaluate(values) + right->evaluate(values);
      case Kind::Multiply:
        return left->evaluate(values) * number;
      case Kind::Quotient:
        return floored(left->evaluate(values), number);
      case Kind::Remainder: {
        const std::int64_t value = left->evaluate(values);
        return value - floored(value, number) * number;
      }
    }
    return 0;
  }

  loop_nest::IndexExpression build(const loop_nest::Ranges& ranges) const {
    switch (kind) {
      case Kind::Constant:
        return {number};
      case Kind::Variable:
        return loop_nest::IndexExpression::variable(static_cast<int>(number));
      case Kind::Add:
        return left->build(ranges) + right->build(ranges);
      case Kind::Multiply:
        return left->build(ranges) * number;
      case Kind::Quotient:
        return loop_nest::floor_divide(left->build(ranges), number, ranges);
      case Kind::Remainder:
        return loop_nest::modulo(left->build(ranges), number, ranges);
    }
    return {};
  }
};

using TreePtr = std::shared_ptr<const Tree>;

/** Small numbers, so that quotients and remainders meet and simplify. */
TreePtr random_tree(base::Random& random, int depth, std::size_t variables, bool negative) {
  const auto number = [&](std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(high - low + 1)));
  };
  if (depth == 0 || random.chance(0.1)) {
    if (random.chance(0.25))
      return std::make_shared<Tree>(
          Tree{Tree::Kind::Constant, number(negative ? -20 : 0, 20), nullptr, nullptr});
    return std::make_shared<Tree>(
        Tree{Tree::Kind::Variable, static_cast<std::int64_t>(random.below(variables)), nullptr, nullptr});
  }
  const TreePtr left = random_tree(random, depth - 1, variables, negative);
  switch (random.below(5)) {
    case 0:
    case 1:
      return std::make_shared<Tree>(
          Tree{Tree::Kind::Add, 0, left, random_tree(random, depth - 1, variables, negative)});
    case 2:
      return std::make_shared<Tree>(Tree{Tree::Kind::Multiply, number(negative ? -4 : 0, 8), left, nullptr});
    case 3:
      return std::make_shared<Tree>(Tree{Tree::Kind::Quotient, number(1, 8), left, nullptr});
    default:
      return std::make_shared<Tree>(Tree{Tree::Kind::Remainder, number(1, 8), left, nullptr});
  }
}

loop_nest::Ranges random_ranges(base::Random& random, std::size_t variables, bool negative) {
  loop_nest::Ranges ranges;
  for (std::size_t i = 0; i < variables; ++i) {
    const std::int64_t low = negative ? static_cast<std::int64_t>(random.below(10)) - 5 : 0;
    ranges.push_back({low, low + static_cast<std::int64_t>(random.below(17))});
  }
  return ranges;
}

std::int64_t value_in(base::Random& random, loop_nest::Range range) {
  return range.low +
         static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(range.high - range.low + 1)));
}

Values random_values(base::Random& random, const loop_nest::Ranges& ranges) {
  Values values;
  for (const loop_nest::Range& range : ranges) values.push_back(value_in(random, range));
  return values;
}

/** Evaluates the C spelling as a C compiler does: precedence, and quotients truncated. */
class CText {
 public:
  CText(std::string text, const Values& values) : text_(std::move(text)), values_(values) {}
  std::int64_t evaluate() {
    const std::int64_t result = sum();
    if (place_ != text_.size()) throw std::runtime_error("not an expression: " + text_);
    return result;
  }

 private:
  bool take(char c) {
    while (place_ < text_.size() && text_[place_] == ' ') ++place_;
    if (place_ == text_.size() || text_[place_] != c) return false;
    ++place_;
    return true;
  }
  std::int64_t sum() {
    std::int64_t value = product();
    for (;;) {
      if (take('+'))
        value += product();
      else if (take('-'))
        value -= product();
      else
        return value;
    }
  }
  std::int64_t product() {
    std::int64_t value = unary();
    for (;;) {
      if (take('*'))
        value *= unary();
      else if (take('/'))
        value /= unary();
      else if (take('%'))
        value %= unary();
      else
        return value;
    }
  }
  std::int64_t unary() {
    if (take('-')) return -unary();
    if (take('(')) {
      const std::int64_t value = sum();
      if (!take(')')) throw std::runtime_error("a parenthesis is missing: " + text_);
      return value;
    }
    const bool variable = take('v');
    std::int64_t number = 0;
    while (place_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[place_])) != 0)
      number = number * 10 + (text_[place_++] - '0');
    return variable ? values_[static_cast<std::size_t>(number)] : number;
  }

  std::string text_;
  const Values& values_;
  std::size_t place_ = 0;
};

std::string variable_name(int variable) { return fmt::format("v{}", variable); }

struct Case {
  loop_nest::Ranges ranges;
  TreePtr tree;
  loop_nest::IndexExpression expression;
};

Case random_case(base::Random& random, bool negative) {
  Case result;
  const std::size_t variables = 1 + random.below(4);
  result.ranges = random_ranges(random, variables, negative);
  result.tree = random_tree(random, 1 + static_cast<int>(random.below(5)), variables, negative);
  result.expression = result.tree->build(result.ranges);
  return result;
}

}  // namespace

class LoopNestIndexExpressionTest : public QObject {
  Q_OBJECT

 private slots:
  void equals_direct_evaluation_and_stays_in_range() {
    base::Random random(random_seed());
    for (int i = 0; i < 20000; ++i) {
      const Case c = random_case(random, true);
      const loop_nest::Range range = c.expression.range(c.ranges);
      for (int j = 0; j < 8; ++j) {
        const Values values = random_values(random, c.ranges);
        const std::int64_t expected = c.tree->evaluate(values);
        QVERIFY2(c.expression.evaluate(values) == expected, c.expression.to_c(variable_name).c_str());
        QVERIFY(range.low <= expected && expected <= range.high);
      }
    }
  }

  void substitution_equals_evaluation_with_the_replacement() {
    base::Random random(random_seed());
    for (int i = 0; i < 10000; ++i) {
      const Case c = random_case(random, true);
      const auto variable = random.below(c.ranges.size());
      // A constant, or another variable's value moved into the range.
      Values values = random_values(random, c.ranges);
      loop_nest::IndexExpression replacement(value_in(random, c.ranges[variable]));
      loop_nest::Ranges ranges = c.ranges;
      if (random.chance(0.5)) {
        const std::int64_t length = c.ranges[variable].high - c.ranges[variable].low + 1;
        ranges.push_back({0, 3 * length});
        values.push_back(value_in(random, ranges.back()));
        replacement =
            loop_nest::modulo(loop_nest::IndexExpression::variable(static_cast<int>(c.ranges.size())), length,
                              ranges) +
            loop_nest::IndexExpression(c.ranges[variable].low);
      }
      const loop_nest::IndexExpression replaced =
          c.expression.substitute(static_cast<int>(variable), replacement, ranges);
      QVERIFY(!replaced.depends_on(static_cast<int>(variable)));
      const std::int64_t actual = replaced.evaluate(values);
      values[variable] = replacement.evaluate(values);
      QCOMPARE(actual, c.tree->evaluate(values));
      const loop_nest::Range range = replaced.range(ranges);
      QVERIFY(range.low <= actual && actual <= range.high);
    }
  }

  void dependence_and_coefficients_are_what_evaluation_shows() {
    base::Random random(random_seed());
    for (int i = 0; i < 10000; ++i) {
      const Case c = random_case(random, true);
      const std::vector<int> named = c.expression.variables();
      QVERIFY(std::ranges::is_sorted(named));
      for (std::size_t variable = 0; variable < c.ranges.size(); ++variable) {
        const int number = static_cast<int>(variable);
        QCOMPARE(c.expression.depends_on(number), std::ranges::find(named, number) != named.end());
        Values values = random_values(random, c.ranges);
        const std::int64_t first = values[variable];
        const std::int64_t before = c.expression.evaluate(values);
        values[variable] = value_in(random, c.ranges[variable]);
        const std::int64_t difference = c.expression.evaluate(values) - before;
        if (!c.expression.depends_on(number)) QCOMPARE(difference, std::int64_t{0});
        if (const auto step = c.expression.coefficient(number))
          QCOMPARE(difference, *step * (values[variable] - first));
      }
      QCOMPARE(c.expression.is_constant(), named.empty());
      QCOMPARE(c.expression.without_constant() + loop_nest::IndexExpression(c.expression.constant()),
               c.expression);
    }
  }

  void the_c_spelling_means_the_same() {
    base::Random random(random_seed());
    for (int i = 0; i < 10000; ++i) {
      const Case c = random_case(random, false);
      const std::string text = c.expression.to_c(variable_name);
      for (int j = 0; j < 4; ++j) {
        const Values values = random_values(random, c.ranges);
        QVERIFY2(CText(text, values).evaluate() == c.tree->evaluate(values), text.c_str());
      }
    }
  }

  void the_order_is_an_order_and_equality_is_equality_of_form() {
    base::Random random(random_seed());
    const loop_nest::Ranges ranges = random_ranges(random, 3, true);
    std::vector<loop_nest::IndexExpression> all;
    for (int i = 0; i < 150; ++i) all.push_back(random_tree(random, 3, 3, true)->build(ranges));
    for (const loop_nest::IndexExpression& a : all) {
      QCOMPARE(a, loop_nest::IndexExpression(a));
      for (const loop_nest::IndexExpression& b : all) {
        QCOMPARE((a <=> b) < 0, (b <=> a) > 0);
        if (a == b) QCOMPARE(a.to_c(variable_name), b.to_c(variable_name));
      }
    }
    std::ranges::sort(all);
    QVERIFY(std::ranges::is_sorted(all));
  }

  /** What tilings rely on: the parts of a split index find each other again. */
  void split_indices_simplify() {
    const loop_nest::Ranges ranges{{0, 6}, {0, 15}, {0, 111}};
    const loop_nest::IndexExpression outer = loop_nest::IndexExpression::variable(0);
    const loop_nest::IndexExpression inner = loop_nest::IndexExpression::variable(1);
    const loop_nest::IndexExpression whole = outer * 16 + inner;
    QCOMPARE(loop_nest::floor_divide(whole, 16, ranges), outer);
    QCOMPARE(loop_nest::modulo(whole, 16, ranges), inner);
    QCOMPARE(loop_nest::floor_divide(whole, 112, ranges), loop_nest::IndexExpression(0));
    QCOMPARE(loop_nest::floor_divide(whole + loop_nest::IndexExpression(-16), 16, ranges),
             outer + loop_nest::IndexExpression(-1));
    const loop_nest::IndexExpression flat = loop_nest::IndexExpression::variable(2);
    QCOMPARE(loop_nest::floor_divide(flat, 16, ranges) * 16 + loop_nest::modulo(flat, 16, ranges), flat);
    QCOMPARE(flat + flat * -1, loop_nest::IndexExpression(0));
    loop_nest::IndexExpression twice = whole;
    twice += twice;
    QCOMPARE(twice, whole * 2);
  }
};

KERNELSCAPE_PLAIN_TEST(LoopNestIndexExpressionTest)

}  // namespace kernelscape::loop_nest_index_expression_test
#include "loop_nest_index_expression_test.moc"
