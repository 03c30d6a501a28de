#include <QTest>
#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/schedule/target.h"
#include "tests/exchange/autotvm_lines.h"
#include "tests/test_program.h"

namespace kernelscape::exchange_import_autotvm_lines_test {
using namespace kernelscape::exchange_tests;
using nlohmann::json;

class ExchangeImportAutotvmLinesTest : public QObject {
  Q_OBJECT

 private slots:
  void reordersAndAnnotations();
  void errorsHaveNoSamples();
  void resumedLogsAndDuplicates();
  void tasksWithoutKnobsHaveOneConfiguration();
  void failuresOfAnyKind();
  void splitsThatFitNothing();
  void otherFormatsAreRefused_data();
  void otherFormatsAreRefused();
  void badLinesAreNamed_data();
  void badLinesAreNamed();
  void manyEntities();
};

void ExchangeImportAutotvmLinesTest::reordersAndAnnotations() {
  const exchange::ImportedFile file = must_read(annotated_line);
  const exchange::ImportedTrials& part = file.parts.at(0);
  const task::Task task = task_of(part);
  QVERIFY(!task.op);
  QVERIFY(std::get<task::GenericProblem>(task.definition).problem.contains("my_conv"));
  QVERIFY(part.header.template_name.empty());
  const std::vector<space::Knob>& knobs = part.space.knobs();
  QCOMPARE(knobs.size(), std::size_t{7});
  QVERIFY(knobs[0].kind() == space::KnobKind::Factorization && knobs[0].product() == 64);
  QVERIFY(knobs[2].kind() == space::KnobKind::Factorization && knobs[2].product() == 112);
  QVERIFY(knobs[3].name() == "reorder_0" &&
          knobs[3].kind() == space::KnobKind::Categorical);  // 10! orders are many
  QVERIFY(knobs[4].kind() == space::KnobKind::Permutation);
  QCOMPARE(knobs[4].count(), 6U);
  QVERIFY(knobs[5].kind() == space::KnobKind::Categorical);
  QCOMPARE(part.space.describe(part.trials.at(0).configuration),
           std::string("tile_co=[16, 4] tile_oh=[112, 1] tile_ow=[28, 4] "
                       "reorder_0=[0, 1, 2, 3, 4, 5, 6, 9, 7, 8] order=[2, 0, 1] "
                       "ann_reduce=[\"none\",\"unroll\"] ann_spatial=[\"unroll\",\"none\",\"vec\"]"));
  QVERIFY(std::ranges::any_of(file.notices, [](const auto& text) { return text.contains("my_conv"); }));
  const schedule::TargetDescription target = schedule::target_from_json(part.header.target_json).value();
  QVERIFY(target.kind == schedule::TargetKind::Cpu && target.isa == "avx2");
}

void ExchangeImportAutotvmLinesTest::errorsHaveNoSamples() {
  const std::string text = small_line({{1000000000.0}, 1, 0.11774969100952148, 1678744303.0257952}) + "\n" +
                           small_line({{1000000000.0}, 6, 10, 1678744303.0257764}) + "\n" +
                           small_line({{0.25, 0.5, 1.5}, 0, 6, 1678744310.0}) + "\n";
  const exchange::ImportedFile file = must_read(text);
  const std::vector<exchange::ImportedTrial>& trials = file.parts.at(0).trials;
  QCOMPARE(trials.size(), std::size_t{3});
  QVERIFY(trials[0].measurement.category == trial::ErrorCategory::InstantiationError);
  QVERIFY(trials[0].measurement.samples_seconds.empty());
  QCOMPARE(trials[0].measurement.recorded_seconds, 0.0);
  QVERIFY(trials[1].measurement.category == trial::ErrorCategory::BuildTimeout);
  QCOMPARE(trials[1].measurement.run_seconds, 10.0);
  QVERIFY(trials[1].finished_seconds >= trials[0].finished_seconds);
  QCOMPARE(trials[2].measurement.recorded_seconds, 0.75);  // the mean, which is not the median
  QCOMPARE(trials[2].measurement.ranking_seconds(), 0.75);
  QVERIFY(std::ranges::any_of(file.notices, [](const auto& notice) { return notice.contains("2 failed"); }));
}

/** TVM's templates without tunables, such as depthwise convolutions on processors, log one configuration. */
void ExchangeImportAutotvmLinesTest::tasksWithoutKnobsHaveOneConfiguration() {
  json line = json::parse(small_line(good_result()));
  line["config"]["entity"] = json::array();
  line["input"][1] = "depthwise_conv2d_nchw.x86";
  const exchange::ImportedFile file =
      must_read(small_line(good_result()) + "\n" + line.dump() + "\n" + line.dump() + "\n");
  QCOMPARE(file.parts.size(), std::size_t{2});
  QCOMPARE(file.parts[1].trials.size(), std::size_t{2});
  QCOMPARE(file.parts[1].space.explicit_members()->size(), std::size_t{1});
}

/** Of failures the costs may be anything, and the error may be one of a later version. */
void ExchangeImportAutotvmLinesTest::failuresOfAnyKind() {
  std::string infinite = small_line({{1e9}, 4, 1.5, 1e9});
  infinite.replace(infinite.find("1000000000.0"), 12, "Infinity");
  const exchange::ImportedFile file = must_read(infinite + "\n" + small_line({{1e9}, 12, 1.5, 1e9}) + "\n");
  const std::vector<exchange::ImportedTrial>& trials = file.parts.at(0).trials;
  QCOMPARE(trials.size(), std::size_t{2});
  QVERIFY(trials[0].measurement.category == trial::ErrorCategory::RuntimeDevice);
  QVERIFY(trials[1].measurement.category == trial::ErrorCategory::UnknownError);
  QCOMPARE(trials[1].measurement.message, std::string("error number 12"));
}

void ExchangeImportAutotvmLinesTest::resumedLogsAndDuplicates() {
  // A second run a day later, the same configuration again, and a clock that was set back.
  std::string text;
  for (const double at : {1000.0, 1001.0, 87401.0, 87400.0, 87402.0})
    text += small_line(good_result(0.5, at)) + "\n";
  const exchange::ImportedTrials part = must_read(text).parts.at(0);
  const std::vector<double> expected{1.5, 2.5, 86402.5, 86402.5, 86403.5};
  QCOMPARE(part.trials.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    QCOMPARE(part.trials[i].finished_seconds, expected[i]);
    QVERIFY(part.trials[i].configuration == part.trials[0].configuration);
  }
  QCOMPARE(part.space.explicit_members()->size(), std::size_t{1});
}

void ExchangeImportAutotvmLinesTest::splitsThatFitNothing() {
  std::string text;
  for (const json& factors : {json{-1, 4}, json{-1, 6}, json{2, 2, 2}}) {
    const json entity = {{"tile", "sp", factors}, {"mixed", "ot", text.empty() ? json(1) : json("1")}};
    text += line_of("cuda", "mine", {1}, 0, entity, good_result()).dump() + "\n";
  }
  const exchange::ImportedTrials part = must_read(text).parts.at(0);
  QVERIFY(part.space.knobs()[0].kind() == space::KnobKind::Categorical);
  QCOMPARE(part.space.knobs()[1].count(), 2U);  // 1 and "1" are two values
  const std::vector<std::string> expected{"[-1, 4]", "[-1, 6]", "[2, 2, 2]"};
  for (std::size_t i = 0; i < 3; ++i)
    QCOMPARE(part.space.knobs()[0].describe(part.trials[i].configuration.indices[0]), expected[i]);
}

void ExchangeImportAutotvmLinesTest::otherFormatsAreRefused_data() {
  QTest::addColumn<QString>("line");
  QTest::addColumn<QString>("name");
  QTest::newRow("Ansor")
      << R"({"i": [["[\"abc\"]", "llvm", [4, 64, 64, 0, 0, 0, 0, 0], "", 1, []], [[], []]], "r": [[0.01], 0, 1.2, 1600000000], "v": "v0.3"})"
      << "Ansor";
  QTest::newRow("MetaSchedule records")
      << R"([3, [[[], []], [0.01], {"kind": "llvm"}, []]])" << "MetaSchedule";
  QTest::newRow("MetaSchedule workloads") << R"(["123456789", "eyJyb290IjogMX0="])" << "MetaSchedule";
  QTest::newRow("pickle") << "cuda\tgASVHgAAAAAAAABdlCiMBHRhc2s=\tgAJdcQAoSwBLAUsCZS4=\t0.2\t0.6.0"
                          << "pickle";
}

void ExchangeImportAutotvmLinesTest::otherFormatsAreRefused() {
  QFETCH(QString, line);
  QFETCH(QString, name);
  const auto file = read("# first\n" + line.toStdString());
  QVERIFY(!file);
  QVERIFY2(mentions(file.error(), name.toStdString()) && mentions(file.error(), "line 2"),
           describe(file.error()).c_str());
  QVERIFY(!file.error().hint.empty());
}

void ExchangeImportAutotvmLinesTest::badLinesAreNamed_data() {
  QTest::addColumn<QByteArray>("line");
  QTest::addColumn<QString>("says");
  const auto add = [](const char* row, const std::string& line, const char* says) {
    QTest::newRow(row) << QByteArray::fromStdString(line) << says;
  };
  const auto changed = [](const std::string& old, const std::string& by) {
    std::string line = titanx_line;
    return line.replace(line.find(old), old.size(), by);
  };
  add("truncated", titanx_line.substr(0, 300), "line 2");
  add("no object", "17", "line 2");
  add("a text", "hello", "line 2");
  add("no input", R"({"config": {}, "result": [], "version": 0.2})", "input");
  add("input of a wrong type", changed("\"cuda -model=titanx\"", "7"), "input");
  add("no index", changed("\"index\"", "\"indes\""), "index");
  add("negative index", changed("8797896", "-3"), "index");
  add("index of a wrong type", changed("8797896", "\"3\""), "index");
  add("no entities", R"({"input": ["cuda", "a", []], "config": {"index": 0, "entity": 3}, "result": []})",
      "knobs");
  add("unknown kind", changed("\"sp\"", "\"zz\""), "zz");
  add("a factor of 0", changed("[6, 1, 32, 1]", "[6, 0, 32, 1]"), "tile_f");
  add("a factor that is no number", changed("[6, 1, 32, 1]", "[6, \"x\", 32, 1]"), "tile_f");
  add("a split that is no list", changed("[6, 1, 32, 1]", "6"), "tile_f");
  add("an entity of two", changed("[\"tile_y\", \"sp\", [4, 1, 2, 1]]", "[\"tile_y\", \"sp\"]"), "entity");
  add("a knob twice", changed("tile_y", "tile_f"), "tile_f");
  add("a value that is no scalar", changed("\"ot\", 1500", "\"ot\", {}"), "auto_unroll_max_step");
  add("NaN", changed("5.69732536806342e-05", "NaN"), "line 2");
  add("infinity", changed("5.69732536806342e-05", "1e999"), "line 2");
  add("a cost of 0", changed("5.69732536806342e-05", "0.0"), "cost");
  add("a negative cost", changed("5.69732536806342e-05", "-1.0"), "cost");
  add("no cost", changed("[5.69732536806342e-05]", "[]"), "costs");
  add("negative error", changed("], 0, 14.1", "], -9, 14.1"), "-9");
  add("huge error", changed("], 0, 14.1", "], 99999999999999999999999, 14.1"), "line 2");
  add("negative time", changed("14.116215467453003", "-14"), "cost");
  add("timestamp of a wrong type", changed("1535423916.7184713", "\"now\""), "timestamp");
  add("a short result",
      R"({"input": ["cuda", "a", []], "config": {"index": 0, "entity": [["a", "ot", 1]]},)"
      R"( "result": [[1.0], 0]})",
      "result");
  add("deep", std::string(100'000, '[') + std::string(100'000, ']'), "line 2");
  add("deep arguments", changed("[0, 0, 0, 0]", std::string(5'000, '[') + std::string(5'000, ']')), "line 2");
}

void ExchangeImportAutotvmLinesTest::badLinesAreNamed() {
  QFETCH(QByteArray, line);
  QFETCH(QString, says);
  // Alone it is the error, among others a notice.
  const auto alone = read("# a comment\n" + line.toStdString() + "\n");
  QVERIFY(!alone);
  QVERIFY2(mentions(alone.error(), says.toStdString()), describe(alone.error()).c_str());
  QVERIFY2(mentions(alone.error(), "log.json, line 2"), describe(alone.error()).c_str());
  const exchange::ImportedFile file =
      must_read("# a comment\n" + line.toStdString() + "\n" + annotated_line + "\n");
  QCOMPARE(file.parts.size(), std::size_t{1});
  QCOMPARE(file.parts[0].trials.size(), std::size_t{1});
  QVERIFY2(file.notices.at(0).starts_with("log.json, line 2: skipped"), file.notices[0].c_str());
  const auto nothing = read("# only this\n\n");
  QVERIFY(!nothing && mentions(nothing.error(), "log.json"));
}

void ExchangeImportAutotvmLinesTest::manyEntities() {
  // Each is a knob with one value; splits without a product would be tables of any size.
  json entities = json::array();
  const auto add_scalars = [&](std::size_t most) {
    while (entities.size() < most) entities.push_back({"k" + std::to_string(entities.size()), "ot", 1});
  };
  add_scalars(space::max_space_knobs);
  const exchange::ImportedTrials part =
      must_read(line_of("cuda", "mine", {1}, 0, entities, good_result()).dump()).parts.at(0);
  QCOMPARE(part.space.knobs().size(), space::max_space_knobs);
  add_scalars(50'000);
  const auto too_many = read(line_of("cuda", "mine", {1}, 0, entities, good_result()).dump());
  QVERIFY(!too_many && mentions(too_many.error(), "50000 knobs"));
  entities = json::array();
  for (int i = 0; i < 200; ++i)
    entities.push_back({"k" + std::to_string(i), "sp", {1LL << 20, 1, 1, 1, 1, 1}});
  const auto large = read(line_of("cuda", "mine", {1}, 0, entities, good_result()).dump());
  QVERIFY(!large || large->parts.at(0).space.knobs().size() == 200);
  if (!large) QVERIFY2(mentions(large.error(), "2^127"), describe(large.error()).c_str());
}

KERNELSCAPE_TEST(ExchangeImportAutotvmLinesTest, QCoreApplication)

}  // namespace kernelscape::exchange_import_autotvm_lines_test
#include "exchange_import_autotvm_lines_test.moc"
