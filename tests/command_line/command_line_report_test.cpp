#include <QFile>
#include <QTest>

#include "tests/command_line/command_line_support.h"
#include "tests/test_program.h"

namespace kernelscape::command_line_report_test {
namespace {

using command_line_tests::CommandResult;
using command_line_tests::Shell;

QByteArray bytes_of(const QString& path) {
  QFile file(path);
  return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

}  // namespace

/** `kernelscape report` where there is no display. */
class CommandLineReportTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase();
  void html_and_pdf();
  void errors_name_the_way_out();

 private:
  Shell shell_;
};

void CommandLineReportTest::initTestCase() {
  for (const char* variable : {"DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"})
    shell_.set(QString::fromLatin1(variable), QString());
  const CommandResult tuned =
      shell_.run({"tune", "matmul 16x16 16x16 f32", "--trials", "4", "--tuner", "random", "--seed", "1",
                  "--repeats", "2", "--min-repeat-ms", "1", "--name", "small <one>"});
  QVERIFY2(tuned.code == 0, tuned.all().c_str());
}

void CommandLineReportTest::html_and_pdf() {
  const QString page = shell_.path(QStringLiteral("r.html"));
  for (int again = 0; again < 2; ++again) {
    const CommandResult result = shell_.run({"report", "1", "--out", page});
    QVERIFY2(result.code == 0, result.all().c_str());
    QCOMPARE(result.output, "wrote " + page.toStdString() + "\n");
    QCOMPARE(result.error, std::string());
  }
  QVERIFY(bytes_of(page).startsWith("<!DOCTYPE html>"));
  QVERIFY(bytes_of(page).contains("<h1>small &lt;one&gt;</h1>"));
  QVERIFY(bytes_of(page).contains("<svg "));
  const QString paper = shell_.path(QStringLiteral("r.PDF"));
  const CommandResult result = shell_.run({"report", "small <one>", "1", "--out", paper});
  QVERIFY2(result.code == 0, result.all().c_str());
  QVERIFY(bytes_of(paper).startsWith("%PDF"));
}

void CommandLineReportTest::errors_name_the_way_out() {
  struct Case {
    QStringList arguments;
    int code;
    const char* says;
  };
  const QString page = shell_.path(QStringLiteral("e.html"));
  const Case cases[] = {
      {{"report", "77", "--out", page}, 2, "77"},
      {{"report", "--study", "77", "--out", page}, 2, "77"},
      {{"report", "--out", page}, 2, "nothing to report"},
      {{"report", "1", "--study", "1", "--out", page}, 2, "not both"},
      {{"report", "1", "--out", shell_.path(QStringLiteral("e.txt"))}, 2, ".html or .pdf"},
      {{"report", "1", "--out", "-"}, 2, ".html or .pdf"},
      {{"report", "1"}, 2, "--out"},
      {{"report", "1", "--out", shell_.path(QStringLiteral("none/e.html"))}, 2, "e.html"},
  };
  for (const Case& one : cases) {
    const CommandResult result = shell_.run(one.arguments);
    QVERIFY2(result.code == one.code, result.all().c_str());
    QVERIFY2(result.error.find(one.says) != std::string::npos, result.error.c_str());
  }
  QVERIFY(!QFile::exists(page));
}

KERNELSCAPE_TEST(CommandLineReportTest, QCoreApplication)

}  // namespace kernelscape::command_line_report_test
#include "command_line_report_test.moc"
