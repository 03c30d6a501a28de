#include <QDir>
#include <QFile>
#include <QTest>
#include <fstream>

#include "tests/command_line/command_line_support.h"
#include "tests/onnx/model_builder.h"
#include "tests/test_program.h"

namespace kernelscape::command_line_network_test {
using namespace kernelscape::command_line_tests;
using kernelscape::testing::ModelBuilder;
using nlohmann::json;

/** Networks of models as a user has them: looked at, saved, tuned under one budget, exported. */
class CommandLineNetworkTest : public QObject {
  Q_OBJECT

 private:
  Shell shell_;
  QTemporaryDir folder_;

  QString path(const QString& name) const { return folder_.filePath(name); }
  QString model() const { return path("tiny model.onnx"); }

  /** So that a session takes as little as it can. */
  static QStringList quickly() {
    return {"--tuner", "random", "--repeats", "1", "--min-repeat-ms", "0.1", "--threads", "1", "--seed", "1"};
  }
  QStringList tuning(const QString& database, const QString& trials) const {
    return QStringList{"tune",     "--network", model(), "--dim",  "batch=2", "--scheduler",
                       "gradient", "--trials",  trials,  "--json", "--db",    path(database)}
           << quickly();
  }

 private slots:
  void initTestCase() {
    ModelBuilder builder;
    builder.input("x", {std::string("batch"), 8, 10, 10}).weight("w", {8, 8, 3, 3}).weight("g", {8, 4, 1, 1});
    builder.node("Conv", {"x", "w"}, {"a"}, {{"pads", std::vector<std::int64_t>{0, 0, 1, 1}}},
                 "<b>first</b>");
    builder.node("Relu", {"a"}, {"r"}).node("Conv", {"r", "g"}, {"c"}, {{"group", 2}}, "second");
    builder.node("GlobalAveragePool", {"c"}, {"p"}).node("Flatten", {"p"}, {"f"}).weight("v", {8, 16});
    builder.node("MatMul", {"f", "v"}, {"o"}).output("o");
    std::ofstream(model().toStdString(), std::ios::binary) << builder.bytes();
  }

  void networksAreShown() {
    const CommandResult shown = shell_.run({"network", "show", model(), "--dim", "batch=2"});
    QVERIFY2(shown.code == 0, shown.all().c_str());
    for (const char* part : {"conv2d 2x8x10x10 8x8x3x3", "pad 0:1", "grouped-packed", "matmul 2x8 8x16",
                             "Relu", "not the whole network"})
      QVERIFY2(shown.output.contains(part), (shown.output + part).c_str());
    const CommandResult rows = shell_.run({"network", "show", model(), "--dim", "batch=2", "--json"});
    const std::vector<json> lines = json_lines(rows.output);
    const std::vector<json> layers = events(lines, "layer");
    QCOMPARE(layers.size(), 3U);
    QCOMPARE(layers[0].at("nodes").at(0).get<std::string>(), std::string("<b>first</b> (Conv)"));
    double share = 0;
    for (const json& layer : layers) share += layer.at("share").get<double>();
    QVERIFY(std::abs(share - 1) < 1e-9);
    QCOMPARE(events(lines, "operator").size(), 3U);
    QCOMPARE(events(lines, "network").size(), 1U);
    const CommandResult known = shell_.run({"network", "show", "resnet18"});
    QVERIFY2(known.code == 0 && known.output.contains("resnet18/C6"), known.all().c_str());
  }

  void theGraphOfAModelIsPrinted() {
    const CommandResult shown = shell_.run({"network", "graph", model(), "--dim", "batch=2"});
    QVERIFY2(shown.code == 0, shown.all().c_str());
    for (const char* part :
         {"GlobalAveragePool", "f32 2x8x10x10, f32 8x8x3x3 constant", "group=2", "6 nodes"})
      QVERIFY2(shown.output.contains(part), (shown.output + part).c_str());
    const CommandResult rows = shell_.run({"network", "graph", model(), "--dim", "batch=2", "--json"});
    const std::vector<json> lines = json_lines(rows.output);
    const std::vector<json> nodes = events(lines, "node");
    QCOMPARE(nodes.size(), 6U);
    QCOMPARE(nodes[0].at("name").get<std::string>(), std::string("<b>first</b>"));
    QCOMPARE(nodes[0].at("attributes").at("pads"), json({0, 0, 1, 1}));
    QCOMPARE(nodes[0].at("inputs").at(1).at("constant"), json(true));
    QCOMPARE(nodes[5].at("outputs").at(0).at("shape"), json({2, 16}));
    const json graph = events(lines, "graph").at(0);
    QCOMPARE(graph.at("constants"), json(3));
    QCOMPARE(graph.at("constant_bytes"), json(4.0 * (8 * 8 * 9 + 8 * 4 + 8 * 16)));
    QCOMPARE(graph.at("inputs").size(), 1U);
    const CommandResult open = shell_.run({"network", "graph", model()});
    QVERIFY2(open.code == 2 && open.error.contains("--dim batch=1"), open.all().c_str());
    QCOMPARE(shell_.run({"network", "show", model(), "--external-data-anywhere"}).code, 2);
  }

  void aSavedNetworkStandsForTheModel() {
    const CommandResult saved =
        shell_.run({"network", "save", model(), "--dim", "batch=2", "--out", path("saved.json")});
    QVERIFY2(saved.code == 0, saved.all().c_str());
    const CommandResult again = shell_.run({"network", "show", path("saved.json"), "--json"});
    const CommandResult whole = shell_.run({"network", "show", model(), "--dim", "batch=2", "--json"});
    QCOMPARE(again.output, whole.output);
    // It is replaced by another network, and nothing else is.
    QCOMPARE(shell_.run({"network", "save", "resnet-18", "--out", path("saved.json")}).code, 0);
    const CommandResult onto = shell_.run({"network", "save", "resnet-18", "--out", model()});
    QVERIFY2(onto.code == 1 && onto.error.contains("tiny model.onnx"), onto.all().c_str());
  }

  void mistakesAreExplained() {
    const CommandResult open = shell_.run({"network", "show", model()});
    QVERIFY2(open.code == 2 && open.error.contains("--dim batch=1"), open.all().c_str());
    const CommandResult misspelt = shell_.run({"network", "show", model(), "--dim", "bach=1"});
    QVERIFY2(misspelt.code == 2 && misspelt.error.contains("batch"), misspelt.all().c_str());
    QCOMPARE(shell_.run({"network", "show", path("none.onnx")}).code, 2);
    QCOMPARE(shell_.run({"network", "save", model()}).code, 2);
    QCOMPARE(shell_.run({"network", "list", model()}).code, 2);
    QCOMPARE(shell_.run({"network", "show", "resnet-18", "--dim", "batch=1"}).code, 2);
    const CommandResult scheduler = shell_.run({"tune", "resnet18/C6", "--scheduler", "gradient"});
    QVERIFY2(scheduler.code == 2 && scheduler.error.contains("--network"), scheduler.all().c_str());
    const CommandResult objective = shell_.run({"tune", "resnet18/C6", "--objective", "latency"});
    QVERIFY2(objective.code == 2 && objective.error.contains("--network"), objective.all().c_str());
    const CommandResult catalogue =
        shell_.run({"tune", "--network", "resnet-18", "--scheduler", "gradient", "--objective", "latency",
                    "--trials", "2", "--db", path("objective.db")});
    QVERIFY2(catalogue.code == 2 && catalogue.error.contains("model's file"), catalogue.all().c_str());
  }

  void aModelIsTunedUnderOneBudget() {
    const CommandResult tuned = shell_.run(tuning("a.db", "24"));
    QVERIFY2(tuned.code == 0, tuned.all().c_str());
    const std::vector<json> lines = json_lines(tuned.output);
    const std::vector<json> layers = events(lines, "layer");
    QCOMPARE(layers.size(), 3U);
    std::int64_t trials = 0;
    for (const json& layer : layers) {
      trials += layer.at("trials").get<std::int64_t>();
      QVERIFY2(is_confirmed(layer), tuned.output.c_str());
    }
    QCOMPARE(trials, std::int64_t{24});
    // Its end is a pass over all calls, ours and the vendor's.
    const json sum = events(lines, "network").at(0);
    // Whether there was time for a latency after a round depends on the machine.
    QCOMPARE(sum.at("latencies").is_null(), events(lines, "round_latency").empty());
    const json pass = sum.at("pass");
    QCOMPARE(pass.at("calls").get<int>(), 3);
    QVERIFY2(pass.at("seconds").size() > 3, tuned.output.c_str());
    QVERIFY2(pass.contains("vendor_seconds") || pass.contains("vendor_problem"), tuned.output.c_str());
    const CommandResult again =
        shell_.run({"network", "pass", "tiny model", "--rounds", "2", "--json", "--db", path("a.db")});
    QVERIFY2(again.code == 0, again.all().c_str());
    QCOMPARE(events(json_lines(again.output), "pass").at(0).at("pass").at("seconds").size(), std::size_t{2});
    const CommandResult shown = shell_.run({"study", "--show", "1", "--db", path("a.db")});
    QVERIFY2(shown.code == 0 && shown.output.contains("One pass over 3 calls"), shown.all().c_str());
    QVERIFY(shell_.run({"network", "pass", "none", "--db", path("a.db")}).code != 0);
    const CommandResult exported =
        shell_.run({"export", "--network", "tiny model", "--out", path("kernels"), "--db", path("a.db")});
    QVERIFY2(exported.code == 0 && QFile::exists(path("kernels/CMakeLists.txt")), exported.all().c_str());
    // The model's file itself becomes a library that computes all of it, with these kernels.
    const CommandResult library = shell_.run({"export", "--network", model(), "--dim", "batch=2", "--out",
                                              path("library"), "--json", "--db", path("a.db")});
    QVERIFY2(library.code == 0, library.all().c_str());
    const json made = events(json_lines(library.output), "model_library").at(0);
    QCOMPARE(made.at("tuned_kernels").get<int>(), 3);
    QCOMPARE(made.at("name").get<std::string>(), std::string("tiny_model"));
    QVERIFY(QFile::exists(path("library/tiny_model_weights.tensors")));
    // Again, it replaces its own files; another folder's files it leaves alone.
    QCOMPARE(shell_
                 .run({"export", "--network", model(), "--dim", "batch=2", "--out", path("library"), "--db",
                       path("a.db")})
                 .code,
             0);
    QVERIFY(QDir(folder_.path()).mkdir("other") && QFile::copy(model(), path("other/mine.c")));
    const CommandResult occupied = shell_.run(
        {"export", "--network", model(), "--dim", "batch=2", "--out", path("other"), "--db", path("a.db")});
    QVERIFY2(occupied.code == 1, occupied.all().c_str());
    // A database that the user names is there, or nothing is written.
    const CommandResult misspelt = shell_.run({"export", "--network", model(), "--dim", "batch=2", "--out",
                                               path("untuned"), "--db", path("none.db")});
    QVERIFY2(misspelt.code == 2 && misspelt.error.contains("none.db"), misspelt.all().c_str());
    QVERIFY(!QFile::exists(path("untuned")));
    const CommandResult untuned =
        shell_.run({"export", "--network", model(), "--dim", "batch=2", "--out", path("untuned"), "--json"});
    QVERIFY2(untuned.code == 0, untuned.all().c_str());
    QCOMPARE(events(json_lines(untuned.output), "model_library").at(0).at("tuned_kernels").get<int>(), 0);
  }

  /** A model's budget is one of all layers, unless its user says otherwise. */
  void aModelsBudgetIsOfAllLayers() {
    QStringList words = tuning("c.db", "9");
    words.removeAt(words.indexOf("--scheduler") + 1);
    words.removeAll("--scheduler");
    const CommandResult shared = shell_.run(words);
    QVERIFY2(shared.code == 0, shared.all().c_str());
    const CommandResult apart = shell_.run(words << "--scheduler" << "none");
    QVERIFY2(apart.code == 0, apart.all().c_str());
    for (const auto& [result, expected] : {std::pair{&shared, 9}, {&apart, 27}}) {
      int trials = 0;
      for (const json& layer : events(json_lines(result->output), "layer"))
        trials += layer.at("trials").get<int>();
      QCOMPARE(trials, expected);
    }
  }

  /** Killed at any moment, and without the model's file, it goes on. */
  void aKilledNetworkResumes() {
    QProcess process;
    shell_.start(process, tuning("b.db", "40"));
    int progressed = 0;
    while (progressed < 3 && process.waitForReadyRead(60'000)) {
      while (process.canReadLine())
        if (process.readLine().contains("\"progress\"")) ++progressed;
    }
    process.kill();
    QVERIFY(process.waitForFinished());
    QVERIFY(QFile::rename(model(), path("gone")));
    const CommandResult resumed = shell_.run({"study", "--resume", "1", "--json", "--db", path("b.db")});
    QVERIFY(QFile::rename(path("gone"), model()));
    QVERIFY2(resumed.code == 0, resumed.all().c_str());
    std::int64_t trials = 0;
    for (const json& layer : events(json_lines(resumed.output), "layer"))
      trials += layer.at("trials").get<std::int64_t>();
    QCOMPARE(trials, std::int64_t{40});
  }
};

KERNELSCAPE_TEST(CommandLineNetworkTest, QCoreApplication)

}  // namespace kernelscape::command_line_network_test
#include "command_line_network_test.moc"
