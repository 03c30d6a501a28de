#include <fmt/format.h>

#include <QTest>
#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <stdexcept>
#include <tuple>

#include "core/exchange/compact_trials.h"
#include "core/exchange/formats/table_columns.h"
#include "core/exchange/repeated_trials.h"
#include "core/exchange/table_preview.h"
#include "core/exchange/validation.h"
#include "tests/exchange/import_support.h"
#include "tests/exchange/tvm_logs.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/test_program.h"

namespace kernelscape::exchange_import_table_test {
using namespace kernelscape::exchange_tests;

namespace {

const std::string small_table =
    "BLOCK_M,BLOCK_N,num_warps,time_ms\n64,64,4,0.51\n64,128,4,0.43\n128,64,8,0.47\n128,128,8,inf\n";

Result<exchange::ImportedFile> read_table(const std::string& text, exchange::TableOptions options = {}) {
  exchange::ImportText file("measured.csv", text);
  file.set_table(std::move(options));
  Result<exchange::ImportedFile> read = read_as("table", file);
  return read ? exchange::validated(*std::move(read)) : std::move(read);
}

/** The part with its trials one by one. */
exchange::ImportedTrials part_of(Result<exchange::ImportedFile> file, std::size_t part = 0) {
  exchange::ImportedTrials trials = must(std::move(file)).parts.at(part);
  if (!exchange::expand_trials(trials)) throw std::runtime_error("the trials cannot be expanded");
  return trials;
}

std::vector<std::string> knobs_of(const exchange::ImportedTrials& part) {
  std::vector<std::string> names;
  for (const space::Knob& knob : part.space.knobs()) names.push_back(knob.name());
  return names;
}

double seconds_of(const exchange::ImportedTrials& part, std::size_t trial) {
  return part.trials.at(trial).measurement.median_seconds();
}

bool is_near(double a, double b) { return std::abs(a - b) <= 1e-12 * std::abs(b); }

}  // namespace

/** Tables whose columns are guessed or stated. */
class ExchangeImportTableTest : public QObject {
  Q_OBJECT

 private slots:
  void roles_and_units_are_guessed() {
    const exchange::ImportedFile file = must(read_table(small_table));
    QVERIFY(file.natural == exchange::ImportAs::Recorded);
    QVERIFY(has_notice(file.notices, "parameters BLOCK_M, BLOCK_N, num_warps; objective time_ms in ms"));
    QVERIFY(has_notice(file.notices, "--parameters"));
    const exchange::ImportedTrials part = part_of(file);
    QCOMPARE(knobs_of(part), (std::vector<std::string>{"BLOCK_M", "BLOCK_N", "num_warps"}));
    QCOMPARE(part.trials.size(), std::size_t{4});
    QVERIFY(is_near(seconds_of(part, 1), 0.43e-3));
    QCOMPARE(values_of(part, 2), nlohmann::json::parse(R"({"BLOCK_M": 128, "BLOCK_N": 64, "num_warps": 8})"));
    QVERIFY(!part.trials[3].measurement.valid());
    QCOMPARE(part.trials[3].measurement.message, std::string("inf"));
  }

  void heads_with_units_data() {
    QTest::addColumn<QByteArray>("head");
    QTest::addColumn<double>("seconds");  // of the number 2
    for (const auto& [head, seconds] : {std::pair{"time_ms", 2e-3},
                                        {"Runtime [us]", 2e-6},
                                        {"latency (ns)", 2e-9},
                                        {"elapsed_seconds", 2.0},
                                        {"kernelTimeMs", 2e-3},
                                        {"ms", 2e-3},
                                        {"GFLOPS", 0.5},
                                        {"TFLOP/s", 0.5e-3},
                                        {"GB/s", 0.5},
                                        {"median (s)", 0.0}})
      if (seconds > 0) QTest::addRow("%s", head) << QByteArray(head) << seconds;
  }
  void heads_with_units() {
    QFETCH(QByteArray, head);
    QFETCH(double, seconds);
    const exchange::ImportedTrials part =
        part_of(read_table("tile_s," + head.toStdString() + "\n1,2\n3,4\n"));
    QCOMPARE(knobs_of(part), std::vector<std::string>{"tile_s"});
    QVERIFY2(is_near(seconds_of(part, 0), seconds), head.constData());
  }

  void the_user_corrects_the_guess() {
    const std::string text = "a,b,cost,state\n1,2,5,good\n2,2,7,bad\n";
    QVERIFY(error_of(read_table(text)).contains("--unit"));
    const exchange::ImportedTrials part = part_of(read_table(
        text, {.parameters = {"a"}, .objective = "cost", .unit = "us", .failed_when = {"state!=good"}}));
    QCOMPARE(knobs_of(part), std::vector<std::string>{"a"});
    QVERIFY(is_near(seconds_of(part, 0), 5e-6));
    QCOMPARE(part.trials[1].measurement.message, std::string("bad"));
    const exchange::ImportedTrials limited = part_of(read_table(
        text, {.parameters = {"a"}, .objective = "cost", .unit = "us", .failed_when = {"cost >= 6"}}));
    QVERIFY(limited.trials[0].measurement.valid() && !limited.trials[1].measurement.valid());
    for (const auto& [options, words] :
         {std::pair{exchange::TableOptions{.objective = "costs"}, "--objective names no column"},
          {exchange::TableOptions{.parameters = {"c"}, .unit = "s"}, "--parameters names no column"},
          {exchange::TableOptions{.unit = "parsec"}, "not a known unit"},
          {exchange::TableOptions{.unit = "s", .failed_when = {"state"}}, "no condition"},
          {exchange::TableOptions{.unit = "s", .failed_when = {"state<ok"}}, "not a number"}})
      QVERIFY2(error_of(read_table(text, options)).contains(words), words);
  }

  void metrics_and_ignored_columns_are_stated() {
    const std::string text = "id,a,b,time_ms,energy\n1,2,3,4,5\n2,3,4,5,6\n";
    const exchange::ImportedFile file =
        must(read_table(text, {.metrics = {"id"}, .ignored = {"b", "energy"}}));
    const exchange::ImportedTrials& part = file.parts.at(0);
    QCOMPARE(knobs_of(part), std::vector<std::string>{"a"});
    QCOMPARE(part.columns.size(), std::size_t{1});
    QCOMPARE(part.columns[0].values, (std::vector<double>{1, 2}));
    for (const auto& [options, words] :
         {std::pair{exchange::TableOptions{.parameters = {"a"}, .ignored = {"a"}}, "has two roles"},
          {exchange::TableOptions{.objective = "time_ms", .metrics = {"time_ms"}},
           "a metric and the objective"},
          {exchange::TableOptions{.ignored = {"c"}}, "--ignore names no column"}})
      QVERIFY2(error_of(read_table(text, options)).contains(words), words);
  }

  /** The window shows them before anything is stored. */
  void first_rows_and_roles_are_previewed() {
    const StoredSessions folder;
    const auto preview_of = [&](const std::string& name, const std::string& text) {
      std::ofstream(folder.path(name)) << text;
      return exchange::preview_table(folder.path(name));
    };
    std::string text = "block,cost,state\n";
    for (int row = 0; row < 5000; ++row) text += fmt::format("{},{},ok\n", row % 7, row);
    const auto preview = preview_of("long.csv", text);
    QVERIFY(preview.has_value());
    QCOMPARE(preview->names, (std::vector<std::string>{"block", "cost", "state"}));
    QCOMPARE(preview->rows.size(), std::size_t{2000});
    QCOMPARE(preview->rows[8], (std::vector<std::string>{"1", "8", "ok"}));
    using exchange::ColumnRole;
    QVERIFY(exchange::suggested_roles(preview->names, preview->rows, false) ==
            (std::vector{ColumnRole::Parameter, ColumnRole::Objective, ColumnRole::Status}));
    const auto lines = preview_of("lines.jsonl", "{\"x\": 1, \"ms\": 2}\n{\"x\": 2, \"ms\": 3, \"y\": 0}\n");
    QVERIFY(lines.has_value());
    QCOMPARE(lines->names, (std::vector<std::string>{"ms", "x", "y"}));
    QCOMPARE(lines->rows[0], (std::vector<std::string>{"2", "1", ""}));
    // The rest of long files is not read: here it is damaged.
    std::string many;
    for (int row = 0; row < 100'000; ++row)
      many += fmt::format("{{\"x\": {}, \"ms\": {}}}\n", row % 7, row + 1);
    const std::string packed = gzipped(many);
    const auto beginning = preview_of("many.jsonl", packed.substr(0, packed.size() / 2));
    QVERIFY(beginning.has_value());
    QCOMPARE(beginning->rows.size(), std::size_t{2000});
    QVERIFY(preview_of("comma.csv", "x;ms\n1;0,5\n")->decimal_comma);
    // Known forms are imported without it, and errors are those of the import.
    QVERIFY(!preview_of("text.csv", "hello"));
    QVERIFY(!preview_of("empty.csv", ""));
    QVERIFY(!preview_of("torn.csv", "x,ms\n1,\"2"));
    QVERIFY(!exchange::preview_table(folder.path("missing.csv")));
    QVERIFY(!exchange::preview_table(folder.path("test.db")));
  }

  void failures_keep_their_text() {
    const exchange::ImportedTrials part = part_of(read_table(
        "x,time_ms,status\n1,0.5,ok\n2,nan,ok\n3,,ok\n4,out of memory,ok\n5,0.4,wrong answer\n6,-1,ok\n"));
    const auto message = [&](std::size_t trial) { return part.trials.at(trial).measurement.message; };
    QVERIFY(part.trials[0].measurement.valid());
    QCOMPARE(message(1), std::string("nan"));
    QCOMPARE(message(2), std::string("it has no value"));
    QCOMPARE(message(3), std::string("out of memory"));
    QCOMPARE(message(4), std::string("wrong answer"));
    QVERIFY(part.trials[4].measurement.category == trial::ErrorCategory::WrongAnswer);
    QCOMPARE(message(5), std::string("-1"));
  }

  void repeated_configurations_are_samples() {
    exchange::ImportedFile file = must(read_table("x,time_s,energy\n2,5,1\n1,1,7\n2,3,2\n1,inf,9\n"));
    const exchange::ImportedTrials& part = file.parts.at(0);
    QCOMPARE(exchange::count_repeated_trials(part), std::size_t{2});
    const auto recording = must(exchange::recording_of(part));
    QCOMPARE(recording->size(), std::uint32_t{2});
    QCOMPARE(recording->measurement(0).samples_seconds, std::vector<double>{1});
    QCOMPARE(recording->measurement(1).samples_seconds, (std::vector<double>{5, 3}));
    QCOMPARE(recording->columns().at(0).name, std::string("energy"));
    QCOMPARE(recording->columns()[0].values, (std::vector<double>{7, 2}));  // none of a failure
  }

  void hostile_tables_give_the_right_thing() {
    // BOM, mixed line ends, quotes with delimiters and line ends, decimal commas.
    const exchange::ImportedTrials part = part_of(
        read_table("\xef\xbb\xbf\"x\";name;\"time [ms]\";message\r\n1,5;\"a;\"\"b\"\"\";0,5;\r2;c;0,25;\n\n"
                   "# a comment\n3;c;1;\"two\nlines\"\n"));
    QCOMPARE(part.trials.size(), std::size_t{3});
    const nlohmann::json first{{"x", 1.5}, {"name", "a;\"b\""}};
    QCOMPARE(values_of(part, 0), first);
    QCOMPARE(part.trials[2].measurement.message, std::string("two\nlines"));
    QVERIFY(is_near(seconds_of(part, 0), 0.5e-3));
    QVERIFY(is_near(seconds_of(part, 1), 0.25e-3));
  }

  void comments_may_have_quotes() {
    const exchange::ImportedTrials part = part_of(
        read_table("# a 6\" tile, \"open\nx,time_ms\n1,0.5\n# \"unfinished\n2,0.25\n#\n3,1\n# last \""));
    QCOMPARE(part.trials.size(), std::size_t{3});
    QVERIFY(is_near(seconds_of(part, 1), 0.25e-3));
  }

  void the_first_column_may_be_named_by_a_hash() {
    const exchange::ImportFormat* format = exchange::table_format("#,time_ms,block\n1,0.5,64\n2,0.25,128\n");
    QVERIFY(format != nullptr);
    const exchange::ImportedTrials part =
        part_of(read_table("# a comment\n#,time_ms,block\n1,0.5,64\n#,9,9\n2,0.25,128\n"));
    QCOMPARE(knobs_of(part), std::vector<std::string>{"block"});
    QCOMPARE(part.trials.size(), std::size_t{2});
    QVERIFY(is_near(seconds_of(part, 1), 0.25e-3));
  }

  void a_list_with_an_empty_sample_fails() {
    const exchange::ImportedTrials part =
        part_of(read_table("x,time_ms\n1,\"[0.5, 0.6]\"\n2,\"[0.5, , 0.7]\"\n3,\"[, 0.5]\"\n4,0.25\n",
                           {.objective = "time_ms"}));
    QCOMPARE(part.trials.size(), std::size_t{4});
    QCOMPARE(part.trials[0].measurement.samples_seconds.size(), std::size_t{2});
    for (const std::size_t failed : {std::size_t{1}, std::size_t{2}}) {
      QVERIFY(!part.trials[failed].measurement.valid());
      QCOMPARE(part.trials[failed].measurement.message, std::string("it has an empty value"));
    }
    QVERIFY(part.trials[3].measurement.valid());
  }

  void hostile_tables_give_clear_errors_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QByteArray>("words");
    QByteArray wide = "time_ms";
    for (int i = 0; i < 10'000; ++i) wide += ",c" + QByteArray::number(i);
    QTest::addRow("decimal commas") << QByteArray("x,time_ms\n1,0,5\n2,0,25\n") << QByteArray("semicolons");
    QTest::addRow("duplicate columns")
        << QByteArray("x,x,time_ms\n1,2,3\n") << QByteArray("the columns 1 and 2");
    QTest::addRow("10,000 columns") << wide + "\n1\n" << QByteArray("more than 1024 columns");
    QByteArray members = "{\"time_ms\": 1";
    for (int i = 0; i < 10'000; ++i) members += ", \"c" + QByteArray::number(i) + "\": 1";
    members += "}\n";
    QTest::addRow("10,000 members") << members + members << QByteArray("more than 1024 columns");
    QTest::addRow("open quote") << QByteArray("x,time_ms\n1,\"2\n") << QByteArray("quote is not closed");
    QTest::addRow("no result") << QByteArray("x,y\n1,2\n") << QByteArray("--objective");
    QTest::addRow("no parameter") << QByteArray("id,time_ms\n1,2\n") << QByteArray("--parameters");
    QTest::addRow("no rows") << QByteArray("x,time_ms\n") << QByteArray("no rows");
    QTest::addRow("only failures") << QByteArray("x,time_ms\n1,inf\n2,0.5s\n") << QByteArray("measured.csv");
    QTest::addRow("not UTF-8") << QByteArray("x,time_ms\n\xff,2\n") << QByteArray("0xff");
  }
  void hostile_tables_give_clear_errors() {
    QFETCH(QByteArray, text);
    QFETCH(QByteArray, words);
    const std::string error = error_of(read_table(text.toStdString()));
    QVERIFY2(error.contains(words.toStdString()) && error.contains("measured.csv"), error.c_str());
  }

  /** In the form of a user's file. */
  void files_without_rows_are_refused() {
    const StoredSessions folder;
    for (const auto& [name, text, words] : {std::tuple{"empty.csv", "", "it is empty"},
                                            {"head.csv", "x,time_ms\n", "the table has no rows"},
                                            {"mark.csv", "\xef\xbb\xbf", "none of the known formats"}}) {
      std::ofstream(folder.path(name)) << text;
      const std::string error = error_of(exchange::read_import(folder.path(name)));
      QVERIFY2(error.contains(words) && error.contains(name), error.c_str());
    }
    std::ofstream(folder.path("one.csv")) << "\xef\xbb\xbfx,time_ms\r\n1,0.5";
    const exchange::ImportedFile one = must(exchange::read_import(folder.path("one.csv")));
    QCOMPARE(exchange::trial_count(one.parts.at(0)), std::size_t{1});
  }

  void rows_of_another_width_are_skipped() {
    const exchange::ImportedFile file = must(read_table("x,time_ms\n1,0.5\n2\n3,0.25,7\n4,1\n"));
    QCOMPARE(exchange::trial_count(file.parts.at(0)), std::size_t{2});
    QVERIFY(has_notice(file.notices, "line 3"));
    QVERIFY(has_notice(file.notices, "line 4"));
  }

  void json_lines() {
    const exchange::ImportedFile file =
        must(read_table("{\"config\": {\"BLOCK\": 64, \"mode\": \"a\"}, \"time_ms\": [0.5, 0.7]}\n"
                        "{\"config\": {\"BLOCK\": 128, \"mode\": null}, \"time_ms\": NaN}\nnot JSON\n"
                        "{\"config\": {\"BLOCK\": 256, \"mode\": \"a\"}, \"time_ms\": 0.25}\n"));
    const exchange::ImportedTrials part = part_of(file);
    QCOMPARE(part.trials.size(), std::size_t{3});
    QCOMPARE(part.trials[0].measurement.samples_seconds.size(), std::size_t{2});
    QCOMPARE(values_of(part, 1), nlohmann::json::parse(R"({"BLOCK": 128, "mode": "none"})"));
    QVERIFY(!part.trials[1].measurement.valid());
    QVERIFY(has_notice(file.notices, "line 3"));
  }

  void random_tables_come_back() {
    base::Random random(testing::random_seed());
    for (int round = 0; round < 20; ++round) {
      const std::size_t knobs = 1 + random.below(4);
      const std::size_t rows = 2 + random.below(5000);
      std::string text;
      for (std::size_t knob = 0; knob < knobs; ++knob) text += fmt::format("p{},", knob);
      text += "time_us\n";
      std::map<std::vector<std::uint64_t>, std::vector<double>> expected;
      for (std::size_t row = 0; row < rows; ++row) {
        std::vector<std::uint64_t> values;
        for (std::size_t knob = 0; knob < knobs; ++knob) {
          values.push_back(random.below(12));
          text += fmt::format("{},", values.back());
        }
        const double time = 1 + random.uniform();
        text += fmt::format("{}\n", time);
        expected[values].push_back(time * (1 / 1e6));
      }
      const exchange::ImportedFile file = must(read_table(text));
      const auto recording = must(exchange::recording_of(file.parts.at(0)));
      QCOMPARE(std::size_t{recording->size()}, expected.size());
      for (std::uint32_t row = 0; row < recording->size(); ++row) {
        const auto json = nlohmann::json::parse(
            recording->whole_space().configuration_to_json(recording->configuration(row)));
        std::vector<std::uint64_t> values;
        for (std::size_t knob = 0; knob < knobs; ++knob) values.push_back(json.at(fmt::format("p{}", knob)));
        std::vector<double> samples = expected.at(values);
        samples.resize(std::min(samples.size(), recording->samples(row).size()));
        QVERIFY(std::ranges::equal(recording->samples(row), samples));
      }
    }
  }

  /** A session has all rows in their order; a recorded space is found again. */
  void tables_are_stored() {
    StoredSessions sessions;
    write_text(QString::fromStdString(sessions.path("small.csv")), small_table);
    const auto recorded =
        must(exchange::import_file(sessions.store(), sessions.path("small.csv"))).sessions.at(0);
    QCOMPARE(recorded.name, std::string("small"));
    QCOMPARE(recorded.trials, std::int64_t{4});
    QVERIFY(must(exchange::import_file(sessions.store(), sessions.path("small.csv"))).sessions.at(0).existed);
    const auto session = must(
        exchange::import_file(sessions.store(), sessions.path("small.csv"), exchange::ImportAs::Session));
    const store::SessionStatus status =
        must(sessions.store().sessions().get(session.sessions.at(0).session)).status;
    QCOMPARE(status.trial_count, std::int64_t{4});
    QCOMPARE(status.best_trial, std::int64_t{1});
  }

  void cutlass() {
    exchange::ImportText file(
        "profile.csv",
        "Problem,Provider,OperationKind,Operation,Disposition,Status,gemm_kind,m,n,k,split_k_slices,Bytes,"
        "Flops,"
        "Runtime,GB/s,GFLOPs\n"
        "1,CUTLASS,gemm,op_a,passed,success,universal,64,64,64,1,100,2000,0.0155,378.0,138682.0\n"
        "1,CUTLASS,gemm,op_b,incorrect,success,universal,64,64,64,1,100,2000,0.0131,447.0,164090.0\n"
        "2,CUTLASS,gemm,op_a,not_verified,success,universal,128,64,64,1,100,4000,0.02,447.0,164090.0\n"
        "2,CUTLASS,gemm,op_b,not_supported,error_not_supported,universal,128,64,64,1,100,4000,0,0,0\n");
    QVERIFY(exchange::recognised_format(exchange::import_head(file))->name == "cutlass");
    const exchange::ImportedFile read = must(exchange::validated(must(read_as("cutlass", file))));
    QCOMPARE(read.parts.size(), std::size_t{2});
    const exchange::ImportedTrials part = part_of(read);
    QCOMPARE(knobs_of(part), std::vector<std::string>{"Operation"});
    QVERIFY(is_near(seconds_of(part, 0), 0.0155e-3));
    QVERIFY(part.trials[1].measurement.category == trial::ErrorCategory::WrongAnswer);
    QVERIFY(logged_task(part).name.contains("m=64"));
    QCOMPARE(logged_task(part).flops(), 2000.0);
    QCOMPARE(part.columns.at(2).name, std::string("GFLOPs"));
    QVERIFY(part_of(read, 1).trials[1].measurement.category == trial::ErrorCategory::InstantiationError);
  }

  void clblast() {
    exchange::ImportText file(
        "clblast.json",
        R"({"kernel_family":"xgemm_1","precision":"32","arg_m":"1024","clblast_device_name":"GeForce RTX","results":)"
        R"([{"kernel":"Xgemm","time":0.79,"parameters":{"KWG":32,"MWG":64}},)"
        R"({"kernel":"Xgemm","time":0.93,"parameters":{"KWG":16,"MWG":64}},{"kernel":"Xgemm","time":1}]})");
    QVERIFY(exchange::recognised_format(exchange::import_head(file))->name == "clblast");
    const exchange::ImportedFile read = must(exchange::validated(must(read_as("clblast", file))));
    QVERIFY(has_notice(read.notices, "results[2]"));
    const exchange::ImportedTrials part = part_of(read);
    QCOMPARE(knobs_of(part), (std::vector<std::string>{"KWG", "MWG"}));
    QVERIFY(is_near(seconds_of(part, 1), 0.93e-3));
    QCOMPARE(logged_task(part).name, std::string("xgemm_1 m=1024 precision=32"));
    QVERIFY(part.header.target_json.contains("GeForce RTX"));
  }

  void google_benchmark() {
    exchange::ImportText file(
        "runs.json",
        R"({"context": {"library_build_type": "release"}, "benchmarks": [)"
        R"({"name": "BM_x/64/block:8/real_time", "run_name": "BM_x/64/block:8/real_time", "run_type": "iteration", )"
        R"("iterations": 10, "real_time": 5.0, "cpu_time": 4.0, "time_unit": "us", "items_per_second": 7},)"
        R"({"name": "BM_x/64/block:8/real_time", "run_name": "BM_x/64/block:8/real_time", "run_type": "iteration", )"
        R"("iterations": 10, "real_time": 6.0, "cpu_time": 4.0, "time_unit": "us"},)"
        R"({"name": "BM_x/64/block:8/real_time_mean", "run_type": "aggregate", "real_time": 5.5, "time_unit": "us"},)"
        R"({"name": "BM_x/32/block:16/real_time", "run_type": "iteration", "error_occurred": true, )"
        R"("error_message": "no memory", "real_time": 0, "cpu_time": 0, "time_unit": "us"}]})");
    QVERIFY(exchange::recognised_format(exchange::import_head(file))->name == "google-benchmark");
    const exchange::ImportedTrials part =
        part_of(exchange::validated(must(read_as("google-benchmark", file))));
    QCOMPARE(knobs_of(part), (std::vector<std::string>{"argument 1", "block"}));
    QCOMPARE(part.trials.size(), std::size_t{3});
    QVERIFY(is_near(seconds_of(part, 1), 6e-6));
    QCOMPARE(part.trials[2].measurement.message, std::string("no memory"));
    QCOMPARE(logged_task(part).name, std::string("BM_x"));
  }

  void hyperfine() {
    exchange::ImportText file(
        "scan.json",
        R"({"results": [{"command": "run 1", "mean": 1.0, "stddev": 0.1, "user": 0.1, "system": 0.2, )"
        R"("times": [0.9, 1.1], "exit_codes": [0, 0], "parameters": {"threads": "1"}},)"
        R"({"command": "run 2", "mean": 0.5, "user": 0.1, "system": 0.2, "times": [0.5], "exit_codes": [3], )"
        R"("parameters": {"threads": "2"}}]})");
    QVERIFY(exchange::recognised_format(exchange::import_head(file))->name == "hyperfine");
    const exchange::ImportedTrials part = part_of(exchange::validated(must(read_as("hyperfine", file))));
    QCOMPARE(knobs_of(part), std::vector<std::string>{"threads"});
    QCOMPARE(part.trials[0].measurement.samples_seconds, (std::vector<double>{0.9, 1.1}));
    QCOMPARE(part.trials[1].measurement.message, std::string("exit code 3"));
  }

  void helion() {
    exchange::ImportText file(
        "matmul.csv",
        "timestamp_s,config_index,generation,status,perf_ms,compile_time_s,config\n"
        "0.1,1,0,started,,,\"Config(block_sizes=[32, 64], num_warps=4, indexing='pointer')\"\n"
        "0.5,1,0,ok,1.25,0.40,\"Config(block_sizes=[32, 64], num_warps=4, indexing='pointer')\"\n"
        "0.6,2,0,accuracy_error,,0.5,\"Config(block_sizes=[64, 64], num_warps=8, indexing='block_ptr')\"\n");
    QVERIFY(exchange::recognised_format(exchange::import_head(file))->name == "helion");
    const exchange::ImportedTrials part = part_of(exchange::validated(must(read_as("helion", file))));
    QCOMPARE(part.trials.size(), std::size_t{2});
    QCOMPARE(values_of(part, 0),
             nlohmann::json::parse(
                 R"({"block_sizes[0]": 32, "block_sizes[1]": 64, "num_warps": 4, "indexing": "pointer"})"));
    QVERIFY(is_near(seconds_of(part, 0), 1.25e-3));
    QCOMPARE(part.trials[0].measurement.build_seconds, 0.4);
    QVERIFY(part.trials[1].measurement.category == trial::ErrorCategory::WrongAnswer);
  }
};

KERNELSCAPE_TEST(ExchangeImportTableTest, QCoreApplication)

}  // namespace kernelscape::exchange_import_table_test
#include "exchange_import_table_test.moc"
