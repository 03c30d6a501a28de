#include <QDir>
#include <QFile>
#include <QTest>

#include "tests/command_line/command_line_support.h"
#include "tests/test_program.h"

namespace kernelscape::command_line_paste_test {
using namespace kernelscape::command_line_tests;

namespace {

const QByteArray cache =
    R"({"device_name": "GPU", "kernel_name": "k", "problem_size": 1, "tune_params_keys": ["x"],
"tune_params": {"x": [1, 2]}, "objective": "time", "cache": {
"1": {"x": 1, "time": 2.5, "times": [2, 3]},
"2": {"x": 2, "time": 1.5, "times": [1, 2]}}})";

/** The first command that a text offers. */
std::string offered(const std::string& text) {
  const std::size_t start = text.find('`') + 1;
  return text.substr(start, text.find('`', start) - start);
}

}  // namespace

/** Commands that are offered do what they promise when they are pasted into a shell. */
class CommandLinePasteTest : public QObject {
  Q_OBJECT

 private:
  Shell shell_;
  QString database_;

  CommandResult paste(const std::string& command) const {
    QProcess process;
    process.setProcessEnvironment(shell_.environment());
    process.start(QStringLiteral("sh"), {QStringLiteral("-c"), QString::fromStdString(command)});
    process.waitForFinished(240'000);
    return {process.exitCode(), process.readAllStandardOutput().toStdString(),
            process.readAllStandardError().toStdString()};
  }

 private slots:
  void initTestCase() {
    QVERIFY(QDir(shell_.path(".")).mkdir("it's a $HOME"));
    database_ = shell_.path("it's a $HOME/my \"own\".db");
    QFile file(shell_.path("cache.json"));
    QVERIFY(file.open(QFile::WriteOnly) && file.write(cache) == cache.size());
  }

  void a_session_that_was_imported_is_shown() {
    const CommandResult imported = shell_.run({"import", shell_.path("cache.json"), "--as", "session",
                                               "--name", "the right one", "--db", database_});
    QVERIFY2(imported.code == 0, imported.all().c_str());
    const CommandResult shown = paste(offered(imported.output));
    QVERIFY2(shown.code == 0 && shown.output.contains("the right one"),
             (offered(imported.output) + "\n" + shown.all()).c_str());
  }

  void an_error_offers_the_sessions_of_its_database() {
    const CommandResult wrong = shell_.run({"show", "99", "--db", database_});
    QCOMPARE(wrong.code, 2);
    const CommandResult listed = paste(offered(wrong.error));
    QVERIFY2(listed.code == 0 && listed.output.contains("the right one"),
             (offered(wrong.error) + "\n" + listed.all()).c_str());
  }

  /** The user's own database needs no option. */
  void without_an_option_none_is_offered() {
    QVERIFY(shell_.run({"import", shell_.path("cache.json"), "--as", "session"}).code == 0);
    const std::string command = offered(shell_.run({"show", "99"}).error);
    QVERIFY2(!command.contains("--db") && paste(command).code == 0, command.c_str());
  }
};

KERNELSCAPE_PLAIN_TEST(CommandLinePasteTest)

}  // namespace kernelscape::command_line_paste_test
#include "command_line_paste_test.moc"
