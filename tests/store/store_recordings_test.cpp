#include <QTest>
#include <algorithm>

#include "core/store/schema.h"
#include "core/trial/recording_builder.h"
#include "tests/store/random_session.h"
#include "tests/test_program.h"
#include "tests/trial/random_recording.h"

namespace kernelscape::store_recordings_test {
using namespace kernelscape::store_test;
using recording_test::ExpectedRecording;
using recording_test::SpaceShape;

namespace {

std::shared_ptr<const trial::Recording> some_recording(base::Random& random) {
  const auto shape = static_cast<SpaceShape>(random.below(4));
  const bool all = shape != SpaceShape::Wide && random.chance(0.3);
  const ExpectedRecording expected = recording_test::random_recording(random, shape, all);
  return *recording_test::build(random, expected);
}

store::SessionRecord record_of(base::Random& random, store::SessionKind kind, store::RecordingId recording) {
  store::SessionRecord record = random_record(random);
  record.kind = kind;
  record.recording = recording;
  record.real_measurements = false;
  return record;
}

/** Batches of a tuner that never proposes a row twice, as far as there are rows. */
std::vector<store::ReplayedBatch> random_batches(base::Random& random, const trial::Recording& recording) {
  std::vector<std::uint32_t> rows(recording.size());
  for (std::uint32_t row = 0; row < rows.size(); ++row) rows[row] = row;
  random.shuffle(std::span(rows));
  rows.resize(1 + random.below(rows.size()));
  std::vector<store::ReplayedBatch> batches;
  for (std::size_t next = 0; next < rows.size();) {
    const std::size_t count = std::min(rows.size() - next, 1 + random.below(9));
    store::ReplayedBatch batch{static_cast<std::int32_t>(batches.size()),
                               static_cast<std::int64_t>(next),
                               random_seconds(random),
                               {},
                               {}};
    for (std::size_t i = 0; i < count; ++i) {
      batch.rows.push_back(rows[next + i]);
      batch.finished_seconds.push_back(random_seconds(random));
    }
    batches.push_back(batch);
    next += count;
  }
  return batches;
}

/** Trials as a session that measured the same would have stored them. */
std::vector<trial::Trial> trials_of(const std::vector<store::ReplayedBatch>& batches,
                                    const trial::Recording& recording) {
  std::vector<trial::Trial> trials;
  for (const store::ReplayedBatch& batch : batches) {
    for (std::size_t i = 0; i < batch.rows.size(); ++i) {
      trials.push_back({static_cast<std::int64_t>(trials.size()), batch.batch, static_cast<std::int32_t>(i),
                        recording.configuration(batch.rows[i]), recording.measurement(batch.rows[i]),
                        batch.finished_seconds[i]});
    }
  }
  return trials;
}

bool same_row(const trial::Row& a, const trial::Row& b) {
  return a.number == b.number && a.batch == b.batch && a.position == b.position && a.category == b.category &&
         a.cut_short == b.cut_short && a.sample_count == b.sample_count &&
         a.samples_saved == b.samples_saved && a.median_seconds == b.median_seconds &&
         a.first_quartile_seconds == b.first_quartile_seconds &&
         a.third_quartile_seconds == b.third_quartile_seconds && a.build_seconds == b.build_seconds &&
         a.run_seconds == b.run_seconds && a.finished_seconds == b.finished_seconds &&
         a.resources == b.resources;
}

void compare_rows(const store::Store& store, store::SessionId id, const std::vector<trial::Trial>& expected,
                  std::size_t skip) {
  const auto rows = store.trials().rows(id, static_cast<std::int64_t>(skip));
  VERIFY_RESULT(rows);
  QCOMPARE(rows->size(), expected.size() - std::min(skip, expected.size()));
  for (std::size_t i = 0; i < rows->size(); ++i) {
    const trial::Trial& trial = expected[skip + i];
    const store::ArrivedRow& row = (*rows)[i];
    QVERIFY(same_row(row, trial::make_row(trial, 0)));
    QVERIFY(row.configuration == trial.configuration);
    QCOMPARE(row.message == 0, trial.measurement.message.empty());
    if (row.message != 0) QCOMPARE(store.trials().message(row.message).value(), trial.measurement.message);
    QCOMPARE(row.build_log == 0, trial.measurement.build_log.empty());
    if (row.build_log != 0)
      QCOMPARE(store.trials().message(row.build_log).value(), trial.measurement.build_log);
  }
}

void compare_trials(const store::Store& store, store::SessionId id, const std::vector<trial::Trial>& expected,
                    base::Random& random) {
  const auto all = store.trials().of(id);
  VERIFY_RESULT(all);
  QVERIFY(*all == expected);
  compare_rows(store, id, expected, 0);
  for (int round = 0; round < 5; ++round) {
    const std::size_t first = random.below(expected.size() + 2);
    const std::size_t count = random.below(12);
    std::vector<trial::Trial> some;
    for (std::size_t i = first; i < std::min(expected.size(), first + count); ++i)
      some.push_back(expected[i]);
    QVERIFY(
        store.trials().of(id, static_cast<std::int64_t>(first), static_cast<std::int64_t>(count)).value() ==
        some);
    compare_rows(store, id, expected, first);
  }
  QVERIFY(store.trials().get(id, expected.back().number).value() == expected.back());
  QCOMPARE(store.trials().get(id, std::ssize(expected)).error().code, ErrorCode::NotFound);
}

store::SessionStatus counted(std::int64_t trials) {
  store::SessionStatus status;
  status.trial_count = trials;
  return status;
}

void delete_session(store::Store& store, store::SessionId id) {
  VERIFY_RESULT(store.sessions().release(id, store::Owner::this_process()));
  VERIFY_RESULT(store.sessions().remove(id));
}

Result<store::sqlite::Database> open_raw(const std::filesystem::path& path) {
  return store::sqlite::Database::open(path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, false,
                                       std::chrono::milliseconds(1000));
}

}  // namespace

class StoreRecordingsTest : public QObject {
  Q_OBJECT

 private slots:
  void replayed_trials_are_the_recordings_rows() {
    base::Random random = printed_random();
    const Folder folder;
    auto store = store::Store::open(folder.file());
    VERIFY_RESULT(store);
    for (int round = 0; round < 15; ++round) {
      const auto recording = some_recording(random);
      const store::RecordingId recording_id = store->recordings().add(*recording).value();
      const auto id = store->sessions().create(record_of(random, store::SessionKind::Replayed, recording_id),
                                               store::Owner::this_process());
      VERIFY_RESULT(id);
      QVERIFY(store->trials().of(*id)->empty());
      QVERIFY(store->batches().of(*id)->empty());
      const std::vector<store::ReplayedBatch> batches = random_batches(random, *recording);
      const std::vector<trial::Trial> expected = trials_of(batches, *recording);
      for (std::size_t next = 0; next < batches.size();) {
        const std::size_t count = std::min(batches.size() - next, 1 + random.below(4));
        const std::vector<store::StoredSeries> series{
            {batches[next].first_trial, "epsilon", random.uniform()}};
        const store::SessionStatus status = counted(batches[next + count - 1].first_trial);
        VERIFY_RESULT(
            store->batches().append_replayed(*id, std::span(batches).subspan(next, count), series, status));
        QCOMPARE(store->sessions().get(*id)->status.trial_count, status.trial_count);
        QVERIFY(store->series().of(*id)->back() == series.front());
        next += count;
      }
      if (random.chance(0.5)) store = store::Store::open(folder.file());
      compare_trials(*store, *id, expected, random);
      const auto stored = store->batches().of(*id);
      VERIFY_RESULT(stored);
      QCOMPARE(stored->size(), batches.size());
      std::size_t trial = 0;
      for (std::size_t i = 0; i < batches.size(); ++i) {
        QCOMPARE((*stored)[i].batch, batches[i].batch);
        QCOMPARE((*stored)[i].search_seconds, batches[i].search_seconds);
        for (const space::Configuration& candidate : (*stored)[i].candidates)
          QVERIFY(candidate == expected[trial++].configuration);
      }
      QCOMPARE(trial, expected.size());
      QCOMPARE(store->sessions().get(*id)->record.kind, store::SessionKind::Replayed);
      QCOMPARE(store->sessions().get(*id)->record.recording, recording_id);
    }
  }

  void a_recorded_space_is_a_session_of_its_rows() {
    base::Random random = printed_random();
    const Folder folder;
    auto store = store::Store::open(folder.file());
    for (int round = 0; round < 10; ++round) {
      const auto recording = some_recording(random);
      const store::RecordingId recording_id = store->recordings().add(*recording).value();
      const store::SessionId id = store->sessions()
                                      .create(record_of(random, store::SessionKind::Recorded, recording_id),
                                              store::Owner::this_process())
                                      .value();
      std::vector<trial::Trial> expected;
      double now = 0;
      for (std::uint32_t row = 0; row < recording->size(); ++row) {
        const trial::Measurement measurement = recording->measurement(row);
        now += measurement.build_seconds + measurement.run_seconds;
        const auto number = static_cast<std::int32_t>(row);
        expected.push_back({row, 0, number, recording->configuration(row), measurement, now});
      }
      compare_trials(*store, id, expected, random);
      const auto batches = store->batches().of(id).value();
      QCOMPARE(batches.size(), 1U);
      QCOMPARE(batches.front().candidates.size(), expected.size());
    }
  }

  void equal_recordings_are_kept_once() {
    base::Random random = printed_random();
    const Folder folder;
    auto store = store::Store::open(folder.file());
    const auto first = some_recording(random);
    const auto second = some_recording(random);
    const store::RecordingId id = store->recordings().add(*first).value();
    QVERIFY(store->recordings().add(*second).value() != id);
    QCOMPARE(store->recordings()
                 .add(*trial::Recording::from_bytes(std::string(first->bytes()), "again").value())
                 .value(),
             id);
    QCOMPARE(store->recordings().get(id).value()->bytes(), first->bytes());
    QVERIFY(store->recordings().get(id).value() == store->recordings().get(id).value());  // shared
    QCOMPARE(store->recordings().get(77).error().code, ErrorCode::NotFound);
    const store::Store reader = std::move(*store::Store::open(folder.file(), store::OpenMode::ReadOnly));
    QCOMPARE(reader.recordings().get(id).value()->hash(), first->hash());
  }

  void the_last_session_takes_its_recording_along() {
    base::Random random = printed_random();
    const Folder folder;
    auto store = store::Store::open(folder.file());
    const auto recording = some_recording(random);
    const store::RecordingId id = store->recordings().add(*recording).value();
    const store::RecordingId waiting = store->recordings().add(*some_recording(random)).value();
    const auto make = [&](store::SessionKind kind) {
      return store->sessions().create(record_of(random, kind, id), store::Owner::this_process()).value();
    };
    const store::SessionId recorded = make(store::SessionKind::Recorded);
    const store::SessionId replayed = make(store::SessionKind::Replayed);
    VERIFY_RESULT(store->batches().append_replayed(replayed, random_batches(random, *recording), {}, {}));
    const auto still_there = [&](store::RecordingId which) {
      return store::Store::open(folder.file())->recordings().get(which).has_value();
    };
    delete_session(*store, recorded);
    QVERIFY(still_there(id));
    QVERIFY(!store->trials().of(replayed)->empty());
    QVERIFY(store->trials().of(recorded)->empty());
    QVERIFY(store->trials().rows(recorded)->empty());
    delete_session(*store, replayed);
    QVERIFY(!still_there(id));
    QVERIFY(still_there(waiting));  // its first session is still to come
    auto raw = open_raw(folder.file());
    for (const char* empty : {"SELECT count(*) FROM replayed_batch", "SELECT count(*) FROM space"})
      QCOMPARE(raw->integer(empty).value(), 0);
    QVERIFY(store->recordings().add(*recording).value() > waiting);  // numbers are not used twice
  }

  void a_space_is_stored_once() {
    base::Random random = printed_random();
    const Folder folder;
    auto store = store::Store::open(folder.file());
    store::SessionRecord record = random_record(random);
    record.space_json = "a long text";
    std::vector<store::SessionId> ids;
    for (int i = 0; i < 3; ++i)
      ids.push_back(store->sessions().create(record, store::Owner::this_process()).value());
    record.space_json = "another text of the same fingerprint";
    ids.push_back(store->sessions().create(record, store::Owner::this_process()).value());
    auto raw = open_raw(folder.file());
    QCOMPARE(raw->integer("SELECT count(*) FROM space").value(), 2);
    QCOMPARE(store->sessions().get(ids[1])->record.space_json, std::string("a long text"));
    QCOMPARE(store->sessions().get(ids[3])->record.space_json, record.space_json);
    QCOMPARE(store->sessions().all()->front().record.space_json, record.space_json);
    QCOMPARE(store->sessions().list()->front().record.space_json, std::string());
    delete_session(*store, ids[0]);
    delete_session(*store, ids[3]);
    QCOMPARE(raw->integer("SELECT count(*) FROM space").value(), 1);
    QCOMPARE(store->sessions().get(ids[2])->record.space_json, std::string("a long text"));
  }

  void refused_batches_change_nothing() {
    base::Random random = printed_random();
    const Folder folder;
    auto store = store::Store::open(folder.file());
    const auto recording = some_recording(random);
    const store::RecordingId recording_id = store->recordings().add(*recording).value();
    const store::SessionId id = store->sessions()
                                    .create(record_of(random, store::SessionKind::Replayed, recording_id),
                                            store::Owner::this_process())
                                    .value();
    const store::ReplayedBatch good{0, 0, 1, {0}, {2}};
    VERIFY_RESULT(store->batches().append_replayed(id, std::vector{good}, {}, counted(1)));
    const store::ReplayedBatch next{1, 1, 1, {0}, {2}};
    const store::ReplayedBatch empty{2, 2, 1, {}, {}};
    const store::ReplayedBatch uneven{2, 2, 1, {0, 0}, {2}};
    for (const store::ReplayedBatch& bad : {good, empty, uneven}) {
      QVERIFY(!store->batches().append_replayed(id, std::vector{next, bad}, {}, counted(9)));
      QCOMPARE(store->trials().of(id)->size(), 1U);
      QCOMPARE(store->sessions().get(id)->status.trial_count, 1);
    }
    VERIFY_RESULT(store->batches().append_replayed(id, std::vector{next}, {}, counted(2)));
    const store::SessionId measured =
        store->sessions().create(random_record(random), store::Owner::this_process()).value();
    QVERIFY(!store->batches().append_replayed(measured, std::vector{next}, {}, {}));
    QVERIFY(!store->sessions().create(record_of(random, store::SessionKind::Replayed, 0),
                                      store::Owner::this_process()));
    QVERIFY(!store->sessions().create(record_of(random, store::SessionKind::Replayed, 99),
                                      store::Owner::this_process()));
    QVERIFY(!store->sessions().create(record_of(random, store::SessionKind::Measured, recording_id),
                                      store::Owner::this_process()));
  }

  void a_row_outside_of_its_recording_is_damage() {
    base::Random random = printed_random();
    const Folder folder;
    auto store = store::Store::open(folder.file());
    const auto recording = some_recording(random);
    const store::RecordingId recording_id = store->recordings().add(*recording).value();
    const store::SessionId id = store->sessions()
                                    .create(record_of(random, store::SessionKind::Replayed, recording_id),
                                            store::Owner::this_process())
                                    .value();
    const std::vector<store::ReplayedBatch> batches{{0, 0, 1, {recording->size()}, {2}}};
    VERIFY_RESULT(store->batches().append_replayed(id, batches, {}, {}));
    QCOMPARE(store->trials().of(id).error().code, ErrorCode::Corrupt);
    QCOMPARE(store->trials().rows(id).error().code, ErrorCode::Corrupt);
    QCOMPARE(store->batches().of(id).error().code, ErrorCode::Corrupt);
    auto raw = open_raw(folder.file());
    VERIFY_RESULT(raw->execute("UPDATE recording SET bytes = substr(bytes, 1, length(bytes) - 8)"));
    store = store::Store::open(folder.file());
    QCOMPARE(store->recordings().get(recording_id).error().code, ErrorCode::Corrupt);
    QCOMPARE(store->trials().of(id).error().code, ErrorCode::Corrupt);
  }

  void messages_of_recordings_have_ids_of_their_own() {
    base::Random random = printed_random();
    const Folder folder;
    auto store = store::Store::open(folder.file());
    QCOMPARE(store->trials().message(-1).error().code, ErrorCode::NotFound);
    QCOMPARE(store->trials().message(std::numeric_limits<std::int64_t>::min()).error().code,
             ErrorCode::NotFound);
    QCOMPARE(store->trials().message(0).error().code, ErrorCode::NotFound);
    const space::SearchSpace space = *space::SearchSpace::make({*space::Knob::factorization("a", 64, 2)});
    std::vector<store::SessionId> ids;
    for (const char* text : {"first", "second"}) {
      trial::RecordingBuilder builder(recording_test::named_header(text), space);
      VERIFY_RESULT(builder.add({{0}}, recording_test::failed(trial::ErrorCategory::CompileHost, text)));
      const store::RecordingId recording = store->recordings().add(**builder.build()).value();
      ids.push_back(store->sessions()
                        .create(record_of(random, store::SessionKind::Recorded, recording),
                                store::Owner::this_process())
                        .value());
    }
    const std::int64_t first = store->trials().rows(ids[0])->front().message;
    const std::int64_t second = store->trials().rows(ids[1])->front().message;
    QVERIFY(first < 0 && second < 0 && first != second);
    QCOMPARE(store->trials().message(first).value(), std::string("first"));
    QCOMPARE(store->trials().message(second).value(), std::string("second"));
    QCOMPARE(store->trials().message(first + 1).error().code, ErrorCode::NotFound);
  }

  void an_imported_files_own_objective_stays() {
    base::Random random = printed_random();
    const Folder folder;
    auto store = store::Store::open(folder.file());
    store::SessionRecord record = random_record(random);
    record.kind = store::SessionKind::Imported;
    const store::SessionId id = store->sessions().create(record, store::Owner::this_process()).value();
    std::vector<trial::Trial> trials;
    for (int number = 0; number < 200; ++number) {
      trial::Trial trial = random_trial(random, number, 3);
      if (trial.measurement.valid() && random.chance(0.6))
        trial.measurement.recorded_seconds = random.uniform();
      trials.push_back(trial);
    }
    VERIFY_RESULT(store->trials().append(id, trials, counted(200)));
    store = store::Store::open(folder.file());
    compare_trials(*store, id, trials, random);
    QCOMPARE(store->sessions().get(id)->record.kind, store::SessionKind::Imported);
  }

  void older_databases_are_led_here() {
    for (const std::size_t version : {1U, 2U, 3U}) {
      const Folder folder;
      auto raw = open_raw(folder.file());
      VERIFY_RESULT(raw);
      VERIFY_RESULT(store::migrate(*raw, store::schema_migrations().first(version), true));
      const bool own_spaces = version < 3;
      if (!own_spaces) VERIFY_RESULT(raw->execute("INSERT INTO space VALUES (1, -5, 'one'), (2, -5, 'two')"));
      for (const char* space : {"'one'", "'two'", "'one'"}) {
        const std::string place =
            own_spaces ? space : std::string("(SELECT id FROM space WHERE text = ") + space + ")";
        const std::string values = "'n','2026-01-02T03:04:05Z','v','t','{}','cuda:0','{}','x',1," + place +
                                   ",-5,'ga','{}','{}','{}',-1,64,'[]',0";
        VERIFY_RESULT(raw->execute(
            "INSERT INTO session (name, created_utc, program_version, task_name, task_json, target_name, "
            "target_json, template_name, template_version, " +
            std::string(own_spaces ? "space_json" : "space") +
            ", space_fingerprint, tuner, settings_json, "
            "options_json, budget_json, seed, batch_size, history_json, real_measurements) VALUES (" +
            values +
            "); INSERT INTO status SELECT max(id), 2, 'why', 1, 0, 0.5, 4, 1, 1, 2, '', NULL, NULL, NULL "
            "FROM session"));
      }
      VERIFY_RESULT(
          raw->execute("INSERT INTO trial VALUES ((2 << 32), 2, 0, 0, 0, 0, 0, 0.5, 0.5, 0.5, 1, 2, 3, NULL, "
                       "x'01000000', x'000000000000e03f', 4, 5, 0.25" +
                       std::string(own_spaces ? ")" : ", NULL)")));
      auto store = store::Store::open(folder.file());
      VERIFY_RESULT(store);
      const auto sessions = store->sessions().all().value();
      QCOMPARE(sessions.size(), 3U);
      QCOMPARE(sessions[0].record.space_json, std::string("one"));
      QCOMPARE(sessions[1].record.space_json, std::string("two"));
      QCOMPARE(sessions[0].record.space_fingerprint, ~std::uint64_t{4});
      QCOMPARE(sessions[0].record.seed, ~std::uint64_t{0});
      QCOMPARE(sessions[0].record.kind, store::SessionKind::Measured);
      QCOMPARE(sessions[0].status.state, store::SessionState::Done);
      QCOMPARE(raw->integer("SELECT count(*) FROM space").value(), 2);
      trial::Measurement measurement = recording_test::timed({0.5}, 1, 2);
      measurement.preempted_samples = 4;
      measurement.samples_saved = 5;
      measurement.worst_error = 0.25;
      const trial::Trial expected{0, 0, 0, {{1}}, measurement, 3};
      QVERIFY(store->trials().of(2).value() == std::vector{expected});
      // It goes on like any other.
      trial::Trial next = expected;
      next.number = 1;
      next.measurement.recorded_seconds = 0.125;
      next.measurement.resources =
          trial::KernelResources{.registers = 40, .limited_by = trial::OccupancyLimit::Registers};
      next.measurement.build_log = "a log";
      VERIFY_RESULT(store->trials().append(2, std::vector{next}, counted(2)));
      QVERIFY(store->trials().get(2, 1).value() == next);
      QCOMPARE(store->trials().rows(2)->back().median_seconds, 0.125);
      QVERIFY(!store->trials().rows(2)->front().resources && store->trials().rows(2)->back().resources);
      VERIFY_RESULT(store->sessions().remove(3));
      QCOMPARE(store->sessions().get(1)->record.space_json, std::string("one"));
      QCOMPARE(raw->integer("PRAGMA foreign_key_check").value(), 0);
      QVERIFY(store->sessions().create({}, store::Owner::this_process()).value() > 3);
    }
  }
};

KERNELSCAPE_PLAIN_TEST(StoreRecordingsTest)

}  // namespace kernelscape::store_recordings_test
#include "store_recordings_test.moc"
