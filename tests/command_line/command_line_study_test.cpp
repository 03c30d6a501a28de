#include <signal.h>

#include <QFile>
#include <QTest>
#include <map>
#include <set>

#include "core/study/study.h"
#include "tests/command_line/command_line_support.h"
#include "tests/study/recorded_files.h"
#include "tests/test_program.h"

namespace kernelscape::command_line_study_test {
using namespace kernelscape::command_line_tests;
using namespace kernelscape::study_tests;
using nlohmann::json;

/** Studies as a user runs them: from a file, from options, stopped and resumed, shown and deleted. */
class CommandLineStudyTest : public QObject {
  Q_OBJECT

 private:
  Shell shell_;
  QTemporaryDir folder_;
  QString target_;  ///< "recorded:FILE"

  /** A database of its own, so that tests don't see each other's studies. */
  QStringList in(const QString& database, const QStringList& arguments) const {
    return QStringList{"study"} << arguments << "--db" << folder_.filePath(database);
  }
  QString write_study(const QString& name, const json& study) const {
    const QString path = folder_.filePath(name);
    if (!base::write_file_atomically(path.toStdString(), study.dump())) qFatal("%s", qPrintable(path));
    return path;
  }

 private slots:
  void initTestCase() {
    target_ = "recorded:" + QString::fromStdString(write_recording(folder_, "x", 1));
    write_recording(folder_, "y", 2, false);
  }

  void fromAFile();
  void fromOptions();
  void batchesAndTheirControls();
  void optionsOverrideTheFile();
  void textHasTheTables();
  void listShowDelete();
  void interruptedAndResumed();
  void analysis();
  void bundledByName();
  void definitionsAreShown_data();
  void definitionsAreShown();
  void aFileIsShownWithoutADatabase();
  void missingOptionalFile();
  void failedRunsAreAnError();
  void wrongUsage_data();
  void wrongUsage();
};

void CommandLineStudyTest::fromAFile() {
  const QString file = write_study("study.json", {{"name", "mine"},
                                                  {"tuners", {"random", "ga"}},
                                                  {"tasks", {"recorded:x.ksrec", "recorded:./y.ksrec"}},
                                                  {"repeats", 3},
                                                  {"trials", 40},
                                                  {"controls", false},
                                                  {"search_time", "none"}});
  const CommandResult result = shell_.run(in("file.db", {file, "--json"}));
  QVERIFY2(result.code == 0, result.all().c_str());
  const std::vector<json> lines = json_lines(result.output);
  const std::vector<json> studies = events(lines, "study");
  QCOMPARE(studies.size(), 1U);
  QVERIFY(studies[0]["name"] == "mine");
  const std::vector<json> runs = events(lines, "run");
  QCOMPARE(runs.size(), 12U);
  for (const json& run : runs) {
    QVERIFY(run["state"] == "done");
    QVERIFY(run["trials"] == 40);
    QVERIFY(run["best_seconds"].is_number() && run["session"].is_number());
  }
  // Two tuners over all tasks, and on each of two.
  const std::vector<json> rows = events(lines, "row");
  QCOMPARE(rows.size(), 6U);
  QVERIFY(rows[0]["tuner"] == "random");
  QVERIFY(rows[0]["task"].is_null());
  QVERIFY(rows[0]["runs"] == 6);
  QVERIFY(rows[0]["final_share"] > 0.5 && rows[0]["final_share"] <= 1.0);
  const json summary = events(lines, "summary").at(0);
  QVERIFY(summary["done"] == 12);
  QVERIFY(summary["interrupted"] == false);
  QVERIFY(std::ranges::all_of(lines,
                              [](const json& line) { return line.is_object() && line.contains("event"); }));
}

void CommandLineStudyTest::fromOptions() {
  const CommandResult result = shell_.run(in("options.db", {"--target",      target_,
                                                            "--tuners",      "nose,ga:population=20",
                                                            "--repeats",     "2",
                                                            "--trials",      "30",
                                                            "--search-time", "none",
                                                            "--seed",        "7",
                                                            "--jobs",        "1",
                                                            "--name",        "by hand",
                                                            "--baseline",    "ga (population=20)",
                                                            "--no-controls", "--json"}));
  QVERIFY2(result.code == 0, result.all().c_str());
  const std::vector<json> lines = json_lines(result.output);
  const json definition = events(lines, "study").at(0)["definition"];
  QVERIFY(definition["name"] == "by hand");
  QVERIFY(definition["seed"] == 7);
  QVERIFY(definition["trials"] == 30);
  QVERIFY(definition["search_time"] == "none");
  QVERIFY(definition["baseline"] == "ga (population=20)");
  QVERIFY(definition["controls"] == false);
  QCOMPARE(events(lines, "run").size(), 4U);
}

void CommandLineStudyTest::batchesAndTheirControls() {
  const CommandResult result =
      shell_.run(in("batches.db", {"--target", target_, "--tuners", "nose,ga@20:population=10,random@5",
                                   "--batch", "5", "--paired-starts", "--trials", "30", "--search-time",
                                   "none", "--repeats", "2", "--json"}));
  QVERIFY2(result.code == 0, result.all().c_str());
  const std::vector<json> lines = json_lines(result.output);
  const json definition = events(lines, "study").at(0)["definition"];
  QVERIFY(definition["paired_starts"] == true);
  const json tuners = definition["tuners"];
  // Batches of 5 have their random search already, those of 20 get one.
  QCOMPARE(tuners.size(), 4U);
  QVERIFY(tuners[0]["name"] == "nose" && tuners[0]["batch"] == 5);
  QVERIFY(tuners[1]["name"] == "ga@20 (population=10)" && tuners[1]["batch"] == 20);
  QVERIFY(tuners[2]["name"] == "random@5" && !tuners[2].contains("control"));
  QVERIFY(tuners[3]["name"] == "random@20 (control)" && tuners[3]["control"] == true);
  const std::vector<json> runs = events(lines, "run");
  QCOMPARE(runs.size(), 8U);
  std::map<int, std::set<std::uint64_t>> seeds;
  for (const json& run : runs) seeds[run["repeat"].get<int>()].insert(run["seed"].get<std::uint64_t>());
  QCOMPARE(seeds.size(), 2U);
  for (const auto& [repeat, of_repeat] : seeds) QCOMPARE(of_repeat.size(), 1U);
}

void CommandLineStudyTest::optionsOverrideTheFile() {
  const QString file = write_study("large.json", {{"name", "large"},
                                                  {"tuners", {"random", "ga", "nose"}},
                                                  {"tasks", {"recorded:x.ksrec"}},
                                                  {"repeats", 9000}});
  const CommandResult result = shell_.run(
      in("override.db", {file, "--repeats", "1", "--trials", "10", "--tuners", "random", "--json"}));
  QVERIFY2(result.code == 0, result.all().c_str());
  const std::vector<json> runs = events(json_lines(result.output), "run");
  QCOMPARE(runs.size(), 1U);
  QVERIFY(runs[0]["trials"] == 10);
}

void CommandLineStudyTest::textHasTheTables() {
  const CommandResult result =
      shell_.run(in("text.db", {"--target", target_, "--tuners", "random,sa", "--repeats", "3", "--trials",
                                "0", "--by-task", "--no-controls"}));
  QVERIFY2(result.code == 0, result.all().c_str());
  const auto has = [&](const char* text) { return result.output.find(text) != std::string::npos; };
  // The whole space was searched, so that every tuner has the optimum.
  for (const char* text :
       {"6 of 6 runs", "% of optimum", "100.0 %", "(3/3)", "baseline", "no difference",
        "3 against 3 cannot reach significance", "what it cannot decide", "can visit the whole space",
        "wall time a run", "NO_ERROR", "kernelscape report --study 1 --out x.html"})
    QVERIFY2(has(text), (std::string(text) + "\n" + result.output).c_str());
}

void CommandLineStudyTest::listShowDelete() {
  QCOMPARE(shell_.run(in("list.db", {"--list"})).code, 2);
  QVERIFY(shell_.run({"study", "--list"}).output.find("no studies") != std::string::npos);
  const QStringList make = {"--target", target_, "--tuners", "random", "--trials", "10"};
  QCOMPARE(shell_.run(in("list.db", QStringList(make) << "--name" << "first")).code, 0);
  QCOMPARE(shell_.run(in("list.db", QStringList(make) << "--name" << "second")).code, 0);
  const std::vector<json> studies = json_lines(shell_.run(in("list.db", {"--list", "--json"})).output);
  QCOMPARE(studies.size(), 2U);
  QVERIFY(studies[0]["name"] == "second");
  QVERIFY(studies[1]["state"] == "done");
  const CommandResult shown = shell_.run(in("list.db", {"--show", "first", "--json"}));
  QCOMPARE(shown.code, 0);
  QCOMPARE(events(json_lines(shown.output), "row").size(), 2U);
  const auto error_of = [this](const QString& wanted) {
    return shell_.run(in("list.db", {"--show", wanted})).error;
  };
  // Whatever could have been meant is named: stored studies, and those that are built in.
  for (const char* name : {"first", "second", "adatune-real", "gp-recorded"})
    QVERIFY2(error_of("zzzzzz").contains(name), error_of("zzzzzz").c_str());
  QVERIFY2(error_of("secnd").contains("did you mean second?"), error_of("secnd").c_str());
  QVERIFY2(error_of("opevo-serch").contains("opevo-search"), error_of("opevo-serch").c_str());
  QVERIFY2(error_of("77").contains("2 studies: 2 (second), 1 (first);"), error_of("77").c_str());
  QCOMPARE(shell_.run(in("list.db", {"--delete", "first"})).code, 0);
  QCOMPARE(shell_.run(in("list.db", {"--show", "first"})).code, 2);
  QCOMPARE(json_lines(shell_.run(in("list.db", {"--list", "--json"})).output).size(), 1U);
}

void CommandLineStudyTest::interruptedAndResumed() {
  QProcess process;
  shell_.start(process, in("stop.db", {"--target", target_, "--tuners", "random,ga,nose,sa", "--repeats",
                                       "300", "--trials", "150", "--no-controls", "--json"}));
  std::string output;
  while (output.find("\"event\":\"run\"") == std::string::npos) {
    QVERIFY(process.waitForReadyRead(120'000));
    output += process.readAllStandardOutput().toStdString();
  }
  QCOMPARE(kill(static_cast<pid_t>(process.processId()), SIGINT), 0);
  QVERIFY(process.waitForFinished(120'000));
  output += process.readAllStandardOutput().toStdString();
  QCOMPARE(process.exitCode(), 130);
  const json summary = events(json_lines(output), "summary").at(0);
  QVERIFY(summary["interrupted"] == true);
  QVERIFY(summary["done"] < 1200);
  const CommandResult resumed = shell_.run(in("stop.db", {"--resume", "1", "--json"}));
  QVERIFY2(resumed.code == 0, resumed.all().c_str());
  const std::vector<json> lines = json_lines(resumed.output);
  QVERIFY(events(lines, "summary").at(0)["done"] == 1200);
  // What was done before is not made again.
  QCOMPARE(events(lines, "run").size(), 1200U - summary["done"].get<std::size_t>());
}

void CommandLineStudyTest::analysis() {
  const QString file = write_study("analysis.json", {{"name", "whole"}, {"analyse", {"x.ksrec", "y.ksrec"}}});
  const CommandResult text = shell_.run(in("analysis.db", {file}));
  QVERIFY2(text.code == 0, text.all().c_str());
  for (const char* expected :
       {"the whole space", "NO_ERROR", "build and run time", "within 5 %", "quantiles"})
    QVERIFY2(text.output.find(expected) != std::string::npos, text.output.c_str());
  const CommandResult result = shell_.run(in("analysis.db", {"--show", "1", "--json"}));
  const std::vector<json> spaces = events(json_lines(result.output), "analysis");
  QCOMPARE(spaces.size(), 2U);
  // Counted again from the file.
  const auto recording = *trial::Recording::open(target_.mid(9).toStdString());
  std::map<std::string, int> trials;
  double best = 0;
  for (std::uint32_t row = 0; row < recording->size(); ++row) {
    ++trials[std::string(trial::to_string(recording->category(row)))];
    if (recording->category(row) == trial::ErrorCategory::NoError)
      best = std::max(best, 2.0 * 64 * 48 * 32 / recording->seconds(row) * 1e-9);
  }
  QVERIFY(spaces[0]["configurations"] == recording->size());
  QVERIFY(spaces[0]["complete"] == true);
  QVERIFY(spaces[1]["complete"] == false);
  QCOMPARE(spaces[0]["errors"].size(), trials.size());
  for (const auto& [category, count] : trials) QVERIFY(spaces[0]["errors"][category]["trials"] == count);
  QVERIFY(std::abs(spaces[0]["best"].get<double>() - best) < 1e-9 * best);
}

void CommandLineStudyTest::bundledByName() {
  const CommandResult result = shell_.run(in("built_in.db", {"nose-experiment-22"}));
  QCOMPARE(result.code, 2);
  QVERIFY2(result.error.find("nose-experiment-2") != std::string::npos, result.error.c_str());
}

void CommandLineStudyTest::definitionsAreShown_data() {
  QTest::addColumn<QString>("name");
  for (const std::filesystem::path& file : study::bundled_studies()) {
    const std::string name = file.stem().string();
    QTest::newRow(name.c_str()) << QString::fromStdString(name);
  }
}

void CommandLineStudyTest::definitionsAreShown() {
  QFETCH(QString, name);
  const CommandResult text = shell_.run({"study", "--show", name});
  QVERIFY2(text.code == 0, text.all().c_str());
  QVERIFY2(text.output.find("what it compares") != std::string::npos, text.output.c_str());
  const CommandResult result = shell_.run({"study", "--show", name, "--json"});
  QVERIFY2(result.code == 0, result.all().c_str());
  const std::vector<json> plans = events(json_lines(result.output), "plan");
  QCOMPARE(plans.size(), 1U);
  QVERIFY(!plans[0]["answers"].empty() && !plans[0]["compared"].empty());
  // Nothing was stored.
  QVERIFY(shell_.run({"study", "--list"}).output.find("no studies") != std::string::npos);
}

void CommandLineStudyTest::aFileIsShownWithoutADatabase() {
  const QString file = write_study("plan.json", {{"name", "never run"},
                                                 {"tuners", {"random", "ga"}},
                                                 {"tasks", {"recorded:x.ksrec", "recorded:gone.ksrec"}},
                                                 {"repeats", 3},
                                                 {"trials", 40}});
  const CommandResult result = shell_.run({"study", "--show", file});
  QVERIFY2(result.code == 0, result.all().c_str());
  for (const char* text : {"never run", "3 against 3 cannot reach significance", "ga is in its random phase",
                           "there is no recording of gone", "what it cannot decide"})
    QVERIFY2(result.output.find(text) != std::string::npos, (std::string(text) + result.output).c_str());
  QCOMPARE(shell_.run({"study", "--show", "nothing-of-the-kind"}).code, 2);
  QCOMPARE(shell_.run({"study", "--show", "77"}).code, 2);
}

void CommandLineStudyTest::missingOptionalFile() {
  const QString file =
      write_study("optional.json",
                  {{"name", "n"},
                   {"tuners", {"random"}},
                   {"trials", 5},
                   {"tasks", {"recorded:x.ksrec", {{"target", "recorded:none.json"}, {"optional", true}}}}});
  const CommandResult result = shell_.run(in("optional.db", {file}));
  QVERIFY2(result.code == 0, result.all().c_str());
  QVERIFY(result.output.find("none.json is missing") != std::string::npos);
}

void CommandLineStudyTest::failedRunsAreAnError() {
  const QString gone = QString::fromStdString(write_recording(folder_, "gone", 3));
  const QStringList make = {"--target", "recorded:" + gone, "--tuners", "random", "--repeats", "2000"};
  QProcess process;
  shell_.start(process, in("gone.db", QStringList(make) << "--json"));
  QVERIFY(process.waitForReadyRead(120'000));
  kill(static_cast<pid_t>(process.processId()), SIGINT);
  QVERIFY(process.waitForFinished(120'000));
  QVERIFY(QFile::remove(gone));
  const CommandResult result = shell_.run(in("gone.db", {"--resume", "1"}));
  QCOMPARE(result.code, 1);
  QVERIFY2(result.error.find("runs failed") != std::string::npos, result.error.c_str());
  QVERIFY(result.output.find("gone.ksrec") != std::string::npos);
}

void CommandLineStudyTest::wrongUsage_data() {
  QTest::addColumn<QStringList>("arguments");
  QTest::addColumn<QString>("said");
  QTest::newRow("nothing") << QStringList{} << "no action is given";
  QTest::newRow("two things") << QStringList{"x.json", "--tasks", "resnet18/C6"} << "several actions";
  QTest::newRow("two commands") << QStringList{"--list", "--show", "1"} << "several actions";
  QTest::newRow("no file") << QStringList{"nowhere.json"} << "nowhere.json";
  QTest::newRow("no tuners") << QStringList{"--target", target_} << "no tuners";
  QTest::newRow("unknown tuner") << QStringList{"--target", target_, "--tuners", "nosee"}
                                 << "did you mean nose";
  QTest::newRow("wrong setting") << QStringList{"--target", target_, "--tuners", "ga:popul=5"} << "popul";
  QTest::newRow("wrong baseline") << QStringList{"--target", target_, "--tuners", "ga", "--baseline", "sa"}
                                  << "sa";
  QTest::newRow("unknown search time")
      << QStringList{"--target", target_, "--tuners", "ga", "--search-time", "some"} << "some";
  QTest::newRow("no repeats") << QStringList{"--target", target_, "--tuners", "ga", "--repeats", "0"}
                              << "repeats";
  QTest::newRow("no batch") << QStringList{"--target", target_, "--tuners", "ga@0"} << "batch";
  QTest::newRow("batch of nothing") << QStringList{"--target", target_, "--tuners", "ga", "--batch", "0"}
                                    << "batch";
  QTest::newRow("controls of a stored study")
      << QStringList{"--resume", "77", "--no-controls"} << "--no-controls";
  QTest::newRow("unknown study") << QStringList{"--resume", "77"} << "77";
}

void CommandLineStudyTest::wrongUsage() {
  QFETCH(QStringList, arguments);
  QFETCH(QString, said);
  const CommandResult result = shell_.run(in("wrong.db", arguments));
  QVERIFY2(result.code == 2, result.all().c_str());
  QVERIFY2(QString::fromStdString(result.error).contains(said), result.error.c_str());
  QVERIFY(json_lines(shell_.run(in("wrong.db", {"--list", "--json"})).output).empty());
}

KERNELSCAPE_TEST(CommandLineStudyTest, QCoreApplication)

}  // namespace kernelscape::command_line_study_test
#include "command_line_study_test.moc"
