#include <QTest>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/base/random.h"
#include "core/exchange/import_text.h"
#include "core/exchange/importer.h"
#include "core/schedule/target.h"
#include "core/task/task.h"
#include "tests/exchange/named_format.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/test_program.h"

namespace kernelscape::exchange_import_ktt_test {
using nlohmann::json;

namespace {

json parameter(const std::string& name, const json& value, const char* type) {
  return {{"Name", name}, {"Value", value}, {"ValueType", type}};
}

/** A result of two kernel functions. */
json result_of(const json& configuration, double total, const char* status = "Ok") {
  const auto function = [](const char* name, double duration, int registers) {
    return json{{"KernelFunction", name},
                {"Duration", duration},
                {"Overhead", 3000.0},
                {"GlobalSize", {{"X", 64}, {"Y", 1}, {"Z", 1}}},
                {"CompilationData", {{"RegistersCount", registers}, {"LocalMemorySize", 0}}}};
  };
  return {{"KernelName", "gemm"},
          {"Status", status},
          {"Configuration", configuration},
          {"ComputationResults", {function("a", 100.0, 32), function("b", 400.0, 40)}},
          {"TotalDuration", total},
          {"TotalOverhead", 9000.0},
          {"DataMovementOverhead", 500.0},
          {"ValidationOverhead", 250.0},
          {"SearcherOverhead", 125.0},
          {"ExtraDuration", 10.0}};
}

json configuration_of(int block, bool vector) {
  return {parameter("BLOCK", block, "UnsignedInt"), parameter("VECTOR", vector, "Bool"),
          parameter("SCALE", 0.5, "Double"), parameter("MODE", "fast", "String")};
}

json file_of(const json& results, const char* unit = "Microseconds") {
  return {{"Metadata",
           {{"ComputeApi", "CUDA"},
            {"Device", "NVIDIA GeForce RTX 2080 Ti"},
            {"GlobalSizeType", "CUDA"},
            {"KttVersion", "2.2.0"},
            {"Platform", "NVIDIA CUDA"},
            {"TimeUnit", unit},
            {"Timestamp", "2024-01-05T10:00:00"}}},
          {"Results", results},
          {"UserData", {{"a", "b"}}}};
}

Result<exchange::ImportedFile> read(const std::string& text) {
  exchange::ImportText file("ktt.json", text);
  return read_as("ktt", file);
}

exchange::ImportedFile must_read(const json& file) {
  Result<exchange::ImportedFile> imported = read(file.dump());
  if (!imported) throw std::runtime_error(describe(imported.error()));
  return std::move(*imported);
}

const std::vector<double>* column(const exchange::ImportedTrials& part, const std::string& name) {
  for (const trial::RecordedColumn& found : part.columns)
    if (found.name == name) return &found.values;
  return nullptr;
}

}  // namespace

class ExchangeImportKttTest : public QObject {
  Q_OBJECT

 private slots:
  void everyField();
  void statuses();
  void units();
  void kernelsAreTakenApart();
  void randomResults();
  void badFiles_data();
  void badFiles();
  void wrongResultsAreSkipped_data();
  void wrongResultsAreSkipped();
};

void ExchangeImportKttTest::everyField() {
  const exchange::ImportedFile file = must_read(file_of(json::array(
      {result_of(configuration_of(16, true), 510.0), result_of(configuration_of(8, false), 900.0)})));
  QVERIFY(file.natural == exchange::ImportAs::Recorded);
  QVERIFY(!file.notices.empty());
  const exchange::ImportedTrials& part = file.parts.at(0);
  const task::Task task = task::task_from_json(part.header.task_json).value();
  QVERIFY(!task.op && std::get<task::GenericProblem>(task.definition).problem == "gemm");
  const schedule::TargetDescription target = schedule::target_from_json(part.header.target_json).value();
  QVERIFY(target.kind == schedule::TargetKind::Cuda && target.device == "NVIDIA GeForce RTX 2080 Ti");
  QVERIFY(part.header.origin.contains("2.2.0"));
  const std::vector<space::Knob>& knobs = part.space.knobs();
  QCOMPARE(knobs.size(), std::size_t{4});
  QVERIFY(knobs[0].kind() == space::KnobKind::Ordinal && knobs[0].count() == 2);
  QVERIFY(knobs[1].kind() == space::KnobKind::Categorical && knobs[3].kind() == space::KnobKind::Categorical);
  QCOMPARE(part.space.explicit_members()->size(), std::size_t{2});
  QCOMPARE(part.space.describe(part.trials.at(0).configuration),
           std::string("BLOCK=16 VECTOR=true SCALE=0.5 MODE=fast"));
  const trial::Measurement& measurement = part.trials[0].measurement;
  QCOMPARE(measurement.recorded_seconds, 510.0 * 1e-6);
  QCOMPARE(measurement.samples_seconds.size(), std::size_t{1});
  QVERIFY(std::abs(measurement.samples_seconds[0] - 500e-6) < 1e-15);
  QVERIFY(std::abs(measurement.build_seconds - 6000e-6) < 1e-15);
  QVERIFY(std::abs(measurement.run_seconds - 1260e-6) < 1e-15);
  QVERIFY(part.trials[1].finished_seconds > part.trials[0].finished_seconds);
  QVERIFY(column(part, "RegistersCount") && *column(part, "RegistersCount") == (std::vector<double>{40, 40}));
  QVERIFY(column(part, "SearcherOverhead [s]") &&
          std::abs(column(part, "SearcherOverhead [s]")->at(0) - 125e-6) < 1e-15);
}

void ExchangeImportKttTest::statuses() {
  const std::vector<std::pair<const char*, trial::ErrorCategory>> known{
      {"Ok", trial::ErrorCategory::NoError},
      {"ComputationFailed", trial::ErrorCategory::RuntimeDevice},
      {"ValidationFailed", trial::ErrorCategory::WrongAnswer},
      {"CompilationFailed", trial::ErrorCategory::CompileDevice},
      {"DeviceLimitsExceeded", trial::ErrorCategory::InstantiationError},
      {"OfALaterVersion", trial::ErrorCategory::UnknownError}};
  json results = json::array();
  for (std::size_t i = 0; i < known.size(); ++i) {
    results.push_back(result_of(configuration_of(static_cast<int>(i), true), 5.0, known[i].first));
    // Of what failed KTT knows no times.
    if (i > 0) results.back()["TotalDuration"] = 1.8446744073709552e19;
    if (i > 2) results.back().erase("ComputationResults");
  }
  const exchange::ImportedTrials part = must_read(file_of(results)).parts.at(0);
  for (std::size_t i = 0; i < known.size(); ++i) {
    const trial::Measurement& measurement = part.trials.at(i).measurement;
    QVERIFY(measurement.category == known[i].second);
    QCOMPARE(measurement.samples_seconds.empty(), i > 0);
    QCOMPARE(measurement.recorded_seconds > 0, i == 0);
    QCOMPARE(measurement.message, i > 0 ? std::string(known[i].first) : std::string());
  }
  QVERIFY(std::isnan(column(part, "RegistersCount")->at(4)));
}

void ExchangeImportKttTest::units() {
  const std::vector<std::pair<const char*, double>> known{
      {"Nanoseconds", 1e-9}, {"Microseconds", 1e-6}, {"Milliseconds", 1e-3}, {"Seconds", 1}, {"us", 1e-6}};
  for (const auto& [unit, seconds] : known) {
    const json results = json::array({result_of(configuration_of(1, true), 7.0)});
    QCOMPARE(must_read(file_of(results, unit)).parts.at(0).trials.at(0).measurement.recorded_seconds,
             7.0 * seconds);
  }
}

void ExchangeImportKttTest::kernelsAreTakenApart() {
  json other = result_of(configuration_of(4, false), 3.0);
  other["KernelName"] = "reduce";
  json fewer = result_of(json::array({parameter("BLOCK", 4, "Int")}), 2.0);
  const exchange::ImportedFile file =
      must_read(file_of(json::array({result_of(configuration_of(1, true), 1.0), other, fewer, other})));
  QCOMPARE(file.parts.size(), std::size_t{3});
  QCOMPARE(file.parts[1].header.name, std::string("reduce"));
  QCOMPARE(file.parts[1].trials.size(), std::size_t{2});
  QCOMPARE(file.parts[1].space.explicit_members()->size(), std::size_t{1});
}

void ExchangeImportKttTest::randomResults() {
  base::Random random(testing::random_seed());
  for (int round = 0; round < 20; ++round) {
    json results = json::array();
    std::vector<std::pair<int, bool>> asked;
    std::vector<double> totals;
    for (int i = 0; i < 50; ++i) {
      asked.emplace_back(static_cast<int>(random.below(9)) - 4, random.chance(0.5));
      totals.push_back(1.0 + random.uniform() * 1e6);
      results.push_back(result_of(configuration_of(asked.back().first, asked.back().second), totals.back()));
    }
    const exchange::ImportedTrials part = must_read(file_of(results, "Seconds")).parts.at(0);
    QCOMPARE(part.trials.size(), asked.size());
    for (std::size_t i = 0; i < asked.size(); ++i) {
      const space::Configuration& configuration = part.trials[i].configuration;
      QCOMPARE(part.space.knobs()[0].element(configuration.indices[0], 0), std::int64_t{asked[i].first});
      QCOMPARE(part.space.knobs()[1].element(configuration.indices[1], 0),
               std::int64_t{asked[i].second ? 1 : 0});
      QVERIFY(part.space.contains(configuration));
      QCOMPARE(part.trials[i].measurement.recorded_seconds, totals[i]);
    }
  }
}

/** A file of two results, which is read whole. */
static json good_file() {
  return file_of(
      json::array({result_of(configuration_of(1, true), 1.0), result_of(configuration_of(2, true), 1.0)}));
}

/** The good file with another value at a place. */
static std::string changed(const std::string& pointer, const json& value) {
  json file = good_file();
  file[json::json_pointer(pointer)] = value;
  return file.dump();
}

/** A row of text that is to be refused or skipped, and what is said of it. */
static void add(const char* row, const std::string& text, const char* says) {
  QTest::newRow(row) << QByteArray::fromStdString(text) << says;
}

void ExchangeImportKttTest::badFiles_data() {
  QTest::addColumn<QByteArray>("text");
  QTest::addColumn<QString>("says");
  const json good = good_file();
  add("empty", "", "ktt.json");
  add("truncated", good.dump().substr(0, 700), "line 1");
  add("no object", "[]", "Results");
  add("no results", changed("/Results", json::array()), "Results");
  add("results of a wrong type", changed("/Results", 3), "Results");
  add("no metadata", changed("/Metadata", 1), "TimeUnit");
  add("unknown unit", changed("/Metadata/TimeUnit", "Fortnights"), "Fortnights");
  add("deep", std::string(100'000, '[') + std::string(100'000, ']'), "line 1");
  std::string twice = good.dump();
  twice.replace(twice.find("\"UserData\""), 10, "\"Metadata\"");
  add("a key twice", twice, "Metadata");
}

void ExchangeImportKttTest::badFiles() {
  QFETCH(QByteArray, text);
  QFETCH(QString, says);
  const auto file = read(text.toStdString());
  QVERIFY(!file);
  QVERIFY2(describe(file.error()).contains(says.toStdString()), describe(file.error()).c_str());
  QVERIFY2(file.error().message.contains("ktt.json"), file.error().message.c_str());
}

void ExchangeImportKttTest::wrongResultsAreSkipped_data() {
  QTest::addColumn<QByteArray>("text");
  QTest::addColumn<QString>("says");
  add("a result of a wrong type", changed("/Results/1", 3), "Results[1]");
  add("no status", changed("/Results/1/Status", 1), "no Status");
  add("no kernel", changed("/Results/1/KernelName", nullptr), "KernelName");
  add("no configuration", changed("/Results/1/Configuration", json::array()), "Results[1]");
  add("a parameter without a name", changed("/Results/1/Configuration/0/Name", 5), "Name");
  add("a parameter twice", changed("/Results/1/Configuration/0/Name", "VECTOR"), "VECTOR");
  add("a value of a wrong type", changed("/Results/1/Configuration/0/Value", json::array()), "BLOCK");
  add("negative time", changed("/Results/1/TotalDuration", -1), "TotalDuration");
  add("no time", changed("/Results/1/TotalDuration", 0), "TotalDuration");
  add("time of a wrong type", changed("/Results/1/TotalDuration", "1"), "TotalDuration");
  add("function's time", changed("/Results/1/ComputationResults/0/Duration", "x"), "Duration");
  add("functions of a wrong type", changed("/Results/1/ComputationResults", 4), "ComputationResults");
  std::string nan = good_file().dump();
  nan.replace(nan.rfind("9000.0"), 6, "NaN");
  add("NaN", nan, "NaN");
}

void ExchangeImportKttTest::wrongResultsAreSkipped() {
  QFETCH(QByteArray, text);
  QFETCH(QString, says);
  const auto file = read(text.toStdString());
  QVERIFY2(file, file ? "" : describe(file.error()).c_str());
  QCOMPARE(file->parts.size(), std::size_t{1});
  QCOMPARE(file->parts[0].trials.size(), std::size_t{1});
  QVERIFY(file->notices.at(0).contains("ktt.json, Results[1]: skipped"));
  QVERIFY2(file->notices[0].contains(says.toStdString()), file->notices[0].c_str());
}

KERNELSCAPE_TEST(ExchangeImportKttTest, QCoreApplication)

}  // namespace kernelscape::exchange_import_ktt_test
#include "exchange_import_ktt_test.moc"
