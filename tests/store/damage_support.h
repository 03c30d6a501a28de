#pragma once

#include <sqlite3.h>
#include <sys/resource.h>
#include <unistd.h>

#include <QFile>
#include <QTest>
#include <csignal>

#include "tests/store/random_session.h"
#include "tests/trial/random_recording.h"

namespace kernelscape::store_test {

inline QByteArray bytes_of(const std::filesystem::path& path) {
  QFile file(QString::fromStdString(path.string()));
  return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

inline void write_bytes(const std::filesystem::path& path, const QByteArray& bytes) {
  QFile file(QString::fromStdString(path.string()));
  QVERIFY(file.open(QIODevice::WriteOnly));
  QCOMPARE(file.write(bytes), bytes.size());
}

/** A raw connection, as another program would have it. */
class RawDatabase {
 public:
  explicit RawDatabase(const std::filesystem::path& path) {
    sqlite3_open(path.c_str(), &database_);
    sqlite3_busy_timeout(database_, 10'000);
  }
  RawDatabase(const RawDatabase&) = delete;
  RawDatabase& operator=(const RawDatabase&) = delete;
  ~RawDatabase() { sqlite3_close(database_); }
  bool run(const std::string& sql) {
    return sqlite3_exec(database_, sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK;
  }

 private:
  sqlite3* database_ = nullptr;
};

inline store::SessionStatus counted(std::int64_t trials) {
  store::SessionStatus status;
  status.trial_count = trials;
  return status;
}

/** A replay on a recorded space as the one run of a study. */
inline Status make_study(store::Store& store, base::Random& random) {
  const auto expected =
      recording_test::random_recording(random, recording_test::SpaceShape::Constrained, false);
  const auto recording = store.recordings().add(**recording_test::build(random, expected));
  store::StudyRecord record;
  record.name = "study";
  record.run_count = 2;
  const auto study = store.studies().create(record);
  if (!recording || !study) return std::unexpected(study.error());
  store::SessionRecord session = random_record(random);
  session.kind = store::SessionKind::Replayed;
  session.recording = *recording;
  session.usual_probe = {};
  const auto id = store.sessions().create(session, store::Owner::this_process(), *study, 0);
  if (!id) return std::unexpected(id.error());
  return store.batches().append_replayed(*id, std::vector{store::ReplayedBatch{0, 0, 1, {0}, {2}}}, {},
                                         counted(1));
}

/** A predictor that was trained, and one that is begun. */
inline Status make_predictors(store::Store& store) {
  store::PredictorRecord record;
  record.name = "predictor";
  const auto done = store.predictors().create_training(record, store::Owner::this_process());
  if (!done) return std::unexpected(done.error());
  const Status finished = store.predictors().finish_training(*done, std::string(9'000, 'p'), "0123456789ab");
  if (!finished) return finished;
  const auto begun = store.predictors().create_training(record, store::Owner::this_process());
  if (!begun) return std::unexpected(begun.error());
  return store.predictors().save_epoch(*begun, "[1]", std::string(9'000, 'c'));
}

/** A database with some sessions, merged into one file; gives the trials of the first session. */
inline std::vector<trial::Trial> make_database(const std::filesystem::path& path) {
  base::Random random(11);
  std::vector<trial::Trial> trials;
  auto store = store::Store::open(path);
  for (int session = 0; session < 3; ++session) {
    store::SessionRecord record = random_record(random);
    record.space_json = "the space of session " + std::to_string(session + 1);
    record.usual_probe = {};
    const store::SessionId id = store->sessions().create(record, store::Owner::this_process()).value();
    for (int number = 0; number < 60; ++number) {
      trial::Trial trial = random_trial(random, number, 5);
      // The first two are as earlier versions stored them.
      if (session == 2)
        trial.measurement.worker = number % 3 == 0 ? "one worker" : "another";
      else
        trial::for_each_field<trial::probe_fields>(
            [&](auto field) { trial::value_in(field, trial.measurement) = 0; });
      if (session != 2) trial.measurement.metrics.clear();
      if (session == 0) trials.push_back(trial);
      if (!store->trials().append(id, std::vector{trial}, counted(number + 1))) return {};
    }
    if (!store->batches().append(id, 0, std::vector{random_configuration(random, 5)}, 1)) return {};
    const std::vector<trial::Confirmation> confirmed{{3, "2026-01-02T03:04:05Z", {1, 2, 3}}};
    if (!store->confirmations().append(id, confirmed)) return {};
    if (!store->notices().add(id, {"machine", "the machine was loaded", 1.5})) return {};
    if (!store->trials().save_insight(id, 3, "counters", R"({"cycles": 7})")) return {};
  }
  if (!make_study(*store, random) || !make_predictors(*store)) return {};
  if (!store->machines().save_measure("this machine", "ceilings", R"({"peak_gflops": 3})")) return {};
  if (!store->studies().save_measure(1, "network pass", R"({"calls": 3})")) return {};
  return trials;
}

/** Takes out what version 13 of the schema brought. */
inline const std::string without_metrics =
    "DROP TABLE session_metric; ALTER TABLE trial DROP COLUMN metrics; ";

/** Takes out what versions 12 and 13 of the schema brought. */
inline const std::string without_probes =
    without_metrics +
    "ALTER TABLE trial DROP COLUMN uninterrupted_seconds; ALTER TABLE trial DROP COLUMN interrupted_share; "
    "ALTER TABLE trial DROP COLUMN memory_probe_after_seconds; "
    "ALTER TABLE trial DROP COLUMN compute_probe_after_seconds; "
    "ALTER TABLE trial DROP COLUMN memory_probe_before_seconds; "
    "ALTER TABLE trial DROP COLUMN compute_probe_before_seconds; DROP INDEX session_probe_machine; "
    "ALTER TABLE session DROP COLUMN usual_memory_probe_seconds; "
    "ALTER TABLE session DROP COLUMN usual_compute_probe_seconds; "
    "ALTER TABLE session DROP COLUMN probe_version; ALTER TABLE session DROP COLUMN probe_machine; ";

/** Takes out what versions 9 to 13 of the schema brought. */
inline const std::string without_projects =
    without_probes +
    "DROP TABLE session_worker; ALTER TABLE trial DROP COLUMN worker; DROP TABLE study_measure; DROP INDEX "
    "session_project; ALTER TABLE session DROP COLUMN project; DROP "
    "TABLE project; ";

/** Makes the database as version 5 of the schema left it: without checksums and predictors. */
inline bool take_checksums_away(const std::filesystem::path& path) {
  RawDatabase raw(path);
  bool done = raw.run(without_projects +
                      "DROP TABLE predictor; DROP TABLE session_notice; DROP TABLE machine_measure; "
                      "DROP TABLE trial_insight");
  for (const char* table : {"session", "status", "space", "batch", "replayed_batch", "confirmation"})
    done = done && raw.run(std::string("ALTER TABLE ") + table + " DROP COLUMN checksum");
  done = done && raw.run("ALTER TABLE trial DROP COLUMN row_checksum");
  return done && raw.run("ALTER TABLE trial DROP COLUMN samples_checksum; PRAGMA user_version = 5");
}

/** The error names the file, and says a way out. */
inline bool is_error(const Error& error, ErrorCode code, const std::filesystem::path& path) {
  const bool good =
      error.code == code && error.message.find(path.string()) != std::string::npos && !error.hint.empty();
  if (!good) qWarning("code %d: %s", static_cast<int>(error.code), describe(error).c_str());
  return good;
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

constexpr store::Options impatient{.busy_timeout = std::chrono::milliseconds(20)};

}  // namespace kernelscape::store_test
