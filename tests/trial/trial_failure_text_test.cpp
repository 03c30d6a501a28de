#include <QTest>
#include <string>

#include "core/trial/failure_text.h"
#include "tests/test_program.h"

namespace kernelscape::trial_failure_text_test {
namespace {

std::string signature(trial::ErrorCategory category, std::string_view message,
                      const std::vector<std::string>& values = {}) {
  return trial::failure_signature(trial::failure_text(category, message), values);
}

}  // namespace

/** What failed trials say first, and which of them failed in the same way. */
class TrialFailureTextTest : public QObject {
  Q_OBJECT

 private slots:
  void the_first_error_of_a_compiler_is_found_data() {
    QTest::addColumn<QByteArray>("message");
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QByteArray>("file");
    QTest::addColumn<int>("line");
    QTest::newRow("GCC, behind a warning and a function")
        << QByteArray(
               "scale.c: In function 'scale':\n"
               "scale.c:3:7: warning: unused variable 'error' [-Wunused-variable]\n"
               "    3 |   int error = 1;\n"
               "scale.c:7:12: error: 'BLOK' undeclared (first use in this function)\n"
               "    7 |   return BLOK;\n"
               "scale.c:9:1: error: expected ';'\n")
        << QByteArray("scale.c:7:12: error: 'BLOK' undeclared (first use in this function)")
        << QByteArray("scale.c") << 7;
    QTest::newRow("GCC, in an included file")
        << QByteArray("In file included from scale.c:1:\nparts/tile.h:4:2: error: #error \"no tile\"\n")
        << QByteArray("parts/tile.h:4:2: error: #error \"no tile\"") << QByteArray("parts/tile.h") << 4;
    QTest::newRow("GCC, a header that is not there")
        << QByteArray(
               "scale.c:1:10: fatal error: nowhere.h: No such file or directory\ncompilation terminated.\n")
        << QByteArray("scale.c:1:10: fatal error: nowhere.h: No such file or directory")
        << QByteArray("scale.c") << 1;
    QTest::newRow("GCC, without a column")
        << QByteArray("scale.c:3: error: expected ';'\r\n") << QByteArray("scale.c:3: error: expected ';'")
        << QByteArray("scale.c") << 3;
    QTest::newRow("NVRTC") << QByteArray(
                                  "scale.cu(2): warning #177-D: variable \"i\" was declared\n\n"
                                  "scale.cu(5): error: identifier \"blok\" is undefined\n\n"
                                  "1 error detected in the compilation of \"kernel.cu\".\n")
                           << QByteArray("scale.cu(5): error: identifier \"blok\" is undefined")
                           << QByteArray("scale.cu") << 5;
    QTest::newRow("PoCL") << QByteArray(
                                 "1 warning and 1 error generated.\n"
                                 "warning: scale.cl:2:3: unused variable\n"
                                 "error: scale.cl:4:12: use of undeclared identifier 'blok'\n")
                          << QByteArray("scale.cl:4:12: error: use of undeclared identifier 'blok'")
                          << QByteArray("scale.cl") << 4;
    QTest::newRow("ptxas") << QByteArray(
                                  "ptxas info    : 0 bytes gmem\n"
                                  "ptxas error   : Entry function 'k' uses too much shared data\n")
                           << QByteArray("ptxas error   : Entry function 'k' uses too much shared data")
                           << QByteArray() << 0;
    QTest::newRow("a flag") << QByteArray("cc1: error: bad value 'x' for '-march=' switch\n")
                            << QByteArray("cc1: error: bad value 'x' for '-march=' switch") << QByteArray()
                            << 0;
    QTest::newRow("none") << QByteArray("\nthe compiler failed with exit code 4 and no message")
                          << QByteArray("the compiler failed with exit code 4 and no message") << QByteArray()
                          << 0;
    QTest::newRow("nothing") << QByteArray() << QByteArray() << QByteArray() << 0;
  }

  void the_first_error_of_a_compiler_is_found() {
    QFETCH(QByteArray, message);
    QFETCH(QByteArray, text);
    QFETCH(QByteArray, file);
    QFETCH(int, line);
    const trial::FailureText found =
        trial::failure_text(trial::ErrorCategory::CompileHost, message.toStdString());
    QCOMPARE(found.text, text.toStdString());
    QCOMPARE(found.place.has_value(), line > 0);
    if (found.place) QVERIFY((*found.place == trial::SourcePlace{file.toStdString(), line}));
    QVERIFY(trial::describe(found).starts_with("does not compile"));
  }

  void what_is_no_compiler_says_its_first_line() {
    const trial::FailureText wrong = trial::failure_text(
        trial::ErrorCategory::WrongAnswer, "y[3] is 1, not 2\nscale.c:7:12: error: no compiler\n");
    QCOMPARE(trial::describe(wrong), std::string("computes a wrong result: y[3] is 1, not 2"));
    QVERIFY(!wrong.place);
    QCOMPARE(trial::describe(
                 trial::failure_text(trial::ErrorCategory::RuntimeDevice, "SIGSEGV (Segmentation fault)")),
             std::string("fails while it runs: SIGSEGV (Segmentation fault)"));
  }

  void a_message_is_one_printable_line() {
    const trial::FailureText found = trial::failure_text(trial::ErrorCategory::CompileHost,
                                                         "k.c:1:1: error: \x1b[31m" + std::string(5000, 'x'));
    QVERIFY(found.text.size() < 400 && !found.text.contains('\x1b'));
  }

  void values_and_numbers_make_no_other_failure() {
    const auto host = trial::ErrorCategory::CompileHost;
    QCOMPARE(signature(host, "k.c:7:12: error: array of -16 elements, 'float4' at 0x7ffe01"),
             signature(host, "k.c:7:30: error: array of 8 elements, 'float16' at 0x12"));
    QCOMPARE(signature(host, "k.c:7:1: error: unknown type name 'half'", {"half"}),
             signature(host, "k.c:7:1: error: unknown type name 'bfloat'", {"bfloat"}));
    QCOMPARE(signature(trial::ErrorCategory::WrongAnswer, "y[17] is 1e-05, not nan"),
             signature(trial::ErrorCategory::WrongAnswer, "y[2] is -3.5, not 4"));
  }

  void another_place_text_or_category_is_another_failure() {
    const std::string one = signature(trial::ErrorCategory::CompileHost, "k.c:7:12: error: 'A' undeclared");
    QVERIFY(one != signature(trial::ErrorCategory::CompileHost, "k.c:8:12: error: 'A' undeclared"));
    QVERIFY(one != signature(trial::ErrorCategory::CompileHost, "h.c:7:12: error: 'A' undeclared"));
    QVERIFY(one != signature(trial::ErrorCategory::CompileHost, "k.c:7:12: error: 'B' undeclared"));
    QVERIFY(one != signature(trial::ErrorCategory::CompileDevice, "k.c:7:12: error: 'A' undeclared"));
  }
};

KERNELSCAPE_PLAIN_TEST(TrialFailureTextTest)

}  // namespace kernelscape::trial_failure_text_test
#include "trial_failure_text_test.moc"
