#include <signal.h>

#include <QFile>
#include <QTest>

#include "tests/command_line/command_line_support.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/study/data_set_support.h"
#include "tests/test_program.h"

namespace kernelscape::command_line_predictors_test {
using namespace kernelscape::command_line_tests;
using namespace kernelscape::study_tests;
using nlohmann::json;

/** Predictors as a user makes them: trained, stopped, gone on with, judged, exported. */
class CommandLinePredictorsTest : public QObject {
  Q_OBJECT

 private:
  Shell shell_;
  QTemporaryDir folder_;
  QString sources_;  ///< recorded spaces, as --data takes them

  QStringList in(const QString& database, const QStringList& arguments) const {
    return QStringList(arguments) << "--db" << folder_.filePath(database);
  }
  /** Small enough for a debug build. */
  QStringList training(const QStringList& more = {}, const QString& epochs = "3") const {
    QStringList arguments{"train", "--data", sources_};
    std::map<std::string, std::string> settings = small_training();
    settings["epochs"] = settings["patience"] = epochs.toStdString();
    for (const auto& [name, value] : settings)
      arguments << "--set" << QString::fromStdString(fmt::format("{}={}", name, value));
    return arguments << more;
  }
  json listed(const QString& database, const QStringList& arguments) const {
    const CommandResult result = shell_.run(in(database, QStringList{"predictors"} << arguments << "--json"));
    return result.code == 0 ? json(json_lines(result.output)) : json();
  }

 private slots:
  void initTestCase() {
    base::Random random(kernelscape::testing::random_seed());
    QStringList sources;
    for (const std::string& source : write_samples(folder_, 5, 12, random))
      sources << QString::fromStdString(source);
    sources_ = sources.join(',');
  }

  void trainsAndShows();
  void textHasTheTables();
  void interruptedAndResumed();
  void takenHomeInAndDeleted();
  void judgedOnOtherSamples();
  void wrongUsage_data();
  void wrongUsage();
};

void CommandLinePredictorsTest::trainsAndShows() {
  const CommandResult result = shell_.run(in("a.db", training({"--name", "mine", "--json"})));
  QVERIFY2(result.code == 0, result.all().c_str());
  const std::vector<json> lines = json_lines(result.output);
  const json begun = events(lines, "training").at(0);
  QVERIFY(begun["predictor"] == 1 && begun["samples"] == 60 && begun["template"] == "matmul-tiled");
  QCOMPARE(events(lines, "epoch").size(), 3U);
  const json summary = events(lines, "summary").at(0);
  QVERIFY(summary["interrupted"] == false && summary["name"] == "mine");
  QVERIFY(summary["parts"].at(0)["part"] == "test");
  QVERIFY(summary["parts"].at(0)["regret"].at(0)["random"].is_number());
  const json row = listed("a.db", {}).at(0);
  QVERIFY(row["name"] == "mine" && row["state"] == "done" && row["hash"] == summary["hash"]);
  const json details = listed("a.db", {"mine"}).at(0);
  QCOMPARE(details["tasks"].size(), 5U);
  QCOMPARE(details["epochs"].size(), 3U);
  QVERIFY(details["settings"]["width"] == 8);
}

void CommandLinePredictorsTest::textHasTheTables() {
  const CommandResult trained = shell_.run(in("text.db", training()));
  QVERIFY2(trained.code == 0, trained.all().c_str());
  for (const char* text : {"matmul-tiled-avx2", "epoch 3/3", "tau", "regret after 1 (random)", "validation",
                           "kernelscape predictors 1", "--tuner one-shot"})
    QVERIFY2(trained.output.find(text) != std::string::npos, (std::string(text) + trained.output).c_str());
  const CommandResult shown = shell_.run(in("text.db", {"predictors", "1"}));
  for (const char* text : {"matmul-tiled version", "validation Kendall's tau", "best", "task-0.ksrec"})
    QVERIFY2(shown.output.find(text) != std::string::npos, (std::string(text) + shown.output).c_str());
  const CommandResult all = shell_.run(in("text.db", {"predictors"}));
  QVERIFY2(all.output.find("matmul-tiled-avx2") != std::string::npos, all.all().c_str());
}

void CommandLinePredictorsTest::interruptedAndResumed() {
  QProcess process;
  shell_.start(process, in("stop.db", training({"--json"}, "5000")));
  std::string output;
  while (output.find("\"event\":\"epoch\"") == std::string::npos) {
    QVERIFY(process.waitForReadyRead(120'000));
    output += process.readAllStandardOutput().toStdString();
  }
  QCOMPARE(kill(static_cast<pid_t>(process.processId()), SIGINT), 0);
  QVERIFY(process.waitForFinished(120'000));
  output += process.readAllStandardOutput().toStdString();
  QCOMPARE(process.exitCode(), 130);
  const json summary = events(json_lines(output), "summary").at(0);
  QVERIFY(summary["interrupted"] == true && summary["epochs"] > 0);
  const json row = listed("stop.db", {}).at(0);
  QVERIFY(row["state"] == "interrupted" && row["epochs"] == summary["epochs"]);
  // It begins after what was kept.
  QProcess resumed;
  shell_.start(resumed, in("stop.db", {"train", "--resume", "1", "--json"}));
  QVERIFY(resumed.waitForReadyRead(120'000));
  kill(static_cast<pid_t>(resumed.processId()), SIGINT);
  QVERIFY(resumed.waitForFinished(120'000));
  const json begun = events(json_lines(resumed.readAllStandardOutput().toStdString()), "training").at(0);
  QVERIFY(begun["epochs_before"] == summary["epochs"]);
}

void CommandLinePredictorsTest::takenHomeInAndDeleted() {
  QVERIFY(shell_.run(in("home.db", training({"--name", "mine"}))).code == 0);
  const QString file = folder_.filePath("mine.kspred");
  const CommandResult taken = shell_.run(in("home.db", {"predictors", "--export", "mine", "--out", file}));
  QVERIFY2(taken.code == 0 && QFile::exists(file), taken.all().c_str());
  const CommandResult imported = shell_.run(in("new.db", {"predictors", "--import", file, "--json"}));
  QVERIFY2(imported.code == 0, imported.all().c_str());
  QVERIFY(json_lines(imported.output).at(0)["existed"] == false);
  QVERIFY(listed("new.db", {}).at(0)["hash"] == listed("home.db", {}).at(0)["hash"]);
  QCOMPARE(shell_.run(in("new.db", {"predictors", "--delete", "mine"})).code, 0);
  QCOMPARE(shell_.run(in("new.db", {"predictors", "--delete", "mine"})).code, 2);
  // What is no predictor is neither replaced nor taken in.
  QFile text(folder_.filePath("text"));
  QVERIFY(text.open(QIODevice::WriteOnly) && text.write("a text") == 6);
  text.close();
  QCOMPARE(shell_.run(in("home.db", {"predictors", "--export", "mine", "--out", text.fileName()})).code, 1);
  QVERIFY(shell_.run(in("home.db", {"predictors", "--import", text.fileName()})).code != 0);
}

void CommandLinePredictorsTest::judgedOnOtherSamples() {
  QVERIFY(shell_.run(in("judge.db", training({"--name", "mine"}))).code == 0);
  const QString first = sources_.section(',', 0, 0);
  const json judged = listed("judge.db", {"--evaluate", "mine", "--data", first}).at(0);
  QCOMPARE(judged["tasks"].size(), 1U);
  QVERIFY(judged["tasks"].at(0)["samples"] == 12);
  const CommandResult text =
      shell_.run(in("judge.db", {"predictors", "--evaluate", "mine", "--data", sources_}));
  QVERIFY2(text.code == 0 && text.output.find("training") != std::string::npos, text.all().c_str());
}

void CommandLinePredictorsTest::wrongUsage_data() {
  QTest::addColumn<QStringList>("arguments");
  QTest::addColumn<QString>("said");
  QTest::newRow("nothing") << QStringList{"train"} << "no action is given";
  QTest::newRow("two things") << QStringList{"train", "--data", "1", "--resume", "1"} << "several actions";
  QTest::newRow("stored") << QStringList{"train", "--resume", "1", "--seed", "2"}
                          << "--seed has no effect here";
  QTest::newRow("no source") << QStringList{"train", "--data", "study 9"} << "no study '9'";
  QTest::newRow("setting") << training({"--set", "widht=8"}) << "width";
  QTest::newRow("model") << training({"--model", "forest"}) << "trees";
  QTest::newRow("template") << training({"--template", "matmul-tield"}) << "did you mean matmul-tiled";
  QTest::newRow("too few tasks") << QStringList{"train", "--data", sources_.section(',', 0, 1)} << "task";
  QTest::newRow("no training") << QStringList{"train", "--resume", "9"} << "no predictor '9'";
  QTest::newRow("no predictor") << QStringList{"predictors", "nothing"} << "nothing";
  QTest::newRow("no file") << QStringList{"predictors", "--export", "x"} << "--out";
  QTest::newRow("no data") << QStringList{"predictors", "--evaluate", "x"} << "--data";
  QTest::newRow("several") << QStringList{"predictors", "x", "--delete", "y"} << "several actions";
}

void CommandLinePredictorsTest::wrongUsage() {
  QFETCH(const QStringList, arguments);
  QFETCH(const QString, said);
  // A database that is there, so that nothing else is missing.
  QVERIFY(shell_.run(in("wrong.db", {"train", "--data", "study 1"})).code == 2);
  const CommandResult result = shell_.run(in("wrong.db", arguments));
  QCOMPARE(result.code, 2);
  QVERIFY2(result.error.find(said.toStdString()) != std::string::npos, result.all().c_str());
}

KERNELSCAPE_TEST(CommandLinePredictorsTest, QCoreApplication)

}  // namespace kernelscape::command_line_predictors_test
#include "command_line_predictors_test.moc"
