#include <QTest>
#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/exchange/importer.h"
#include "core/trial/recording_builder.h"
#include "tests/exchange/stored_session.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/test_program.h"
#include "tests/trial/random_resources.h"

namespace kernelscape::exchange_gpu_kernels_test {
using namespace kernelscape::exchange_tests;
using nlohmann::json;

namespace {

constexpr std::array formats{"json", "kernel-tuner", "t4"};

space::SearchSpace small_space() {
  return *space::SearchSpace::make({*space::Knob::factorization("tile", 64, 3)});
}

store::SessionRecord gpu_record(const space::SearchSpace& space) {
  const task::Task task = task::parse_task("conv2d 1x64x56x56 64x64x3x3 pad=1 f32").value();
  return StoredSessions::record_of(task, schedule::default_cuda_target(), space);
}

/** Kernels that were timed, but for the first, which could not be compiled. */
std::vector<trial::Trial> timed_trials(base::Random& random) {
  std::vector<trial::Trial> trials;
  for (std::uint32_t number = 0; number < 20; ++number) {
    trial::Trial trial{number, 0, static_cast<std::int32_t>(number), {{number}}, {}, 1.0 * number};
    if (number == 0) {
      trial.measurement.category = trial::ErrorCategory::CompileDevice;
      trial.measurement.message = "too much shared memory";
    } else {
      trial.measurement.samples_seconds = {0.001 * (number + 1), 0.001 * (number + 2)};
      trial.measurement.resources = random_resources(random);
      if (number % 3 == 0) trial.measurement.build_log = "a, \"log\"\nof two lines";
    }
    trials.push_back(std::move(trial));
  }
  return trials;
}

/** The same as a session leaves them that only builds. */
std::vector<trial::Trial> built_trials(base::Random& random) {
  std::vector<trial::Trial> trials = timed_trials(random);
  for (trial::Trial& trial : trials) trial.measurement.samples_seconds.clear();
  return trials;
}

std::vector<std::vector<std::string>> fields_of(const std::string& csv) {
  std::vector<std::vector<std::string>> lines(1, {std::string()});
  bool quoted = false;
  for (const char c : csv) {
    if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      lines.back().emplace_back();
    } else if (c == '\n' && !quoted) {
      lines.push_back({std::string()});
    } else if (c != '\r' || quoted) {
      lines.back().back() += c;
    }
  }
  lines.pop_back();
  return lines;
}

}  // namespace

/** Resources and build logs of GPU kernels in files, and sessions that only built their kernels. */
class ExchangeGpuKernelsTest : public QObject {
  Q_OBJECT

 private slots:
  void files_hold_them_data() {
    QTest::addColumn<QString>("format");
    for (const char* format : formats) QTest::newRow(format) << format;
  }
  void files_hold_them() {
    QFETCH(QString, format);
    base::Random random(testing::random_seed());
    StoredSessions sessions;
    const std::vector<trial::Trial> trials = timed_trials(random);
    const store::SessionId id = sessions.add(gpu_record(small_space()), {}, trials);
    QVERIFY(!sessions.exported(id, format.toStdString()).empty());
    const auto imported =
        exchange::import_file(sessions.store(), sessions.path("exported"), exchange::ImportAs::Session);
    QVERIFY2(imported, imported ? "" : describe(imported.error()).c_str());
    const store::SessionId copy = imported->sessions.front().session;
    QVERIFY(sessions.store().trials().of(copy).value() == trials);
    QCOMPARE(sessions.store().trials().has_resources(copy), true);
    // What the formats name beside the time is no series of its own.
    QVERIFY(sessions.store().series().of(copy)->empty());
  }

  void other_programs_find_numbers_beside_the_time() {
    base::Random random(testing::random_seed());
    StoredSessions sessions;
    std::vector<trial::Trial> trials = timed_trials(random);
    constexpr std::int32_t registers = 1096;  // more than any other kernel is given
    trials[1].measurement.resources = trial::KernelResources{.registers = registers,
                                                             .spilled_bytes = 16,
                                                             .shared_bytes = 4096,
                                                             .threads = 256,
                                                             .occupancy = 0.25,
                                                             .limited_by = trial::OccupancyLimit::Registers};
    const store::SessionId id = sessions.add(gpu_record(small_space()), {}, trials);
    const json t4 = json::parse(sessions.exported(id, "t4"));
    std::map<std::string, std::pair<double, std::string>> numbers;
    for (const json& number : t4.at("results").at(1).at("measurements"))
      numbers[number.at("name")] = {number.at("value"), number.at("unit")};
    QCOMPARE(numbers.at("registers").first, double{registers});
    QVERIFY(numbers.at("spilled_bytes") == std::pair(16.0, std::string("B")));
    QVERIFY(numbers.at("shared_bytes") == std::pair(4096.0, std::string("B")));
    QCOMPARE(numbers.at("threads").first, 256.0);
    QVERIFY(numbers.at("occupancy_percent") == std::pair(25.0, std::string("%")));
    QCOMPARE(t4.at("results").at(0).at("measurements").size(), std::size_t{1});  // nothing was built

    json cache = json::parse(sessions.exported(id, "kernel-tuner"));
    const auto& entries = cache.at("cache");
    const auto entry =
        std::ranges::find_if(entries, [](const json& e) { return e.value("registers", 0.0) == registers; });
    QVERIFY(entry != entries.end());
    QCOMPARE(entry->at("shared_bytes").get<double>(), 4096.0);
  }

  void recorded_spaces_hold_them_in_every_format() {
    base::Random random(testing::random_seed());
    StoredSessions sessions;
    trial::RecordingHeader header;
    const store::SessionRecord record = gpu_record(small_space());
    header.task_json = record.task_json;
    header.target_name = record.target_name;
    header.target_json = record.target_json;
    header.options_json = record.options_json;
    trial::RecordingBuilder builder(header, small_space());
    for (const trial::Trial& trial : timed_trials(random)) {
      QVERIFY(builder.add(trial.configuration, trial.measurement));
      builder.set_column("power", trial.configuration, random.uniform());
    }
    const auto recording = *builder.build();
    const store::SessionId id = exchange::store_recording(sessions.store(), recording)->session;
    QCOMPARE(sessions.store().trials().has_resources(id), true);
    for (const std::string format : {"kernel-tuner", "t4"}) {
      QVERIFY(!sessions.exported(id, format).empty());
      const auto imported = exchange::read_import(sessions.path("exported"));
      QVERIFY2(imported, imported ? "" : describe(imported.error()).c_str());
      const auto copy = *exchange::recording_of(imported->parts.front());
      QCOMPARE(copy->size(), recording->size());
      for (std::uint32_t row = 0; row < copy->size(); ++row)
        QVERIFY(copy->measurement(row) == recording->measurement(row));
      QVERIFY(copy->columns() == recording->columns());
    }
  }

  void tables_have_columns_of_them() {
    base::Random random(testing::random_seed());
    StoredSessions sessions;
    const std::vector<trial::Trial> trials = timed_trials(random);
    const store::SessionId id = sessions.add(gpu_record(small_space()), {}, trials);
    exchange::ExportRequest request{.store = sessions.store(), .session = id};
    request.path = sessions.path("table.csv");
    request.columns = {"trial", "registers", "shared_bytes", "limited_by", "build_log"};
    const exchange::ExportFormat& csv = **exchange::find_export_format("csv");
    QVERIFY(exchange::export_session(csv, request));
    std::ifstream file(request.path, std::ios::binary);
    const auto lines = fields_of({std::istreambuf_iterator<char>(file), {}});
    QCOMPARE(lines.size(), trials.size() + 1);
    QVERIFY(lines[0] == request.columns);
    for (std::size_t i = 0; i < trials.size(); ++i) {
      const trial::Measurement& measurement = trials[i].measurement;
      const trial::KernelResources resources = measurement.resources.value_or(trial::KernelResources());
      QCOMPARE(lines[i + 1][1],
               resources.registers > 0 ? std::to_string(resources.registers) : std::string());
      QCOMPARE(lines[i + 1][2],
               measurement.resources ? std::to_string(resources.shared_bytes) : std::string());
      QCOMPARE(lines[i + 1][3], std::string(trial::to_string(resources.limited_by)));
      std::string log = measurement.build_log;
      std::erase(log, '"');
      QCOMPARE(lines[i + 1][4], log);
    }
    request.filter = "registers >= 0 or not registers >= 0";
    QVERIFY(exchange::export_session(csv, request));

    schedule::TargetDescription cpu;
    store::SessionRecord record = gpu_record(small_space());
    record.target_name = cpu.name;
    record.target_json = schedule::target_to_json(cpu);
    request.session = sessions.add(record, {}, {});
    QCOMPARE(exchange::export_session(csv, request).error().code, ErrorCode::NotFound);
    request.columns.clear();
    QCOMPARE(exchange::export_session(csv, request).error().code, ErrorCode::InvalidArgument);
  }

  void kernels_that_were_only_built_have_no_best() {
    base::Random random(testing::random_seed());
    StoredSessions sessions;
    store::Store& store = sessions.store();
    const std::vector<trial::Trial> trials = built_trials(random);
    const store::SessionId id = sessions.add(gpu_record(small_space()), {}, trials);
    QVERIFY(!sessions.exported(id, "json").empty());
    for (const exchange::ImportAs as : {exchange::ImportAs::Session, exchange::ImportAs::Recorded}) {
      const auto imported = exchange::import_file(store, sessions.path("exported"), as);
      QVERIFY2(imported, imported ? "" : describe(imported.error()).c_str());
      const store::SessionSummary copy = *store.sessions().get(imported->sessions.front().session);
      QCOMPARE(copy.status.best_trial, -1);
      QCOMPARE(copy.status.best_seconds, 0.0);
      const auto kept = *store.trials().of(copy.record.id);
      QCOMPARE(kept.size(), trials.size());
      QVERIFY(std::ranges::all_of(kept, [&](const trial::Trial& trial) {
        return std::ranges::any_of(trials, [&](const trial::Trial& original) {
          return original.configuration == trial.configuration && original.measurement == trial.measurement;
        });
      }));
    }
  }

  void formats_that_need_a_time_refuse_them_data() {
    QTest::addColumn<QString>("format");
    for (const char* format : {"kernel-tuner", "t4", "autotvm"}) QTest::newRow(format) << format;
  }
  void formats_that_need_a_time_refuse_them() {
    QFETCH(QString, format);
    base::Random random(testing::random_seed());
    StoredSessions sessions;
    const store::SessionId id = sessions.add(gpu_record(small_space()), {}, built_trials(random));
    exchange::ExportRequest request{.store = sessions.store(), .session = id};
    request.path = sessions.path("refused");
    const exchange::ExportFormat& chosen = **exchange::find_export_format(format.toStdString());
    const Status refused = exchange::export_session(chosen, request);
    QVERIFY(!refused);
    QCOMPARE(refused.error().code, ErrorCode::Refused);
    QVERIFY(refused.error().message.contains("never run") && refused.error().hint.contains("json"));
    QVERIFY(!std::filesystem::exists(request.path));
    request.filter = "invalid";
    const Status written = exchange::export_session(chosen, request);
    QVERIFY2(written, written ? "" : describe(written.error()).c_str());
  }
};

KERNELSCAPE_PLAIN_TEST(ExchangeGpuKernelsTest)

}  // namespace kernelscape::exchange_gpu_kernels_test
#include "exchange_gpu_kernels_test.moc"
