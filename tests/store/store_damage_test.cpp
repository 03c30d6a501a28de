#include <sys/stat.h>

#include <fstream>
#include <limits>

#include "core/store/schema.h"
#include "core/store/sqlite.h"
#include "tests/base/media_readers.h"
#include "tests/store/damage_support.h"
#include "tests/store/whole_store.h"
#include "tests/test_program.h"

namespace kernelscape::store_damage_test {
using namespace kernelscape::store_test;

namespace {

namespace fs = std::filesystem;

/** Sessions whose origin is the same part of the file: a text of so many bytes, which it gives. */
std::string make_sharing_sessions(const fs::path& path, std::size_t sessions, std::size_t bytes) {
  {
    auto store = store::Store::open(path);
    for (std::size_t i = 0; i < sessions; ++i)
      if (!store->sessions().create({}, store::Owner::this_process())) qFatal("cannot make a session");
  }
  std::string shared(bytes, 'x');
  // Rows that are older than a column have its default.
  const bool done = RawDatabase(path).run(
      "ALTER TABLE session DROP COLUMN checksum; ALTER TABLE session DROP COLUMN origin; "
      "ALTER TABLE session ADD COLUMN origin TEXT NOT NULL DEFAULT ''; "
      "ALTER TABLE session ADD COLUMN checksum INTEGER; PRAGMA writable_schema = ON; "
      "UPDATE sqlite_schema SET sql = replace(sql, 'origin TEXT NOT NULL DEFAULT ''''', "
      "'origin TEXT NOT NULL DEFAULT ''" +
      shared + "''') WHERE name = 'session'");
  if (!done) qFatal("cannot make the sessions share a text");
  return shared;
}

/** Of sessions that share an origin, some are listed with it, and one error names the file. */
void some_are_refused(const Folder& folder, std::size_t sessions, const std::string& shared) {
  const auto store = store::Store::open(folder.file(), store::OpenMode::ReadOnly);
  VERIFY_RESULT(store);
  std::vector<Error> unreadable;
  const auto listed = store->sessions().list(&unreadable);
  VERIFY_RESULT(listed);
  QVERIFY(!listed->empty());
  QVERIFY(listed->size() < sessions);
  QCOMPARE(unreadable.size(), 1U);
  QVERIFY(is_error(unreadable.front(), ErrorCode::Corrupt, folder.file()));
  for (const store::SessionSummary& summary : *listed) QCOMPARE(summary.record.origin, shared);
}

}  // namespace

class StoreDamageTest : public QObject {
  Q_OBJECT

 private slots:
  void a_newer_schema_is_refused_and_left_alone() {
    const Folder folder;
    make_database(folder.file());
    QVERIFY(RawDatabase(folder.file()).run("PRAGMA user_version = 1000"));
    const QByteArray before = bytes_of(folder.file());
    for (const store::OpenMode mode : {store::OpenMode::ReadWrite, store::OpenMode::ReadOnly}) {
      const auto store = store::Store::open(folder.file(), mode);
      QVERIFY(!store);
      QVERIFY(is_error(store.error(), ErrorCode::Refused, folder.file()));
      QVERIFY(store.error().message.find("1000") != std::string::npos);
    }
    QCOMPARE(bytes_of(folder.file()), before);
  }

  void another_programs_database_is_refused_and_left_alone_data() {
    QTest::addColumn<QString>("sql");
    QTest::addRow("tables") << "CREATE TABLE bookmarks (url TEXT)";
    QTest::addRow("its own mark") << "PRAGMA application_id = 77; CREATE TABLE trial (number INTEGER)";
    QTest::addRow("a version alone") << "PRAGMA user_version = 1";
  }
  void another_programs_database_is_refused_and_left_alone() {
    QFETCH(QString, sql);
    const Folder folder;
    QVERIFY(RawDatabase(folder.file()).run(qPrintable(sql)));
    const QByteArray before = bytes_of(folder.file());
    for (const store::OpenMode mode : {store::OpenMode::ReadWrite, store::OpenMode::ReadOnly}) {
      const auto store = store::Store::open(folder.file(), mode);
      QVERIFY(!store);
      QVERIFY(is_error(store.error(), ErrorCode::Refused, folder.file()));
    }
    QCOMPARE(bytes_of(folder.file()), before);
  }

  void a_text_file_is_no_database() {
    const Folder folder;
    const QByteArray text = QByteArray("# just some notes\n").repeated(100);
    write_bytes(folder.file(), text);
    for (const store::OpenMode mode : {store::OpenMode::ReadWrite, store::OpenMode::ReadOnly}) {
      const auto store = store::Store::open(folder.file(), mode);
      QVERIFY(!store);
      QVERIFY(is_error(store.error(), ErrorCode::Corrupt, folder.file()));
    }
    QCOMPARE(bytes_of(folder.file()), text);
  }

  void a_folder_is_no_database() {
    const Folder folder;
    QVERIFY(is_error(store::Store::open(folder.path()).error(), ErrorCode::InvalidArgument, folder.path()));
    write_bytes(folder.file("file"), "text");
    const fs::path below = folder.file("file") / "kernelscape.db";
    QVERIFY(is_error(store::Store::open(below).error(), ErrorCode::Environment, below));
  }

  void a_missing_database_is_not_made_for_reading() {
    const Folder folder;
    const auto store = store::Store::open(folder.file(), store::OpenMode::ReadOnly);
    QVERIFY(is_error(store.error(), ErrorCode::NotFound, folder.file()));
    QVERIFY(!fs::exists(folder.file()));
    write_bytes(folder.file("empty.db"), {});
    const auto empty = store::Store::open(folder.file("empty.db"), store::OpenMode::ReadOnly);
    QVERIFY(is_error(empty.error(), ErrorCode::Refused, folder.file("empty.db")));
  }

  void the_command_that_saves_it_names_the_file_alone() {
    constexpr std::string_view before = "sqlite3 ";
    constexpr std::string_view between = " .recover | sqlite3 -safe ";
    for (const char* name : {"evil'$(id)'.db", "-evil.db", "two words.db", "a\nb.db", "kernelscape.db"}) {
      const std::string hint = store::sqlite::make_error(SQLITE_CORRUPT, "damaged", {name, true}).hint;
      const std::size_t first = hint.find(before) + before.size();
      const std::size_t second = hint.find(between);
      QVERIFY2(first < second && second != std::string::npos, hint.c_str());
      const auto file = base_tests::shell_word(hint.substr(first, second - first));
      const auto saved = base_tests::shell_word(hint.substr(second + between.size()));
      QVERIFY2(file && saved, hint.c_str());
      QCOMPARE(file->text, fs::absolute(name).string());
      QCOMPARE(saved->text, file->text + ".recovered");
      // What is not known to be ours is not to be printed by a tool that prints its schema.
      QVERIFY(!store::sqlite::make_error(SQLITE_CORRUPT, "damaged", {name}).hint.contains("sqlite3"));
    }
  }

  /** What a short address space fails first is not the disk. */
  void where_memory_ends_the_disk_is_not_blamed() {
    for (const int code : {SQLITE_NOMEM, SQLITE_IOERR_NOMEM, SQLITE_IOERR_SHMMAP, SQLITE_IOERR_MMAP}) {
      const Error error = store::sqlite::make_error(code, "a detail", {"a.db"});
      QVERIFY2(error.message.contains("memory"), error.message.c_str());
      QVERIFY2(!error.hint.contains("space") && error.hint.contains("is kept"), error.hint.c_str());
    }
    QVERIFY(
        store::sqlite::make_error(SQLITE_IOERR_WRITE, "a detail", {"a.db"}).hint.contains("check the disk"));
  }

  /** The tool prints the schema as it is, and its shell runs lines of it. */
  void only_a_schema_of_ours_is_given_to_a_tool_that_prints_it_data() {
    QTest::addColumn<QString>("sql");
    QTest::addColumn<bool>("ours");
    QTest::addRow("ours") << "" << true;
    QTest::addRow("of an older version") << "PRAGMA user_version = 5" << true;
    QTest::addRow("a table") << "CREATE TABLE go(shell, CHECK(\ngo\n.shell > 'x;id'\n))" << false;
    QTest::addRow("an index") << "CREATE INDEX mine ON session(tuner)" << false;
    QTest::addRow("a view") << "CREATE VIEW mine AS SELECT\ngo\n.shell FROM (SELECT 1 AS go)" << false;
    QTest::addRow("a trigger") << "CREATE TRIGGER mine AFTER DELETE ON session BEGIN SELECT 1; END" << false;
    QTest::addRow("lines of one of ours")
        << "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = replace(sql, ' (', '\n(') "
           "WHERE name = 'message'"
        << false;
  }
  void only_a_schema_of_ours_is_given_to_a_tool_that_prints_it() {
    QFETCH(QString, sql);
    QFETCH(bool, ours);
    const Folder folder;
    make_database(folder.file());
    if (sql.contains("user_version")) QVERIFY(take_checksums_away(folder.file()));
    QVERIFY(RawDatabase(folder.file()).run(sql.toStdString()));
    QVERIFY(RawDatabase(folder.file()).run("UPDATE batch SET candidates = x'00'"));
    for (const store::OpenMode mode : {store::OpenMode::ReadOnly, store::OpenMode::Existing}) {
      const auto store = store::Store::open(folder.file(), mode);
      VERIFY_RESULT(store);
      const Status damaged = read_everything(*store);
      QVERIFY(is_error(damaged.error(), ErrorCode::Corrupt, folder.file()));
      QCOMPARE(damaged.error().hint.contains(".recover"), ours);
    }
  }

  void a_truncated_database_is_noticed() {
    base::Random random = printed_random();
    const Folder folder;
    make_database(folder.file());
    const QByteArray whole = bytes_of(folder.file());
    QVERIFY(whole.size() > 100'000);
    for (int round = 0; round < 60; ++round) {
      const auto bytes = static_cast<std::uint64_t>(whole.size());
      // The first pages, the last one, and anywhere.
      std::uint64_t size = 1 + random.below(bytes - 1);
      if (random.chance(0.3)) size = 1 + random.below(5000);
      if (random.chance(0.3)) size = bytes - 1 - random.below(4096);
      const fs::path path = folder.file("truncated.db");
      write_bytes(path, whole.left(static_cast<qsizetype>(size)));
      const auto store = store::Store::open(
          path, random.chance(0.5) ? store::OpenMode::ReadOnly : store::OpenMode::ReadWrite);
      const Status read = store ? read_everything(*store) : std::unexpected(store.error());
      QVERIFY2(!read, qPrintable(QString("nothing noticed at %1 bytes").arg(size)));
      QVERIFY(is_error(read.error(), ErrorCode::Corrupt, path));
    }
  }

  void damaged_bytes_never_crash() {
    base::Random random = printed_random();
    const Folder folder;
    make_database(folder.file());
    const QByteArray whole = bytes_of(folder.file());
    int noticed = 0;
    for (int round = 0; round < 200; ++round) {
      QByteArray damaged = whole;
      for (std::uint64_t i = 0; i <= random.below(30); ++i) {
        const auto limit = random.chance(0.3) ? 8192 : damaged.size();
        damaged[static_cast<qsizetype>(random.below(static_cast<std::uint64_t>(limit)))] =
            static_cast<char>(random.below(256));
      }
      const fs::path path = folder.file("damaged.db");
      fs::remove(path.string() + "-wal");
      fs::remove(path.string() + "-shm");
      write_bytes(path, damaged);
      auto store = store::Store::open(path);
      Status done = store ? read_everything(*store) : std::unexpected(store.error());
      if (done) {
        store::SessionRecord record;
        record.name = "one more";
        const auto id = store->sessions().create(record, store::Owner::this_process());
        if (!id) done = std::unexpected(id.error());
      }
      if (done) continue;
      ++noticed;
      QVERIFY2(done.error().message.find(path.string()) != std::string::npos, describe(done.error()).c_str());
    }
    QVERIFY(noticed > 0);
  }

  /** So little a file as one likes can say that each of its rows holds all of it. */
  void rows_that_share_what_they_hold_take_no_more_than_the_file() {
    const Folder folder;
    constexpr std::size_t sessions = 6;
    const std::string shared = make_sharing_sessions(folder.file(), sessions, 200'000);
    QVERIFY(fs::file_size(folder.file()) < (sessions - 1) * shared.size());
    some_are_refused(folder, sessions, shared);
    VERIFY_RESULT(store::Store::open(folder.file(), store::OpenMode::ReadOnly)->sessions().get(1));
  }

  /** A hole in a file takes no place. */
  void holes_in_a_file_are_no_room_for_what_rows_share() {
    const Folder folder;
    constexpr std::size_t sessions = 120;
    const std::string shared = make_sharing_sessions(folder.file(), sessions, 900'000);
    constexpr std::uint64_t page_bytes = 4096;
    constexpr std::uint64_t pages = 1 << 18;
    std::error_code too_large;
    fs::resize_file(folder.file(), pages * page_bytes, too_large);
    if (too_large) QSKIP("the file system has no files of this size");
    struct stat state{};
    QCOMPARE(stat(folder.file().c_str(), &state), 0);
    if (state.st_blocks > 8'000) QSKIP("the file system has no holes");
    {
      // The header says how many pages there are.
      std::fstream file(folder.file(), std::ios::binary | std::ios::in | std::ios::out);
      file.seekp(28);
      for (int shift = 24; shift >= 0; shift -= 8) file.put(static_cast<char>(pages >> shift & 0xFF));
    }
    some_are_refused(folder, sessions, shared);
  }

  /** Trials share messages, which are short. */
  void a_long_message_is_not_kept_for_each_trial() {
    base::Random random = printed_random();
    const Folder folder;
    auto store = store::Store::open(folder.file());
    const store::SessionId id = store->sessions().create({}, store::Owner::this_process()).value();
    trial::Trial trial = random_trial(random, 0, 3);
    for (trial.number = 0; trial.number < 100; ++trial.number) {
      trial.measurement.message = std::string(trial.number < 50 ? 10'000 : 500'000, 'x');
      VERIFY_RESULT(store->trials().append(id, std::vector{trial}, counted(trial.number + 1)));
    }
    QCOMPARE(store->trials().of(id, 0, 50)->size(), 50U);
    QCOMPARE(store->trials().get(id, 99)->measurement.message.size(), 500'000U);
    QVERIFY(is_error(store->trials().of(id).error(), ErrorCode::Corrupt, folder.file()));
    QCOMPARE(store->trials().rows(id)->size(), 100U);
  }

  void numbers_that_are_used_up_are_said() {
    base::Random random = printed_random();
    const auto recorded = recording_test::build(
        random, recording_test::random_recording(random, recording_test::SpaceShape::Constrained, false));
    for (const std::int64_t last : {(std::int64_t{1} << 31) - 3, (std::int64_t{1} << 31) - 2,
                                    std::int64_t{1} << 33, std::numeric_limits<std::int64_t>::max()}) {
      const Folder folder;
      make_database(folder.file());
      QVERIFY(RawDatabase(folder.file()).run("UPDATE sqlite_sequence SET seq = " + std::to_string(last)));
      auto store = store::Store::open(folder.file());
      VERIFY_RESULT(store);
      const auto session = store->sessions().create({}, store::Owner::this_process());
      const auto study = store->studies().create({});
      const auto predictor = store->predictors().create_training({}, store::Owner::this_process());
      const auto recording = store->recordings().add(**recorded);
      if (last < (std::int64_t{1} << 31) - 2) {
        VERIFY_RESULT(session);
        VERIFY_RESULT(study);
        VERIFY_RESULT(predictor);
        VERIFY_RESULT(recording);
        const trial::Trial trial = random_trial(random, 0, 3);
        for (const std::int64_t number : {0, 1}) {
          trial::Trial next = trial;
          next.number = number;
          VERIFY_RESULT(store->trials().append(*session, std::vector{next}, counted(number + 1)));
        }
        QCOMPARE(store->trials().of(*session)->size(), 2U);
        QCOMPARE(store->trials().rows(*session)->size(), 2U);
        continue;
      }
      QVERIFY(!session && !study && !recording);
      for (const Error& error : {session.error(), study.error(), recording.error()})
        QVERIFY(is_error(error, ErrorCode::Refused, folder.file()));
    }
  }

  void a_read_only_file_can_be_read() {
    const Folder folder;
    const std::vector<trial::Trial> trials = make_database(folder.file());
    QCOMPARE(chmod(folder.file().c_str(), 0444), 0);
    QCOMPARE(chmod(folder.path().c_str(), 0555), 0);
    {
      const OrdinaryUser ordinary;
      auto refused = store::Store::open(folder.file());
      QVERIFY(!refused);
      QVERIFY(is_error(refused.error(), ErrorCode::Refused, folder.file()));
      auto store = store::Store::open(folder.file(), store::OpenMode::ReadOnly);
      VERIFY_RESULT(store);
      QVERIFY(store->trials().of(1).value() == trials);
      const auto created = store->sessions().create({}, store::Owner::this_process());
      QVERIFY(is_error(created.error(), ErrorCode::Refused, folder.file()));
      const fs::path fresh = folder.file("fresh.db");
      QVERIFY(is_error(store::Store::open(fresh).error(), ErrorCode::Refused, fresh));
    }
    // The folder alone being read-only does not help a writer either: the log cannot be made.
    QCOMPARE(chmod(folder.file().c_str(), 0666), 0);
    {
      const OrdinaryUser ordinary;
      QVERIFY(is_error(store::Store::open(folder.file()).error(), ErrorCode::Refused, folder.file()));
      VERIFY_RESULT(store::Store::open(folder.file(), store::OpenMode::ReadOnly));
    }
    QCOMPARE(chmod(folder.path().c_str(), 0755), 0);
  }

  void a_locked_database_is_an_error_in_time() {
    const Folder folder;
    const std::vector<trial::Trial> trials = make_database(folder.file());
    {
      RawDatabase other(folder.file());
      const std::string version = std::to_string(store::schema_migrations().size());
      QVERIFY(other.run("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; PRAGMA user_version = " + version +
                        "; COMMIT"));
      for (const store::OpenMode mode : {store::OpenMode::ReadWrite, store::OpenMode::ReadOnly}) {
        const auto store = store::Store::open(folder.file(), mode, impatient);
        QVERIFY(!store);
        QVERIFY(is_error(store.error(), ErrorCode::Refused, folder.file()));
        QVERIFY(store.error().message.find("locked") != std::string::npos);
      }
    }
    auto store = store::Store::open(folder.file(), store::OpenMode::ReadWrite, impatient);
    VERIFY_RESULT(store);
    RawDatabase other(folder.file());
    QVERIFY(other.run("BEGIN IMMEDIATE"));
    trial::Trial next = trials.back();
    ++next.number;
    const Status refused = store->trials().append(1, std::vector{next}, {});
    QVERIFY(is_error(refused.error(), ErrorCode::Refused, folder.file()));
    QVERIFY(store->trials().of(1).value() == trials);  // readers do not wait for writers
    QVERIFY(other.run("ROLLBACK"));
    VERIFY_RESULT(store->trials().append(1, std::vector{next}, {}));
    QVERIFY(store->trials().get(1, next.number).value() == next);
  }

  void a_full_disk_loses_nothing() {
    base::Random random = printed_random();
    const Folder folder;
    auto store = store::Store::open(folder.file());
    store::SessionRecord record = random_record(random);
    const store::SessionId id = store->sessions().create(record, store::Owner::this_process()).value();
    std::vector<trial::Trial> committed;
    for (int round = 0; round < 8; ++round) {
      // The log is what grows.
      const auto used = static_cast<rlim_t>(
          std::max(fs::file_size(folder.file()), fs::file_size(folder.file().string() + "-wal")));
      Status last;
      trial::Trial trial;
      {
        const FileSizeLimit full(used + random.below(100'000));
        while (last) {
          trial = random_trial(random, static_cast<std::int64_t>(committed.size()), 4);
          last = store->trials().append(id, std::vector{trial}, counted(trial.number + 1));
          if (last) committed.push_back(trial);
        }
        QVERIFY(is_error(last.error(), ErrorCode::Environment, folder.file()));
        QVERIFY(store->trials().of(id).value() == committed);
      }
      // There is space again: the same store goes on with what was refused.
      VERIFY_RESULT(store->trials().append(id, std::vector{trial}, counted(trial.number + 1)));
      committed.push_back(trial);
      QVERIFY(store->trials().of(id).value() == committed);
      QCOMPARE(store->sessions().get(id)->status.trial_count, static_cast<std::int64_t>(committed.size()));
    }
    store = store::Store::open(folder.file());
    QVERIFY(store->trials().of(id).value() == committed);
  }

  void a_full_disk_at_the_beginning_leaves_no_wreck() {
    const Folder folder;
    {
      const FileSizeLimit full(5000);
      const auto store = store::Store::open(folder.file());
      QVERIFY(!store);
      QVERIFY(is_error(store.error(), ErrorCode::Environment, folder.file()));
    }
    const auto store = store::Store::open(folder.file());
    VERIFY_RESULT(store);
    QVERIFY(store->sessions().all()->empty());
  }
};

KERNELSCAPE_PLAIN_TEST(StoreDamageTest)

}  // namespace kernelscape::store_damage_test
#include "store_damage_test.moc"
