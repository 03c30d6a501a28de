#include <QDir>
#include <QFile>
#include <QTest>

#include "core/base/file.h"
#include "tests/command_line/command_line_support.h"
#include "tests/study/recorded_files.h"
#include "tests/test_program.h"

namespace kernelscape::command_line_group_test {
using namespace kernelscape::command_line_tests;
using namespace kernelscape::study_tests;
using nlohmann::json;

/** Data sets and networks as a user makes them: drawn, measured, shown, exported. */
class CommandLineGroupTest : public QObject {
  Q_OBJECT

 private:
  Shell shell_;  ///< with a catalogue of its own, whose network takes seconds
  QTemporaryDir folder_;

  QStringList in(const QString& name, const QStringList& arguments) const {
    return QStringList(arguments) << "--db" << folder_.filePath(name);
  }
  /** So that a session takes as little as it can. */
  static QStringList quickly() {
    return {"--tuner", "random",          "--trials", "4",         "--repeats",
            "1",       "--min-repeat-ms", "0.1",      "--threads", "1"};
  }

 private slots:
  void initTestCase() {
    QVERIFY(QDir().mkpath(folder_.filePath("data/tasks")));
    const char* catalogue = R"({"description": "small",
        "tasks": [{"name": "tiny/A", "task": "matmul 16x32 32x16 f32"},
                  {"name": "tiny/B", "task": "matmul 32x16 16x48 f32"},
                  {"name": "tiny/C", "task": "matmul 24x24 24x24 f64"}],
        "networks": [{"name": "tiny", "description": "three layers, one of a type that no template has",
                      "layers": [{"task": "tiny/A", "multiplicity": 3}, {"task": "tiny/B"},
                                 {"task": "tiny/C"}]}]})";
    QVERIFY(base::write_file_atomically(folder_.filePath("data/tasks/small.json").toStdString(), catalogue));
    shell_.set("KERNELSCAPE_DATA", folder_.filePath("data"));
  }

  void tasksAreDrawnWithoutMeasuring();
  void dataSets();
  void networks();
  void mistakes_data();
  void mistakes();
};

void CommandLineGroupTest::tasksAreDrawnWithoutMeasuring() {
  const QStringList drawing{"dataset", "--template", "matmul-tiled", "--layers",   "tiny",   "--tasks",
                            "1",       "--sampling", "rows",         "--hold-out", "tiny/A", "--dry-run"};
  const CommandResult text = shell_.run(in("none.db", drawing));
  QVERIFY2(text.code == 0, text.all().c_str());
  QVERIFY2(text.output.contains("matmul 32x16 16x48 f32"), text.output.c_str());
  QVERIFY2(!text.output.contains("matmul 16x32 32x16 f32"), text.output.c_str());
  const CommandResult result = shell_.run(in("none.db", drawing) << "--json");
  const std::vector<json> drawn = events(json_lines(result.output), "drawn");
  QCOMPARE(drawn.size(), 1U);
  QCOMPARE(drawn[0].at("tasks").size(), 1U);
  QVERIFY(!QFile::exists(folder_.filePath("none.db")));
}

void CommandLineGroupTest::dataSets() {
  const CommandResult made =
      shell_.run(in("a.db", QStringList{"dataset", "--template", "matmul-tiled", "--layers", "tiny",
                                        "--tasks", "2", "--sampling", "rows", "--name", "mine", "--json"}
                                << quickly()));
  QVERIFY2(made.code == 0, made.all().c_str());
  const std::vector<json> tasks = events(json_lines(made.output), "task");
  QCOMPARE(tasks.size(), 2U);
  for (const json& task : tasks) QCOMPARE(task.at("trials").get<int>(), 4);
  // Nothing is measured beside the trials.
  const QString session = QString::number(tasks[0].at("session").get<int>());
  const CommandResult one = shell_.run(in("a.db", {"show", session, "--json"}));
  const std::vector<json> summary = events(json_lines(one.output), "summary");
  QVERIFY2(summary.size() == 1 && summary[0].at("confirmed").empty(), one.all().c_str());
  QVERIFY2(summary[0].at("share_of_vendor").is_null(), one.all().c_str());

  const CommandResult listed = shell_.run(in("a.db", {"dataset", "--list"}));
  QVERIFY2(listed.output.contains("mine") && listed.output.contains("data-set"), listed.all().c_str());
  for (const char* command : {"dataset", "study"}) {
    const CommandResult shown = shell_.run(in("a.db", {command, "--show", "mine"}));
    QVERIFY2(shown.code == 0 && shown.output.contains("2 tasks, 8 trials"), shown.all().c_str());
  }
  // What is done stays as it is.
  const CommandResult resumed = shell_.run(in("a.db", {"dataset", "--resume", "1", "--json"}));
  QVERIFY2(resumed.code == 0, resumed.all().c_str());
  QVERIFY(events(json_lines(resumed.output), "run").empty());
  QCOMPARE(shell_.run(in("a.db", {"dataset", "--delete", "mine"})).code, 0);
  QVERIFY(shell_.run(in("a.db", {"dataset", "--list"})).output.contains("no data sets"));
}

void CommandLineGroupTest::networks() {
  const CommandResult tuned =
      shell_.run(in("b.db", QStringList{"tune", "--network", "tiny", "--json", "--seed", "1"} << quickly()));
  QVERIFY2(tuned.code == 0, tuned.all().c_str());
  QVERIFY2(tuned.error.contains("tiny/C"), tuned.error.c_str());
  const std::vector<json> layers = events(json_lines(tuned.output), "layer");
  QCOMPARE(layers.size(), 2U);
  double seconds = 0;
  for (const json& layer : layers) {
    QVERIFY2(is_confirmed(layer), layer.dump().c_str());
    seconds += layer.at("multiplicity").get<double>() * layer.at("median_seconds").get<double>();
  }
  QCOMPARE(layers[0].at("multiplicity").get<int>(), 3);
  const std::vector<json> sums = events(json_lines(tuned.output), "network");
  QCOMPARE(sums.size(), 1U);
  QCOMPARE(sums[0].at("seconds").get<double>(), seconds);
  QCOMPARE(sums[0].at("missing").get<int>(), 0);

  const CommandResult shown = shell_.run(in("b.db", {"study", "--show", "1"}));
  QVERIFY2(shown.code == 0 && shown.output.contains("tiny/A") && shown.output.contains("over 2 layers"),
           shown.all().c_str());
  const QString out = folder_.filePath("library");
  const CommandResult written = shell_.run(in("b.db", {"export", "--network", "tiny", "--out", out}));
  QVERIFY2(written.code == 0, written.all().c_str());
  QFile manifest(out + "/kernelscape.json");
  QVERIFY(manifest.open(QIODevice::ReadOnly));
  const json kernels = json::parse(manifest.readAll().toStdString()).at("kernels");
  QCOMPARE(kernels.size(), 2U);
  QCOMPARE(kernels[0].at("multiplicity").get<int>(), 3);
  QVERIFY(QFile::exists(out + "/CMakeLists.txt"));
}

void CommandLineGroupTest::mistakes_data() {
  QTest::addColumn<QStringList>("arguments");
  QTest::addColumn<QString>("said");
  const auto row = [](const char* name, const QStringList& arguments, const char* said) {
    QTest::newRow(name) << arguments << QString(said);
  };
  row("nothing asked for", {"dataset"}, "no action is given");
  row("two things", {"dataset", "--list", "--template", "matmul-tiled"}, "several actions");
  row("tasks of a stored one", {"dataset", "--resume", "1", "--tasks", "3"}, "--tasks");
  row("unknown template", {"dataset", "--template", "matmul-tilde", "--dry-run"}, "matmul-tiled");
  row("unknown layers", {"dataset", "--template", "matmul-tiled", "--layers", "tinny", "--dry-run"}, "tiny");
  row("unknown sampling", {"dataset", "--template", "matmul-tiled", "--sampling", "priors", "--dry-run"},
      "prior");
  row("no trials", {"dataset", "--template", "matmul-tiled", "--trials", "0", "--dry-run"}, "--trials");
  row("a recorded space",
      {"dataset", "--template", "matmul-tiled", "--target", "recorded:x.ksrec", "--dry-run"}, "train");
  row("unknown network", {"tune", "--network", "tinny"}, "tiny");
  row("a task and a network", {"tune", "tiny/A", "--network", "tiny"}, "TASK");
  row("a restricted network", {"tune", "--network", "tiny", "--restrict", "x=1"}, "--restrict");
  row("a recorded network", {"tune", "--network", "tiny", "--target", "recorded:x.ksrec"}, "recorded");
  row("a session and a network", {"export", "1", "--network", "tiny", "--out", "x"}, "SESSION");
  row("a format of a network", {"export", "--network", "tiny", "--format", "csv", "--out", "x"}, "--format");
  row("a session's vendor", {"export", "1", "--format", "kernel", "--vendor-where-faster", "--out", "x"},
      "--network");
  row("a layer list's vendor", {"network", "show", "tiny", "--vendor-where-faster"}, "applies only to pass");
  row("a dimension of no model", {"export", "--network", "tiny", "--dim", "batch=1", "--out", "x"}, "--dim");
  row("a network on standard output", {"export", "--network", "tiny", "--out", "-"}, "folder");
}

void CommandLineGroupTest::mistakes() {
  QFETCH(QStringList, arguments);
  QFETCH(QString, said);
  const CommandResult result = shell_.run(arguments);
  QVERIFY2(result.code == 2, result.all().c_str());
  QVERIFY2(result.error.contains(said.toStdString()), result.all().c_str());
}

KERNELSCAPE_TEST(CommandLineGroupTest, QCoreApplication)

}  // namespace kernelscape::command_line_group_test
#include "command_line_group_test.moc"
