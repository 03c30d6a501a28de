#include <QTest>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/base/int128.h"
#include "core/base/random.h"
#include "core/project/python_expression.h"
#include "tests/project/python_values.h"
#include "tests/project/random_python.h"
#include "tests/test_program.h"

namespace kernelscape::project_python_expression_test {
using kernelscape::testing::mentions;
using kernelscape::testing::shown;
using kernelscape::testing::value_of;

namespace {

struct Case {
  const char* text;
  project::PythonValue value;
};

/** Values that Python 3 gives, by its own word. */
const std::vector<Case>& known_cases() {
  static const std::vector<Case> all{
      {"7 // 2", std::int64_t{3}},
      {"-7 // 2", std::int64_t{-4}},
      {"7 // -2", std::int64_t{-4}},
      {"-7 % 3", std::int64_t{2}},
      {"7 % -3", std::int64_t{-2}},
      {"-7 % -3", std::int64_t{-1}},
      {"7.5 // 2", 0x1.8000000000000p+1},
      {"-7.5 // 2", -0x1.0000000000000p+2},
      {"-7.5 % 2", 0x1.0000000000000p-1},
      {"7.5 % -2", -0x1.0000000000000p-1},
      {"-0.0 // 3", -0x0.0p+0},
      {"0.0 % -3", -0x0.0p+0},
      {"1e20 // 3", 0x1.ce97ca0f21055p+64},
      {"6 / 4", 0x1.8000000000000p+0},
      {"1 / 3", 0x1.5555555555555p-2},
      {"-1 / 3", -0x1.5555555555555p-2},
      {"9007199254740993 / 3", 0x1.5555555555556p+51},
      {"9223372036854775807 / 9223372036854775806", 0x1.0000000000000p+0},
      {"9223372036854775807 / 2", 0x1.0000000000000p+62},
      {"-9223372036854775808 / 3", -0x1.5555555555555p+61},
      {"9223372036854775807 / 1000000007", 0x1.12e0be6225452p+33},
      {"4611686018427387905 / 4611686018427387903", 0x1.0000000000000p+0},
      {"2 ** 10", std::int64_t{1024}},
      {"2 ** -1", 0x1.0000000000000p-1},
      {"-2 ** 2", std::int64_t{-4}},
      {"(-2) ** 2", std::int64_t{4}},
      {"2 ** 3 ** 2", std::int64_t{512}},
      {"(-2) ** -3", -0x1.0000000000000p-3},
      {"0 ** 0", std::int64_t{1}},
      {"0.0 ** 0", 0x1.0000000000000p+0},
      {"2 ** 0.5", 0x1.6a09e667f3bcdp+0},
      {"2.0 ** 3", 0x1.0000000000000p+3},
      {"(-8) ** 2.0", 0x1.0000000000000p+6},
      {"2 ** -1074", 0x0.0000000000001p-1022},
      {"True + True", std::int64_t{2}},
      {"-True", std::int64_t{-1}},
      {"True ** 2", std::int64_t{1}},
      {"not 0", true},
      {"not \042\042", true},
      {"not \042a\042", false},
      {"0 or 5", std::int64_t{5}},
      {"3 and 5", std::int64_t{5}},
      {"0 and 1 // 0", std::int64_t{0}},
      {"1 or 1 // 0", std::int64_t{1}},
      {"\042\042 or \042x\042", std::string("x")},
      {"1 < 2 < 3", true},
      {"1 < 3 < 2", false},
      {"3 > 2 > 1", true},
      {"1 < 2 > 1 != 0", true},
      {"1 == 1.0", true},
      {"1 == True", true},
      {"\0421\042 == 1", false},
      {"\042a\042 < \042b\042", true},
      {"\042B\042 < \042a\042", true},
      {"\042abc\042 < \042abd\042", true},
      {"\042\303\244\042 > \042z\042", true},
      {"2 ** 53 + 1 == float(2 ** 53)", false},
      {"9007199254740993 > 9007199254740992.0", true},
      {"9223372036854775807 < 9223372036854775808.0", true},
      {"9223372036854775807 == 9223372036854775807.0", false},
      {"0.1 + 0.2 == 0.3", false},
      {"1 in [1, 2]", true},
      {"1.0 in (1, 2)", true},
      {"\0421\042 in [1, 2]", false},
      {"3 not in [1, 2]", true},
      {"\042bc\042 in \042abcd\042", true},
      {"\042\042 in \042abc\042", true},
      {"not 1 in [1]", false},
      {"min(3, 1, 2)", std::int64_t{1}},
      {"max([3, 1, 2])", std::int64_t{3}},
      {"max((1, 1.0))", std::int64_t{1}},
      {"max(1.0, 1)", 0x1.0000000000000p+0},
      {"min(\042banana\042)", std::string("a")},
      {"abs(-3)", std::int64_t{3}},
      {"abs(-3.5)", 0x1.c000000000000p+1},
      {"abs(True)", std::int64_t{1}},
      {"len(\042a\303\244b\042)", std::int64_t{3}},
      {"len([1, 2, 3])", std::int64_t{3}},
      {"len(())", std::int64_t{0}},
      {"int(3.9)", std::int64_t{3}},
      {"int(-3.9)", std::int64_t{-3}},
      {"int(\042 1_000 \042)", std::int64_t{1000}},
      {"int(\042-12\042)", std::int64_t{-12}},
      {"int(True)", std::int64_t{1}},
      {"int()", std::int64_t{0}},
      {"float(3)", 0x1.8000000000000p+1},
      {"float(\0421.5e3\042)", 0x1.7700000000000p+10},
      {"float(\042-.5\042)", -0x1.0000000000000p-1},
      {"float()", 0x0.0p+0},
      {"bool([])", false},
      {"bool([0])", true},
      {"bool(0.0)", false},
      {"bool(\042False\042)", true},
      {"[1, 2, 3][0]", std::int64_t{1}},
      {"[1, 2, 3][-1]", std::int64_t{3}},
      {"(4, 5)[1]", std::int64_t{5}},
      {"\042hello\042[1]", std::string("e")},
      {"\042hello\042[-1]", std::string("o")},
      {"[[1, 2], [3]][0][1]", std::int64_t{2}},
      {"[1, 2] == [1, 2.0]", true},
      {"[1, 2] == (1, 2)", false},
      {"[1, 2] < [1, 3]", true},
      {"(1, 2) < (1, 2, 0)", true},
      {"([1, 2] + [3])[2]", std::int64_t{3}},
      {"(\042ab\042 * 3)", std::string("ababab")},
      {"2 * \042ab\042", std::string("abab")},
      {"\042ab\042 * -1", std::string("")},
      {"\042a\042 \042b\042", std::string("ab")},
      {"'it''s'", std::string("its")},
      {"\042\134x41\134n\134u00e4\134\134\042", std::string("A\012\303\244\134")},
      {"r\042\134n\042", std::string("\134n")},
      {"0x1F + 0o17 + 0b101", std::int64_t{51}},
      {"1_000 + 1", std::int64_t{1001}},
      {"1e3", 0x1.f400000000000p+9},
      {"1.", 0x1.0000000000000p+0},
      {".5", 0x1.0000000000000p-1},
      {"5.e-1", 0x1.0000000000000p-1},
      {"-9223372036854775808", std::numeric_limits<std::int64_t>::min()},
      {"-9223372036854775808 % -1", std::int64_t{0}},
      {"-9223372036854775807 - 1", std::numeric_limits<std::int64_t>::min()},
      {"32 <= 16 * 4 <= 1024", true},
      {"16 * 4 % 3 // 2", std::int64_t{0}},
      {"2 + 3 * 4 - 5 // 2", std::int64_t{12}},
      {"10 - 3 - 2", std::int64_t{5}},
      {"100 / 10 / 5", 0x1.0000000000000p+1},
      {"2 * 3 % 4", std::int64_t{2}},
      {"+5", std::int64_t{5}},
      {"- - 5", std::int64_t{5}},
      {"not not 1", true},
      {"not 1 == 2", true},
      {"1 + (2,)[0]", std::int64_t{3}},
      {"7 // 2.0", 0x1.8000000000000p+1},
      {"7 % 2.5", 0x1.0000000000000p+1},
      {"1e308 * 10", HUGE_VAL},
      {"1e300 // 1e-10", HUGE_VAL},
      {"5 % float(\042inf\042)", 0x1.4000000000000p+2},
      {"-5 % float(\042inf\042)", HUGE_VAL},
      {"-5 // float(\042inf\042)", -0x1.0000000000000p+0},
      {"3 == 3 in [3]", true},
      {"1 < 2 in [2]", true},
      {"(1, 2, 3)[True]", std::int64_t{2}},
      {"0.1 + 0.2", 0x1.3333333333334p-2},
      {"1e16 + 1", 0x1.1c37937e08000p+53},
      {"int(1e15)", std::int64_t{1000000000000000}},
      {"(1 or 1 // 0) + 1", std::int64_t{2}},
      {"10 ** 18", std::int64_t{1000000000000000000}},
      {"(-3) ** 3", std::int64_t{-27}},
      {"3 * (1 < 2) + (2 > 1)", std::int64_t{4}},
      {"max(abs(-4), 3) % 3", std::int64_t{1}},
      {"\042x\042 in (\042x\042, 1) and \042y\042 not in [\042x\042]", true},
  };
  return all;
}

/** The same kind and, of reals, the same bits. */
bool identical(const project::PythonValue& a, const project::PythonValue& b) {
  if (a.index() != b.index()) return false;
  if (const auto* real = std::get_if<double>(&a))
    return std::memcmp(real, &std::get<double>(b), sizeof(double)) == 0;
  return a == b;
}

}  // namespace

class ProjectPythonExpressionTest final : public QObject {
  Q_OBJECT

 private slots:
  void values_are_pythons() {
    for (const Case& one : known_cases()) {
      const Result<project::PythonValue> value = value_of(one.text);
      QVERIFY2(value && identical(*value, one.value),
               (std::string(one.text) + ": " + shown(value) + ", not " + shown(one.value)).c_str());
    }
  }

  void names_are_asked_for() {
    const project::PythonNames names = [](std::string_view name) -> std::optional<project::PythonBinding> {
      if (name == "filter_width")
        return project::PythonBinding{{std::int64_t{3}, std::int64_t{15}, std::int64_t{7}}, true};
      if (name == "block") return project::PythonBinding{{std::int64_t{32}}};
      if (name == "größe") return project::PythonBinding{{2.5}};
      return std::nullopt;
    };
    QCOMPARE(shown(value_of("max(filter_width) - 1", names)), std::string("0 14"));
    QCOMPARE(shown(value_of("filter_width[-1] * block", names)), std::string("0 224"));
    QCOMPARE(shown(value_of("len(filter_width)", names)), std::string("0 3"));
    QCOMPARE(shown(value_of("block in filter_width", names)), std::string("2 false"));
    QCOMPARE(shown(value_of("größe * 2", names)), std::string("1 5"));
    const auto expression = project::PythonExpression::parse("b * a + max(b, c) if_ == 2");
    QVERIFY(!expression);
    QCOMPARE(project::PythonExpression::parse("b * a + max(b, c)")->names(),
             (std::vector<std::string>{"b", "a", "c"}));
    QCOMPARE(project::PythonExpression::parse(" b*a ")->text(), std::string(" b*a "));
    QCOMPARE(project::PythonExpression::parse("[x + a for x in b if x < y for y in x]")->names(),
             (std::vector<std::string>{"a", "b"}));
    QCOMPARE(project::PythonExpression::parse("lambda p: p[\"X\"] * p['Y'] <= p[\"X\"]")->names(),
             (std::vector<std::string>{"X", "Y"}));
    QCOMPARE(project::PythonExpression::parse("lambda x, y: y * x <= 1024")->names(),
             (std::vector<std::string>{"y", "x"}));
  }

  void whole_numbers_truths_and_lists() {
    const auto parsed = [](const char* text) { return *project::PythonExpression::parse(text); };
    QCOMPARE(*parsed("8 / 2").evaluate_integer({}), 4);
    QCOMPARE(*parsed("True").evaluate_integer({}), 1);
    QVERIFY(mentions(parsed("7 / 2").evaluate_integer({}).error(), "3.5"));
    QVERIFY(!parsed("1e19").evaluate_integer({}));
    QVERIFY(!parsed("float('nan')").evaluate_integer({}));
    QVERIFY(!parsed("'4'").evaluate_integer({}));
    QVERIFY(*parsed("[0]").evaluate_truth({}));
    QVERIFY(!*parsed("''").evaluate_truth({}));
    QVERIFY(!parsed("x").evaluate_truth({}));
    const std::vector<project::PythonValue> values{std::int64_t{16}, 0.5, true, std::string("a")};
    QCOMPARE(*parsed("[16, .5, True, 'a']").evaluate_list({}), values);
    QVERIFY(parsed("()").evaluate_list({})->empty());
    QVERIFY(!parsed("16").evaluate_list({}));
    QCOMPARE(*parsed("{4, 2, 4.0}").evaluate_list({}),
             (std::vector<project::PythonValue>{std::int64_t{4}, std::int64_t{2}}));
    QVERIFY(mentions(parsed("range(10 ** 12)").evaluate_list({}).error(), "1000000000000 values"));
    QVERIFY(!parsed("None").evaluate({}));
    QVERIFY(!*parsed("None").evaluate_truth({}));
    QVERIFY(!parsed("[[1]]").evaluate_list({}));
  }

  void an_empty_expression_has_no_value() {
    const project::PythonExpression empty;
    QVERIFY(empty.text().empty());
    QVERIFY(empty.names().empty());
    QVERIFY(!empty.evaluate({}));
    QVERIFY(!empty.evaluate_list({}));
  }

  /** Texts that know their value while they are made. */
  void random_expressions_have_their_values() {
    const std::uint64_t seed = 2201;
    qInfo("seed %llu", static_cast<unsigned long long>(seed));
    base::Random random(seed);
    int errors = 0;
    int reals = 0;
    for (int i = 0; i < 20'000; ++i) {
      const testing::MadePython made = testing::made_python(random, 5);
      const Result<project::PythonValue> value = value_of(made.text, testing::made_names);
      const bool same = made.value ? value && identical(*value, *made.value) : !value;
      QVERIFY2(same, (made.text + ": " + shown(value) + ", not " +
                      (made.value ? shown(*made.value) : std::string("an error")))
                         .c_str());
      errors += made.value ? 0 : 1;
      reals += made.value && std::holds_alternative<double>(*made.value) ? 1 : 0;
    }
    QVERIFY(errors > 500 && errors < 12'000);
    QVERIFY(reals > 500);
  }
};

KERNELSCAPE_PLAIN_TEST(ProjectPythonExpressionTest)

}  // namespace kernelscape::project_python_expression_test
#include "project_python_expression_test.moc"
