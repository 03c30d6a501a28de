#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <QFile>
#include <QTest>
#include <csignal>

#include "core/store/schema.h"
#include "core/store/sqlite.h"
#include "tests/store/random_session.h"
#include "tests/test_program.h"
#include "tests/trial/random_recording.h"

using namespace kernelscape;
using namespace kernelscape::store_test;

namespace {

namespace fs = std::filesystem;

QByteArray bytes_of(const fs::path& path) {
  QFile file(QString::fromStdString(path.string()));
  return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

void write_bytes(const fs::path& path, const QByteArray& bytes) {
  QFile file(QString::fromStdString(path.string()));
  QVERIFY(file.open(QIODevice::WriteOnly));
  QCOMPARE(file.write(bytes), bytes.size());
}

/** A raw connection, as another program would have it. */
class RawDatabase {
 public:
  explicit RawDatabase(const fs::path& path) { sqlite3_open(path.c_str(), &database_); }
  RawDatabase(const RawDatabase&) = delete;
  RawDatabase& operator=(const RawDatabase&) = delete;
  ~RawDatabase() { sqlite3_close(database_); }
  bool run(const std::string& sql) {
    return sqlite3_exec(database_, sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK;
  }

 private:
  sqlite3* database_ = nullptr;
};

SessionStatus counted(std::int64_t trials) {
  SessionStatus status;
  status.trial_count = trials;
  return status;
}

/** A replay on a recorded space as the one run of a study. */
Status make_study(Store& store, Random& random) {
  const auto expected =
      recording_test::random_recording(random, recording_test::SpaceShape::Constrained, false);
  const auto recording = store.add_recording(**recording_test::build(random, expected));
  StudyRecord record;
  record.name = "study";
  record.run_count = 2;
  const auto study = store.create_study(record);
  if (!recording || !study) return std::unexpected(study.error());
  SessionRecord session = random_record(random);
  session.kind = SessionKind::Replayed;
  session.recording = *recording;
  const auto id = store.create_session(session, Owner::this_process(), *study, 0);
  if (!id) return std::unexpected(id.error());
  return store.append_replayed(*id, std::vector{ReplayedBatch{0, 0, 1, {0}, {2}}}, {}, counted(1));
}

/** A database with some sessions, merged into one file; gives the trials of the first session. */
std::vector<Trial> make_database(const fs::path& path) {
  Random random(11);
  std::vector<Trial> trials;
  auto store = Store::open(path);
  for (int session = 0; session < 3; ++session) {
    const SessionId id = store->create_session(random_record(random), Owner::this_process()).value();
    for (int number = 0; number < 60; ++number) {
      const Trial trial = random_trial(random, number, 5);
      if (session == 0) trials.push_back(trial);
      if (!store->append_trials(id, std::vector{trial}, counted(number + 1))) return {};
    }
    if (!store->append_batch(id, 0, std::vector{random_configuration(random, 5)}, 1)) return {};
  }
  if (!make_study(*store, random)) return {};
  return trials;
}

/** The error names the file, and says a way out. */
bool is_error(const Error& error, ErrorCode code, const fs::path& path) {
  const bool good =
      error.code == code && error.message.find(path.string()) != std::string::npos && !error.hint.empty();
  if (!good) qWarning("code %d: %s", static_cast<int>(error.code), describe(error).c_str());
  return good;
}

/** Reads all that can be read; the first error, if there is one. */
Status read_everything(const Store& store) {
  const auto sessions = store.sessions();
  if (!sessions) return std::unexpected(sessions.error());
  std::vector<SessionId> ids;
  for (const SessionSummary& summary : *sessions) ids.push_back(summary.record.id);
  const auto studies = store.studies();
  if (!studies) return std::unexpected(studies.error());
  for (const StudySummary& study : *studies) {
    const auto runs = store.study_runs(study.record.id);
    if (!runs) return std::unexpected(runs.error());
    for (const StudyRun& run : *runs)
      if (run.session) ids.push_back(*run.session);
  }
  for (const SessionId id : ids) {
    if (const auto read = store.trials(id); !read) return std::unexpected(read.error());
    if (const auto read = store.rows(id); !read) return std::unexpected(read.error());
    if (const auto read = store.batches(id); !read) return std::unexpected(read.error());
    if (const auto read = store.series(id); !read) return std::unexpected(read.error());
    if (const auto read = store.confirmations(id); !read) return std::unexpected(read.error());
    if (const auto read = store.interruptions(id); !read) return std::unexpected(read.error());
  }
  return {};
}

/** Permissions do not hold the superuser back: for a while we are somebody else. */
class OrdinaryUser {
 public:
  OrdinaryUser() : was_superuser_(geteuid() == 0) {
    constexpr uid_t nobody = 65534;
    if (was_superuser_ && seteuid(nobody) != 0) qFatal("cannot give up rights");
  }
  OrdinaryUser(const OrdinaryUser&) = delete;
  OrdinaryUser& operator=(const OrdinaryUser&) = delete;
  ~OrdinaryUser() {
    if (was_superuser_ && seteuid(0) != 0) qFatal("cannot get rights back");
  }

 private:
  bool was_superuser_;
};

/** No file may grow beyond this size, as if the disk were full there. */
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    std::signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;
  ~FileSizeLimit() { setrlimit(RLIMIT_FSIZE, &before_); }

 private:
  rlimit before_{};
};

constexpr StoreOptions impatient{.busy_timeout = std::chrono::milliseconds(20)};

}  // namespace

class StoreDamageTest : public QObject {
  Q_OBJECT

 private slots:
  void a_newer_schema_is_refused_and_left_alone() {
    const Folder folder;
    make_database(folder.file());
    QVERIFY(RawDatabase(folder.file()).run("PRAGMA user_version = 1000"));
    const QByteArray before = bytes_of(folder.file());
    for (const OpenMode mode : {OpenMode::ReadWrite, OpenMode::ReadOnly}) {
      const auto store = Store::open(folder.file(), mode);
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
    for (const OpenMode mode : {OpenMode::ReadWrite, OpenMode::ReadOnly}) {
      const auto store = Store::open(folder.file(), mode);
      QVERIFY(!store);
      QVERIFY(is_error(store.error(), ErrorCode::Refused, folder.file()));
    }
    QCOMPARE(bytes_of(folder.file()), before);
  }

  void a_text_file_is_no_database() {
    const Folder folder;
    const QByteArray text = QByteArray("# just some notes\n").repeated(100);
    write_bytes(folder.file(), text);
    for (const OpenMode mode : {OpenMode::ReadWrite, OpenMode::ReadOnly}) {
      const auto store = Store::open(folder.file(), mode);
      QVERIFY(!store);
      QVERIFY(is_error(store.error(), ErrorCode::Corrupt, folder.file()));
    }
    QCOMPARE(bytes_of(folder.file()), text);
  }

  void a_folder_is_no_database() {
    const Folder folder;
    QVERIFY(is_error(Store::open(folder.path()).error(), ErrorCode::InvalidArgument, folder.path()));
    write_bytes(folder.file("file"), "text");
    const fs::path below = folder.file("file") / "kernelscape.db";
    QVERIFY(is_error(Store::open(below).error(), ErrorCode::Environment, below));
  }

  void a_missing_database_is_not_made_for_reading() {
    const Folder folder;
    const auto store = Store::open(folder.file(), OpenMode::ReadOnly);
    QVERIFY(is_error(store.error(), ErrorCode::NotFound, folder.file()));
    QVERIFY(!fs::exists(folder.file()));
    write_bytes(folder.file("empty.db"), {});
    const auto empty = Store::open(folder.file("empty.db"), OpenMode::ReadOnly);
    QVERIFY(is_error(empty.error(), ErrorCode::Refused, folder.file("empty.db")));
  }

  void a_truncated_database_is_noticed() {
    Random random = printed_random();
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
      const auto store = Store::open(path, random.chance(0.5) ? OpenMode::ReadOnly : OpenMode::ReadWrite);
      const Status read = store ? read_everything(*store) : std::unexpected(store.error());
      QVERIFY2(!read, qPrintable(QString("nothing noticed at %1 bytes").arg(size)));
      QVERIFY(is_error(read.error(), ErrorCode::Corrupt, path));
    }
  }

  void damaged_bytes_never_crash() {
    Random random = printed_random();
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
      auto store = Store::open(path);
      Status done = store ? read_everything(*store) : std::unexpected(store.error());
      if (done) {
        SessionRecord record;
        record.name = "one more";
        const auto id = store->create_session(record, Owner::this_process());
        if (!id) done = std::unexpected(id.error());
      }
      if (done) continue;
      ++noticed;
      QVERIFY2(done.error().message.find(path.string()) != std::string::npos, describe(done.error()).c_str());
    }
    QVERIFY(noticed > 0);
  }

  void a_read_only_file_can_be_read() {
    const Folder folder;
    const std::vector<Trial> trials = make_database(folder.file());
    QCOMPARE(chmod(folder.file().c_str(), 0444), 0);
    QCOMPARE(chmod(folder.path().c_str(), 0555), 0);
    {
      const OrdinaryUser ordinary;
      auto refused = Store::open(folder.file());
      QVERIFY(!refused);
      QVERIFY(is_error(refused.error(), ErrorCode::Refused, folder.file()));
      auto store = Store::open(folder.file(), OpenMode::ReadOnly);
      VERIFY_RESULT(store);
      QVERIFY(store->trials(1).value() == trials);
      const auto created = store->create_session({}, Owner::this_process());
      QVERIFY(is_error(created.error(), ErrorCode::Refused, folder.file()));
      const fs::path fresh = folder.file("fresh.db");
      QVERIFY(is_error(Store::open(fresh).error(), ErrorCode::Refused, fresh));
    }
    // The folder alone being read-only does not help a writer either: the log cannot be made.
    QCOMPARE(chmod(folder.file().c_str(), 0666), 0);
    {
      const OrdinaryUser ordinary;
      QVERIFY(is_error(Store::open(folder.file()).error(), ErrorCode::Refused, folder.file()));
      VERIFY_RESULT(Store::open(folder.file(), OpenMode::ReadOnly));
    }
    QCOMPARE(chmod(folder.path().c_str(), 0755), 0);
  }

  void a_log_left_in_a_read_only_folder_is_not_overlooked() {
    const Folder folder;
    const Folder copy;
    {
      auto store = Store::open(folder.file());
      VERIFY_RESULT(store->create_session({}, Owner::this_process()));
      // As it lies there when the writer is killed.
      fs::copy_file(folder.file(), copy.file());
      fs::copy_file(folder.file().string() + "-wal", copy.file().string() + "-wal");
    }
    QCOMPARE(chmod(copy.path().c_str(), 0555), 0);
    {
      const OrdinaryUser ordinary;
      const auto store = Store::open(copy.file(), OpenMode::ReadOnly);
      QVERIFY(!store);
      QVERIFY(is_error(store.error(), ErrorCode::Refused, copy.file()));
      QVERIFY(store.error().message.find("-wal") != std::string::npos);
    }
    QCOMPARE(chmod(copy.path().c_str(), 0755), 0);
    QCOMPARE(Store::open(copy.file(), OpenMode::ReadOnly)->sessions()->size(), 1U);
  }

  void a_locked_database_is_an_error_in_time() {
    const Folder folder;
    const std::vector<Trial> trials = make_database(folder.file());
    {
      RawDatabase other(folder.file());
      const std::string version = std::to_string(schema_migrations().size());
      QVERIFY(other.run("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; PRAGMA user_version = " + version +
                        "; COMMIT"));
      for (const OpenMode mode : {OpenMode::ReadWrite, OpenMode::ReadOnly}) {
        const auto store = Store::open(folder.file(), mode, impatient);
        QVERIFY(!store);
        QVERIFY(is_error(store.error(), ErrorCode::Refused, folder.file()));
        QVERIFY(store.error().message.find("locked") != std::string::npos);
      }
    }
    auto store = Store::open(folder.file(), OpenMode::ReadWrite, impatient);
    VERIFY_RESULT(store);
    RawDatabase other(folder.file());
    QVERIFY(other.run("BEGIN IMMEDIATE"));
    Trial next = trials.back();
    ++next.number;
    const Status refused = store->append_trials(1, std::vector{next}, {});
    QVERIFY(is_error(refused.error(), ErrorCode::Refused, folder.file()));
    QVERIFY(store->trials(1).value() == trials);  // readers do not wait for writers
    QVERIFY(other.run("ROLLBACK"));
    VERIFY_RESULT(store->append_trials(1, std::vector{next}, {}));
    QVERIFY(store->trial(1, next.number).value() == next);
  }

  void a_full_disk_loses_nothing() {
    Random random = printed_random();
    const Folder folder;
    auto store = Store::open(folder.file());
    SessionRecord record = random_record(random);
    const SessionId id = store->create_session(record, Owner::this_process()).value();
    std::vector<Trial> committed;
    for (int round = 0; round < 8; ++round) {
      // The log is what grows.
      const auto used = static_cast<rlim_t>(
          std::max(fs::file_size(folder.file()), fs::file_size(folder.file().string() + "-wal")));
      Status last;
      Trial trial;
      {
        const FileSizeLimit full(used + random.below(100'000));
        while (last) {
          trial = random_trial(random, static_cast<std::int64_t>(committed.size()), 4);
          last = store->append_trials(id, std::vector{trial}, counted(trial.number + 1));
          if (last) committed.push_back(trial);
        }
        QVERIFY(is_error(last.error(), ErrorCode::Environment, folder.file()));
        QVERIFY(store->trials(id).value() == committed);
      }
      // There is space again: the same store goes on with what was refused.
      VERIFY_RESULT(store->append_trials(id, std::vector{trial}, counted(trial.number + 1)));
      committed.push_back(trial);
      QVERIFY(store->trials(id).value() == committed);
      QCOMPARE(store->session(id)->status.trial_count, static_cast<std::int64_t>(committed.size()));
    }
    store = Store::open(folder.file());
    QVERIFY(store->trials(id).value() == committed);
  }

  void a_full_disk_at_the_beginning_leaves_no_wreck() {
    const Folder folder;
    {
      const FileSizeLimit full(5000);
      const auto store = Store::open(folder.file());
      QVERIFY(!store);
      QVERIFY(is_error(store.error(), ErrorCode::Environment, folder.file()));
    }
    const auto store = Store::open(folder.file());
    VERIFY_RESULT(store);
    QVERIFY(store->sessions()->empty());
  }
};

KERNELSCAPE_PLAIN_TEST(StoreDamageTest)
#include "store_damage_test.moc"
