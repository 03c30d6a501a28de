#include <fmt/format.h>

#include <QTest>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/exchange/validation.h"
#include "core/schedule/target.h"
#include "tests/exchange/ansor_lines.h"
#include "tests/exchange/import_support.h"
#include "tests/exchange/tvm_logs.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/test_program.h"

namespace kernelscape::exchange_import_ansor_test {
using namespace kernelscape::exchange_tests;
using nlohmann::json;

namespace {

Result<exchange::ImportedFile> read_log(const std::string& text) {
  exchange::ImportText file("ansor.json", text);
  return read_as("ansor", file);
}

exchange::ImportedFile must_read_log(const std::string& text) { return must(read_log(text)); }

/** A made up program, and what its knobs are to be. */
struct Program {
  json steps = json::array();
  std::map<std::string, std::string> values;  ///< of those that are knobs whatever the other trials have
};

/** Splits of two loops, fused loops, annotations and an unrolling step; some have no stage of a copy. */
Program random_program(base::Random& random) {
  const std::vector<const char*> annotations{"unroll", "vectorize", "parallel"};
  Program program;
  const bool copies = random.chance(0.5);
  if (copies) program.steps.push_back({"CHW", 2, "local"});
  for (const auto& [loop, extent, parts] :
       {std::tuple{0, std::int64_t{512}, 4}, std::tuple{4, std::int64_t{56}, 3}}) {
    const std::vector<std::int64_t> factors = random_factors(random, extent, static_cast<std::size_t>(parts));
    const std::vector<std::int64_t> lengths(factors.begin() + 1, factors.end());
    program.steps.push_back({"SP", 2, loop, extent, lengths, 1});
    program.values[fmt::format("split_2_{}", loop)] = list_text(factors);
  }
  const std::size_t fused = 1 + random.below(3);
  std::vector<std::int64_t> loops;
  for (std::size_t i = 0; i < fused; ++i) loops.push_back(static_cast<std::int64_t>(i));
  program.steps.push_back({"FU", 2, loops});
  for (const int loop : {0, 5}) {
    const std::size_t kind = random.below(annotations.size());
    program.steps.push_back({"AN", 2, loop, kind + 1});
    program.values[fmt::format("annotate_2_{}", loop)] = annotations[kind];
  }
  if (random.chance(0.7)) {
    const int steps = 16 << random.below(3);
    program.steps.push_back({"PR", 2, 0, fmt::format("auto_unroll_max_step${}", steps)});
    program.values["auto_unroll_max_step_2_0"] = fmt::format("{}", steps);
  }
  return program;
}

/** A line of a program, in one of the shapes that versions of TVM write. */
std::string line_of(base::Random& random, const std::string& workload, const std::string& target,
                    const Program& program, const json& result) {
  json task{workload, target};
  const std::size_t version = random.below(3);
  if (version > 0) task.push_back({8, 64, 64, 0, 0, 0, 0, 0});
  if (version > 1) task.insert(task.end(), {"", 1, json::array()});
  const json line{{"i", json::array({task, json::array({json::array(), program.steps})})},
                  {"r", result},
                  {"v", fmt::format("v0.{}", 1 + random.below(6))}};
  return random.chance(0.5) ? line.dump() : line.dump(-1, ' ', true);
}

struct LoggedProgram {
  std::string line{};
  std::string task{};
  Program program{};
  trial::ErrorCategory category = trial::ErrorCategory::NoError;
  std::vector<double> costs{};
};

std::vector<LoggedProgram> random_log(base::Random& random, std::size_t lines) {
  std::vector<LoggedProgram> log;
  double now = 1'600'000'000;
  for (std::size_t i = 0; i < lines; ++i) {
    LoggedProgram written{.task = fmt::format("layer_{}", random.below(3)),
                          .program = random_program(random)};
    written.category = random.chance(0.3) ? static_cast<trial::ErrorCategory>(1 + random.below(8))
                                          : trial::ErrorCategory::NoError;
    json costs = json::array();
    if (written.category != trial::ErrorCategory::NoError) costs.push_back(1e10);
    for (std::size_t n = 1 + random.below(3); written.category == trial::ErrorCategory::NoError && n > 0;
         --n) {
      written.costs.push_back(1e-6 + random.uniform());
      costs.push_back(written.costs.back());
    }
    now += static_cast<double>(random.below(60));
    const json result{costs, static_cast<int>(written.category), random.uniform() * 10,
                      static_cast<std::int64_t>(now)};
    const std::string workload = fmt::format(R"(["{}", 1, [56, 56], 64])", written.task);
    written.line = line_of(random, workload, "cuda -arch=sm_80 -model=a100", written.program, result);
    log.push_back(std::move(written));
  }
  return log;
}

std::string text_of_log(const std::vector<LoggedProgram>& log) {
  std::string text;
  for (const LoggedProgram& written : log) text += written.line + "\n";
  return text;
}

}  // namespace

/** Logs of TVM's auto_scheduler. */
class ExchangeImportAnsorTest : public QObject {
  Q_OBJECT

 private slots:
  void real_lines_are_read() {
    const exchange::ImportedFile file = must_read_log(ansor_cpu_line + "\n" + ansor_gpu_line + "\n");
    QCOMPARE(file.parts.size(), std::size_t{2});
    QVERIFY(file.natural == exchange::ImportAs::Session);
    const exchange::ImportedTrials& cpu = file.parts[0];
    const task::Task task = logged_task(cpu);
    QVERIFY(!task.op);
    QCOMPARE(task.name, std::string("conv2d_layer"));
    QCOMPARE(std::get<task::GenericProblem>(task.definition).problem,
             std::string("conv2d_layer [1,7,7,512,512,3,3,[1,1],[1,1]]"));
    const schedule::TargetDescription target = must(schedule::target_from_json(cpu.header.target_json));
    QVERIFY(target.kind == schedule::TargetKind::Cpu && target.isa == "avx2");
    QVERIFY(cpu.header.created_utc.starts_with("2022-03-16"));
    const trial::Measurement& measurement = cpu.trials.at(0).measurement;
    QCOMPARE(measurement.recorded_seconds, 0.0279606);
    QCOMPARE(measurement.run_seconds, 0.848875);
    const auto values = shown_values(cpu, 0);
    QCOMPARE(values.at("split_3_4"), std::string("[256, 2, 1, 1]"));
    QCOMPARE(values.at("split_3_20"), std::string("[1, 3]"));
    QCOMPARE(values.at("annotate_1_0"), std::string("parallel"));
    QCOMPARE(values.at("annotate_3_21"), std::string("vectorize"));
    QCOMPARE(values.at("auto_unroll_max_step_3_0"), std::string("16"));
    QVERIFY(!values.contains("structure") && !values.contains("compute_3"));
    const auto gpu = shown_values(file.parts[1], 0);
    QCOMPARE(gpu.at("split_2_0"), std::string("[1, 1, 16, 32, 1]"));
    QCOMPARE(gpu.at("annotate_2_1"), std::string("threadIdx.x"));
    QCOMPARE(gpu.at("annotate_5_0"), std::string("blockIdx.x"));
    QVERIFY(must(schedule::target_from_json(file.parts[1].header.target_json)).kind ==
            schedule::TargetKind::Cuda);
    QVERIFY(must(exchange::validated(file)).parts.size() == 2);
  }

  void random_logs_come_back() {
    base::Random random(testing::random_seed());
    for (int round = 0; round < 12; ++round) {
      const std::vector<LoggedProgram> log = random_log(random, 1 + random.below(60));
      const exchange::ImportedFile file = must(exchange::validated(must_read_log(text_of_log(log))));
      std::map<std::string, std::vector<const LoggedProgram*>> by_task;
      for (const LoggedProgram& written : log) by_task[written.task].push_back(&written);
      QCOMPARE(file.parts.size(), by_task.size());
      for (const exchange::ImportedTrials& part : file.parts)
        check_part(part, by_task.at(logged_task(part).name));
    }
  }

  /** Two programs have one configuration exactly where their steps are equal. */
  void programs_are_distinguished() {
    base::Random random(testing::random_seed());
    std::vector<LoggedProgram> log = random_log(random, 150);
    for (LoggedProgram& written : log) written.task = "same";
    std::string text;
    for (const LoggedProgram& written : log)
      text += line_of(random, R"(["same"])", "llvm", written.program, {{0.5}, 0, 1, 1'600'000'000}) + "\n";
    const exchange::ImportedTrials part = must_read_log(text).parts.at(0);
    for (std::size_t a = 0; a < log.size(); ++a)
      for (std::size_t b = 0; b < a; ++b)
        QCOMPARE(part.trials[a].configuration == part.trials[b].configuration,
                 log[a].program.steps == log[b].program.steps);
  }

  void what_varies_is_said() {
    const auto line = [](const json& steps) {
      const json input = json::array({json::array({"[\"f\"]", "llvm"}), json::array({json::array(), steps})});
      return json{{"i", input}, {"r", {{0.5}, 0, 1, 1}}, {"v", "v0.6"}}.dump() + "\n";
    };
    const exchange::ImportedFile file =
        must_read_log(line({{"SP", 1, 0, 8, {2}, 1}, {"CA", 1, 2, 3}, {"FU", 1, {0, 1}}}) +
                      line({{"SP", 1, 0, 8, {4}, 1}, {"CI", 1}, {"FU", 1, {0, 1}}}) +
                      line({{"SP", 1, 0, 8, {4}, 0},
                            {"SP", 1, 0, 4, {2}, 1},
                            {"CR", 1},
                            {"FU", 1, {0, 1}},
                            {"new step", 1}}));
    QVERIFY(has_notice(file.notices, "3 trials, 2 structures"));
    const exchange::ImportedTrials& part = file.parts.at(0);
    const std::vector<std::map<std::string, std::string>> expected{{{"split_1_0", "[4, 2]"},
                                                                    {"split_1_0_n2", "none"},
                                                                    {"compute_1", "at stage 2 loop 3"},
                                                                    {"structure", "structure 1"}},
                                                                   {{"split_1_0", "[2, 4]"},
                                                                    {"split_1_0_n2", "none"},
                                                                    {"compute_1", "inlined"},
                                                                    {"structure", "structure 1"}},
                                                                   {{"split_1_0", "[4, 2]"},
                                                                    {"split_1_0_n2", "[2, 2]"},
                                                                    {"compute_1", "root"},
                                                                    {"structure", "structure 2"}}};
    for (std::size_t i = 0; i < expected.size(); ++i) QVERIFY(shown_values(part, i) == expected[i]);
  }

  void damaged_lines_are_skipped_and_reported() {
    base::Random random(testing::random_seed());
    for (int round = 0; round < 10; ++round) {
      std::vector<LoggedProgram> log = random_log(random, 30);
      std::string text;
      std::vector<std::size_t> damaged;
      std::size_t kept = 0;
      for (std::size_t i = 0; i < log.size(); ++i) {
        if (i > 0 && damaged.size() < 5 && random.chance(0.2)) {
          damaged.push_back(i + 1);
          text += log[i].line.substr(0, 1 + random.below(log[i].line.size() - 1)) + "\n";
        } else {
          ++kept;
          text += log[i].line + "\n";
        }
      }
      const exchange::ImportedFile file = must_read_log(text);
      std::size_t trials = 0;
      for (const exchange::ImportedTrials& part : file.parts) trials += part.trials.size();
      QCOMPARE(trials, kept);
      for (const std::size_t line : damaged)
        QVERIFY(has_notice(file.notices, fmt::format("ansor.json, line {}: skipped", line)));
    }
  }

  void bad_lines_are_named_data() {
    QTest::addColumn<QByteArray>("line");
    QTest::addColumn<QString>("says");
    const auto add = [](const char* row, const std::string& line, const char* says) {
      QTest::newRow(row) << QByteArray::fromStdString(line) << says;
    };
    const auto changed = [](const std::string& old, const std::string& by) {
      std::string line = ansor_cpu_line;
      return line.replace(line.find(old), old.size(), by);
    };
    add("torn", ansor_cpu_line.substr(0, 300), "ends too early");
    add("another format", R"({"input": [], "config": {}, "result": []})", R"("i")");
    add("a list", "[1, 2]", R"("i")");
    add("no target", R"({"i": [["[]"], [[], []]], "r": [[1], 0, 1, 1]})", "workload, target");
    add("no steps", R"({"i": [["[]", "llvm"], [[]]], "r": [[1], 0, 1, 1]})", "steps");
    add("a step of a wrong type", changed(R"(["CI", 5])", "5"), "step");
    add("a split of zero", changed("[2, 1, 1]", "[0, 1, 1]"), "splits into 0");
    add("a split that overflows", changed("[2, 1, 1]", "[9223372036854775807, 9223372036854775807]"),
        "splits");
    add("a split of texts", changed("[2, 1, 1]", R"(["2"])"), "list");
    add("no stage", changed(R"(["AN", 1, 0, 3])", R"(["AN"])"), "position 1");
    add("a negative loop", changed(R"(["AN", 1, 0, 3])", R"(["AN", 1, -1, 3])"), "position 2");
    add("fused apart", changed("[0, 1]]", "[0, 2]]"), "consecutive");
    add("no pragma", changed("\"auto_unroll_max_step$16\"", "16"), "pragma");
    add("cost of a wrong type", changed("0.0279606", "\"x\""), "cost");
    add("cost of zero", changed("0.0279606", "0"), "cost");
    add("cost of a century", changed("0.0279606", "4e9"), "ten years");
    add("no cost", changed("[0.0279606]", "[]"), "neither");
    add("negative error", changed("], 0, 0.848875", "], -9, 0.848875"), "error number");
    add("huge error", changed("], 0, 0.848875", "], 1e300, 0.848875"), "error number");
    add("negative cost", changed("0.848875", "-1"), "total cost");
    add("timestamp", changed("1647464340", "null"), "timestamp");
    add("control characters", changed("conv2d_layer", "conv\\u001b[2Jd"), "control");
    add("deep", std::string(100'000, '[') + std::string(100'000, ']'), "nested");
    add("NaN", changed("0.848875", "NaN"), "NaN");
  }

  void bad_lines_are_named() {
    QFETCH(QByteArray, line);
    QFETCH(QString, says);
    // Alone it is the error, among others a notice.
    const auto alone = read_log("# comment\n" + line.toStdString() + "\n");
    QVERIFY(!alone);
    const std::string error = describe(alone.error());
    QVERIFY2(error.contains("ansor.json, line 2") && error.contains(says.toStdString()), error.c_str());
    const exchange::ImportedFile file =
        must_read_log(ansor_cpu_line + "\n" + line.toStdString() + "\n" + ansor_cpu_line + "\n");
    QCOMPARE(file.parts.at(0).trials.size(), std::size_t{2});
    QVERIFY(has_notice(file.notices, "ansor.json, line 2: skipped"));
    QVERIFY(has_notice(file.notices, says.toStdString()));
  }

  void many_skipped_lines_are_counted() {
    std::string text = ansor_cpu_line + "\n";
    for (int i = 0; i < 50; ++i) text += fmt::format("{{\"torn\": {}\n", i);
    const exchange::ImportedFile file = must_read_log(text);
    QVERIFY(has_notice(file.notices, "45 more lines were skipped, 50 in all"));
  }

  /** More knobs than a space can have: the trials that have them are told, the others stay. */
  void too_many_knobs() {
    json steps = json::array();
    for (int i = 0; i < 300; ++i) steps.push_back({"AN", 1, i, 1});
    const json input = json::array({json::array({"[\"f\"]", "llvm"}), json::array({json::array(), steps})});
    const std::string wide = json{{"i", input}, {"r", {{0.5}, 0, 1, 1}}, {"v", "v0.6"}}.dump();
    const exchange::ImportedFile file = must_read_log(ansor_cpu_line + "\n" + wide + "\n");
    QCOMPARE(file.parts.size(), std::size_t{1});
    QVERIFY(has_notice(file.notices, "line 2: skipped, it has more than 256 choices"));
    // Together with those before.
    json half = json::array();
    for (int i = 0; i < 200; ++i) half.push_back({"AN", 1, i, 1});
    json other = json::array();
    for (int i = 0; i < 200; ++i) other.push_back({"AN", 2, i, 1});
    std::string text;
    for (const json& some : {half, other, half}) {
      const json of_some =
          json::array({json::array({"[\"f\"]", "llvm"}), json::array({json::array(), some})});
      text += json{{"i", of_some}, {"r", {{0.5}, 0, 1, 1}}, {"v", "v0.6"}}.dump() + "\n";
    }
    const exchange::ImportedFile both = must_read_log(text);
    QCOMPARE(both.parts.at(0).trials.size(), std::size_t{2});
    QVERIFY(has_notice(both.notices,
                       "line 2: skipped, including it, the trials of its task have more than 255 knobs"));
  }

  /** More than a space can have: only the values that appear, and where these are too many, numbers. */
  void huge_products() {
    StoredSessions sessions;
    const auto log_of = [](const std::vector<json>& programs) {
      std::string text;
      for (const json& steps : programs) {
        const json input =
            json::array({json::array({"[\"f\"]", "llvm"}), json::array({json::array(), steps})});
        text += json{{"i", input}, {"r", {{0.5}, 0, 1, 1}}, {"v", "v0.6"}}.dump() + "\n";
      }
      return text;
    };
    std::vector<json> annotated;
    std::vector<json> split;
    for (const int kind : {1, 2, 2, 3}) {
      annotated.push_back(json::array());
      for (int i = 0; i < 200; ++i) annotated.back().push_back({"AN", 1, i, kind});
      split.push_back(json::array());
      for (int i = 0; i < 20; ++i) split.back().push_back({"SP", 1, i, 1 << 16, {1 << kind, 2, 2}, 1});
    }
    exchange::ImportedFile file = must(exchange::validated(must_read_log(log_of(annotated))));
    QVERIFY(has_notice(file.notices, "its programs are numbered"));
    std::vector<std::string> shown;
    for (std::size_t i = 0; i < 4; ++i) shown.push_back(shown_values(file.parts.at(0), i).at("program"));
    QVERIFY(shown == (std::vector<std::string>{"program 1", "program 2", "program 2", "program 3"}));
    file = must(exchange::validated(must_read_log(log_of(split))));
    QVERIFY(has_notice(file.notices, "only the values that occur"));
    QCOMPARE(shown_values(file.parts.at(0), 3).at("split_1_7"), std::string("[2048, 8, 2, 2]"));
    QCOMPARE(file.parts[0].space.explicit_members()->size(), std::size_t{3});
    write_text(QString::fromStdString(sessions.path("huge.json")), log_of(annotated));
    for (const exchange::ImportAs as : {exchange::ImportAs::Session, exchange::ImportAs::Recorded})
      must(exchange::import_file(sessions.store(), fs_path(sessions.path("huge.json")), as));
  }

  void no_trial_at_all() {
    QVERIFY(error_of(read_log("")).contains("no trial"));
    QVERIFY(error_of(read_log("# nothing\n\n")).contains("no trial"));
  }

  void recognised_by_content() {
    StoredSessions sessions;
    base::Random random(testing::random_seed());
    const std::string text = text_of_log(random_log(random, 40));
    for (const auto& [name, bytes] :
         {std::pair{"a.log", text}, std::pair{"b.json.gz", gzipped(text)},
          std::pair{"c.csv", "# a comment\n\n" + text}, std::pair{"d", "torn\": 3}\n" + text}}) {
      write_text(QString::fromStdString(sessions.path(name)), bytes);
      const exchange::ImportOutcome outcome =
          must(exchange::import_file(sessions.store(), fs_path(sessions.path(name))));
      QCOMPARE(outcome.format, std::string("ansor"));
      QVERIFY(outcome.collection.has_value());
      QCOMPARE(outcome.collection->tasks, std::int64_t{3});
      std::int64_t trials = 0;
      for (const exchange::ImportedSession& session : outcome.sessions) trials += session.trials;
      QCOMPARE(trials, std::int64_t{40});
    }
  }

  /** A log is of the tuner whose line comes first: lines of others are told, whatever they are. */
  void mixed_logs() {
    const std::string autotvm =
        R"({"input": ["llvm", "f", [["TENSOR", [1], "float32"]], {}], "config": {"index": 0, "code_hash": null, )"
        R"("entity": [["x", "ot", 1]]}, "result": [[0.5], 0, 1, 1], "version": 0.2, "tvm_version": "0.8"})";
    const std::string old_autotvm =
        R"({"i": ["llvm", "f", [["TENSOR", [1], "float32"]], {}, null, {"i": 0, "t": "direct", "c": null, "e": )"
        R"([["x", "ot", 1]]}], "r": [[0.5], 0, 1, 1], "v": 0.1})";
    const std::string metaschedule = R"([0, [[[], []], [0.5], {"kind": "llvm"}, []]])";
    const auto format_of = [](const std::string& text) {
      const exchange::ImportFormat* format = exchange::recognised_format(text);
      return format == nullptr ? std::string() : format->name;
    };
    const std::map<std::string, std::string> lines{{ansor_cpu_line, "ansor"},
                                                   {autotvm, "autotvm"},
                                                   {old_autotvm, "autotvm"},
                                                   {metaschedule, "metaschedule"}};
    for (const auto& [first, name] : lines) {
      QCOMPARE(format_of(first), name);
      QCOMPARE(format_of("\n# comment\r\n" + first.substr(0, first.size() - 2)), name);
      for (const auto& [second, other] : lines) QCOMPARE(format_of(first + "\n" + second + "\n"), name);
    }
    const exchange::ImportedFile file =
        must_read_log(ansor_cpu_line + "\n" + autotvm + "\n" + metaschedule + "\n" + old_autotvm);
    QCOMPARE(file.parts.at(0).trials.size(), std::size_t{1});
    for (const int line : {2, 3, 4}) QVERIFY(has_notice(file.notices, fmt::format("line {}: skipped", line)));
    exchange::ImportText log("log.json", autotvm + "\n" + ansor_cpu_line);
    const exchange::ImportedFile others = must(read_as("autotvm", log));
    QCOMPARE(others.parts.at(0).trials.size(), std::size_t{1});
    QVERIFY(has_notice(others.notices, "line 2") && has_notice(others.notices, "Ansor"));
  }

  void sessions_are_stored_whole() {
    StoredSessions sessions;
    write_text(QString::fromStdString(sessions.path("one.json")), ansor_cpu_line + "\n");
    const exchange::ImportOutcome outcome =
        must(exchange::import_file(sessions.store(), fs_path(sessions.path("one.json"))));
    const store::SessionSummary summary =
        must(sessions.store().sessions().get(outcome.sessions.at(0).session));
    QVERIFY(summary.record.kind == store::SessionKind::Imported);
    QCOMPARE(summary.status.best_seconds, 0.0279606);
    QVERIFY(summary.record.origin.contains("Ansor"));
  }

 private:
  static std::filesystem::path fs_path(const std::string& path) { return path; }

  static void check_part(const exchange::ImportedTrials& part,
                         const std::vector<const LoggedProgram*>& expected) {
    QCOMPARE(part.trials.size(), expected.size());
    double now = 0;
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const LoggedProgram& written = *expected[i];
      const trial::Measurement& measurement = part.trials[i].measurement;
      QVERIFY(measurement.category == written.category);
      QVERIFY(measurement.samples_seconds == written.costs);
      double sum = 0;
      for (const double cost : written.costs) sum += cost;
      const double mean = written.costs.empty() ? 0 : sum / static_cast<double>(written.costs.size());
      QVERIFY(std::abs(measurement.recorded_seconds - mean) <= 1e-12 * mean);
      QVERIFY(part.trials[i].finished_seconds >= now);
      now = part.trials[i].finished_seconds;
      const auto shown = shown_values(part, i);
      for (const auto& [knob, value] : written.program.values)
        QVERIFY2(shown.at(knob) == value, (knob + " = " + shown.at(knob) + ", not " + value).c_str());
      for (const auto& [knob, value] : shown)
        if (!written.program.values.contains(knob) && !knob.starts_with("fuse") && knob != "structure")
          QCOMPARE(value, std::string("none"));
    }
  }
};

KERNELSCAPE_TEST(ExchangeImportAnsorTest, QCoreApplication)

}  // namespace kernelscape::exchange_import_ansor_test
#include "exchange_import_ansor_test.moc"
