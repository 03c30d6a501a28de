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
#include "tests/project/random_python.h"
#include "tests/test_program.h"

namespace kernelscape::project_python_expression_test {

namespace {

struct Case {
  const char* text;
  PythonValue value;
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
bool identical(const PythonValue& a, const PythonValue& b) {
  if (a.index() != b.index()) return false;
  if (const auto* real = std::get_if<double>(&a))
    return std::memcmp(real, &std::get<double>(b), sizeof(double)) == 0;
  return a == b;
}

std::string shown(const Result<PythonValue>& value) {
  return value ? std::to_string(value->index()) + " " + to_string(*value) : describe(value.error());
}

Result<PythonValue> value_of(std::string_view text, const PythonNames& names = {}) {
  const Result<PythonExpression> expression = PythonExpression::parse(text);
  if (!expression) return std::unexpected(expression.error());
  return expression->evaluate(names);
}

bool mentions(const Error& error, std::string_view words) { return describe(error).contains(words); }

}  // namespace

class ProjectPythonExpressionTest final : public QObject {
  Q_OBJECT

 private slots:
  void values_are_pythons() {
    for (const Case& one : known_cases()) {
      const Result<PythonValue> value = value_of(one.text);
      QVERIFY2(value && identical(*value, one.value),
               (std::string(one.text) + ": " + shown(value) + ", not " + shown(one.value)).c_str());
    }
  }

  /** What Python raises, or 64 bits do not hold: each names the column. */
  void what_has_no_value_is_an_error() {
    const std::vector<std::pair<const char*, const char*>> cases{
        {"1 // 0", "division by zero"},
        {"1 % 0", "division by zero"},
        {"1 / 0", "division by zero"},
        {"1.5 // 0.0", "division by zero"},
        {"1 / False", "division by zero"},
        {"2 + 3 % (1 - 1)", "column 7: division by zero"},
        {"0 ** -1", "negative power"},
        {"0.0 ** -1.5", "negative power"},
        {"(-8) ** 0.5", "not whole"},
        {"10.0 ** 400", "real's range"},
        {"9223372036854775807 + 1", "64 bits"},
        {"-9223372036854775808 - 1", "64 bits"},
        {"-9223372036854775808 // -1", "64 bits"},
        {"-(-9223372036854775808)", "64 bits"},
        {"abs(-9223372036854775808)", "64 bits"},
        {"3 ** 41", "64 bits"},
        {"2 ** 4611686018427387904", "64 bits"},
        {"int(1e19)", "64 bits"},
        {"int(float('inf'))", "not finite"},
        {"1 + 'a'", "+ does not take a whole number and a text"},
        {"'a' - 'a'", "- does not take"},
        {"-'a'", "- does not take a text"},
        {"'%d' % 3", "% does not take"},
        {"1 < 'a'", "< does not compare"},
        {"[1] < (1,)", "does not compare"},
        {"1 in 12", "not a whole number"},
        {"1 in '1'", "can't contain"},
        {"[1] + (1,)", "does not take"},
        {"max(1)", "needs a list"},
        {"min([])", "min of nothing"},
        {"max()", "max of nothing"},
        {"max(1, 'a')", "does not compare"},
        {"len(5)", "len does not take"},
        {"abs('a')", "abs does not take"},
        {"abs(1, 2)", "takes one value"},
        {"int('1.5')", "no number"},
        {"int('')", "no number"},
        {"int('1__0')", "no number"},
        {"float('nan(1)')", "no number"},
        {"float('1e999')", "out of range"},
        {"int('9223372036854775808')", "out of range"},
        {"[1, 2][2]", "of what has 2 values"},
        {"[1, 2][-3]", "of what has 2 values"},
        {"[1][0.0]", "needs a whole number"},
        {"5[0]", "does not take"},
        {"x", "nothing is named \"x\""},
        {"1 + y * 2", "column 5"},
        {"[1, 2]", "gives a list"},
        {"'a' * 100000", "over"},
        {"('a' * 60000) * 60000", "over"},
        {"[0] * 9223372036854775807", "over"}};
    for (const auto& [text, words] : cases) {
      const Result<PythonValue> value = value_of(text);
      QVERIFY2(!value && mentions(value.error(), words), (std::string(text) + ": " + shown(value)).c_str());
    }
  }

  void what_is_no_expression_names_its_column() {
    const std::vector<std::pair<const char*, const char*>> cases{
        {"", "there is no expression"},
        {"  ", "column 3: there is no expression"},
        {"1 +", "column 4: the end where a value"},
        {"1 + * 2", "column 5"},
        {"(1", "where ) is expected"},
        {"1)", "column 2: this bracket has no opening bracket"},
        {"[1, 2", "where ] is expected"},
        {"[1,, 2]", "column 4: a value is missing"},
        {"a b", "column 3: an operator is expected before \"b\""},
        {"a = 3", "compare with =="},
        {"a && b", "with and"},
        {"a || b", "with or"},
        {"a := 3", "is not supported here"},
        {"a @ b", "is not supported here"},
        {"!a", "write not"},
        {"a.b", "the member .b is not supported"},
        {"a.count(1)", "there is no function \"a.count\""},
        {"(a).count(1)", "the member .count"},
        {"a ? b : c", "write a if condition else b"},
        {"1 if a", "the end where else is expected"},
        {"x for x in y", "a comprehension needs brackets"},
        {"(x for x in y)",
         "column 4: a generator is supported only as a function's only argument (write it in [ ]"},
        {"max((x for x in y), 1)", "a generator"},
        {"np.sum(x for x in y)", "a generator"},
        {"[x for x in y, 1]", "only item in its brackets"},
        {"[x for 1 in y]", "a variable is expected"},
        {"[x for x]", "where in is expected"},
        {"{1: 2}", "dictionaries are not supported"},
        {"{}", "set()"},
        {"[*a for a in b]", "*values"},
        {"(*a)", "*values"},
        {"lambda x", "the end where : is expected"},
        {"lambda *p: 1", "write lambda p: p[\"NAME\"]"},
        {"1 + (lambda: 2)", "a lambda must be the whole expression"},
        {"a and", "the end where a value"},
        {"not", "the end where a value"},
        {"a not b", "an operator is expected"},
        {"zip(a)", "there is no function \"zip\""},
        {"math.sum(a)", "there is no function \"math.sum\""},
        {"max(a, key=len)", "="},
        {"a(1)", "there is no function"},
        {"(a)(1)", "not the name of a function"},
        {"a[1:2:3:4]", "] is expected"},
        {"a[]", "where a value is expected"},
        {"1, 2", "a list needs brackets"},
        {"012", "starts with 0"},
        {"1__0", "follows a number"},
        {"1_", "follows a number"},
        {"0x", "a digit is missing"},
        {"0b2", "a digit is missing"},
        {"1j", "follows a number"},
        {"1abc", "follows a number"},
        {"1.2.3", "follows a number"},
        {"1e999", "real's range"},
        {"9223372036854775808", "beyond 64 bits"},
        {"-9223372036854775809", "beyond 64 bits"},
        {"99999999999999999999999", "beyond 64 bits"},
        {"-9223372036854775808 ** 2", "beyond 64 bits"},
        {"'abc", "column 1: this text is not terminated"},
        {"'a\nb'", "not terminated"},
        {"\"\"\"a\"\"\"", "three quotes"},
        {"b'a'", "before a text"},
        {"f'a'", "before a text"},
        {"'\\x4'", "needs 2 digits"},
        {"'\\ud800'", "no such character"},
        {"ää + +", "column 7"},
        {"\xff", "not valid UTF-8"},
        {"a\xc3", "not valid UTF-8"}};
    for (const auto& [text, words] : cases) {
      const Result<PythonExpression> expression = PythonExpression::parse(text);
      QVERIFY2(!expression, text);
      QVERIFY2(mentions(expression.error(), words),
               (std::string(text) + ": " + describe(expression.error())).c_str());
    }
  }

  void deep_and_long_texts_end() {
    const auto nested = [](std::string_view open, std::string_view close, int times) {
      std::string text;
      for (int i = 0; i < times; ++i) text += open;
      text += "1";
      for (int i = 0; i < times; ++i) text += close;
      return text;
    };
    using Shape = std::pair<const char*, const char*>;
    for (const auto& [open, close] :
         {Shape{"(", ")"}, Shape{"[", "]"}, Shape{"-", ""}, Shape{"not ", ""}, Shape{"abs(", ")"},
          Shape{"2 ** ", ""}, Shape{"[1][", "]"}, Shape{"~", ""}, Shape{"{", "}"}, Shape{"[x for x in ", "]"},
          Shape{"1 if 1 else ", ""}}) {
      const Result<PythonExpression> deep = PythonExpression::parse(nested(open, close, 5000));
      QVERIFY2(!deep && mentions(deep.error(), "levels"), open);
      QVERIFY2(PythonExpression::parse(nested(open, close, 20)), open);
    }
    QVERIFY(!PythonExpression::parse("x" + nested("[0]", "", 5000)));
    std::string loops = "[1";
    for (int i = 0; i < 1000; ++i) loops += " for x in [1, 2]";
    QVERIFY(mentions(PythonExpression::parse(loops + "]").error(), "levels"));
    QVERIFY(mentions(PythonExpression::parse(std::string(1 << 17, '1')).error(), "bytes"));
    // Long is not deep.
    QCOMPARE(shown(value_of(nested("1+", "", 30'000))), std::string("0 30001"));
    QCOMPARE(shown(value_of(nested("1<2 and ", "", 5000))), std::string("0 1"));
    QCOMPARE(shown(value_of(nested("1 <= ", "", 5000))), std::string("2 true"));
  }

  /** A text is not looked for in another for minutes. */
  void searches_in_long_texts_are_counted() {
    const auto value = value_of("any('a' * 30000 + 'b' in 'a' * 60000 for i in range(100))");
    QVERIFY2(!value && mentions(value.error(), "steps"), shown(value).c_str());
    const auto shorter = value_of("'a' * 30 + 'b' in 'a' * 60000 + 'b'");
    QVERIFY2(shorter && *shorter == PythonValue{true}, shown(shorter).c_str());
  }

  void names_are_asked_for() {
    const PythonNames names = [](std::string_view name) -> std::optional<PythonBinding> {
      if (name == "filter_width")
        return PythonBinding{{std::int64_t{3}, std::int64_t{15}, std::int64_t{7}}, true};
      if (name == "block") return PythonBinding{{std::int64_t{32}}};
      if (name == "größe") return PythonBinding{{2.5}};
      return std::nullopt;
    };
    QCOMPARE(shown(value_of("max(filter_width) - 1", names)), std::string("0 14"));
    QCOMPARE(shown(value_of("filter_width[-1] * block", names)), std::string("0 224"));
    QCOMPARE(shown(value_of("len(filter_width)", names)), std::string("0 3"));
    QCOMPARE(shown(value_of("block in filter_width", names)), std::string("2 false"));
    QCOMPARE(shown(value_of("größe * 2", names)), std::string("1 5"));
    const auto expression = PythonExpression::parse("b * a + max(b, c) if_ == 2");
    QVERIFY(!expression);
    QCOMPARE(PythonExpression::parse("b * a + max(b, c)")->names(),
             (std::vector<std::string>{"b", "a", "c"}));
    QCOMPARE(PythonExpression::parse(" b*a ")->text(), std::string(" b*a "));
    QCOMPARE(PythonExpression::parse("[x + a for x in b if x < y for y in x]")->names(),
             (std::vector<std::string>{"a", "b"}));
    QCOMPARE(PythonExpression::parse("lambda p: p[\"X\"] * p['Y'] <= p[\"X\"]")->names(),
             (std::vector<std::string>{"X", "Y"}));
    QCOMPARE(PythonExpression::parse("lambda x, y: y * x <= 1024")->names(),
             (std::vector<std::string>{"y", "x"}));
  }

  void whole_numbers_truths_and_lists() {
    const auto parsed = [](const char* text) { return *PythonExpression::parse(text); };
    QCOMPARE(*parsed("8 / 2").evaluate_integer({}), 4);
    QCOMPARE(*parsed("True").evaluate_integer({}), 1);
    QVERIFY(mentions(parsed("7 / 2").evaluate_integer({}).error(), "3.5"));
    QVERIFY(!parsed("1e19").evaluate_integer({}));
    QVERIFY(!parsed("float('nan')").evaluate_integer({}));
    QVERIFY(!parsed("'4'").evaluate_integer({}));
    QVERIFY(*parsed("[0]").evaluate_truth({}));
    QVERIFY(!*parsed("''").evaluate_truth({}));
    QVERIFY(!parsed("x").evaluate_truth({}));
    const std::vector<PythonValue> values{std::int64_t{16}, 0.5, true, std::string("a")};
    QCOMPARE(*parsed("[16, .5, True, 'a']").evaluate_list({}), values);
    QVERIFY(parsed("()").evaluate_list({})->empty());
    QVERIFY(!parsed("16").evaluate_list({}));
    QCOMPARE(*parsed("{4, 2, 4.0}").evaluate_list({}),
             (std::vector<PythonValue>{std::int64_t{4}, std::int64_t{2}}));
    QVERIFY(mentions(parsed("range(10 ** 12)").evaluate_list({}).error(), "1000000000000 values"));
    QVERIFY(!parsed("None").evaluate({}));
    QVERIFY(!*parsed("None").evaluate_truth({}));
    QVERIFY(!parsed("[[1]]").evaluate_list({}));
  }

  void an_empty_expression_has_no_value() {
    const PythonExpression empty;
    QVERIFY(empty.text().empty());
    QVERIFY(empty.names().empty());
    QVERIFY(!empty.evaluate({}));
    QVERIFY(!empty.evaluate_list({}));
  }

  /** Texts that know their value while they are made. */
  void random_expressions_have_their_values() {
    const std::uint64_t seed = 2201;
    qInfo("seed %llu", static_cast<unsigned long long>(seed));
    Random random(seed);
    int errors = 0;
    int reals = 0;
    for (int i = 0; i < 20'000; ++i) {
      const testing::MadePython made = testing::made_python(random, 5);
      const Result<PythonValue> value = value_of(made.text, testing::made_names);
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

  /** Any letters give a value or an error, and the same again. */
  void torn_expressions_are_refused_or_read() {
    const std::uint64_t seed = 2202;
    qInfo("seed %llu", static_cast<unsigned long long>(seed));
    Random random(seed);
    static constexpr std::string_view letters =
        "0123456789.eE_xX+-*/%&|^~()[]{}<>=!:,'\" \\abnortdfinels\n\xc3\xa4";
    for (int i = 0; i < 20'000; ++i) {
      std::string text = testing::made_python(random, 3).text;
      for (std::uint64_t change = random.below(4); change-- > 0;) {
        const std::size_t at = random.below(text.size() + 1);
        if (random.chance(0.5))
          text.insert(at, 1, letters[random.below(letters.size())]);
        else
          text.erase(at, random.below(5));
      }
      const Result<PythonExpression> expression = PythonExpression::parse(text);
      if (!expression) {
        QVERIFY(!expression.error().message.empty());
        continue;
      }
      QCOMPARE(shown(expression->evaluate(testing::made_names)), shown(value_of(text, testing::made_names)));
    }
  }
};

KERNELSCAPE_PLAIN_TEST(ProjectPythonExpressionTest)

}  // namespace kernelscape::project_python_expression_test
#include "project_python_expression_test.moc"
