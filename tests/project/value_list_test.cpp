#include "core/project/value_list.h"

#include <QtTest>

#include "core/base/text.h"
#include "tests/test_program.h"

namespace kernelscape::value_list_test {

namespace {

/** The values as texts, or why there are none. */
std::string values_of(std::string_view text) {
  const auto values = project::read_value_list(text);
  if (!values) return "error: " + values.error().message;
  std::vector<std::string> texts;
  for (const space::KnobValue& value : *values) texts.push_back(space::to_string(value));
  return base::join(texts, " ");
}

}  // namespace

/** Lists of values as scripts have them; Python says what each is. */
class ValueListTest : public QObject {
  Q_OBJECT

 private slots:
  void lists_are_pythons_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("values");
    const auto row = [](const char* text, const char* values) { QTest::newRow(text) << text << values; };
    row("[16, 32]", "16 32");
    row("(1, 2,)", "1 2");
    row("list(range(1, 9, 3))", "1 4 7");
    row("[32*i for i in range(1,5)]", "32 64 96 128");
    row("[1] + [2*i for i in range(1,4)]", "1 2 4 6");
    row("[2**i for i in range(0, 6) if i % 2 == 0]", "1 4 16");
    row("[i + 1 for i in [3, 5]] + list(range(2)) + [7]", "4 6 0 1 7");
    row("['for', 'x + y']", "for x + y");
    row("[i for i in []]", "");
    row("[i * j for i in [1, 2] for j in range(i, 4, 2) if j > 1]", "3 4");
    row("[1, *range(8, 33, 8)]", "1 8 16 24 32");
    row("[1] * 2 + [2, 4, 8][1:]", "1 1 4 8");
    row("sorted({2 ** i for i in range(3)} | {3})", "1 2 3 4");
    row("{16, 32}", "16 32");
    row("list(range(999999))[:2]", "0 1");
    row("[x if x > 1 else 64 for x in (1, 2)]", "64 2");
  }
  void lists_are_pythons() {
    QFETCH(QString, text);
    QFETCH(QString, values);
    QCOMPARE(QString::fromStdString(values_of(text.toStdString())), values);
  }

  void what_is_none_is_an_error_data() {
    QTest::addColumn<QString>("text");
    for (const char* text : {"", "+", "[1] +", "[1] + 2", "[i for i]", "[i for in [1]]", "[j for i in [1]]",
                             "[for i in [1]]", "[i for i in range(10000000)]", "list(range(10**12))",
                             "[1] * 10 ** 7", "[i for i in {1, 2}]", "[1 for i in [1] if]", "[1] [2]"})
      QTest::newRow(text) << text;
  }
  void what_is_none_is_an_error() {
    QFETCH(QString, text);
    const std::string values = values_of(text.toStdString());
    QVERIFY2(values.starts_with("error: "), values.c_str());
  }
};

KERNELSCAPE_PLAIN_TEST(ValueListTest)

}  // namespace kernelscape::value_list_test
#include "value_list_test.moc"
