#include <signal.h>

#include <QDeadlineTimer>
#include <QFile>
#include <QTest>
#include <memory>

#include "tests/command_line/command_line_support.h"
#include "tests/test_program.h"

namespace kernelscape::command_line_ask_tell_test {
using namespace kernelscape::command_line_tests;
using nlohmann::json;

namespace {

constexpr int patience_ms = 120'000;

constexpr const char* client_space = R"({
  "General": {"BenchmarkName": "client"},
  "ConfigurationSpace": {"TuningParameters": [
    {"Name": "A", "Type": "int", "Values": [1, 2, 3, 4, 5, 6, 7, 8]},
    {"Name": "B", "Type": "string", "Values": ["rows", "columns"]}]}})";

/** The running program, and the lines between it and the test. */
class Conversation {
 public:
  Conversation(const Shell& shell, const QStringList& arguments) {
    shell.start(process_, QStringList{"ask-tell"} + arguments);
  }

  void send(const QByteArray& line) { process_.write(line + '\n'); }

  /** @return the next line that is not a message; null: the program ended */
  json receive() {
    for (;;) {
      while (!process_.canReadLine()) {
        if (!process_.waitForReadyRead(patience_ms)) return {};
      }
      const QByteArray line = process_.readLine();
      json object = json::parse(line.begin(), line.end(), nullptr, false);
      if (object.is_object() && object.value("event", "") == "message") continue;
      return object;
    }
  }

  json answer(const QByteArray& line) {
    send(line);
    return receive();
  }

  /** Closes the client's end. @return the last line */
  json close() {
    process_.closeWriteChannel();
    return receive();
  }

  int exit_code() {
    if (!process_.waitForFinished(patience_ms) || process_.exitStatus() != QProcess::NormalExit) return -1;
    return process_.exitCode();
  }

  QProcess& process() { return process_; }

 private:
  QProcess process_;
};

}  // namespace

/** A client at the standard streams of the program. */
class CommandLineAskTellTest : public QObject {
  Q_OBJECT

 private:
  std::unique_ptr<Shell> shell_;

  QStringList begin_options() const {
    return {shell_->path("space.json"),
            "--target",
            "elsewhere",
            "--tuner",
            "random",
            "--seed",
            "3",
            "--trials",
            "4",
            "--batch",
            "2"};
  }
  QStringList resume_options(const json& hello) const {
    return {"--resume", QString::number(hello.at("session").get<qint64>())};
  }

 private slots:
  void init();
  void aSessionIsMeasuredByItsClient();
  void aKilledProgramResumes();
  void aTornLastLineLosesNothing();
  void blankLinesAreSkipped();
  void endlessInputCanBeStopped_data();
  void endlessInputCanBeStopped();
  void optionsOfASessionAreNotResumed();
};

void CommandLineAskTellTest::init() {
  shell_ = std::make_unique<Shell>();
  QFile file(shell_->path("space.json"));
  QVERIFY(file.open(QIODevice::WriteOnly));
  file.write(client_space);
}

void CommandLineAskTellTest::aSessionIsMeasuredByItsClient() {
  Conversation client(*shell_, begin_options());
  const json hello = client.receive();
  QCOMPARE(hello.value("event", ""), std::string("hello"));
  for (int round = 0; round < 2; ++round) {
    const json asked = client.answer(R"({"command": "ask", "n": 5})");
    QCOMPARE(asked.at("configurations").size(), std::size_t(2));
    QCOMPARE(client.answer("nonsense").value("code", ""), std::string("bad_line"));
    const json waiting = client.answer(R"({"command": "ask"})");
    QVERIFY(waiting.at("configurations").empty());
    QCOMPARE(waiting.at("outstanding").get<int>(), 2);
    const QByteArray first = QByteArray::number(2 * round);
    const QByteArray second = QByteArray::number(2 * round + 1);
    const json stored = client.answer(R"({"command": "tell", "results": [{"trial": )" + first +
                                      R"(, "seconds": [0.002]},)" + R"({"trial": )" + second +
                                      R"(, "error": "RUNTIME_DEVICE", "message": "exit code 3"}]})");
    QCOMPARE(stored.value("event", ""), std::string("stored"));
    QCOMPARE(stored.at("trials").get<int>(), 2 * round + 2);
  }
  QVERIFY(client.answer(R"({"command": "ask"})").at("done").get<bool>());
  const json ended = client.close();
  QCOMPARE(ended.value("state", ""), std::string("done"));
  QCOMPARE(client.exit_code(), 0);
  const QString id = QString::number(hello.at("session").get<qint64>());
  const CommandResult resumed = shell_->run({"resume", id});
  QCOMPARE(resumed.code, 1);
  QVERIFY2(resumed.error.contains("ask-tell --resume"), resumed.error.c_str());
  QCOMPARE(shell_->run({"show", id}).code, 0);
  QCOMPARE(shell_->run({"export", id, "--format", "csv", "--out", shell_->path("trials.csv")}).code, 0);
}

/** What was answered is there, and what was not is asked again. */
void CommandLineAskTellTest::aKilledProgramResumes() {
  Conversation killed(*shell_, begin_options());
  const json hello = killed.receive();
  const json asked = killed.answer(R"({"command": "ask", "n": 2})").at("configurations");
  QCOMPARE(asked.size(), std::size_t(2));
  QCOMPARE(
      killed.answer(R"({"command": "tell", "results": [{"trial": 1, "seconds": 0.5}]})").value("event", ""),
      std::string("stored"));
  killed.process().kill();
  QVERIFY(killed.process().waitForFinished(patience_ms));
  Conversation client(*shell_, resume_options(hello));
  const json again = client.receive();
  QVERIFY(again.at("resumed").get<bool>());
  QCOMPARE(again.at("trials").get<int>(), 1);
  const json missing = client.answer(R"({"command": "ask", "n": 2})").at("configurations");
  QCOMPARE(missing.size(), std::size_t(1));
  QVERIFY(missing.front() == asked.front());
  const json repeated = client.answer(R"({"command": "tell", "results": [{"trial": 1, "seconds": 0.5}]})");
  QCOMPARE(repeated.value("code", ""), std::string("already_stored"));
  QCOMPARE(client.close().value("state", ""), std::string("interrupted"));
}

void CommandLineAskTellTest::aTornLastLineLosesNothing() {
  Conversation client(*shell_, begin_options());
  const json hello = client.receive();
  client.answer(R"({"command": "ask"})");
  QCOMPARE(
      client.answer(R"({"command": "tell", "results": [{"trial": 0, "seconds": 0.5}]})").value("event", ""),
      std::string("stored"));
  client.process().write(R"({"command": "tell", "results": [{"tri)");
  QCOMPARE(client.close().value("code", ""), std::string("bad_line"));
  QCOMPARE(client.receive().value("trials", 0), 1);
  QCOMPARE(client.exit_code(), 0);
}

void CommandLineAskTellTest::blankLinesAreSkipped() {
  Conversation client(*shell_, begin_options());
  QCOMPARE(client.receive().value("event", ""), std::string("hello"));
  client.process().write(QByteArray(1 << 20, '\n'));
  QCOMPARE(client.answer(R"({"command": "ask"})").at("configurations").size(), std::size_t(1));
  QCOMPARE(client.close().value("event", ""), std::string("ended"));
  QCOMPARE(client.exit_code(), 0);
}

void CommandLineAskTellTest::endlessInputCanBeStopped_data() {
  QTest::addColumn<char>("letter");
  QTest::newRow("blank lines") << '\n';
  QTest::newRow("one line") << 'x';
}

void CommandLineAskTellTest::endlessInputCanBeStopped() {
  QFETCH(const char, letter);
  Conversation client(*shell_, begin_options());
  QCOMPARE(client.receive().value("event", ""), std::string("hello"));
  QProcess& process = client.process();
  const QByteArray bytes(1 << 20, letter);
  process.write(bytes);
  QCOMPARE(::kill(static_cast<pid_t>(process.processId()), SIGINT), 0);
  const QDeadlineTimer deadline(patience_ms);
  while (process.state() == QProcess::Running && !deadline.hasExpired()) {
    if (process.bytesToWrite() < bytes.size()) process.write(bytes);
    process.waitForFinished(20);
  }
  QCOMPARE(process.state(), QProcess::NotRunning);
  QCOMPARE(process.exitStatus(), QProcess::NormalExit);
  QCOMPARE(process.exitCode(), 130);
}

void CommandLineAskTellTest::optionsOfASessionAreNotResumed() {
  const CommandResult result = shell_->run({"ask-tell", "--resume", "1", "--tuner", "gp"});
  QCOMPARE(result.code, 2);
  QVERIFY2(result.error.contains("--tuner"), result.error.c_str());
  QCOMPARE(shell_->run({"ask-tell"}).code, 2);
}

KERNELSCAPE_TEST(CommandLineAskTellTest, QCoreApplication)

}  // namespace kernelscape::command_line_ask_tell_test
#include "command_line_ask_tell_test.moc"
