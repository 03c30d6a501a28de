#include <QTest>
#include <string>
#include <utility>
#include <vector>

#include "core/base/random.h"
#include "core/project/python_expression.h"
#include "tests/project/python_reference.h"
#include "tests/test_program.h"

namespace kernelscape::python_language_test {

namespace {

/** Expressions, and what Python 3.11 says that they are, by the program in python_reference.h. */
constexpr std::pair<const char*, const char*> known[] = {
    {"6 & 5 == 4", "bool True"},
    {"8 & (8 - 1) == 0", "bool True"},
    {"6 & 3 | 8 ^ 1", "int 11"},
    {"1 | 2 == 3", "bool True"},
    {"1 << 2 + 1", "int 8"},
    {"~5", "int -6"},
    {"-~5", "int 6"},
    {"~True", "int -2"},
    {"True & False", "bool False"},
    {"True | 4", "int 5"},
    {"True ^ True", "bool False"},
    {"1 << 62", "int 4611686018427387904"},
    {"-1 >> 70", "int -1"},
    {"-9 >> 1", "int -5"},
    {"-8 & 0xFF", "int 248"},
    {"5 & -2", "int 4"},
    {"2 ** -2 < 1 | 0", "bool True"},
    {"3 if 0 else 4", "int 4"},
    {"1 if 1 else 2 if 0 else 3", "int 1"},
    {"(1 if 0 else 2) * 3", "int 6"},
    {"1 or 2 if 0 else 5", "int 5"},
    {"[x for x in range(5) if x % 2][1]", "int 3"},
    {"sum([x * y for x in range(4) for y in range(x) if y])", "int 11"},
    {"sum(x for x in values if x > 0)", "int 11"},
    {"sum((x for x in range(10)))", "int 45"},
    {"sum([0.5, 0.25], 1)", "float 3ffc000000000000"},
    {"any(1 // x == 1 for x in (1, 0))", "bool True"},
    {"all(x < 3 for x in (3, None))", "bool False"},
    {"any([])", "bool False"},
    {"all(())", "bool True"},
    {"[[y for y in range(x)] for x in range(4)][3][2]", "int 2"},
    {"[x for x in [[1, 2], [3]] for x in x][2]", "int 3"},
    {"sum(a * b for a, b in [(1, 2), (3, 4)])", "int 14"},
    {"sum(b for (a, b) in [(1, 2), [3, 4]])", "int 6"},
    {"len([1] * 3 + [2, 3])", "int 5"},
    {"(2 * (1, 2))[3]", "int 2"},
    {"len({1, 1.0, True, 2})", "int 2"},
    {"{1, 2} == {2, 1}", "bool True"},
    {"{1} < {1, 2}", "bool True"},
    {"{1, 2} <= {1}", "bool False"},
    {"len({1, 2} | {3})", "int 3"},
    {"sum({1, 2, 3} & {2, 3, 4})", "int 5"},
    {"sum({1, 2} ^ {2, 3})", "int 4"},
    {"sum({1, 2} - {2})", "int 1"},
    {"\"a\" in {\"a\", \"b\"}", "bool True"},
    {"(1, 2) in {(1, 2)}", "bool True"},
    {"3 in range(0, 10, 3)", "bool True"},
    {"3.0 in range(10)", "bool True"},
    {"10 in range(0, 10)", "bool False"},
    {"5 in range(10, 0, -5)", "bool True"},
    {"'a' in range(3)", "bool False"},
    {"10 ** 11 in range(10 ** 12)", "bool True"},
    {"len(range(0, 10, 3))", "int 4"},
    {"len(range(10, 0, -3))", "int 4"},
    {"range(10)[-1]", "int 9"},
    {"range(0) == range(5, 5)", "bool True"},
    {"range(0, 3, 2) == range(0, 4, 2)", "bool True"},
    {"max(range(5, 1, -1))", "int 5"},
    {"sum(range(101))", "int 5050"},
    {"list(range(5))[1:4][0]", "int 1"},
    {"[1, 2, 3, 4][::-1][0]", "int 4"},
    {"[1, 2, 3, 4][-3:-1] == [2, 3]", "bool True"},
    {"\"hello\"[1:3]", "str el"},
    {"\"hello\"[::-1]", "str olleh"},
    {"(1, 2, 3)[1:] == (2, 3)", "bool True"},
    {"round(0.5)", "int 0"},
    {"round(1.5)", "int 2"},
    {"round(2.5)", "int 2"},
    {"round(-2.5)", "int -2"},
    {"round(2.675, 2)", "float 40055c28f5c28f5c"},
    {"round(1234, -2)", "int 1200"},
    {"round(1250, -2)", "int 1200"},
    {"round(1350, -2)", "int 1400"},
    {"round(15, -1)", "int 20"},
    {"round(25, -1)", "int 20"},
    {"round(7, 2)", "int 7"},
    {"round(True)", "int 1"},
    {"round(1e15 + 0.5)", "int 1000000000000000"},
    {"round(-0.04, 1)", "float 8000000000000000"},
    {"math.ceil(5 / 2)", "int 3"},
    {"ceil(-5 / 2)", "int -2"},
    {"floor(-5 / 2)", "int -3"},
    {"math.trunc(-2.7)", "int -2"},
    {"math.ceil(3)", "int 3"},
    {"log2(8)", "float 4008000000000000"},
    {"math.log2(10)", "float 400a934f0979a371"},
    {"math.log(8, 2)", "float 4008000000000000"},
    {"math.log10(1000)", "float 4008000000000000"},
    {"math.sqrt(2)", "float 3ff6a09e667f3bcd"},
    {"sqrt(16)", "float 4010000000000000"},
    {"math.exp(1)", "float 4005bf0a8b145769"},
    {"math.gcd(12, 18)", "int 6"},
    {"math.lcm(4, 6)", "int 12"},
    {"math.prod([2, 3, 4])", "int 24"},
    {"math.prod(x for x in (2, 3))", "int 6"},
    {"math.pow(2, 3)", "float 4020000000000000"},
    {"pow(2, 10)", "int 1024"},
    {"pow(2, -1)", "float 3fe0000000000000"},
    {"pow(3, 5, 7)", "int 5"},
    {"pow(-3, 5, 7)", "int 2"},
    {"pow(3, 5, -7)", "int -2"},
    {"divmod(-7, 2)[0]", "int -4"},
    {"divmod(-7, 2)[1]", "int 1"},
    {"divmod(7.5, 2)[1]", "float 3ff8000000000000"},
    {"None is None", "bool True"},
    {"None == 0", "bool False"},
    {"1 is True", "bool False"},
    {"True is True", "bool True"},
    {"5 is 5", "bool True"},
    {"5 is not 6", "bool True"},
    {"1 is 1.0", "bool False"},
    {"None is not None", "bool False"},
    {"not None", "bool True"},
    {"1 < 2 is True", "bool False"},
    {"sorted([3, 1, 2])[0]", "int 1"},
    {"sorted({3, 1, 2})[2]", "int 3"},
    {"sorted(\"banana\")[0]", "str a"},
    {"[*range(3), 7][3]", "int 7"},
    {"max([*values])", "int 8"},
    {"tuple([1, 2]) == (1, 2)", "bool True"},
    {"list(\"ab\") == [\"a\", \"b\"]", "bool True"},
    {"len(set([1, 2, 1]))", "int 2"},
    {"len(set())", "int 0"},
    {"\"b\" in word and \"z\" not in word", "bool True"},
    {"word[0] == word[-1]", "bool True"},
    {"2 if word == \"abca\" else 3", "int 2"},
    {"max(abs(x) for x in values)", "int 8"},
    {"bool(range(0))", "bool False"},
    {"bool({0})", "bool True"},
    {"int(\"0\") or 5", "int 5"},
    {"\"\" or None is None", "bool True"},
    {"0.1 + 0.2 == 0.3", "bool False"},
    {"sum([True, True])", "int 2"},
    {"1 if half else 2 // 0", "int 1"},
    {"0 and 1 // 0", "int 0"},
    {"[i for i in range(3)][-1] & 2", "int 2"},
    {"5 // 2 * 2.0", "float 4010000000000000"},
    {"7 % -3 & 7", "int 6"},
    {"1 - 1 << 2", "int 0"},
    {"2 * 3 << 1 & 12 ^ 1 | 16", "int 29"},
    {"1 < 3 & 2 < 4", "bool True"},
    {"not 1 & 2", "bool True"},
};

/** As ask_python() answers; an error is its message. */
std::string answer_of(const std::string& text) {
  const Result<project::PythonExpression> expression = project::PythonExpression::parse(text);
  if (!expression) return describe(expression.error());
  const Result<project::PythonValue> value = expression->evaluate(testing::reference_names);
  return value ? testing::typed_text(*value) : describe(value.error());
}

bool is_value(const std::string& answer) {
  return answer.starts_with("int ") || answer.starts_with("bool ") || answer.starts_with("float ") ||
         answer.starts_with("str ");
}

/** What is refused although Python computes it: nothing of it may be wrong in its place. */
bool may_refuse(const std::string& message) {
  for (const char* words :
       {"64 bits", "is undefined", "a set has no order", "not whole", "to a negative", "sorted takes",
        "a list, not one value", "slices of a range", "shift by", "gives "})
    if (message.contains(words)) return true;
  return false;
}

}  // namespace

class PythonLanguageTest final : public QObject {
  Q_OBJECT

 private slots:
  void values_are_pythons() {
    for (const auto& [text, value] : known)
      QVERIFY2(value == std::string("error") ? !is_value(answer_of(text)) : answer_of(text) == value,
               (std::string(text) + ": " + answer_of(text) + ", not " + value).c_str());
  }

  void random_values_are_pythons() {
    const std::uint64_t seed = 4613;
    qInfo("seed %llu", static_cast<unsigned long long>(seed));
    base::Random random(seed);
    testing::RandomLanguage language(random);
    std::vector<std::string> texts;
    for (int i = 0; i < 6000; ++i) texts.push_back(language.number(4));
    const auto answers = testing::ask_python(texts);
    if (!answers) QSKIP("python3 is not installed: it is the reference of random expressions");
    int values = 0;
    int refused = 0;
    for (std::size_t i = 0; i < texts.size(); ++i) {
      const std::string ours = answer_of(texts[i]);
      const std::string& theirs = (*answers)[i];
      values += is_value(ours) ? 1 : 0;
      if (is_value(ours) || !is_value(theirs)) {
        QVERIFY2(is_value(ours) ? ours == theirs : true,
                 (texts[i] + ": " + ours + ", not " + theirs).c_str());
        continue;
      }
      ++refused;
      QVERIFY2(may_refuse(ours), (texts[i] + ": " + ours + ", not " + theirs).c_str());
    }
    QVERIFY2(values > 1500 && refused < 600, qPrintable(QString("%1 %2").arg(values).arg(refused)));
  }

  void numpys_functions_give_reals() {
    const std::pair<const char*, const char*> cases[] = {{"np.ceil(5 / 2)", "float 4008000000000000"},
                                                         {"numpy.floor(5 / 2)", "float 4000000000000000"},
                                                         {"np.log2(8)", "float 4008000000000000"},
                                                         {"np.log2(0) < 0", "bool True"},
                                                         {"np.sqrt(-1) == np.sqrt(-1)", "bool False"},
                                                         {"np.minimum(3, 2)", "int 2"},
                                                         {"np.prod([2, 3])", "int 6"},
                                                         {"np.round(2.5)", "float 4000000000000000"},
                                                         {"np.maximum(np.max([1, 5]), 4)", "int 5"}};
    for (const auto& [text, value] : cases) QCOMPARE(answer_of(text), std::string(value));
  }

  void what_cannot_be_right_is_refused() {
    const std::pair<const char*, const char*> cases[] = {
        {"1 << 63", "beyond 64 bits"},
        {"1 << 10 ** 18", "beyond 64 bits"},
        {"1 << -1", "a shift by a negative number"},
        {"1.5 & 1", "& does not take a real and a whole number"},
        {"~1.5", "~ does not take a real"},
        {"1000 is 1000", "write =="},
        {"'a' is 'a'", "write =="},
        {"list({1, 2})[0]", "write sorted"},
        {"[x for x in {1, 2}][0]", "write sorted"},
        {"{[1]}", "a set can't hold a list"},
        {"sum(['a'])", "sum takes numbers"},
        {"math.sqrt(-1)", "sqrt of a negative number"},
        {"math.log2(0)", "not above 0"},
        {"round(float('nan'))", "not finite"},
        {"range(1.5)", "range takes whole numbers"},
        {"range(1, 2, 0)", "a step of 0"},
        {"[1, 2][::0]", "a step of 0"},
        {"[x for y in [1] for x in [x]]", "x\" has no value yet"},
        {"[a for a, b in [(1, 2, 3)]]", "3 values for 2 variables"},
        {"pow(2, -1, 5)", "negative power"},
        {"len(x for x in values)", "does not take a generator"}};
    for (const auto& [text, words] : cases)
      QVERIFY2(answer_of(text).contains(words), (std::string(text) + ": " + answer_of(text)).c_str());
  }

  /** Whatever is computed ends soon, with a message. */
  void what_takes_long_is_refused() {
    for (const char* text :
         {"list(range(10 ** 12))", "sum(range(10 ** 12))", "max(range(9223372036854775807))",
          "[x for x in range(10 ** 9)]", "sum(1 for x in range(10 ** 5) for y in range(10 ** 5))",
          "sum(any(True for y in range(10 ** 6)) for x in range(10 ** 6))", "[[0] * 10 ** 5] * 10 ** 5",
          "sum(max(range(10 ** 6)) for x in range(10 ** 6))", "sum(len('a' * 60000) for x in range(10 ** 6))",
          "[0] * 10 ** 12", "sum(x in [0] * 10 ** 5 for x in range(1, 10 ** 5))"}) {
      const std::string answer = answer_of(text);
      QVERIFY2(answer.contains("over"), (std::string(text) + ": " + answer).c_str());
    }
    // What no list is needed for is computed all the same.
    QCOMPARE(answer_of("7 in range(10 ** 12) and len(range(10 ** 12)) == 10 ** 12"),
             std::string("bool True"));
  }

  void a_refusal_names_what_is_read_in_its_place() {
    const std::pair<const char*, const char*> cases[] = {{"a && b", "join conditions with and"},
                                                         {"a ? b : c", "write a if condition else b"},
                                                         {"zip(a, b)", "functions: abs, all, any"},
                                                         {"a.bit_length()", "functions: abs, all, any"},
                                                         {"{'a': 1}['a']", "a if condition else b"},
                                                         {"(x for x in y)", "write it in [ ]"},
                                                         {"1 + (lambda: 1)", "write its body in its place"}};
    for (const auto& [text, words] : cases)
      QVERIFY2(answer_of(text).contains(words), (std::string(text) + ": " + answer_of(text)).c_str());
  }
};

KERNELSCAPE_PLAIN_TEST(PythonLanguageTest)

}  // namespace kernelscape::python_language_test
#include "python_language_test.moc"
