#include <sqlite3.h>

#include <QTest>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <span>

#include "core/analysis/columns.h"
#include "core/base/crc32.h"
#include "core/base/file.h"
#include "core/base/text.h"
#include "core/exchange/formats/session_json.h"
#include "core/measure/worker/protocol.h"
#include "core/store/sqlite.h"
#include "core/trial/fields.h"
#include "core/trial/recording.h"
#include "core/trial/recording_builder.h"
#include "tests/exchange/forged_recording.h"
#include "tests/exchange/stored_session.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/test_program.h"

namespace kernelscape::exchange_trial_fields_test {
using namespace kernelscape::exchange_tests;
using nlohmann::ordered_json;

namespace {

space::SearchSpace small_space() {
  return space::SearchSpace::make({space::Knob::factorization("tile", 24, 3).value()}).value();
}

/** None is zero, so that one that is left out shows. */
template <typename Value>
Value random_value(base::Random& random) {
  if constexpr (std::is_same_v<Value, bool>) return true;
  if constexpr (std::is_same_v<Value, double>) return 0.01 + 0.9 * random.uniform();
  return static_cast<Value>(1 + random.below(60'000));
}

/** Valid, with all that a GPU's kernel has. */
trial::Trial random_gpu_trial(base::Random& random, const space::SearchSpace& space) {
  trial::Trial trial;
  trial.configuration = space.random_member(random).value();
  trial::KernelResources resources;
  const auto fill = [&](auto field) {
    using Field = decltype(field);
    if constexpr (std::is_arithmetic_v<typename Field::Value>) {
      if constexpr (Field::of_resources)
        trial::value_in(field, resources) = random_value<typename Field::Value>(random);
      else if constexpr (!std::is_void_v<typename Field::Owner>)
        trial::value_in(field, trial) = random_value<typename Field::Value>(random);
    }
  };
  trial::for_each_field<trial::trial_fields>(fill);
  trial::for_each_field<trial::gpu_fields>(fill);
  trial::for_each_field<trial::probe_fields>(fill);
  resources.limited_by =
      static_cast<trial::OccupancyLimit>(1 + random.below(trial::occupancy_limit_count - 1));
  for (int sample = 0; sample < 5; ++sample)
    trial.measurement.samples_seconds.push_back(random_value<double>(random));
  trial.measurement.message = "a message";
  trial.measurement.resources = resources;
  trial.measurement.build_log = "a log";
  trial.measurement.worker = "a worker";
  return trial;
}

/** Of two rows of a trial table. */
bool same_row(const trial::Row& a, const trial::Row& b) {
  bool same = a.resources == b.resources;
  const auto compare = [&](auto field) {
    if constexpr (field.has_row_member) same = same && a.*field.in_row == b.*field.in_row;
  };
  trial::for_each_field<trial::trial_fields>(compare);
  trial::for_each_field<trial::gpu_fields>(compare);
  trial::for_each_field<trial::probe_fields>(compare);
  return same;
}

template <const auto& table, int trial::FieldFacts::* place>
std::vector<std::string> keys_at() {
  std::vector<std::string> keys;
  trial::for_each_field<table, place>([&](auto field) { keys.emplace_back(field.facts.key); });
  return keys;
}

/** The names of an object's first members. */
std::vector<std::string> first_members(const ordered_json& object, std::size_t count) {
  std::vector<std::string> names;
  for (const auto& [name, value] : object.items())
    if (names.size() < count) names.push_back(name);
  return names;
}

std::shared_ptr<const trial::Recording> recording_of(const space::SearchSpace& space,
                                                     const trial::Trial& trial) {
  trial::RecordingBuilder builder({}, space);
  const Status added = builder.add(trial.configuration, trial.measurement);
  if (!added) throw std::runtime_error(describe(added.error()));
  return StoredSessions::checked(builder.build());
}

template <typename... Numbers>
std::string bytes_of(Numbers... numbers) {
  std::string bytes;
  (bytes.append(reinterpret_cast<const char*>(&numbers), sizeof numbers), ...);
  return bytes;
}

/** As the checksums of the database have a real: the number, and whether it is one. */
std::string checked_real(double value) { return bytes_of(value, std::uint8_t{1}); }

/** A trial whose bytes can be written by hand. */
trial::Trial known_trial() {
  trial::Trial trial{.number = 3, .batch = 1, .position = 2, .configuration = {{7}}, .measurement = {}};
  trial.finished_seconds = 40;
  trial::Measurement& measurement = trial.measurement;
  measurement.samples_seconds = {2, 3, 4};
  measurement.build_seconds = 5;
  measurement.run_seconds = 6;
  measurement.cut_short = true;
  measurement.preempted_samples = 8;
  measurement.samples_saved = 9;
  measurement.worst_error = 0.25;
  measurement.resources = trial::KernelResources{.registers = 64,
                                                 .spilled_bytes = 16,
                                                 .shared_bytes = 1024,
                                                 .threads = 128,
                                                 .occupancy = 0.5,
                                                 .limited_by = trial::OccupancyLimit::Registers};
  return trial;
}

store::SessionId add_gpu_session(StoredSessions& sessions, const space::SearchSpace& space,
                                 const std::vector<trial::Trial>& trials) {
  const task::Task task = task::make_generic_task({"gemm", "time", "s"}, "log").value();
  return sessions.add(StoredSessions::record_of(task, schedule::default_cuda_target(), space), {}, trials);
}

}  // namespace

/** The one table of a trial's fields, against all that is made from it. */
class ExchangeTrialFieldsTest : public QObject {
  Q_OBJECT

 private slots:
  void every_format_gives_back_every_field() {
    base::Random random(testing::random_seed());
    const space::SearchSpace space = small_space();
    for (int round = 0; round < 10; ++round) {
      StoredSessions sessions;
      const trial::Trial trial = random_gpu_trial(random, space);
      QVERIFY(trial::plausible(trial.measurement));

      const auto json = nlohmann::json::parse(exchange::trial_to_json(trial, space).dump());
      QVERIFY(StoredSessions::checked(exchange::trial_from_json(json, space)) == trial);

      const store::SessionId id = add_gpu_session(sessions, space, {trial});
      QVERIFY(StoredSessions::checked(sessions.store().trials().get(id, trial.number)) == trial);
      const store::ArrivedRow row = StoredSessions::checked(sessions.store().trials().rows(id)).at(0);
      QVERIFY(row.configuration == trial.configuration);
      QVERIFY(same_row(row, trial::make_row(trial, row.message, row.build_log, 1)));
      QCOMPARE(StoredSessions::checked(sessions.store().trials().workers(id)),
               std::vector<std::string>{"a worker"});

      const auto recording = recording_of(space, trial);
      trial::Measurement recorded = trial.measurement;
      recorded.worker.clear();  // replays ask no fleet
      QVERIFY(recording->measurement(0) == recorded);

      trial::Table table(space.knobs().size());
      table.append(row, trial.configuration);
      QVERIFY(same_row(table.snapshot().row(0), row));
    }
  }

  void json_and_the_database_name_the_fields() {
    base::Random random(testing::random_seed());
    const space::SearchSpace space = small_space();
    const trial::Trial trial = random_gpu_trial(random, space);
    const ordered_json object = exchange::trial_to_json(trial, space);
    const auto members = keys_at<trial::trial_fields, &trial::FieldFacts::json>();
    QCOMPARE(first_members(object, members.size()), members);
    const auto of_kernel = keys_at<trial::gpu_fields, &trial::FieldFacts::json>();
    QCOMPARE(first_members(object.at("resources"), of_kernel.size() + 1), of_kernel);
    QCOMPARE(object.at("build_log").get<std::string>(), trial.measurement.build_log);
    for (const std::string& key : keys_at<trial::probe_fields, &trial::FieldFacts::json>())
      QVERIFY(object.contains(key));
    trial::Trial unprobed = known_trial();
    unprobed.configuration = trial.configuration;
    const ordered_json without = exchange::trial_to_json(unprobed, space);
    for (const std::string& key : keys_at<trial::probe_fields, &trial::FieldFacts::json>())
      QVERIFY(!without.contains(key));

    StoredSessions sessions;
    add_gpu_session(sessions, space, {trial});
    auto database = StoredSessions::checked(store::sqlite::Database::open(
        sessions.path("test.db"), SQLITE_OPEN_READONLY, false, std::chrono::milliseconds(1000)));
    std::vector<std::string> columns = keys_at<trial::gpu_fields, &trial::FieldFacts::stored>();
    const auto add = [&](auto field) {
      if constexpr (field.scalar) columns.emplace_back(field.facts.key);
    };
    trial::for_each_field<trial::trial_fields, &trial::FieldFacts::stored>(add);
    trial::for_each_field<trial::trial_fields, &trial::FieldFacts::stored_apart>(add);
    trial::for_each_field<trial::probe_fields, &trial::FieldFacts::stored>(add);
    const Status selected = database.execute("SELECT " + base::join(columns, ", ") + " FROM trial");
    QVERIFY2(selected, selected ? "" : describe(selected.error()).c_str());
  }

  void columns_and_csv_name_the_fields() {
    base::Random random(testing::random_seed());
    const space::SearchSpace space = small_space();
    const trial::Trial trial = random_gpu_trial(random, space);
    trial::Table table(space.knobs().size());
    const trial::Row row = trial::make_row(trial, 0, 0, 1);
    table.append(row, trial.configuration);
    StoredSessions sessions;
    const std::string csv = sessions.exported(add_gpu_session(sessions, space, {trial}), "csv");
    const std::string header = "," + csv.substr(0, csv.find("\r\n")) + ",";
    const analysis::TrialColumns columns(space, 1, true, std::vector{trial.measurement.worker}, false, true);
    const auto compare = [&](auto field) {
      if constexpr (field.facts.column.has_value()) {
        const trial::ColumnFacts& facts = *field.facts.column;
        // Columns of sessions alone whose objective is not the median.
        if (facts.measured == trial::Measured::Objective || facts.measured == trial::Measured::SampleMedian)
          return;
        const analysis::Column& column = columns.columns().at(columns.find(facts.measured).value());
        QCOMPARE(column.name, std::string(facts.name));
        QCOMPARE(column.title, std::string(facts.title));
        QCOMPARE(column.unit, std::string(facts.unit));
        QVERIFY2(header.contains("," + column.name + ","), column.name.c_str());
        double expected = 0;
        if constexpr (field.of_resources)
          expected = static_cast<double>(trial::value_in(field, *row.resources)) * facts.factor;
        else if constexpr (field.of_probe)
          expected = trial::probe_in(field, row) * facts.factor;
        else
          expected = static_cast<double>(row.*field.in_row) * facts.factor;
        if (facts.measured == trial::Measured::LimitedBy || facts.measured == trial::Measured::Worker)
          expected -= 1;
        QCOMPARE(columns.value(table.snapshot(), 0, *columns.find(facts.measured)), expected);
      }
    };
    trial::for_each_field<trial::trial_fields>(compare);
    trial::for_each_field<trial::gpu_fields>(compare);
    trial::for_each_field<trial::probe_fields>(compare);
    QVERIFY(!analysis::TrialColumns(space, 1).find(trial::Measured::ComputeProbeBefore));
  }

  void recordings_name_the_fields() {
    base::Random random(testing::random_seed());
    const space::SearchSpace space = small_space();
    ForgedRecording recording(*recording_of(space, random_gpu_trial(random, space)));
    const auto names = recording.header().at("columns").get<std::vector<std::string>>();
    std::ptrdiff_t last = -1;
    const auto follows = [&](auto field) {
      if (field.facts.key == "category") return;  // NO_ERROR is 0, but never left out
      const auto found = std::ranges::find(names, field.facts.recorded_name()) - names.begin();
      QVERIFY2(found < std::ssize(names) && found > last, std::string(field.facts.key).c_str());
      last = found;
    };
    QVERIFY(std::ranges::find(names, "category") != names.end());
    trial::for_each_field<trial::trial_fields, &trial::FieldFacts::recorded>(follows);
    trial::for_each_field<trial::gpu_fields, &trial::FieldFacts::recorded>(follows);
    trial::for_each_field<trial::probe_fields, &trial::FieldFacts::recorded>(follows);
  }

  void recordings_of_before_are_written_as_they_were_data() {
    QTest::addColumn<QString>("name");
    for (const char* name : {"complete", "constrained", "extra_columns", "gpu_kernels", "one_row"})
      QTest::newRow(name) << name;
  }
  /** The kept files are of both versions. */
  void recordings_of_before_are_written_as_they_were() {
    QFETCH(QString, name);
    const auto path =
        std::filesystem::path(KERNELSCAPE_SOURCE_DIR) / "tests/fuzz/corpus/recording" / name.toStdString();
    const auto kept = StoredSessions::checked(trial::Recording::open(path));
    trial::RecordingBuilder builder(kept->header(), kept->whole_space());
    for (std::uint32_t row = 0; row < kept->size(); ++row)
      QVERIFY(builder.add(kept->configuration(row), kept->measurement(row)));
    for (const trial::RecordedColumn& column : kept->columns())
      for (std::uint32_t row = 0; row < kept->size(); ++row)
        if (!std::isnan(column.values[row]))
          builder.set_column(column.name, kept->configuration(row), column.values[row]);
    QVERIFY(StoredSessions::checked(builder.build())->bytes() == kept->bytes());
  }

  void messages_of_workers_keep_their_bytes() {
    const trial::Measurement measurement = known_trial().measurement;
    QVERIFY(
        measure::encode_message(measure::RunReply{.measurement = measurement, .machine_fault = {}})
            .starts_with(bytes_of(std::uint8_t{0}, std::uint64_t{3}, 2.0, 3.0, 4.0, 5.0, 6.0, std::uint8_t{1},
                                  std::uint32_t{8}, std::uint32_t{9}, 0.25, std::uint64_t{0})));
    measure::WireWriter writer;
    writer.write(*measurement.resources);
    QVERIFY(writer.take() == bytes_of(std::int32_t{64}, std::int64_t{16}, std::int64_t{1024},
                                      std::int32_t{128}, 0.5, std::uint8_t{3}));
  }

  void checksums_of_trials_stay() {
    const space::SearchSpace space = small_space();
    const trial::Trial trial = known_trial();
    StoredSessions sessions;
    add_gpu_session(sessions, space, {trial});
    auto database = StoredSessions::checked(store::sqlite::Database::open(
        sessions.path("test.db"), SQLITE_OPEN_READONLY, false, std::chrono::milliseconds(1000)));
    const auto integers = [](auto... values) { return bytes_of(static_cast<std::int64_t>(values)...); };
    const std::string row = integers(3, 1, 2, 0, 1, 3, 0, 9) + checked_real(3) + checked_real(2.5) +
                            checked_real(3.5) + checked_real(5) + checked_real(6) + checked_real(40) +
                            integers(4) + bytes_of(std::uint32_t{7});
    const std::string kernel = integers(1, 64, 16, 1024, 128, 3, 0) + checked_real(0.5);
    const std::uint64_t expected = std::uint64_t{base::crc32(kernel)} << 32 | base::crc32(row);
    QCOMPARE(static_cast<std::uint64_t>(database.integer("SELECT row_checksum FROM trial").value()),
             expected);
    const std::string samples =
        integers(24) + bytes_of(2.0, 3.0, 4.0) + integers(8) + checked_real(0.25) + checked_real(0);
    QCOMPARE(database.integer("SELECT samples_checksum FROM trial").value(),
             std::int64_t{base::crc32(samples)});
  }
};

KERNELSCAPE_TEST(ExchangeTrialFieldsTest, QCoreApplication)

}  // namespace kernelscape::exchange_trial_fields_test
#include "exchange_trial_fields_test.moc"
