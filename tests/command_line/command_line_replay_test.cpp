#include <QFile>
#include <QTest>

#include "tests/command_line/command_line_support.h"
#include "tests/test_program.h"

namespace kernelscape::command_line_replay_test {
using namespace kernelscape::command_line_tests;
using nlohmann::json;

/** From a sweep with real kernels to tuning on its recording. */
class CommandLineReplayTest : public QObject {
  Q_OBJECT

 private:
  Shell shell_;
  QString file_ = shell_.path("space.ksrec");

  std::vector<json> run(const QStringList& arguments, int code = 0) {
    const CommandResult result = shell_.run(QStringList(arguments) << "--json");
    if (result.code != code) qWarning("%s", result.all().c_str());
    return result.code == code ? json_lines(result.output) : std::vector<json>();
  }

 private slots:
  void initTestCase();
  void tunesInABlink();
  void sameSeedSameSession();
  void spaceIsTheRecorded();
  void resumeKeepsTheSearchTime();
  void wrongUsageIsSaid();
};

void CommandLineReplayTest::initTestCase() {
  const CommandResult swept =
      shell_.run({"sweep", "matmul 32x48 48x64 f32", "--sample", "24", "--seed", "3", "--repeats", "1",
                  "--min-repeat-ms", "0.1", "--threads", "1", "--name", "swept"});
  QVERIFY2(swept.code == 0, swept.all().c_str());
  const CommandResult exported = shell_.run({"export", "swept", "--format", "recorded", "--out", file_});
  QVERIFY2(exported.code == 0, exported.all().c_str());
  QVERIFY(QFile::exists(file_));
}

void CommandLineReplayTest::tunesInABlink() {
  const auto lines = run({"tune", "--target", "recorded:" + file_, "--tuner", "random", "--trials", "0"});
  const auto sessions = events(lines, "session");
  QCOMPARE(sessions.size(), std::size_t{1});
  QCOMPARE(sessions[0]["task_text"].get<std::string>(), std::string("matmul 32x48 48x64 f32"));
  QVERIFY(sessions[0]["target"].get<std::string>().starts_with("recorded:"));
  const auto summaries = events(lines, "summary");
  QCOMPARE(summaries.size(), std::size_t{1});
  QCOMPARE(summaries[0]["trials"].get<int>(), 24);
  QCOMPARE(summaries[0]["reason"].get<std::string>(), std::string("the whole space was visited"));
  // Its best is the sweep's, by the samples of the trial itself.
  const auto shown = run({"show", "swept"});
  const auto swept = events(shown, "summary");
  QCOMPARE(swept.size(), std::size_t{1});
  QVERIFY(summaries[0]["time"]["session_seconds"].get<double>() > 0);
  QVERIFY(summaries[0]["time"]["run_seconds"].get<double>() > 0);
  QCOMPARE(summaries[0]["best"]["confirmed"].get<bool>(), false);
}

void CommandLineReplayTest::sameSeedSameSession() {
  const QStringList arguments{"tune",     "--target", "recorded:" + file_, "--tuner", "ga", "--seed", "5",
                              "--trials", "20",       "--search-time",     "none"};
  json first = events(run(arguments), "summary").at(0);
  json second = events(run(arguments), "summary").at(0);
  QVERIFY(first["session"] != second["session"]);
  first.erase("session");
  second.erase("session");
  QVERIFY(first == second);
}

void CommandLineReplayTest::spaceIsTheRecorded() {
  const auto lines = run({"space", "--target", "recorded:" + file_});
  QCOMPARE(lines.size(), std::size_t{1});
  QCOMPARE(lines[0]["members"].get<std::string>(), std::string("24"));
}

void CommandLineReplayTest::resumeKeepsTheSearchTime() {
  run({"tune", "--target", "recorded:" + file_, "--tuner", "random", "--trials", "10", "--search-time", "2",
       "--name", "going on"});
  const auto summaries = events(run({"resume", "going on", "--trials", "16"}), "summary");
  QCOMPARE(summaries.size(), std::size_t{1});
  QCOMPARE(summaries[0]["trials"].get<int>(), 16);
  QCOMPARE(summaries[0]["time"]["search_seconds"].get<double>(), 32.0);
}

void CommandLineReplayTest::wrongUsageIsSaid() {
  const auto refused = [&](const QStringList& arguments, const char* named) {
    const CommandResult result = shell_.run(arguments);
    QCOMPARE(result.code, 2);
    QVERIFY2(result.error.find(named) != std::string::npos, result.error.c_str());
  };
  refused({"tune"}, "TASK");
  refused({"tune", "matmul 32x48 48x64 f32", "--search-time", "none"}, "--search-time");
  refused({"tune", "--target", "recorded:" + file_, "--search-time", "soon"}, "soon");
  refused({"tune", "resnet18/C6", "--target", "recorded:" + file_}, "recorded space");
  refused({"tune", "--target", "recorded:missing.ksrec"}, "missing.ksrec");
  refused({"tune", "--target", "recorded:" + file_, "--build-only"}, "--build-only");
}

KERNELSCAPE_TEST(CommandLineReplayTest, QCoreApplication)

}  // namespace kernelscape::command_line_replay_test
#include "command_line_replay_test.moc"
