#include "core/store/schema.h"

#include <fmt/format.h>

#include <array>
#include <string>

#include "core/store/foreign_schema.h"

namespace kernelscape::store {
namespace {

// Unsigned 64-bit numbers are stored as the signed numbers with the same bits. Blobs are little-endian:
// 32-bit indices in configurations, doubles in samples. NaN is NULL.
constexpr std::string_view version_1 = R"sql(
-- What a session was made from. Never changes, but for its name and budget.
CREATE TABLE session (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL,
  created_utc TEXT NOT NULL,
  program_version TEXT NOT NULL,
  task_name TEXT NOT NULL,
  task_json TEXT NOT NULL,
  target_name TEXT NOT NULL,
  target_json TEXT NOT NULL,
  template_name TEXT NOT NULL,
  template_version INTEGER NOT NULL,
  space_json TEXT NOT NULL,
  space_fingerprint INTEGER NOT NULL,
  tuner TEXT NOT NULL,
  settings_json TEXT NOT NULL,
  options_json TEXT NOT NULL,
  budget_json TEXT NOT NULL,
  seed INTEGER NOT NULL,
  batch_size INTEGER NOT NULL,
  history_json TEXT NOT NULL,
  real_measurements INTEGER NOT NULL CHECK (real_measurements IN (0, 1))
) STRICT;
CREATE INDEX session_name ON session (name);

-- What changes while it runs: small rows, as they are written with every trial.
CREATE TABLE status (
  session INTEGER PRIMARY KEY REFERENCES session (id) ON DELETE CASCADE,
  state INTEGER NOT NULL CHECK (state BETWEEN 0 AND 3),
  state_reason TEXT NOT NULL,
  trial_count INTEGER NOT NULL CHECK (trial_count >= 0),
  best_trial INTEGER NOT NULL CHECK (best_trial >= -1),
  best_seconds REAL NOT NULL,
  session_seconds REAL NOT NULL,
  search_seconds REAL NOT NULL,
  build_seconds REAL NOT NULL,
  run_seconds REAL NOT NULL,
  vendor_json TEXT NOT NULL,
  owner_process_id INTEGER,
  owner_boot_id TEXT,
  owner_process_start INTEGER,
  CHECK ((owner_process_id IS NULL) = (owner_boot_id IS NULL)
     AND (owner_process_id IS NULL) = (owner_process_start IS NULL))
) STRICT;

-- Proposed candidates: all indices of all configurations, one after the other.
CREATE TABLE batch (
  session INTEGER NOT NULL REFERENCES session (id) ON DELETE CASCADE,
  batch INTEGER NOT NULL CHECK (batch >= 0),
  search_seconds REAL NOT NULL,
  candidate_count INTEGER NOT NULL CHECK (candidate_count >= 0),
  candidates BLOB NOT NULL,
  PRIMARY KEY (session, batch)
) STRICT;

CREATE TABLE message (
  id INTEGER PRIMARY KEY,
  hash INTEGER NOT NULL,
  text TEXT NOT NULL
) STRICT;
CREATE INDEX message_hash ON message (hash);

-- The id is the session's times 2^32 plus the order of arrival, so that a session's trials lie together in the order
-- in which they are read, without an index of their own. What rows of a trial table leave out, the samples above all,
-- stands last: reading them does not touch it.
CREATE TABLE trial (
  id INTEGER PRIMARY KEY CHECK (id >> 32 = session),
  session INTEGER NOT NULL REFERENCES session (id) ON DELETE CASCADE,
  number INTEGER NOT NULL CHECK (number >= 0),
  batch INTEGER NOT NULL CHECK (batch >= 0),
  position INTEGER NOT NULL CHECK (position >= 0),
  category INTEGER NOT NULL CHECK (category BETWEEN 0 AND 8),
  cut_short INTEGER NOT NULL CHECK (cut_short IN (0, 1)),
  median_seconds REAL,
  first_quartile_seconds REAL,
  third_quartile_seconds REAL,
  build_seconds REAL NOT NULL,
  run_seconds REAL NOT NULL,
  finished_seconds REAL NOT NULL,
  message INTEGER REFERENCES message (id),
  configuration BLOB NOT NULL CHECK (length(configuration) % 4 = 0),
  samples BLOB NOT NULL,
  preempted_samples INTEGER NOT NULL,
  samples_saved INTEGER NOT NULL,
  worst_error REAL,
  UNIQUE (session, number),
  CHECK (CASE length(samples)
    WHEN 0 THEN coalesce(median_seconds, first_quartile_seconds, third_quartile_seconds) IS NULL
    ELSE length(samples) % 8 = 0 AND category = 0
      AND median_seconds + first_quartile_seconds + third_quartile_seconds IS NOT NULL
  END)
) STRICT;
CREATE INDEX trial_message ON trial (message) WHERE message IS NOT NULL;

CREATE TABLE series (
  session INTEGER NOT NULL REFERENCES session (id) ON DELETE CASCADE,
  trial INTEGER NOT NULL,
  series TEXT NOT NULL,
  value REAL,
  PRIMARY KEY (session, trial, series)
) STRICT, WITHOUT ROWID;

-- The best trials measured again; trial -1 is the vendor baseline.
CREATE TABLE confirmation (
  id INTEGER PRIMARY KEY,
  session INTEGER NOT NULL REFERENCES session (id) ON DELETE CASCADE,
  trial INTEGER NOT NULL CHECK (trial >= -1),
  measured_utc TEXT NOT NULL,
  samples BLOB NOT NULL CHECK (length(samples) % 8 = 0)
) STRICT;
CREATE INDEX confirmation_session ON confirmation (session);

CREATE TABLE interruption (
  id INTEGER PRIMARY KEY,
  session INTEGER NOT NULL REFERENCES session (id) ON DELETE CASCADE,
  at_session_seconds REAL NOT NULL,
  kind TEXT NOT NULL
) STRICT;
CREATE INDEX interruption_session ON interruption (session);
)sql";

// Annotations that users add to sessions, and deleted sessions that can be restored.
constexpr std::string_view version_2 = R"sql(
ALTER TABLE session ADD COLUMN tags TEXT NOT NULL DEFAULT '';
ALTER TABLE session ADD COLUMN note TEXT NOT NULL DEFAULT '';
ALTER TABLE session ADD COLUMN trashed INTEGER NOT NULL DEFAULT 0 CHECK (trashed IN (0, 1));
)sql";

// Recorded spaces, their replays, and studies. Spaces, which many sessions share, move to a separate table.
constexpr std::string_view version_3 = R"sql(
CREATE TABLE space (
  id INTEGER PRIMARY KEY,
  fingerprint INTEGER NOT NULL,
  text TEXT NOT NULL
) STRICT;
CREATE INDEX space_fingerprint ON space (fingerprint);
INSERT INTO space (fingerprint, text) SELECT DISTINCT space_fingerprint, space_json FROM session ORDER BY id;
ALTER TABLE session ADD COLUMN space INTEGER REFERENCES space (id);
UPDATE session SET space =
  (SELECT space.id FROM space WHERE fingerprint = space_fingerprint AND text = space_json);
ALTER TABLE session DROP COLUMN space_json;
CREATE INDEX session_space ON session (space);

-- The bytes are those of a recorded space's file. Numbers are not used twice: ids of messages hold them.
CREATE TABLE recording (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  hash INTEGER NOT NULL,
  name TEXT NOT NULL,
  bytes BLOB NOT NULL
) STRICT;
CREATE INDEX recording_hash ON recording (hash);
ALTER TABLE session ADD COLUMN kind INTEGER NOT NULL DEFAULT 0 CHECK (kind BETWEEN 0 AND 3);
ALTER TABLE session ADD COLUMN recording INTEGER REFERENCES recording (id)
  CHECK ((recording IS NOT NULL) = (kind IN (1, 2)));
CREATE INDEX session_recording ON session (recording) WHERE recording IS NOT NULL;

-- The trials of a replay: rows of its recording as 32-bit numbers, and when each was known.
CREATE TABLE replayed_batch (
  session INTEGER NOT NULL REFERENCES session (id) ON DELETE CASCADE,
  first_trial INTEGER NOT NULL CHECK (first_trial >= 0),
  batch INTEGER NOT NULL CHECK (batch >= 0),
  search_seconds REAL NOT NULL,
  rows BLOB NOT NULL CHECK (length(rows) > 0 AND length(rows) % 4 = 0),
  finished BLOB NOT NULL CHECK (length(finished) = 2 * length(rows)),
  PRIMARY KEY (session, first_trial)
) STRICT;

-- An imported file's own objective, where it is not the median of the samples.
ALTER TABLE trial ADD COLUMN recorded_seconds REAL
  CHECK (recorded_seconds IS NULL OR (recorded_seconds > 0 AND category = 0));

CREATE TABLE study (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL,
  created_utc TEXT NOT NULL,
  program_version TEXT NOT NULL,
  study_json TEXT NOT NULL,
  run_count INTEGER NOT NULL CHECK (run_count BETWEEN 0 AND 10000000),
  tags TEXT NOT NULL DEFAULT '',
  note TEXT NOT NULL DEFAULT '',
  trashed INTEGER NOT NULL DEFAULT 0 CHECK (trashed IN (0, 1)),
  owner_process_id INTEGER,
  owner_boot_id TEXT,
  owner_process_start INTEGER,
  CHECK ((owner_process_id IS NULL) = (owner_boot_id IS NULL)
     AND (owner_process_id IS NULL) = (owner_process_start IS NULL))
) STRICT;

-- Runs that were made, or could not be.
CREATE TABLE study_run (
  study INTEGER NOT NULL REFERENCES study (id) ON DELETE CASCADE,
  run INTEGER NOT NULL CHECK (run >= 0),
  session INTEGER UNIQUE REFERENCES session (id) ON DELETE CASCADE,
  error TEXT NOT NULL,
  PRIMARY KEY (study, run)
) STRICT, WITHOUT ROWID;
)sql";

// Resource figures of GPU compilers for a kernel: either all of them or, for other trials, none. The check is
// attached to a single column, so that existing trials are read only once for it. The log is a message: equal
// logs are stored once.
constexpr std::string_view version_4 = R"sql(
ALTER TABLE trial ADD COLUMN registers INTEGER;
ALTER TABLE trial ADD COLUMN spilled_bytes INTEGER;
ALTER TABLE trial ADD COLUMN shared_bytes INTEGER;
ALTER TABLE trial ADD COLUMN threads INTEGER;
ALTER TABLE trial ADD COLUMN occupancy REAL;
ALTER TABLE trial ADD COLUMN build_log INTEGER REFERENCES message (id);
ALTER TABLE trial ADD COLUMN limited_by INTEGER CHECK (CASE
  WHEN registers IS NULL THEN limited_by IS NULL
  ELSE coalesce(min(registers, spilled_bytes, shared_bytes, threads, occupancy, limited_by), -1) >= 0
    AND max(registers, threads) < 2147483648 AND occupancy <= 1 AND limited_by <= 4
END);
CREATE INDEX trial_build_log ON trial (build_log) WHERE build_log IS NOT NULL;
)sql";

// The origin of an imported session: the name and type of its file. Empty if the session was created here,
// and for imports of earlier versions.
constexpr std::string_view version_5 = R"sql(
ALTER TABLE session ADD COLUMN origin TEXT NOT NULL DEFAULT '';
)sql";

// Checksums of the values on which results depend, because SQLite keeps no checksums of its pages. They are
// CRC-32 of the neighbouring columns and of the session's number, see row_bytes.h; rows of older versions
// have none. The parts of a trial that rows of a trial table need can be checked without its samples.
constexpr std::string_view version_6 = R"sql(
ALTER TABLE session ADD COLUMN checksum INTEGER;
ALTER TABLE status ADD COLUMN checksum INTEGER;
ALTER TABLE space ADD COLUMN checksum INTEGER;
ALTER TABLE batch ADD COLUMN checksum INTEGER;
ALTER TABLE replayed_batch ADD COLUMN checksum INTEGER;
ALTER TABLE confirmation ADD COLUMN checksum INTEGER;
ALTER TABLE trial ADD COLUMN row_checksum INTEGER;
ALTER TABLE trial ADD COLUMN samples_checksum INTEGER;
)sql";

// Predictors, trained and in training. The columns that lists read come before the blobs, so that reading
// them does not touch the blobs. A checksum covers the neighbouring columns; the checksum of the changing
// columns covers the checksums of the blobs as well.
constexpr std::string_view version_7 = R"sql(
CREATE TABLE predictor (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL,
  created_utc TEXT NOT NULL,
  program_version TEXT NOT NULL,
  template_name TEXT NOT NULL,
  isa TEXT NOT NULL,
  definition_json TEXT NOT NULL,
  origin TEXT NOT NULL,
  state INTEGER NOT NULL CHECK (state BETWEEN 0 AND 3),
  state_reason TEXT NOT NULL,
  epochs_json TEXT NOT NULL,
  hash TEXT NOT NULL,
  owner_process_id INTEGER,
  owner_boot_id TEXT,
  owner_process_start INTEGER,
  checksum INTEGER NOT NULL,
  state_checksum INTEGER NOT NULL,
  checkpoint_checksum INTEGER NOT NULL,
  bytes_checksum INTEGER NOT NULL,
  checkpoint BLOB NOT NULL,
  bytes BLOB NOT NULL,
  CHECK ((owner_process_id IS NULL) = (owner_boot_id IS NULL)
     AND (owner_process_id IS NULL) = (owner_process_start IS NULL)),
  CHECK ((state = 2) = (length(bytes) > 0) AND (state = 2) = (hash <> ''))
) STRICT;
CREATE INDEX predictor_hash ON predictor (hash);
)sql";

// Notices of a session: each text once, with its first time. Measurements of a machine, and analyses of
// single trials: JSON that only the creator interprets. A checksum covers the neighbouring columns.
constexpr std::string_view version_8 = R"sql(
CREATE TABLE session_notice (
  session INTEGER NOT NULL REFERENCES session (id) ON DELETE CASCADE,
  position INTEGER NOT NULL CHECK (position >= 0),
  kind TEXT NOT NULL,
  text TEXT NOT NULL,
  first_seconds REAL NOT NULL,
  checksum INTEGER NOT NULL,
  PRIMARY KEY (session, position),
  UNIQUE (session, text)
) STRICT, WITHOUT ROWID;

CREATE TABLE machine_measure (
  machine TEXT NOT NULL,
  kind TEXT NOT NULL,
  json TEXT NOT NULL,
  measured_utc TEXT NOT NULL,
  checksum INTEGER NOT NULL,
  PRIMARY KEY (machine, kind)
) STRICT;

CREATE TABLE trial_insight (
  session INTEGER NOT NULL REFERENCES session (id) ON DELETE CASCADE,
  trial INTEGER NOT NULL CHECK (trial >= 0),
  kind TEXT NOT NULL,
  json TEXT NOT NULL,
  checksum INTEGER NOT NULL,
  PRIMARY KEY (session, trial, kind)
) STRICT;
)sql";

// Projects of users' own kernels, which sessions share: JSON that core/project interprets, with every file
// that is compiled or read. The hash is computed from the project's content and detects changes.
constexpr std::string_view version_9 = R"sql(
CREATE TABLE project (
  id INTEGER PRIMARY KEY,
  hash TEXT NOT NULL,
  json TEXT NOT NULL,
  checksum INTEGER NOT NULL
) STRICT;
CREATE INDEX project_hash ON project (hash);
ALTER TABLE session ADD COLUMN project INTEGER REFERENCES project (id);
CREATE INDEX session_project ON session (project) WHERE project IS NOT NULL;
)sql";

// Measurements of a whole study: JSON that only the creator interprets.
constexpr std::string_view version_10 = R"sql(
CREATE TABLE study_measure (
  study INTEGER NOT NULL REFERENCES study (id) ON DELETE CASCADE,
  kind TEXT NOT NULL,
  json TEXT NOT NULL,
  measured_utc TEXT NOT NULL,
  checksum INTEGER NOT NULL,
  PRIMARY KEY (study, kind)
) STRICT;
)sql";

// The fleet workers that measured trials of a session, each once: a trial stores the number of its worker,
// from 1.
constexpr std::string_view version_11 = R"sql(
CREATE TABLE session_worker (
  session INTEGER NOT NULL REFERENCES session (id) ON DELETE CASCADE,
  place INTEGER NOT NULL CHECK (place >= 1),
  name TEXT NOT NULL,
  checksum INTEGER NOT NULL,
  PRIMARY KEY (session, place),
  UNIQUE (session, name)
) STRICT, WITHOUT ROWID;
ALTER TABLE trial ADD COLUMN worker INTEGER CHECK (worker >= 1);
)sql";

// Times of the speed probe around each trial and interruptions of its samples; NULL where there are none. A
// session has the usual times of its machine and, if it was measured here, a text that names the device and
// the number of threads. As in version 4, one check reads existing trials only once.
constexpr std::string_view version_12 = R"sql(
ALTER TABLE session ADD COLUMN probe_machine TEXT;
ALTER TABLE session ADD COLUMN probe_version INTEGER;
ALTER TABLE session ADD COLUMN usual_compute_probe_seconds REAL;
ALTER TABLE session ADD COLUMN usual_memory_probe_seconds REAL CHECK (CASE
  WHEN probe_version IS NULL
  THEN coalesce(probe_machine, usual_compute_probe_seconds, usual_memory_probe_seconds) IS NULL
  ELSE coalesce(min(probe_version, usual_compute_probe_seconds, usual_memory_probe_seconds), 0) > 0
END);
CREATE INDEX session_probe_machine ON session (probe_machine) WHERE probe_machine IS NOT NULL;
ALTER TABLE trial ADD COLUMN compute_probe_before_seconds REAL;
ALTER TABLE trial ADD COLUMN memory_probe_before_seconds REAL;
ALTER TABLE trial ADD COLUMN compute_probe_after_seconds REAL;
ALTER TABLE trial ADD COLUMN memory_probe_after_seconds REAL CHECK (
  min(coalesce(compute_probe_before_seconds, 1), coalesce(memory_probe_before_seconds, 1),
      coalesce(compute_probe_after_seconds, 1), coalesce(memory_probe_after_seconds, 1)) > 0);
ALTER TABLE trial ADD COLUMN interrupted_share REAL;
ALTER TABLE trial ADD COLUMN uninterrupted_seconds REAL CHECK (
  min(coalesce(interrupted_share, 1), coalesce(uninterrupted_seconds, 1)) > 0 AND
  coalesce(interrupted_share, 1) <= 1);
)sql";

// Names and units of a session's metrics, each once. A trial has their values as doubles in the order of the
// places; NaN, or beyond the end of the blob: the trial has no value.
constexpr std::string_view version_13 = R"sql(
CREATE TABLE session_metric (
  session INTEGER NOT NULL REFERENCES session (id) ON DELETE CASCADE,
  place INTEGER NOT NULL CHECK (place >= 1),
  name TEXT NOT NULL,
  unit TEXT NOT NULL,
  checksum INTEGER NOT NULL,
  PRIMARY KEY (session, place),
  UNIQUE (session, name)
) STRICT, WITHOUT ROWID;
ALTER TABLE trial ADD COLUMN metrics BLOB CHECK (length(metrics) > 0 AND length(metrics) % 8 = 0);
)sql";

constexpr std::array migrations_in_order = {version_1,  version_2,  version_3, version_4, version_5,
                                            version_6,  version_7,  version_8, version_9, version_10,
                                            version_11, version_12, version_13};

/** The identity of the file from its header. */
struct Identity {
  std::int64_t application = 0;
  std::int64_t version = 0;
  bool empty = false;
};

Result<Identity> identify(sqlite::Database& database) {
  const auto application = TRY(database.integer("PRAGMA application_id"));
  const auto version = TRY(database.integer("PRAGMA user_version"));
  const auto objects = TRY(database.integer("SELECT count(*) FROM sqlite_schema"));
  return Identity{application, version, application == 0 && version == 0 && objects == 0};
}

Status check_identity(const Identity& identity, const std::string& path, std::int64_t current,
                      bool may_write) {
  if (!identity.empty && identity.application != application_id) {
    return fail(ErrorCode::Refused, fmt::format("the database {} belongs to another program", path),
                "name another file with --db; this file is not changed");
  }
  if (identity.version < 0) {
    return fail(ErrorCode::Corrupt,
                fmt::format("the database {} is damaged: its schema version is {}", path, identity.version),
                "restore a copy, or name another database with --db");
  }
  if (identity.version > current) {
    return fail(ErrorCode::Refused,
                fmt::format("the database {} has the schema version {}; this program knows versions up to {}",
                            path, identity.version, current),
                "use the newer Kernelscape that wrote it, or name another database with --db");
  }
  if (identity.version < current && !may_write) {
    return fail(ErrorCode::Refused,
                identity.empty
                    ? fmt::format("the database {} is empty", path)
                    : fmt::format("the database {} has the old schema version {} and is opened read-only",
                                  path, identity.version),
                "open it once with write access");
  }
  return {};
}

/** Reads the identity from a snapshot: another process may be creating the schema at the same time. */
Result<Identity> identify_at_once(sqlite::Database& database) {
  TRY(database.execute("BEGIN"));
  // A failed connection is returned unchanged: its error code determines whether the file can be opened in
  // another way.
  Identity identity = TRY(identify(database));
  TRY(database.execute("COMMIT"));
  return identity;
}

}  // namespace

std::span<const std::string_view> schema_migrations() { return migrations_in_order; }

Status migrate(sqlite::Database& database, std::span<const std::string_view> migrations, bool may_write) {
  const auto current = static_cast<std::int64_t>(migrations.size());
  const std::string path = database.path().string();
  auto identity = TRY(identify_at_once(database));
  TRY(check_identity(identity, path, current, may_write));
  TRY(check_schema(database, migrations, identity.version));
  const bool planned_by_others = may_write && TRY(has_statistics(database));
  if (identity.version == current && !planned_by_others) return {};

  auto transaction = TRY(sqlite::Transaction::begin(database));
  // Another process may have migrated the database while this process waited for the lock.
  identity = TRY(identify(database));
  TRY(check_identity(identity, path, current, may_write));
  for (std::int64_t version = identity.version; version < current; ++version)
    TRY(database.execute(std::string(migrations[static_cast<std::size_t>(version)])));
  TRY(drop_statistics(database));
  TRY(database.execute(
      fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {}", application_id, current)));
  TRY(transaction.commit());
  return planned_by_others ? database.execute("PRAGMA writable_schema = RESET") : Status();
}

Result<bool> needs_migration(sqlite::Database& database, std::span<const std::string_view> migrations) {
  const auto current = static_cast<std::int64_t>(migrations.size());
  const auto identity = TRY(identify_at_once(database));
  TRY(check_identity(identity, database.path().string(), current, !identity.empty));
  TRY(check_schema(database, migrations, identity.version));
  return identity.version < current || TRY(has_statistics(database));
}

}  // namespace kernelscape::store
