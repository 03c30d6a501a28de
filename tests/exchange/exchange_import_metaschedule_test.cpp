#include <fmt/format.h>

#include <QTest>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/exchange/validation.h"
#include "core/schedule/target.h"
#include "tests/exchange/import_support.h"
#include "tests/exchange/tvm_logs.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/test_program.h"

namespace kernelscape::exchange_import_metaschedule_test {
using namespace kernelscape::exchange_tests;
using nlohmann::json;

namespace {

namespace fs = std::filesystem;

/** A trace as TVM 0.10 wrote it: a matrix multiplication on a CPU, with its post-processing. */
json matmul_trace() {
  return json::parse(R"([[
    ["GetBlock",[],["matmul","main"],["b0"]], ["GetBlock",[],["root","main"],["b1"]],
    ["Annotate",["b0","\u0022SSRSRS\u0022"],["meta_schedule.tiling_structure"],[]],
    ["GetLoops",["b0"],[],["l2","l3","l4"]],
    ["SamplePerfectTile",["l2"],[4,64],["v5","v6","v7","v8"]],
    ["Split",["l2","v5","v6","v7","v8"],[1],["l9","l10","l11","l12"]],
    ["SamplePerfectTile",["l3"],[4,64],["v13","v14","v15","v16"]],
    ["Split",["l3","v13","v14","v15","v16"],[1],["l17","l18","l19","l20"]],
    ["SamplePerfectTile",["l4"],[2,64],["v21","v22"]],
    ["Split",["l4","v21","v22"],[1],["l23","l24"]],
    ["CacheWrite",["b0",[]],[0,"global"],["b25"]],
    ["SampleComputeLocation",["b25"],[],["l99"]],
    ["ReverseComputeAt",["b25","l99"],[1,-1],[]],
    ["Annotate",["b1",64],["meta_schedule.parallel"],[]],
    ["SampleCategorical",[],[[0,16,64,512],[0.25,0.25,0.25,0.25]],["v26"]],
    ["Annotate",["b1","v26"],["meta_schedule.unroll_explicit"],[]],
    ["EnterPostproc",[],[],[]],
    ["GetBlock",[],["root","main"],["b27"]],
    ["Annotate",["l40",64],["pragma_auto_unroll_max_step"],[]]
  ], [[4,[2,4,8,2]],[6,[2,2,8,4]],[8,[32,4]],[11,1],[14,2]]])");
}

json record_of(const json& trace, const json& seconds, int workload = 0) {
  return {workload,
          {trace,
           seconds,
           {{"keys", {"cpu"}}, {"kind", "llvm"}, {"mcpu", "cascadelake"}, {"num-cores", 4}, {"tag", ""}},
           json::array({{"TENSOR", "float32", {128, 128}}, {"TENSOR", "float32", {128, 128}}})}};
}

std::string workload_line(const std::string& hash) { return json{hash, "eyJyb290IjogMX0="}.dump() + "\n"; }

Result<exchange::ImportedFile> read_records(const std::string& text) {
  exchange::ImportText file("records.json", text);
  return read_as("metaschedule", file);
}

exchange::ImportedFile must_read_records(const std::string& text) {
  return must(exchange::validated(must(read_records(text))));
}

/** A trace that was made up: blocks with tiles and categories, and what its knobs are to be. */
struct MadeTrace {
  json trace;
  std::map<std::string, std::string> values;
};

MadeTrace random_trace(base::Random& random, const std::vector<std::string>& blocks, bool rebuilt) {
  MadeTrace made;
  json instructions = json::array();
  json decisions = json::array();
  int variable = 0;
  const auto fresh = [&](const char* kind) { return fmt::format("{}{}", kind, variable++); };
  const auto add = [&](json instruction) { instructions.push_back(std::move(instruction)); };
  if (rebuilt) add({"EnterBuilder", json::array(), json::array(), json::array()});
  for (const std::string& name : blocks) {
    const std::string block = fresh("b");
    add({"GetBlock", json::array(), {name, "main"}, json::array({block})});
    const std::vector<std::string> loops{fresh("l"), fresh("l")};
    add({"GetLoops", json::array({block}), json::array(), loops});
    for (std::size_t loop = 0; loop < loops.size(); ++loop) {
      const std::vector<std::int64_t> factors = random_factors(random, loop == 0 ? 96 : 64, 3);
      decisions.push_back({instructions.size(), factors});
      add({"SamplePerfectTile", json::array({loops[loop]}), {3, 64}, {fresh("v"), fresh("v"), fresh("v")}});
      made.values[fmt::format("tile_{}_{}", name, loop)] = list_text(factors);
    }
    const std::size_t place = random.below(4);
    const std::string chosen = fresh("v");
    decisions.push_back({instructions.size(), place});
    add({"SampleCategorical",
         json::array(),
         {{1, 2, 4, 8}, {0.25, 0.25, 0.25, 0.25}},
         json::array({chosen})});
    add({"Annotate", {block, chosen}, json::array({"meta_schedule.cooperative_fetch"}), json::array()});
    made.values["cooperative_fetch_" + name] = fmt::format("{}", 1 << place);
  }
  add({"EnterPostproc", json::array(), json::array(), json::array()});
  // Follows from the decisions, so it says nothing of the structure.
  add({"Annotate", json::array({"l1", random.below(1000)}), json::array({"pragma"}), json::array()});
  made.trace = json::array({instructions, decisions});
  return made;
}

}  // namespace

/** MetaSchedule's databases. */
class ExchangeImportMetascheduleTest : public QObject {
  Q_OBJECT

 private slots:
  void a_real_record() {
    const std::string text = record_of(matmul_trace(), {0.00012150754394299288, 0.00013}).dump() + "\n" +
                             record_of(matmul_trace(), {10000000000.0}).dump() + "\n";
    const exchange::ImportedFile file = must_read_records(workload_line("1234567890") + text);
    QVERIFY(file.natural == exchange::ImportAs::Session);
    const exchange::ImportedTrials& part = file.parts.at(0);
    const task::Task task = logged_task(part);
    QCOMPARE(task.name, std::string("matmul"));
    QCOMPARE(
        std::get<task::GenericProblem>(task.definition).problem,
        std::string(
            R"(matmul [["TENSOR",[128,128],"float32"],["TENSOR",[128,128],"float32"]] hash 1234567890)"));
    const std::map<std::string, std::string> expected{{"tile_matmul_0", "[2, 4, 8, 2]"},
                                                      {"tile_matmul_1", "[2, 2, 8, 4]"},
                                                      {"tile_matmul_2", "[32, 4]"},
                                                      {"compute_at_matmul_write0", "loop 1"},
                                                      {"unroll_explicit", "64"}};
    QVERIFY(shown_values(part, 0) == expected);
    const trial::Measurement& measurement = part.trials[0].measurement;
    QCOMPARE(measurement.samples_seconds.size(), std::size_t{2});
    QVERIFY(std::abs(measurement.recorded_seconds - 0.00012575377197149644) < 1e-15);
    QVERIFY(part.trials[1].measurement.category == trial::ErrorCategory::UnknownError);
    QVERIFY(part.trials[1].measurement.samples_seconds.empty());
    const schedule::TargetDescription target = must(schedule::target_from_json(part.header.target_json));
    QVERIFY(target.kind == schedule::TargetKind::Cpu && target.isa == "avx512");
    QVERIFY(has_notice(file.notices, "failed trials: 1"));
    QVERIFY(!has_notice(file.notices, "structure"));
  }

  void random_records_come_back() {
    base::Random random(testing::random_seed());
    for (int round = 0; round < 12; ++round) {
      const std::size_t workloads = 1 + random.below(4);
      std::vector<std::vector<std::string>> blocks(workloads);
      for (std::size_t i = 0; i < workloads; ++i)
        for (std::size_t n = 0; n < 1 + random.below(2); ++n)
          blocks[i].push_back(fmt::format("{}_{}", random_name(random), n));
      std::string text;
      std::map<std::size_t, std::vector<std::pair<MadeTrace, std::vector<double>>>> expected;
      for (std::size_t i = 0; i < 1 + random.below(60); ++i) {
        const std::size_t workload = random.below(workloads);
        MadeTrace made = random_trace(random, blocks[workload], random.chance(0.3));
        std::vector<double> seconds;
        for (std::size_t n = 0; n < 1 + random.below(3); ++n) seconds.push_back(1e-6 + random.uniform());
        if (random.chance(0.2)) seconds = {1e10};
        const json record = record_of(made.trace, seconds, static_cast<int>(workload));
        text += (random.chance(0.5) ? record.dump() : record.dump(-1, ' ', true)) + "\n";
        expected[workload].emplace_back(std::move(made), std::move(seconds));
      }
      const exchange::ImportedFile file = must_read_records(text);
      QCOMPARE(file.parts.size(), expected.size());
      for (const exchange::ImportedTrials& part : file.parts) {
        const std::string problem = std::get<task::GenericProblem>(logged_task(part).definition).problem;
        const std::size_t workload = std::stoul(problem.substr(problem.rfind(' ') + 1));
        check_part(part, expected.at(workload));
      }
    }
  }

  /** One configuration exactly where the traces up to their post-processing, and the decisions are equal. */
  void traces_are_distinguished() {
    base::Random random(testing::random_seed());
    std::string text;
    std::vector<std::pair<bool, std::map<std::string, std::string>>> made;
    for (int i = 0; i < 150; ++i) {
      const bool rebuilt = random.chance(0.3);
      MadeTrace trace = random_trace(random, {"conv2d"}, rebuilt);
      text += record_of(trace.trace, {0.5}).dump() + "\n";
      made.emplace_back(rebuilt, trace.values);
    }
    const exchange::ImportedFile file = must_read_records(text);
    const exchange::ImportedTrials& part = file.parts.at(0);
    for (std::size_t a = 0; a < made.size(); ++a)
      for (std::size_t b = 0; b < a; ++b)
        QCOMPARE(part.trials[a].configuration == part.trials[b].configuration, made[a] == made[b]);
    QVERIFY(has_notice(file.notices, "150 trials, 2 structures"));
  }

  void other_decisions() {
    json trace = matmul_trace();
    trace[0][0][0] = "GetSBlock";  // as TVM calls it since 2025
    trace[1] = json::parse(R"([[4,[2,4,8,2]], [11,-2], [14,0], [13,{"a": 1}]])");
    json root = trace;
    root[1][1][1] = -1;
    const exchange::ImportedTrials part =
        must_read_records(record_of(trace, {0.5}).dump() + "\n" + record_of(root, {0.25}).dump()).parts.at(0);
    QCOMPARE(logged_task(part).name, std::string("matmul"));
    QCOMPARE(shown_values(part, 0).at("compute_at_matmul_write0"), std::string("inlined"));
    QCOMPARE(shown_values(part, 1).at("compute_at_matmul_write0"), std::string("root"));
    QCOMPARE(shown_values(part, 0).at("Annotate_root"), std::string(R"({"a":1})"));
    // Without any decision the structure alone is a knob.
    trace[1] = json::array();
    const exchange::ImportedTrials plain = must_read_records(record_of(trace, {0.5}).dump()).parts.at(0);
    QCOMPARE(shown_values(plain, 0).at("structure"), std::string("structure 1"));
  }

  /** Names that would grow without end, and more decisions than there are knobs. */
  void hostile_traces() {
    json trace = matmul_trace();
    json& instructions = trace[0];
    trace[1] = json::array();
    instructions[0][2][0] = std::string(1'000'000, 'x');
    std::string variable = "b0";
    for (int i = 0; i < 20'000; ++i) {
      const std::string copy = fmt::format("b{}", 1000 + i);
      instructions.insert(
          instructions.begin() + 1 + i,
          json::array({"CacheRead", json::array({variable}), {0, "shared"}, json::array({copy})}));
      variable = copy;
      if (i > 300) break;
    }
    instructions.push_back({"SamplePerfectTile", json::array({variable}), {2, 64}, json::array({"v0"})});
    trace[1].push_back({instructions.size() - 1, {2, 3}});
    const exchange::ImportedTrials part = must_read_records(record_of(trace, {0.5}).dump()).parts.at(0);
    QCOMPARE(part.space.knobs().size(), std::size_t{1});
    QVERIFY(part.space.knobs()[0].name().starts_with("tile_xxx"));
    json many = matmul_trace();
    many[1] = json::array();
    for (int i = 0; i < 300; ++i) {
      many[1].push_back({many[0].size(), {2, 3}});
      many[0].push_back({"SamplePerfectTile", json::array({"l2"}), {2, 64}, json::array()});
    }
    QVERIFY(error_of(read_records(record_of(many, {0.5}).dump())).contains("300 decisions"));
  }

  void bad_lines_are_skipped_and_reported_data() {
    QTest::addColumn<QByteArray>("line");
    QTest::addColumn<QString>("says");
    const json good = record_of(matmul_trace(), {0.5});
    const auto add = [](const char* row, const std::string& line, const char* says) {
      QTest::newRow(row) << QByteArray::fromStdString(line) << says;
    };
    const auto changed = [&](const char* pointer, const json& value) {
      json record = good;
      record[json::json_pointer(pointer)] = value;
      return record.dump();
    };
    add("torn", good.dump().substr(0, 400), "ends too early");
    add("no list", "{}", "not a tuning record");
    add("negative workload", changed("/0", -1), "tuning record");
    add("three members", "[1, [], []]", "tuning record");
    add("no trace", changed("/1/0", 3), "trace is not");
    add("an instruction of a wrong type", changed("/1/0/0/3", "Split"), "instead of an instruction");
    add("a decision of no instruction", changed("/1/0/1/0/0", 99), "to no instruction");
    add("a decision of a wrong type", changed("/1/0/1/0", 5), "to no instruction");
    add("two decisions", changed("/1/0/1/1/0", 4), "two decisions");
    add("factors of a wrong type", changed("/1/0/1/0/1", 7), "not a list of factors");
    add("a factor of zero", changed("/1/0/1/0/1", {0, 2}), "not a list of factors");
    add("no candidate", changed("/1/0/1/4/1", 4), "one of 4 candidates");
    add("no time", changed("/1/1", nullptr), "no time");
    add("empty times", changed("/1/1", json::array()), "time");
    add("time of a wrong type", changed("/1/1", {"x"}), "its time");
    add("time of zero", changed("/1/1", {0.0}), "impossible");
    add("time of a century", changed("/1/1", {4e9}), "ten years");
    add("control characters", changed("/1/2/mcpu", "a\x1b[2J"), "control");
    add("deep", std::string(100'000, '[') + std::string(100'000, ']'), "nested");
    add("NaN", R"([0, [[[], []], [NaN], {}, []]])", "it is not a number");
  }

  void bad_lines_are_skipped_and_reported() {
    QFETCH(QByteArray, line);
    QFETCH(QString, says);
    const auto alone = read_records("\n" + line.toStdString());
    QVERIFY(!alone);
    const std::string error = describe(alone.error());
    QVERIFY2(error.contains("records.json, line 2") && error.contains(says.toStdString()), error.c_str());
    const std::string good = record_of(matmul_trace(), {0.5}).dump() + "\n";
    const exchange::ImportedFile file = must_read_records(good + line.toStdString() + "\n" + good);
    QCOMPARE(file.parts.at(0).trials.size(), std::size_t{2});
    QVERIFY(has_notice(file.notices, "records.json, line 2: skipped"));
    QVERIFY(has_notice(file.notices, says.toStdString()));
  }

  /** The workloads' hashes are read from beside the records, packed or not. */
  void the_neighbour_is_found() {
    StoredSessions sessions;
    const std::string records = sessions.path("database_tuning_record.json");
    const std::string workloads = sessions.path("database_workload.json");
    write_text(QString::fromStdString(records), record_of(matmul_trace(), {0.5}, 1).dump() + "\n");
    const auto problem = [&] {
      const exchange::ImportedFile file = must(exchange::read_import(fs::path(records)));
      return std::get<task::GenericProblem>(logged_task(file.parts.at(0)).definition).problem;
    };
    QVERIFY(problem().ends_with(" workload 1"));
    QVERIFY(has_notice(must(exchange::read_import(fs::path(records))).notices, "neither in its folder"));
    const std::string lines = workload_line("11") + workload_line("22");
    write_text(QString::fromStdString(workloads), lines);
    QVERIFY(problem().ends_with(" hash 22"));
    fs::remove(workloads);
    write_text(QString::fromStdString(workloads + ".gz"), gzipped(lines));
    QVERIFY(problem().ends_with(" hash 22"));
    // Lines behind a lost one would have other numbers.
    write_text(QString::fromStdString(workloads), workload_line("11") + "[torn\n" + workload_line("22"));
    QVERIFY(problem().ends_with(" workload 1"));
    QVERIFY(has_notice(must(exchange::read_import(fs::path(records))).notices, "line 2"));
    // A workload that is not there.
    write_text(QString::fromStdString(workloads), workload_line("11"));
    QVERIFY(problem().ends_with(" workload 1"));
    QVERIFY(has_notice(must(exchange::read_import(fs::path(records))).notices, "does not have"));
  }

  void workloads_alone_have_no_trials() {
    StoredSessions sessions;
    const std::string workloads = sessions.path("database_workload.json");
    write_text(QString::fromStdString(workloads), workload_line("11"));
    const auto lonely = exchange::import_file(sessions.store(), fs::path(workloads));
    QVERIFY(error_of(lonely).contains("tuning record"));
    QVERIFY(error_of(lonely).contains(workloads));
    const std::string records = sessions.path("database_tuning_record.json");
    write_text(QString::fromStdString(records), record_of(matmul_trace(), {0.5}).dump());
    QVERIFY(error_of(exchange::import_file(sessions.store(), fs::path(workloads))).contains(records));
  }

  /** Whatever they are called, and in whatever order they are given. */
  void a_pair_is_one_import() {
    StoredSessions sessions;
    const std::string records = sessions.path("a.txt");
    const std::string workloads = sessions.path("b.txt");
    const std::string other = sessions.path("other.json");
    write_text(QString::fromStdString(records), record_of(matmul_trace(), {0.5}, 0).dump() + "\n" +
                                                    record_of(matmul_trace(), {0.5}, 1).dump());
    write_text(QString::fromStdString(workloads), workload_line("11") + workload_line("22"));
    write_text(QString::fromStdString(other), R"({"configs_timings": [[{"num_warps": 4}, 0.5]]})");
    for (const std::vector<fs::path>& files : {std::vector<fs::path>{records, other, workloads},
                                               std::vector<fs::path>{workloads, other, records}}) {
      const std::vector<exchange::ImportSource> sources = exchange::import_sources(files);
      QCOMPARE(sources.size(), std::size_t{2});
      for (const exchange::ImportSource& source : sources) {
        QCOMPARE(source.companions.size(), source.path == records ? std::size_t{1} : std::size_t{0});
        if (source.path != records) continue;
        const exchange::ImportOutcome outcome = must(exchange::import_file(sessions.store(), source));
        QCOMPARE(outcome.format, std::string("metaschedule"));
        QVERIFY(outcome.collection && outcome.collection->tasks == 2);
        QCOMPARE(outcome.sessions.size(), std::size_t{2});
      }
    }
    QCOMPARE(exchange::import_sources({workloads, other}).size(), std::size_t{2});
    QCOMPARE(exchange::import_sources({workloads}).size(), std::size_t{1});
    QCOMPARE(exchange::import_sources({sessions.path("nowhere"), records}).size(), std::size_t{2});
    QVERIFY(exchange::import_sources({}).empty());
  }

 private:
  static void check_part(const exchange::ImportedTrials& part,
                         const std::vector<std::pair<MadeTrace, std::vector<double>>>& expected) {
    QCOMPARE(part.trials.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const auto& [made, seconds] = expected[i];
      auto shown = shown_values(part, i);
      shown.erase("structure");
      QVERIFY(shown == made.values);
      const trial::Measurement& measurement = part.trials[i].measurement;
      const bool failed = seconds.front() == 1e10;
      QCOMPARE(measurement.valid(), !failed);
      if (!failed) QVERIFY(measurement.samples_seconds == seconds);
    }
  }
};

KERNELSCAPE_TEST(ExchangeImportMetascheduleTest, QCoreApplication)

}  // namespace kernelscape::exchange_import_metaschedule_test
#include "exchange_import_metaschedule_test.moc"
