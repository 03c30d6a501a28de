#include <QFile>
#include <QTest>
#include <algorithm>

#include "core/base/visible_text.h"
#include "tests/base/media_readers.h"
#include "tests/command_line/command_line_support.h"
#include "tests/test_program.h"

namespace kernelscape::command_line_hostile_names_test {
using namespace kernelscape::command_line_tests;

namespace {

/** A fake line, an escape, an 8-bit escape, a turned direction, and a byte that is no UTF-8. */
const std::string hostile = "x\nsession 9: fake\x1b[31m\xc2\x9b\xe2\x80\xae\r\xff\ty";

QByteArray cache_of(const std::string& kernel) {
  const nlohmann::json header = {{"device_name", kernel}, {"kernel_name", kernel}};
  const std::string named = header.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  const std::string rest =
      R"(, "problem_size": 1, "tune_params_keys": ["x"], "tune_params": {"x": [1, 2]}, "objective": "time", "cache": {
"1": {"x": 1, "time": 2.5, "times": [2, 3]}, "2": {"x": 2, "time": "CompilationFailedConfig"}}})";
  return QByteArray::fromStdString(named.substr(0, named.size() - 1) + rest);
}

bool is_clean(const CommandResult& result) {
  return !base_tests::steers(result.output, U"\n") && !base_tests::steers(result.error, U"\n");
}

/** Beside it stands at most what the gate took out of names. */
/** Without those that say what was cleaned, of the import and of the session. */
auto line_count(const CommandResult& result) {
  const auto lines = [](const std::string& text) {
    const auto cleaned = QString::fromStdString(text).count("were removed from");
    return std::ranges::count(text, '\n') - cleaned;
  };
  return lines(result.output) + lines(result.error);
}

std::string reported(const CommandResult& result) { return base::visible_text(result.all()); }

}  // namespace

/** Names of files, sessions and arguments cannot steer the terminal, nor fake a line. */
class CommandLineHostileNamesTest : public QObject {
  Q_OBJECT

 private:
  Shell shell_;

  QString write(const QString& name, const QByteArray& bytes) {
    QFile file(shell_.path(name));
    if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size()) return {};
    return shell_.path(name);
  }

 private slots:
  void sessionsOfFiles() {
    const QString harmless_name = QStringLiteral("plain");
    const QString hostile_name = QString::fromStdString(hostile);
    const QString plain = write("plain.json", cache_of("kernel"));
    const QString bad = write("bad.json", cache_of(hostile));
    for (const QString& kind : {QStringLiteral("session"), QStringLiteral("recorded")}) {
      const QStringList databases{shell_.path("plain-" + kind + ".db"), shell_.path("bad-" + kind + ".db")};
      const CommandResult first =
          shell_.run({"import", plain, "--as", kind, "--name", harmless_name, "--db", databases[0]});
      QVERIFY2(first.code == 0, reported(first).c_str());
      const CommandResult second =
          shell_.run({"import", bad, "--as", kind, "--name", hostile_name, "--db", databases[1]});
      QVERIFY2(is_clean(second), reported(second).c_str());
      // To refuse such a file is right as well.
      if (second.code != 0) continue;
      QVERIFY2(line_count(second) == line_count(first), reported(second).c_str());
      const QStringList commands[] = {{"sessions"},
                                      {"show", "1"},
                                      {"export", "1", "--format", "kernel-tuner", "--out", "%1.json"},
                                      {"report", "1", "--out", "%1.html"},
                                      {"export", "1", "--format", "kernel", "--out", "%1"},
                                      {"delete", "1"}};
      for (const QStringList& command : commands) {
        const auto run_on = [&](const QString& database) {
          QStringList words = command;
          for (QString& word : words) word.replace("%1", database + ".out");
          return shell_.run(words + QStringList{"--db", database});
        };
        const CommandResult expected = run_on(databases[0]);
        const CommandResult result = run_on(databases[1]);
        QVERIFY2(is_clean(result), reported(result).c_str());
        QVERIFY2(result.code == expected.code && line_count(result) == line_count(expected),
                 (reported(expected) + "\n" + reported(result)).c_str());
      }
    }
  }

  void argumentsAreQuotedInOneLine() {
    const QString name = QString::fromStdString(hostile);
    const QStringList commands[] = {{name},
                                    {"tune", name},
                                    {"tune", "resnet18/C6", "--set", name},
                                    {"tune", "resnet18/C6", "--target", name},
                                    {"tune", "resnet18/C6", "--tuner", name},
                                    {"tune", "resnet18/C6", "--template", name},
                                    {"tune", "resnet18/C6", "--restrict", name},
                                    {"tune", "resnet18/C6", "--trials", name},
                                    {"show", name},
                                    {"best", name},
                                    {"tasks", "--network", name},
                                    {"tuners", name},
                                    {"import", name},
                                    {"report", "1", "--out", name},
                                    {"export", "1", "--format", name, "--out", "-"},
                                    {"study", name},
                                    {"study", "--tasks", name, "--tuners", name},
                                    {"sessions", "--" + name}};
    for (const QStringList& command : commands) {
      const CommandResult result = shell_.run(command);
      QVERIFY2(result.code != 0, reported(result).c_str());
      QVERIFY2(is_clean(result), reported(result).c_str());
      // The error and its hint.
      QVERIFY2(line_count(result) <= 2, reported(result).c_str());
    }
  }

  void errorsQuoteALine() {
    const std::string long_text(1 << 20, 'x');
    const QByteArray cache =
        cache_of("k").replace("CompilationFailedConfig", QByteArray::fromStdString(long_text));
    const QStringList files{
        write("long.json", cache), write("long.txt", QByteArray::fromStdString(long_text)),
        write("task.json", QByteArray::fromStdString("{\"task\": \"" + long_text + "\"}"))};
    for (const QStringList& command :
         {QStringList{"import", files[0]}, {"import", files[1]}, {"tune", files[2]}}) {
      const CommandResult result = shell_.run(command);
      QVERIFY2(result.all().size() < 4096, std::to_string(result.all().size()).c_str());
      QVERIFY2(line_count(result) <= 2, reported(result).c_str());
    }
  }

  void spreadsheetsCalculateNothing() {
    const QString database = shell_.path("formula.db");
    const QString file = write("formula.json", R"({"device_name": "G", "kernel_name": "k", "problem_size": 1,
"tune_params_keys": ["x"], "tune_params": {"x": ["=1+1", "-3"]}, "objective": "time", "cache": {
"=1+1": {"x": "=1+1", "time": 2.5, "times": [2, 3]}, "-3": {"x": "-3", "time": 2, "times": [2, 2]}}})");
    const CommandResult imported = shell_.run({"import", file, "--as", "session", "--db", database});
    QVERIFY2(imported.code == 0, imported.all().c_str());
    const QStringList csv{"export", "1",         "--format", "csv",  "--out",
                          "-",      "--columns", "trial,x",  "--db", database};
    QCOMPARE(shell_.run(csv).output, std::string("trial,x\r\n0,'=1+1\r\n1,-3\r\n"));
    QCOMPARE(shell_.run(csv + QStringList{"--raw"}).output, std::string("trial,x\r\n0,=1+1\r\n1,-3\r\n"));
    const CommandResult refused =
        shell_.run({"export", "1", "--format", "json", "--raw", "--out", "-", "--db", database});
    QVERIFY2(refused.code == 2 && refused.error.contains("--raw"), refused.all().c_str());
  }
};

KERNELSCAPE_TEST(CommandLineHostileNamesTest, QCoreApplication)

}  // namespace kernelscape::command_line_hostile_names_test
#include "command_line_hostile_names_test.moc"
