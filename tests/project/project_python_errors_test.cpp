#include <QTest>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/random.h"
#include "core/project/python_expression.h"
#include "tests/project/python_values.h"
#include "tests/project/random_python.h"
#include "tests/test_program.h"

namespace kernelscape::project_python_errors_test {
using kernelscape::testing::mentions;
using kernelscape::testing::shown;
using kernelscape::testing::value_of;

/** Expressions that have no value, or are none. */
class ProjectPythonErrorsTest final : public QObject {
  Q_OBJECT

 private slots:
  /** A text is not looked for in another for minutes. */
  void searches_in_long_texts_are_counted() {
    const auto value = value_of("any('a' * 30000 + 'b' in 'a' * 60000 for i in range(100))");
    QVERIFY2(!value && mentions(value.error(), "steps"), shown(value).c_str());
    const auto shorter = value_of("'a' * 30 + 'b' in 'a' * 60000 + 'b'");
    QVERIFY2(shorter && *shorter == project::PythonValue{true}, shown(shorter).c_str());
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
        {"[1, 2][2]", "of an object with 2 values"},
        {"[1, 2][-3]", "of an object with 2 values"},
        {"[1][0.0]", "needs a whole number"},
        {"5[0]", "does not take"},
        {"x", "nothing is named \"x\""},
        {"1 + y * 2", "column 5"},
        {"[1, 2]", "gives a list"},
        {"'a' * 100000", "over"},
        {"('a' * 60000) * 60000", "over"},
        {"[0] * 9223372036854775807", "over"}};
    for (const auto& [text, words] : cases) {
      const Result<project::PythonValue> value = value_of(text);
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
      const Result<project::PythonExpression> expression = project::PythonExpression::parse(text);
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
      const Result<project::PythonExpression> deep =
          project::PythonExpression::parse(nested(open, close, 5000));
      QVERIFY2(!deep && mentions(deep.error(), "levels"), open);
      QVERIFY2(project::PythonExpression::parse(nested(open, close, 20)), open);
    }
    QVERIFY(!project::PythonExpression::parse("x" + nested("[0]", "", 5000)));
    std::string loops = "[1";
    for (int i = 0; i < 1000; ++i) loops += " for x in [1, 2]";
    QVERIFY(mentions(project::PythonExpression::parse(loops + "]").error(), "levels"));
    QVERIFY(mentions(project::PythonExpression::parse(std::string(1 << 17, '1')).error(), "bytes"));
    // Long is not deep.
    QCOMPARE(shown(value_of(nested("1+", "", 30'000))), std::string("0 30001"));
    QCOMPARE(shown(value_of(nested("1<2 and ", "", 5000))), std::string("0 1"));
    QCOMPARE(shown(value_of(nested("1 <= ", "", 5000))), std::string("2 true"));
  }

  /** Any letters give a value or an error, and the same again. */
  void torn_expressions_are_refused_or_read() {
    const std::uint64_t seed = 2202;
    qInfo("seed %llu", static_cast<unsigned long long>(seed));
    base::Random random(seed);
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
      const Result<project::PythonExpression> expression = project::PythonExpression::parse(text);
      if (!expression) {
        QVERIFY(!expression.error().message.empty());
        continue;
      }
      QCOMPARE(shown(expression->evaluate(testing::made_names)), shown(value_of(text, testing::made_names)));
    }
  }
};

KERNELSCAPE_PLAIN_TEST(ProjectPythonErrorsTest)

}  // namespace kernelscape::project_python_errors_test
#include "project_python_errors_test.moc"
