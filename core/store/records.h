#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/space/search_space.h"
#include "core/store/identifiers.h"
#include "core/store/owner.h"
#include "core/trial/machine_speed.h"
#include "core/trial/session_notice.h"
#include "core/trial/trial.h"

// What a Store keeps of sessions, studies and collections, as values.
namespace kernelscape::store {

enum class SessionState : std::uint8_t {
  Running = 0,      ///< owned by a process; a dead owner makes it Interrupted for readers
  Interrupted = 1,  ///< can be resumed
  Done = 2,         ///< the budget or the space was exhausted; budgets can be raised
  Failed = 3        ///< stopped by an error that would occur again on resume
};

std::string_view to_string(SessionState state);  ///< "running", "interrupted", "done", "failed"

/** Where a session's trials come from. The numbers are stored: never renumber. */
enum class SessionKind : std::uint8_t {
  Measured = 0,  ///< built and run by this program
  Replayed = 1,  ///< a tuner's run on a recorded space, on the virtual clock
  Recorded = 2,  ///< a recorded space itself: its trials are the recording's rows in index order
  Imported = 3   ///< the log of another program; all trials are stored
};

std::string_view to_string(SessionKind kind);  ///< "measured", "replayed", "recorded space", "imported"

/**
 * The definition of a session. Parts that only the creator interprets are stored as text. Never changes,
 * except for the budget and the usual times of the speed probe.
 */
struct SessionRecord {
  SessionId id = 0;
  std::string name;
  std::string created_utc;  ///< ISO 8601, set by the store
  std::string program_version;
  std::string task_name;
  std::string task_json;
  std::string target_name;
  std::string target_json;  ///< all fields of the target description
  std::string template_name;
  int template_version = 0;
  std::string space_json;  ///< knobs with values, constraints
  std::uint64_t space_fingerprint = 0;
  std::string tuner;
  std::string settings_json;
  std::string options_json;  ///< measure options
  std::string budget_json;
  std::uint64_t seed = 0;
  std::int64_t batch_size = 0;    ///< argument n of propose()
  std::string history_json;       ///< ids of the sessions that the warm start uses
  bool real_measurements = true;  ///< synchronous=FULL while the session runs
  SessionKind kind = SessionKind::Measured;
  RecordingId recording = 0;  ///< of Replayed and Recorded sessions: the recording that holds the
                              ///< measurements of their trials
  /**
   * For an imported session: the name and type of its file, "AutoTVM log gemm.log". For a replay: its
   * recorded space and the origin of that space. Empty: created here, or by an earlier version.
   */
  std::string origin{};
  /** For a user's own kernel: the SHA-256 of the project's content, hexadecimal; else empty. */
  std::string project_hash{};
  /**
   * Names the device and the number of threads whose usual times these are, see Machines::usual_probe();
   * empty if they are not known, or not those of this machine.
   */
  std::string probe_machine{};
  /** Usual times of the speed probe when the session began; unknown: not measured, or an earlier version. */
  trial::ProbeSeconds usual_probe{};
  std::int32_t probe_version = 0;  ///< version of the probe that measured them; 0: none
  /**
   * The project itself, to create a session with. Empty in a session that was read: see
   * Sessions::project_json().
   */
  std::string project_json{};
};

/**
 * Returns true if this program built and ran the session's kernels for this database. The record of an
 * imported file cannot claim this.
 */
bool measured_here(const SessionRecord& record);

/**
 * Returns the origin of the numbers of a session that was not measured here: "imported from AutoTVM log
 * gemm.log, not measured here"; empty if the session was measured here.
 */
std::string origin_text(const SessionRecord& record);

/** The part of a session that changes while it runs. */
struct SessionStatus {
  SessionState state = SessionState::Running;
  std::string state_reason;  ///< "500 trials", "the whole space was visited", an error's message
  std::int64_t trial_count = 0;
  std::int64_t best_trial = -1;  ///< number of the trial with the smallest median; -1: none valid
  double best_seconds = 0;
  double session_seconds = 0;  ///< wall time without pauses
  double search_seconds = 0;   ///< time breakdown of session_seconds; the remainder is idle time
  double build_seconds = 0;
  double run_seconds = 0;
  std::string vendor_json;  ///< the vendor baseline: name, samples, layouts, or why the session has none
};

/** A number that a tuner reported for a trial. */
struct StoredSeries {
  std::int64_t trial = 0;
  std::string series;
  double value = 0;

  bool operator==(const StoredSeries&) const = default;
};

/** A pause or an interruption on the session's time axis. */
struct SessionInterruption {
  double at_session_seconds = 0;
  std::string kind;  ///< "paused", "stopped", "killed", "fault", "done"; earlier versions also "pause"

  bool operator==(const SessionInterruption&) const = default;
};

/**
 * Limits of one session: the maximum number of different notices that are stored, and the maximum length of a
 * notice in bytes.
 */
constexpr std::int64_t max_session_notices = 1'000;
constexpr std::size_t max_notice_bytes = 16'384;  ///< a longer text is cut at a letter's end

/** What a user noted about a session. */
struct SessionAnnotation {
  std::vector<std::string> tags;  ///< one line each
  std::string note;
  bool trashed = false;  ///< deleted, but can be restored

  bool operator==(const SessionAnnotation&) const = default;
};

/** A session as lists show it. */
struct SessionSummary {
  SessionRecord record;
  SessionStatus status;
  std::optional<Owner> owner;  ///< set while a process owns it, dead or alive
  SessionAnnotation annotation = {};
  std::optional<StudyId> study = {};  ///< the study to which the session belongs
};

/** A replayed batch. It is stored as one row, because its measurements are those of the recording. */
struct ReplayedBatch {
  std::int32_t batch = 0;
  std::int64_t first_trial = 0;
  double search_seconds = 0;
  std::vector<std::uint32_t> rows;       ///< rows of the recording, in proposal order; see replayed_cut_short
  std::vector<double> finished_seconds;  ///< session time of each row

  bool operator==(const ReplayedBatch&) const = default;
};

/** A study: many sessions under one policy. Its definition is text that core/study interprets. */
struct StudyRecord {
  StudyId id = 0;
  std::string name;
  std::string created_utc;  ///< ISO 8601, set by the store
  std::string program_version;
  std::string study_json;
  std::int64_t run_count = 0;
};

/**
 * Returns the definition of a study that is a collection: sessions that were imported from one file. A
 * collection is never run; lists show it as one row that expands to its sessions. @param about where the
 * sessions come from
 */
std::string collection_to_json(const std::string& name, const std::string& about);

/** Returns true if the study's definition was created by collection_to_json(). */
bool is_collection(const StudyRecord& study);

/** A collection as lists show it. */
struct CollectionSummary {
  StudyId id = 0;
  std::string name;
  std::string created_utc;    ///< ISO 8601
  std::int64_t sessions = 0;  ///< number of sessions without the trashed ones
  std::int64_t trials = 0;    ///< of these sessions
  SessionAnnotation annotation = {};

  bool operator==(const CollectionSummary&) const = default;
};

/** Maximum number of runs of one study, which are planned and read at once. */
constexpr std::int64_t max_study_runs = 1'000'000;

/** A study as lists show it. */
struct StudySummary {
  StudyRecord record;
  std::int64_t done_runs = 0;    ///< runs whose sessions ended as planned
  std::int64_t failed_runs = 0;  ///< runs that could not be created or ended in an error
  std::optional<Owner> owner;    ///< set while a process runs it, dead or alive
  SessionAnnotation annotation = {};
};

/** One run of a study. */
struct StudyRun {
  std::int64_t run = 0;              ///< 0-based, the order of core/study's plan
  std::optional<SessionId> session;  ///< set once the session was created
  std::string error;                 ///< why the session is missing or failed; empty: no error
  SessionStatus status = {};         ///< of the session

  bool started() const { return session.has_value(); }  ///< the session of the run was created
};

}  // namespace kernelscape::store
