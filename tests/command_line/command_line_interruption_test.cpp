#include <fcntl.h>
#include <pty.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <QFile>
#include <QTest>

#include "tests/command_line/command_line_support.h"
#include "tests/test_program.h"

namespace kernelscape::command_line_interruption_test {
using namespace kernelscape::command_line_tests;
using nlohmann::json;

namespace {

const QString program = QStringLiteral(KERNELSCAPE_BINARY_DIR "/bin/kernelscape");
const QString recording =
    QStringLiteral("recorded:" KERNELSCAPE_SOURCE_DIR "/data/recorded/resnet18-C12-conv2d-packed.ksrec");

/** A real session that ends only when it is stopped. */
const QStringList endless = {"tune",      "matmul 32x48 48x64 f32",
                             "--tuner",   "random",
                             "--trials",  "0",
                             "--seed",    "5",
                             "--repeats", "1",
                             "--threads", "1",
                             "--json",    "--min-repeat-ms",
                             "0.1"};

/** A session without kernels, on what was recorded. */
QStringList replay(const QString& trials) {
  return {"tune", "--target", recording, "--tuner", "random", "--seed", "3", "--trials", trials};
}

/** As a login shell has them, whatever the program that runs the tests ignores. */
void use_default_signals() {
  for (const int number : {SIGHUP, SIGINT, SIGTERM, SIGPIPE, SIGXCPU, SIGXFSZ}) signal(number, SIG_DFL);
}

json only_session(const Shell& shell) {
  const std::vector<json> sessions = json_lines(shell.run({"sessions", "--json"}).output);
  return sessions.size() == 1 ? sessions.front() : json();
}

}  // namespace

/** Signals, limits and places that take no output: what ends a program from outside. */
class CommandLineInterruptionTest : public QObject {
  Q_OBJECT

 private:
  Shell shell_;

  /** Runs `command` in a shell whose $0 is the program. */
  CommandResult run_in_shell(const Shell& shell, const QString& command, const QStringList& arguments = {});

 private slots:
  void initTestCase();
  void signalsEndASession_data();
  void signalsEndASession();
  void aHangupIsIgnoredUnderNohup();
  void aClosedTerminalEndsASession();
  void outputThatIsNotWrittenIsAnError_data();
  void outputThatIsNotWrittenIsAnError();
  void aReaderThatHasGoneIsNoError_data();
  void aReaderThatHasGoneIsNoError();
  void aSessionResumesWithoutOutput_data();
  void aSessionResumesWithoutOutput();
  void aLimitOnFilesIsSaidAndTheDatabaseIsWhole();
};

CommandResult CommandLineInterruptionTest::run_in_shell(const Shell& shell, const QString& command,
                                                        const QStringList& arguments) {
  QProcess process;
  process.setProcessEnvironment(shell.environment());
  process.setChildProcessModifier(use_default_signals);
  process.start("sh", QStringList{"-c", command, program} << arguments);
  process.closeWriteChannel();
  if (!process.waitForFinished(240'000) || process.exitStatus() != QProcess::NormalExit) return {};
  return {process.exitCode(), process.readAllStandardOutput().toStdString(),
          process.readAllStandardError().toStdString()};
}

void CommandLineInterruptionTest::initTestCase() {
  const CommandResult result = shell_.run(replay("200") << "--name" << "mine");
  QVERIFY2(result.code == 0, result.all().c_str());
}

void CommandLineInterruptionTest::signalsEndASession_data() {
  QTest::addColumn<QList<int>>("signals_sent");
  QTest::addRow("SIGTERM") << QList<int>{SIGTERM};
  QTest::addRow("SIGHUP") << QList<int>{SIGHUP};
  QTest::addRow("SIGXCPU") << QList<int>{SIGXCPU};
  QTest::addRow("a hangup more than once") << QList<int>{SIGHUP, SIGHUP, SIGHUP, SIGHUP};
  QTest::addRow("a hangup, then at once") << QList<int>{SIGHUP, SIGTERM};
}

void CommandLineInterruptionTest::signalsEndASession() {
  QFETCH(QList<int>, signals_sent);
  const Shell shell;
  QProcess process;
  process.setChildProcessModifier(use_default_signals);
  shell.start(process, endless);
  std::string output;
  while (events(json_lines(output), "trial").size() < 3 && process.waitForReadyRead(120'000))
    output += process.readAllStandardOutput().toStdString();
  for (const int number : signals_sent) kill(static_cast<pid_t>(process.processId()), number);
  QVERIFY(process.waitForFinished(120'000));
  output += process.readAllStandardOutput().toStdString();
  QCOMPARE(process.exitStatus(), QProcess::NormalExit);
  QCOMPARE(process.exitCode(), 130);
  const std::vector<json> lines = json_lines(output);
  const json summary = events(lines, "summary").at(0);
  QVERIFY(summary.at("interrupted").get<bool>());
  QCOMPARE(summary.at("trials").get<std::size_t>(), events(lines, "trial").size());
  const json session = only_session(shell);
  QCOMPARE(session.at("state").get<std::string>(), std::string("interrupted"));
  QCOMPARE(session.at("trials").get<int>(), summary.at("trials").get<int>());
  QVERIFY(session.at("process").is_null());
}

void CommandLineInterruptionTest::aHangupIsIgnoredUnderNohup() {
  const Shell shell;
  QProcess process;
  process.setChildProcessModifier([] {
    use_default_signals();
    signal(SIGHUP, SIG_IGN);
  });
  shell.start(process, endless);
  std::string output;
  std::size_t hung_up_after = 0;
  const auto trials = [&] { return events(json_lines(output), "trial").size(); };
  while ((hung_up_after == 0 || trials() <= hung_up_after + 64) && process.waitForReadyRead(120'000)) {
    output += process.readAllStandardOutput().toStdString();
    if (hung_up_after > 0 || trials() == 0) continue;
    hung_up_after = trials();
    kill(static_cast<pid_t>(process.processId()), SIGHUP);
  }
  // More than the rest of a batch came after it.
  QVERIFY(trials() > hung_up_after + 64);
  QVERIFY(events(json_lines(output), "summary").empty());
  kill(static_cast<pid_t>(process.processId()), SIGTERM);
  QVERIFY(process.waitForFinished(120'000));
  QCOMPARE(process.exitCode(), 130);
}

void CommandLineInterruptionTest::aClosedTerminalEndsASession() {
  const Shell shell;
  QList<QByteArray> texts{program.toLocal8Bit()};
  for (const QString& argument : endless) texts.append(argument.toLocal8Bit());
  std::vector<char*> arguments;
  for (QByteArray& text : texts) arguments.push_back(text.data());
  arguments.push_back(nullptr);
  const QByteArray data_home = shell.environment().value("XDG_DATA_HOME").toLocal8Bit();
  int terminal = -1;
  const pid_t child = forkpty(&terminal, nullptr, nullptr, nullptr);
  if (child == 0) {
    use_default_signals();
    setenv("XDG_DATA_HOME", data_home.constData(), 1);
    execv(arguments[0], arguments.data());
    _exit(127);
  }
  QVERIFY(child > 0);
  std::string output;
  std::array<char, 4096> piece{};
  while (events(json_lines(output), "trial").size() < 3) {
    const ssize_t count = read(terminal, piece.data(), piece.size());
    if (count <= 0) break;
    output.append(piece.data(), static_cast<std::size_t>(count));
  }
  close(terminal);
  int status = 0;
  QCOMPARE(waitpid(child, &status, 0), child);
  QVERIFY(WIFEXITED(status));
  QCOMPARE(WEXITSTATUS(status), 130);
  const json session = only_session(shell);
  QCOMPARE(session.at("state").get<std::string>(), std::string("interrupted"));
  QVERIFY(session.at("trials").get<int>() >= 3);
  QVERIFY(session.at("process").is_null());
}

void CommandLineInterruptionTest::outputThatIsNotWrittenIsAnError_data() {
  QTest::addColumn<QString>("command");
  QTest::addColumn<QString>("reason");
  for (const QString command : {"sessions", "sessions --json", "tuners", "tasks", "show mine", "--help",
                                "tune --help", "export mine --format csv --out -"}) {
    QTest::addRow("%s, full", qPrintable(command)) << command + " > /dev/full" << "No space left on device";
    QTest::addRow("%s, closed", qPrintable(command)) << command + " >&-" << "closed";
  }
}

void CommandLineInterruptionTest::outputThatIsNotWrittenIsAnError() {
  QFETCH(QString, command);
  QFETCH(QString, reason);
  const CommandResult result = run_in_shell(shell_, "\"$0\" " + command);
  QCOMPARE(result.code, 1);
  const QString error = QString::fromStdString(result.error);
  QVERIFY2(error.contains("cannot write to standard output"), qPrintable(error));
  QVERIFY2(error.contains(reason) || error.contains("Bad file descriptor"), qPrintable(error));
  QCOMPARE(error.count("kernelscape: error:"), 1);
}

void CommandLineInterruptionTest::aReaderThatHasGoneIsNoError_data() {
  QTest::addColumn<QStringList>("arguments");
  QTest::addRow("sessions") << QStringList{"sessions"};
  QTest::addRow("JSON") << QStringList{"tasks", "--json"};
  QTest::addRow("export csv") << QStringList{"export", "mine", "--format", "csv", "--out", "-"};
  QTest::addRow("export json") << QStringList{"export", "mine", "--format", "json", "--out", "-"};
  QTest::addRow("help") << QStringList{"--help"};
}

void CommandLineInterruptionTest::aReaderThatHasGoneIsNoError() {
  QFETCH(QStringList, arguments);
  std::array<int, 2> ends{};
  QCOMPARE(pipe2(ends.data(), O_CLOEXEC), 0);
  close(ends[0]);
  QProcess process;
  process.setChildProcessModifier([&] {
    use_default_signals();
    dup2(ends[1], STDOUT_FILENO);
  });
  shell_.start(process, arguments);
  QVERIFY(process.waitForFinished(120'000));
  close(ends[1]);
  const QByteArray error = process.readAllStandardError();
  QCOMPARE(process.exitStatus(), QProcess::NormalExit);
  QVERIFY2(process.exitCode() == 0, error.constData());
  QVERIFY2(error.isEmpty(), error.constData());
}

void CommandLineInterruptionTest::aSessionResumesWithoutOutput_data() {
  QTest::addColumn<QString>("place");
  QTest::addColumn<QString>("option");
  for (const QString place : {"/dev/full", "&-"}) {
    QTest::addRow("text, %s", qPrintable(place)) << place << "";
    QTest::addRow("JSON, %s", qPrintable(place)) << place << " --json";
  }
}

void CommandLineInterruptionTest::aSessionResumesWithoutOutput() {
  QFETCH(QString, place);
  QFETCH(QString, option);
  const Shell shell;
  const CommandResult result = run_in_shell(shell, "\"$0\" \"$@\"" + option + " >" + place, replay("30"));
  QVERIFY2(result.code == 0, result.all().c_str());
  QVERIFY2(result.error.contains("standard output could not be written"), result.error.c_str());
  const json session = only_session(shell);
  QCOMPARE(session.at("state").get<std::string>(), std::string("done"));
  QCOMPARE(session.at("trials").get<int>(), 30);
}

void CommandLineInterruptionTest::aLimitOnFilesIsSaidAndTheDatabaseIsWhole() {
  const Shell shell;
  QVERIFY(shell.run(replay("20")).code == 0);
  const std::string before = shell.run({"export", "1", "--format", "csv", "--out", "-"}).output;
  QVERIFY(!before.empty());
  // Blocks of 512 bytes: less than the thousands of trials of the whole space take.
  const CommandResult limited = run_in_shell(shell, "ulimit -f 128; exec \"$0\" \"$@\"", replay("0"));
  QVERIFY2(limited.code == 1, limited.all().c_str());
  QVERIFY2(limited.error.contains("ulimit -f"), limited.error.c_str());
  QCOMPARE(shell.run({"export", "1", "--format", "csv", "--out", "-"}).output, before);
  for (const json& session : json_lines(shell.run({"sessions", "--json"}).output)) {
    QVERIFY(session.at("process").is_null());
    const QString number = QString::number(session.at("session").get<int>());
    const std::string trials = shell.run({"export", number, "--format", "csv", "--out", "-"}).output;
    QCOMPARE(std::ranges::count(trials, '\n'), session.at("trials").get<int>() + 1);
    if (number != "1") QCOMPARE(session.at("state").get<std::string>(), std::string("interrupted"));
  }
}

KERNELSCAPE_TEST(CommandLineInterruptionTest, QCoreApplication)

}  // namespace kernelscape::command_line_interruption_test
#include "command_line_interruption_test.moc"
