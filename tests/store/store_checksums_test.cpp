#include <QTest>
#include <algorithm>

#include "core/trial/measure_options.h"
#include "tests/store/damage_support.h"
#include "tests/store/whole_store.h"
#include "tests/test_program.h"

namespace kernelscape::store_checksums_test {
using namespace kernelscape::store_test;

namespace {

namespace fs = std::filesystem;

}  // namespace

/** Values that are not what was stored, and schemas that are not ours: told, where they are, and nowhere
 * else. */
class StoreChecksumsTest : public QObject {
  Q_OBJECT

 private slots:
  void damaged_values_are_never_taken_for_good_ones() {
    base::Random random = printed_random();
    const Folder folder;
    const std::vector<trial::Trial> trials = make_database(folder.file());
    const auto sessions =
        store::Store::open(folder.file(), store::OpenMode::ReadOnly)->sessions().all().value();
    const auto batches =
        store::Store::open(folder.file(), store::OpenMode::ReadOnly)->batches().of(1).value();
    const auto confirmed =
        store::Store::open(folder.file(), store::OpenMode::ReadOnly)->confirmations().of(1).value();
    const QByteArray whole = bytes_of(folder.file());
    int noticed = 0;
    for (int round = 0; round < 300; ++round) {
      QByteArray damaged = whole;
      const auto at = static_cast<qsizetype>(random.below(static_cast<std::uint64_t>(damaged.size())));
      // Nobody changes a checksum so that it is none: one byte in each place tells enough.
      damaged[at] = static_cast<char>(damaged[at] ^ static_cast<char>(1 + random.below(255)));
      const fs::path path = folder.file("damaged.db");
      write_bytes(path, damaged);
      const auto store = store::Store::open(path, store::OpenMode::ReadOnly);
      if (!store) continue;
      const Status read = read_everything(*store);
      noticed += read ? 0 : 1;
      if (const auto now = store->trials().of(1)) {
        for (const trial::Trial& trial : *now) {
          const bool same =
              trial.number < std::ssize(trials) && trial == trials[static_cast<std::size_t>(trial.number)];
          QVERIFY2(same, qPrintable(QString("trial %1, byte %2").arg(trial.number).arg(at)));
        }
      }
      if (const auto rows = store->trials().rows(1)) {
        for (const store::ArrivedRow& row : *rows) {
          QVERIFY(row.number < std::ssize(trials));
          const trial::Trial& trial = trials[static_cast<std::size_t>(row.number)];
          const trial::Row wanted = trial::make_row(trial, row.message, row.build_log);
          const bool same = row.median_seconds == wanted.median_seconds && row.category == wanted.category &&
                            row.build_seconds == wanted.build_seconds &&
                            row.finished_seconds == wanted.finished_seconds &&
                            row.configuration == trial.configuration;
          QVERIFY2(same, qPrintable(QString("row %1, byte %2").arg(row.number).arg(at)));
        }
      }
      if (const auto now = store->batches().of(1); now && !now->empty()) QVERIFY(*now == batches);
      if (const auto now = store->confirmations().of(1); now && !now->empty()) QVERIFY(*now == confirmed);
      if (const auto now = store->sessions().all()) {
        for (const store::SessionSummary& summary : *now) {
          const auto known = std::ranges::find(
              sessions, summary.record.id, [](const store::SessionSummary& one) { return one.record.id; });
          if (known == sessions.end()) continue;  // its number was damaged, which trials are found by
          QVERIFY(summary.record.task_json == known->record.task_json);
          QVERIFY(summary.record.target_json == known->record.target_json);
          QVERIFY(summary.record.seed == known->record.seed);
          QVERIFY(summary.record.space_json == known->record.space_json || summary.record.space_json.empty());
          QVERIFY(summary.status.trial_count == known->status.trial_count);
          QVERIFY(summary.status.best_seconds == known->status.best_seconds);
        }
      }
    }
    QVERIFY(noticed > 0);
  }

  void a_damaged_session_hides_no_other_data() {
    QTest::addColumn<QString>("sql");
    QTest::addRow("its checksum") << "UPDATE session SET checksum = checksum + 1 WHERE id = 2";
    QTest::addRow("what it was made from") << "UPDATE session SET task_json = task_json || ' ' WHERE id = 2";
    QTest::addRow("its space")
        << "UPDATE space SET text = text || ' ' WHERE id = (SELECT space FROM session WHERE id = 2)";
    QTest::addRow("its status") << "UPDATE status SET best_seconds = best_seconds + 1 WHERE session = 2";
    QTest::addRow("an unknown state") << "UPDATE status SET state = 256 WHERE session = 2";
    QTest::addRow("an unknown kind") << "UPDATE session SET kind = 77 WHERE id = 2";
    QTest::addRow("a negative count")
        << "UPDATE status SET trial_count = -5, checksum = NULL WHERE session = 2";
    QTest::addRow("endless seconds")
        << "UPDATE status SET session_seconds = 9e999, checksum = NULL WHERE session = 2";
    QTest::addRow("negative seconds")
        << "UPDATE status SET best_seconds = -1, checksum = NULL WHERE session = 2";
    QTest::addRow("no time")
        << "UPDATE session SET created_utc = 'then' || char(27), checksum = NULL WHERE id = 2";
    QTest::addRow("no recording") << "UPDATE session SET kind = 1, checksum = NULL WHERE id = 2";
  }
  void a_damaged_session_hides_no_other() {
    QFETCH(QString, sql);
    const Folder folder;
    make_database(folder.file());
    QVERIFY(RawDatabase(folder.file()).run("PRAGMA ignore_check_constraints = ON; " + sql.toStdString()));
    const auto store = store::Store::open(folder.file(), store::OpenMode::ReadOnly);
    VERIFY_RESULT(store);
    std::vector<Error> unreadable;
    const auto sessions = store->sessions().all(&unreadable);
    VERIFY_RESULT(sessions);
    QCOMPARE(sessions->size(), 2U);
    QCOMPARE(unreadable.size(), 1U);
    QVERIFY(is_error(unreadable.front(), ErrorCode::Corrupt, folder.file()));
    QVERIFY(unreadable.front().message.contains("session 2"));
    QVERIFY(is_error(store->sessions().get(2).error(), ErrorCode::Corrupt, folder.file()));
    VERIFY_RESULT(store->sessions().get(1));
    VERIFY_RESULT(store->trials().of(1));
    QCOMPARE(store->sessions().all()->size(), 2U);
    const bool in_lists = sql.contains("UPDATE space") ? store->sessions().list()->size() == 3
                                                       : store->sessions().list()->size() == 2;
    QVERIFY(in_lists);
  }

  void a_damaged_trial_is_named_data() {
    QTest::addColumn<QString>("sql");
    QTest::addColumn<bool>("in_rows");
    QTest::addRow("a time") << "UPDATE trial SET finished_seconds = finished_seconds + 1" << true;
    QTest::addRow("a configuration") << "UPDATE trial SET configuration = zeroblob(20)" << true;
    QTest::addRow("another space's configuration")
        << "UPDATE trial SET configuration = zeroblob(8), row_checksum = NULL" << true;
    QTest::addRow("half a value") << "UPDATE trial SET configuration = zeroblob(18), row_checksum = NULL"
                                  << true;
    QTest::addRow("an unknown category") << "UPDATE trial SET category = 99, row_checksum = NULL" << true;
    QTest::addRow("a negative number") << "UPDATE trial SET batch = -1, row_checksum = NULL" << true;
    QTest::addRow("endless seconds") << "UPDATE trial SET build_seconds = 9e999, row_checksum = NULL" << true;
    QTest::addRow("its worst error") << "UPDATE trial SET worst_error = 0.25" << false;
    QTest::addRow("samples") << "UPDATE trial SET samples = zeroblob(length(samples) + 8)" << true;
    QTest::addRow("samples that are no numbers")
        << "UPDATE trial SET samples = x'000000000000f87f', row_checksum = NULL, samples_checksum = NULL"
        << false;
    QTest::addRow("one sample more than there can be")
        << "UPDATE trial SET samples = zeroblob(800008), row_checksum = NULL, samples_checksum = NULL"
        << true;
  }
  void a_damaged_trial_is_named() {
    QFETCH(QString, sql);
    QFETCH(bool, in_rows);
    const Folder folder;
    make_database(folder.file());
    QVERIFY(
        RawDatabase(folder.file())
            .run("PRAGMA ignore_check_constraints = ON; UPDATE session SET checksum = NULL WHERE id = 2; " +
                 sql.toStdString() + " WHERE session = 2 AND number = 7"));
    const auto store = store::Store::open(folder.file(), store::OpenMode::ReadOnly);
    VERIFY_RESULT(store);
    const auto trials = store->trials().of(2);
    QVERIFY(is_error(trials.error(), ErrorCode::Corrupt, folder.file()));
    QVERIFY(trials.error().message.contains("trial 7 of session 2"));
    QCOMPARE(store->trials().rows(2).has_value(), !in_rows);
    QCOMPARE(store->trials().of(2, 0, 7)->size(), 7U);
    QCOMPARE(store->trials().of(2, 8)->size(), 52U);
    VERIFY_RESULT(store->trials().of(1));
    QCOMPARE(store->sessions().list()->size(), 3U);
  }

  void as_many_samples_as_there_can_be_are_read() {
    base::Random random = printed_random();
    const Folder folder;
    auto store = store::Store::open(folder.file());
    const store::SessionId id = store->sessions().create({}, store::Owner::this_process()).value();
    trial::Trial trial = random_trial(random, 0, 3);
    trial.measurement.category = trial::ErrorCategory::NoError;
    trial.measurement.samples_seconds.assign(trial::max_repeats, 0.5);
    VERIFY_RESULT(store->trials().append(id, std::vector{trial}, counted(1)));
    const trial::Confirmation confirmation{0, "2026-01-02T03:04:05Z", trial.measurement.samples_seconds};
    VERIFY_RESULT(store->confirmations().append(id, std::vector{confirmation}));
    QVERIFY(store->trials().get(id, 0).value() == trial);
    VERIFY_RESULT(store->trials().rows(id));
    QVERIFY(store->confirmations().of(id).value().front() == confirmation);
  }

  /** A stranger's database says how much memory its samples would be. */
  void samples_without_end_are_not_read() {
    const Folder folder;
    make_database(folder.file());
    QVERIFY(RawDatabase(folder.file())
                .run("PRAGMA ignore_check_constraints = ON; UPDATE session SET checksum = NULL; "
                     "UPDATE trial SET samples = zeroblob(20000000), row_checksum = NULL, "
                     "samples_checksum = NULL WHERE session = 2 AND number = 7; "
                     "UPDATE confirmation SET samples = zeroblob(20000000), checksum = NULL "
                     "WHERE session = 2"));
    const auto store = store::Store::open(folder.file(), store::OpenMode::ReadOnly);
    VERIFY_RESULT(store);
    sqlite3_memory_highwater(1);
    QVERIFY(is_error(store->trials().of(2).error(), ErrorCode::Corrupt, folder.file()));
    QVERIFY(is_error(store->trials().rows(2).error(), ErrorCode::Corrupt, folder.file()));
    QVERIFY(is_error(store->confirmations().of(2).error(), ErrorCode::Corrupt, folder.file()));
    QVERIFY(sqlite3_memory_highwater(0) < 10'000'000);
    // Nothing of it concerns the others.
    QCOMPARE(store->trials().of(2, 8)->size(), 52U);
    VERIFY_RESULT(store->trials().of(1));
    VERIFY_RESULT(store->confirmations().of(1));
    QCOMPARE(store->sessions().list()->size(), 3U);
  }

  void damaged_messages_batches_and_confirmations_are_named_data() {
    QTest::addColumn<QString>("sql");
    QTest::addRow("message") << "UPDATE message SET text = text || '.'";
    QTest::addRow("missing message") << "DELETE FROM message";
    QTest::addRow("batch") << "UPDATE batch SET search_seconds = 2";
    QTest::addRow("confirmation") << "UPDATE confirmation SET samples = x'000000000000f03f'";
    QTest::addRow("confirmation of too many samples")
        << "UPDATE session SET checksum = NULL; "
           "UPDATE confirmation SET samples = zeroblob(800008), checksum = NULL";
    QTest::addRow("replayed batch") << "UPDATE replayed_batch SET search_seconds = 7";
    QTest::addRow("far batch")
        << "UPDATE replayed_batch SET first_trial = 4611686018427387904, checksum = NULL";
    QTest::addRow("interruption") << "INSERT INTO interruption VALUES (1, 1, -5, 'pause')";
  }
  void damaged_messages_batches_and_confirmations_are_named() {
    QFETCH(QString, sql);
    const Folder folder;
    make_database(folder.file());
    VERIFY_RESULT(read_everything(*store::Store::open(folder.file(), store::OpenMode::ReadOnly)));
    QVERIFY(RawDatabase(folder.file()).run(sql.toStdString()));
    const auto store = store::Store::open(folder.file(), store::OpenMode::ReadOnly);
    QVERIFY(is_error(read_everything(*store).error(), ErrorCode::Corrupt, folder.file()));
    QCOMPARE(store->sessions().list()->size(), 3U);
  }

  void a_page_that_cannot_be_read_hides_few() {
    base::Random random = printed_random();
    const Folder folder;
    {
      auto store = store::Store::open(folder.file());
      for (int session = 0; session < 40; ++session) {
        store::SessionRecord record = random_record(random);
        record.task_json = std::string(20'000, 't');
        VERIFY_RESULT(store->sessions().create(record, store::Owner::this_process()));
      }
    }
    const QByteArray whole = bytes_of(folder.file());
    constexpr qsizetype page_bytes = 4096;
    std::size_t max_listed = 0;
    for (int round = 0; round < 60; ++round) {
      QByteArray damaged = whole;
      const auto pages = static_cast<std::uint64_t>(whole.size() / page_bytes);
      const auto page = static_cast<qsizetype>(1 + random.below(pages - 1));
      damaged.replace(page * page_bytes, page_bytes, QByteArray(page_bytes, '\xff'));
      write_bytes(folder.file("damaged.db"), damaged);
      const auto store = store::Store::open(folder.file("damaged.db"), store::OpenMode::ReadOnly);
      if (!store) continue;
      std::vector<Error> unreadable;
      const auto sessions = store->sessions().list(&unreadable);
      if (!sessions || unreadable.empty()) continue;
      max_listed = std::max(max_listed, sessions->size());
      for (const Error& error : unreadable)
        QVERIFY(is_error(error, ErrorCode::Corrupt, folder.file("damaged.db")));
    }
    QVERIFY2(max_listed > 20, qPrintable(QString::number(max_listed)));
  }

  void forged_schemas_run_nothing_data() {
    QTest::addColumn<QString>("sql");
    QTest::addColumn<bool>("opens");
    QTest::addRow("trigger") << "CREATE TRIGGER t AFTER INSERT ON trial BEGIN DELETE FROM session; END"
                             << true;
    QTest::addRow("view beside") << "CREATE VIEW v AS SELECT * FROM session" << true;
    QTest::addRow("view instead")
        << "PRAGMA legacy_alter_table = ON; ALTER TABLE session RENAME TO real_session; "
           "CREATE VIEW session AS SELECT * FROM real_session"
        << false;
    QTest::addRow("virtual table") << "CREATE VIRTUAL TABLE v USING rtree(id, low, high)" << false;
    QTest::addRow("type in another case")
        << "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET type = 'Table' WHERE name = 'session'"
        << false;
    QTest::addRow("computed column") << "CREATE TABLE c (a, b AS (a + 1))" << false;
  }
  void forged_schemas_run_nothing() {
    QFETCH(QString, sql);
    QFETCH(bool, opens);
    const Folder folder;
    const std::vector<trial::Trial> trials = make_database(folder.file());
    if (!RawDatabase(folder.file()).run(sql.toStdString())) QSKIP("this SQLite cannot forge it");
    for (const store::OpenMode mode : {store::OpenMode::ReadOnly, store::OpenMode::Existing}) {
      auto store = store::Store::open(folder.file(), mode);
      QCOMPARE(store.has_value(), opens);
      if (!store) {
        QVERIFY(is_error(store.error(), ErrorCode::Corrupt, folder.file()));
        continue;
      }
      const auto sessions = store->sessions().list();
      QCOMPARE(sessions->size(), 3U);
      if (mode == store::OpenMode::ReadOnly) continue;
      trial::Trial next = trials.back();
      ++next.number;
      VERIFY_RESULT(store->trials().append(1, std::vector{next}, {}));
      QCOMPARE(store->sessions().list()->size(), 3U);
    }
  }
};

KERNELSCAPE_PLAIN_TEST(StoreChecksumsTest)

}  // namespace kernelscape::store_checksums_test
#include "store_checksums_test.moc"
