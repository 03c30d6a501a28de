#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/space/search_space.h"
#include "core/store/identifiers.h"
#include "core/store/owner.h"
#include "core/store/predictor_rows.h"
#include "core/trial/recording.h"
#include "core/trial/session_notice.h"
#include "core/trial/trial.h"
#include "core/trial/trial_table.h"

namespace kernelscape {

enum class SessionState : std::uint8_t {
  Running = 0,      ///< owned by a process; a dead owner makes it Interrupted for readers
  Interrupted = 1,  ///< can be resumed
  Done = 2,         ///< its budget or its space was exhausted; budgets can be raised
  Failed = 3        ///< stopped by an error that resume would meet again
};

std::string_view to_string(SessionState state);  ///< "running", "interrupted", "done", "failed"

/** Where a session's trials come from. The numbers are stored: never renumber. */
enum class SessionKind : std::uint8_t {
  Measured = 0,  ///< built and run by this program
  Replayed = 1,  ///< a tuner's run on a recorded space, on the virtual clock
  Recorded =
      2,  ///< a recorded space itself: its trials are the recording's rows in the order of their indices
  Imported = 3  ///< another program's log; every trial is stored
};

std::string_view to_string(SessionKind kind);  ///< "measured", "replayed", "recorded space", "imported"

/** All that a session was made from, as text where only its maker understands it. Never changes, but for the
 * budget. */
struct SessionRecord {
  SessionId id = 0;
  std::string name;
  std::string created_utc;  ///< ISO 8601, set by the store
  std::string program_version;
  std::string task_name;
  std::string task_json;
  std::string target_name;
  std::string target_json;  ///< the description's every field
  std::string template_name;
  int template_version = 0;
  std::string space_json;  ///< knobs with values, constraints
  std::uint64_t space_fingerprint = 0;
  std::string tuner;
  std::string settings_json;
  std::string options_json;  ///< measuring
  std::string budget_json;
  std::uint64_t seed = 0;
  std::int64_t batch_size = 0;    ///< n of propose()
  std::string history_json;       ///< ids of the sessions it was warm-started from
  bool real_measurements = true;  ///< synchronous=FULL while it runs
  SessionKind kind = SessionKind::Measured;
  RecordingId recording = 0;  ///< of Replayed and Recorded sessions: where their trials' measurements are
  /** Of what came from a file: its name and what it was, "AutoTVM log gemm.log". Of a replay: its recorded
   * space and where that came from. Empty: made here, or by an earlier version. */
  std::string origin{};
  /** Of a user's own kernel: SHA-256 of its project's content, hexadecimal; else empty. */
  std::string project_hash{};
  /** The project itself, to create a session with. Left empty where a session is read: see
   * Store::project_json(). */
  std::string project_json{};
};

/** Whether this program built and ran the session's kernels for this database: no file can claim that. */
bool measured_here(const SessionRecord& record);

/**
 * Where the numbers of a session come from that was not measured here: "imported from AutoTVM log gemm.log,
 * not measured here"; empty for one that was.
 */
std::string origin_text(const SessionRecord& record);

/** What changes while a session runs. */
struct SessionStatus {
  SessionState state = SessionState::Running;
  std::string state_reason;  ///< "500 trials", "the whole space was visited", an error's message
  std::int64_t trial_count = 0;
  std::int64_t best_trial = -1;  ///< number of the trial with the smallest median; -1: none valid
  double best_seconds = 0;
  double session_seconds = 0;  ///< wall time without pauses
  double search_seconds = 0;   ///< wall shares; idle is the rest
  double build_seconds = 0;
  double run_seconds = 0;
  std::string vendor_json;  ///< the vendor baseline: name, samples, layouts, or why there is none
};

/** The best trials measured again at the end, interleaved: they give the headline number. */
struct Confirmation {
  std::int64_t trial = 0;  ///< number; -1: the vendor baseline
  std::string measured_utc;
  std::vector<double> samples_seconds;

  bool operator==(const Confirmation&) const = default;
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
  std::string kind;  ///< "pause", "interruption", ...

  bool operator==(const SessionInterruption&) const = default;
};

/** Of one session: so many different texts are worth reading, and so long a one is. */
constexpr std::int64_t most_session_notices = 1'000;
constexpr std::size_t most_notice_bytes = 16'384;  ///< a longer text is cut at a letter's end

/** What a user wrote on a session. */
struct SessionAnnotation {
  std::vector<std::string> tags;  ///< one line each
  std::string note;
  bool trashed = false;  ///< deleted, but it can be brought back

  bool operator==(const SessionAnnotation&) const = default;
};

/** A session as lists show it. */
struct SessionSummary {
  SessionRecord record;
  SessionStatus status;
  std::optional<Owner> owner;  ///< set while a process owns it, dead or alive
  SessionAnnotation annotation = {};
  std::optional<StudyId> study = {};  ///< that it is a run of
};

/** A batch that was replayed: stored as one row, its measurements are the recording's. */
struct ReplayedBatch {
  std::int32_t batch = 0;
  std::int64_t first_trial = 0;
  double search_seconds = 0;
  std::vector<std::uint32_t> rows;       ///< of the recording, in proposal order; see replayed_cut_short
  std::vector<double> finished_seconds;  ///< session time of each

  bool operator==(const ReplayedBatch&) const = default;
};

/** A study: many sessions under one policy. Its definition is text that core/study understands. */
struct StudyRecord {
  StudyId id = 0;
  std::string name;
  std::string created_utc;  ///< ISO 8601, set by the store
  std::string program_version;
  std::string study_json;
  std::int64_t run_count = 0;
};

/**
 * The definition of a study that is a collection: sessions that one file brought, made by an import. Nothing
 * runs them; lists show them as one row that opens to its sessions.
 * @param about where they come from
 */
std::string collection_to_json(const std::string& name, const std::string& about);

/** Whether it is what collection_to_json() made. */
bool is_collection(const StudyRecord& study);

/** A collection as lists show it. */
struct CollectionSummary {
  StudyId id = 0;
  std::string name;
  std::string created_utc;    ///< ISO 8601
  std::int64_t sessions = 0;  ///< without the trashed ones
  std::int64_t trials = 0;    ///< of these sessions
  SessionAnnotation annotation = {};

  bool operator==(const CollectionSummary&) const = default;
};

/** Of one study: so many runs are planned and read at once. */
constexpr std::int64_t most_study_runs = 1'000'000;

/** A study as lists show it. */
struct StudySummary {
  StudyRecord record;
  std::int64_t done_runs = 0;    ///< their sessions ended as planned
  std::int64_t failed_runs = 0;  ///< could not be made or ended in an error
  std::optional<Owner> owner;    ///< set while a process runs it, dead or alive
  SessionAnnotation annotation = {};
};

/** One run of a study. */
struct StudyRun {
  std::int64_t run = 0;              ///< 0-based, the order of core/study's plan
  std::optional<SessionId> session;  ///< once it was made
  std::string error;                 ///< why there is no session, or why it failed; empty: none
  SessionStatus status = {};         ///< of the session

  bool started() const { return session.has_value(); }  ///< its session was made
};

enum class OpenMode {
  ReadWrite,  ///< makes the file and its folder where they are missing
  Existing,   ///< to write, too, but the file must exist
  ReadOnly  ///< the file must exist, and is not changed; works in folders and on disks that cannot be written
};

struct StoreOptions {
  std::chrono::milliseconds busy_timeout{10'000};  ///< how long to wait for another process's lock
};

/**
 * The SQLite database that is the truth: WAL, busy time-out, foreign keys; schema versions migrate forward, a
 * newer one is refused, as is another program's database. Any number of processes may use one database; a
 * session has one owner. One Store is used by one thread at a time; each thread opens its own, and so does a
 * forked process.
 *
 * Every error names the database's path and the way out: read-only, full disk, locked, truncated, not a
 * database, newer schema.
 */
class Store {
 public:
  /**
   * Opens the database; to write it brings its schema up to date. Who only reads sees an older schema, or a
   * log that was left on a disk that cannot be written, through a temporary copy, as of this moment. Refused:
   * a newer schema, another program's database; NotFound: a missing one, with the names that are near;
   * InvalidArgument: a folder, a pipe, a device; Environment: no space for a copy.
   */
  static Result<Store> open(const std::filesystem::path& path, OpenMode mode = OpenMode::ReadWrite,
                            const StoreOptions& options = {});
  /** What a database that was not made yet holds; only to read, and no file. @param path what errors name */
  static Result<Store> nothing_yet(const std::filesystem::path& path);
  /** $XDG_DATA_HOME/kernelscape/kernelscape.db, else ~/.local/share/... */
  static std::filesystem::path default_path();

  Store(Store&&) noexcept;
  Store& operator=(Store&&) noexcept;
  ~Store();

  const std::filesystem::path& path() const;  ///< of the database file

  /**
   * All that is stored while this lives is one transaction: others see it at once when it is committed, and
   * until then what was there before. Dropped without commit(), or by the death of the process, nothing of it
   * was stored. Others that write wait meanwhile.
   */
  class Transaction {
   public:
    Transaction(Transaction&&) noexcept;
    Transaction& operator=(Transaction&&) = delete;
    ~Transaction();
    /** Keeps all of it, durably. */
    Status commit();

   private:
    friend class Store;
    struct State;
    explicit Transaction(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
  };
  /** Waits for others that write, as every call does. Numbers that it gave are nobody's once it was dropped.
   */
  Result<Transaction> begin();

  /** Creates a session owned by `owner`. */
  Result<SessionId> create_session(const SessionRecord& record, const Owner& owner);
  /** The same as run `run` of a study, at once: a process that dies leaves no session that belongs nowhere.
   */
  Result<SessionId> create_session(const SessionRecord& record, const Owner& owner, StudyId study,
                                   std::int64_t run);

  /**
   * Takes an unowned session or one whose owner is dead; refuses with the living owner's process id, this
   * process included. The state stays as it is until update_status says Running.
   */
  Status claim_session(SessionId id, const Owner& owner);
  /** Refused where somebody else owns it. A session left Running reads as Interrupted from then on. */
  Status release_session(SessionId id, const Owner& owner);

  /**
   * Newest first, without the trashed ones and without those of studies; those of collections are among them,
   * unless their collection is trashed. One that is damaged hides no other.
   * @param unreadable gets an error of each that is left out since it cannot be read; may be null
   */
  Result<std::vector<SessionSummary>> sessions(std::vector<Error>* unreadable = nullptr) const;
  /** The same without the texts of spaces, which may be long: for lists. */
  Result<std::vector<SessionSummary>> session_list(std::vector<Error>* unreadable = nullptr) const;
  /** A trashed one too, and one of a study; NotFound where it does not exist, Corrupt where it is damaged. */
  Result<SessionSummary> session(SessionId id) const;
  /** The project of a user's own kernel that a session was made from; NotFound where it has none. */
  Result<std::string> project_json(SessionId id) const;
  /**
   * By id or by name; an ambiguous or unknown one is an error that lists candidates. Those of studies are
   * found by id alone, those of collections by both.
   */
  Result<SessionId> find_session(std::string_view id_or_name) const;
  /**
   * Refused while a living process owns it. What no other session uses goes with it: messages, its space, its
   * recorded space, its project.
   */
  Status delete_session(SessionId id);

  /** Replaces the whole status; the owner stays. NotFound where there is no such session. */
  Status update_status(SessionId id, const SessionStatus& status);
  /** Replaces the budget that the session was made with: the one part of its record that changes. */
  Status update_budget(SessionId id, const std::string& budget_json);
  /** Any text; it need not be unique. NotFound where there is no such session. */
  Status set_name(SessionId id, const std::string& name);
  /** Replaces the note; an empty text removes it. NotFound where there is no such session. */
  Status set_note(SessionId id, const std::string& note);
  /** Replaces all tags. InvalidArgument: one that is empty or has more than one line. */
  Status set_tags(SessionId id, std::span<const std::string> tags);

  /** Hides a session from the lists until restore_trashed() or delete_session(); refused while a living
   * process owns it. */
  Status trash_session(SessionId id);
  /** Shows a trashed session in the lists again; no change where it was not trashed. */
  Status restore_trashed(SessionId id);
  Result<std::vector<SessionId>> trashed_sessions() const;  ///< ascending

  /**
   * Commits trials, durably where the session measures for real, before anyone is told of them, together with
   * the session's counters. Trials have arrived in any order within their batch.
   */
  Status append_trials(SessionId id, std::span<const Trial> trials, const SessionStatus& status);

  /**
   * Commits replayed batches, the series of their trials and the session's counters: one row a batch. A
   * replay that is killed loses what was not committed and makes it again. Batches have trials, and are
   * appended in the order of their trials.
   */
  Status append_replayed(SessionId id, std::span<const ReplayedBatch> batches,
                         std::span<const StoredSeries> series, const SessionStatus& status);

  /** A proposed batch, committed before it is measured: resume compares with it. Search seconds that it cost.
   */
  Status append_batch(SessionId id, std::int32_t batch, std::span<const Configuration> candidates,
                      double search_seconds);
  struct StoredBatch {
    std::int32_t batch = 0;
    std::vector<Configuration> candidates;
    double search_seconds = 0;

    bool operator==(const StoredBatch&) const = default;
  };
  /** By number; of a recorded space one batch with all its rows. What resume compares proposals with. */
  Result<std::vector<StoredBatch>> batches(SessionId id) const;

  /** Whole trials with samples, messages and build logs, by number; [first, first + count). */
  Result<std::vector<Trial>> trials(SessionId id, std::int64_t first = 0, std::int64_t count = -1) const;
  /** One whole trial by its number; NotFound where the session has none of it. */
  Result<Trial> trial(SessionId id, std::int64_t number) const;

  /**
   * Rows (no samples, no texts) in order of arrival after the first `skip`: fills a trial table.
   */
  struct ArrivedRow : TrialRow {
    Configuration configuration;
  };
  /** By value, each with its configuration; visit_rows() where they need not be kept. */
  Result<std::vector<ArrivedRow>> rows(SessionId id, std::int64_t skip = 0) const;
  /** The same one by one, without keeping them: the row is valid during the call. */
  Status visit_rows(SessionId id, std::int64_t skip,
                    const std::function<void(const ArrivedRow&)>& visit) const;
  /** Of a fleet, those that measured trials of the session, by their places from 1; empty: this machine did.
   */
  Result<std::vector<std::string>> workers(SessionId id) const;
  /** The text of a row's message or build log. */
  Result<std::string> message(std::int64_t message_id) const;
  /**
   * Whether its trials have what compilers of GPUs say, or may get it: it measures on a GPU. Rows of the
   * target "cpu" are read without.
   */
  Result<bool> has_resources(SessionId id) const;
  /** Whether trials are ranked by an imported file's own objective that is not the median of their samples.
   */
  Result<bool> has_own_objectives(SessionId id) const;

  /** A value that is stored again replaces the old one: resume reports replayed batches anew. */
  Status append_series(SessionId id, std::span<const StoredSeries> values);
  /** By trial, then by name. */
  Result<std::vector<StoredSeries>> series(SessionId id) const;
  /**
   * Those of trials numbered `first` and later one by one, without keeping them: each is valid during the
   * call. A batch's values are committed at once, so that a reader may go on after the last trial it saw.
   */
  Status visit_series(SessionId id, std::int64_t first,
                      const std::function<void(const StoredSeries&)>& visit) const;

  /** Adds to those of earlier ends; the last of a trial counts. */
  Status append_confirmations(SessionId id, std::span<const Confirmation> confirmations);
  /** In the order in which they were appended. */
  Result<std::vector<Confirmation>> confirmations(SessionId id) const;

  /** The recorded space with these bytes; nothing where it is not kept. */
  Result<std::optional<RecordingId>> find_recording(const Recording& recording) const;
  /** Keeps the bytes of a recorded space, equal ones once, until the last session that uses it is deleted. */
  Result<RecordingId> add_recording(const Recording& recording);
  /** Read once by each Store; shared from then on. */
  Result<std::shared_ptr<const Recording>> recording(RecordingId id) const;

  /** Stores the definition and how many runs it has; none has a session, and nobody owns it yet. */
  Result<StudyId> create_study(const StudyRecord& record);
  /**
   * Stores a collection of so many sessions, which create_session() enters as its runs, from 0.
   * InvalidArgument for a blank name.
   */
  Result<StudyId> create_collection(const StudyRecord& record, const std::string& about);
  /** Newest first, without the trashed ones. */
  Result<std::vector<CollectionSummary>> collections() const;
  /** By id or by name; an ambiguous or unknown one is an error that lists candidates. */
  Result<StudyId> find_collection(std::string_view id_or_name) const;
  /** Takes a study whose owner is none or dead; refuses with the living owner's process id. */
  Status claim_study(StudyId id, const Owner& owner);
  /** Refused where somebody else owns it. */
  Status release_study(StudyId id, const Owner& owner);
  /** Newest first, without the trashed ones. @param unreadable as of sessions() */
  Result<std::vector<StudySummary>> studies(std::vector<Error>* unreadable = nullptr) const;
  /** A trashed one too; NotFound where it does not exist. */
  Result<StudySummary> study(StudyId id) const;
  /** By id or by name; an ambiguous or unknown one is an error that lists candidates. */
  Result<StudyId> find_study(std::string_view id_or_name) const;
  /** Every run, started or not, by number. One whose session is damaged is a failed one, with the error. */
  Result<std::vector<StudyRun>> study_runs(StudyId id) const;
  /** Why a run has no session or failed; an empty text takes it back. */
  Status set_study_run_error(StudyId id, std::int64_t run, std::string_view error);
  /** Any text; it need not be unique. NotFound where there is no such study. */
  Status set_study_name(StudyId id, const std::string& name);
  /** Replaces the note; an empty text removes it. */
  Status set_study_note(StudyId id, const std::string& note);
  /** Replaces all tags. InvalidArgument: one that is empty or has more than one line. */
  Status set_study_tags(StudyId id, std::span<const std::string> tags);
  /** Hides a study from the lists; Refused while a living process owns it. */
  Status trash_study(StudyId id);
  /** Shows a trashed study in the lists again; NotFound where it does not exist. */
  Status restore_trashed_study(StudyId id);
  Result<std::vector<StudyId>> trashed_studies() const;  ///< ascending
  Status delete_study(
      StudyId id);  ///< with its sessions; refused while a living process owns it or one of them

  /** Notes what is to be trained; `owner` trains it. */
  Result<PredictorId> create_training(const PredictorRecord& record, const Owner& owner);
  /** Takes one that is not done and whose owner is none or dead; refuses with the living owner's process id.
   * It is Training again, with its checkpoint. */
  Status claim_training(PredictorId id, const Owner& owner);
  /** Replaces what is noted of epochs and what training goes on from, at once. Refused where it is done. */
  Status save_epoch(PredictorId id, const std::string& epochs_json, std::string_view checkpoint);
  /** It is Done, and nobody's: `bytes` are its file. The checkpoint goes. */
  Status finish_training(PredictorId id, std::string_view bytes, const std::string& hash);
  /** It is nobody's, and goes on from its checkpoint where it is claimed. @param state Interrupted or Failed
   */
  Status end_training(PredictorId id, PredictorState state, const std::string& reason);
  /** One that was trained elsewhere, Done. Where the database has one with this hash, it is that. */
  Result<PredictorId> add_predictor(const PredictorRecord& record, std::string_view bytes,
                                    const std::string& hash);
  /** Newest first, trained or not. @param unreadable as of sessions() */
  Result<std::vector<PredictorSummary>> predictors(std::vector<Error>* unreadable = nullptr) const;
  /** NotFound where it does not exist, Corrupt where it is damaged. */
  Result<PredictorSummary> predictor(PredictorId id) const;
  /** Its file. Refused of one that is not done. */
  Result<std::string> predictor_bytes(PredictorId id) const;
  /** What save_epoch() was given last; empty: nothing yet, or it is done. */
  Result<std::string> predictor_checkpoint(PredictorId id) const;
  /** By id or by name; an ambiguous or unknown one is an error that lists candidates. */
  Result<PredictorId> find_predictor(std::string_view id_or_name) const;
  /** The newest that is done and has it. */
  Result<std::optional<PredictorId>> predictor_with_hash(std::string_view hash) const;
  /** For good; sessions that used it keep their trials. Refused while a living process trains it. */
  Status delete_predictor(PredictorId id);

  /** Marks session time `at_session_seconds`. @param kind "pause", "interruption", ... */
  Status append_interruption(SessionId id, double at_session_seconds, const std::string& kind);
  /** In the order in which they were appended. */
  Result<std::vector<SessionInterruption>> interruptions(SessionId id) const;

  /**
   * Keeps what a session said. A text that it has said already stays one notice, with its first time and
   * kind; one longer than most_notice_bytes is cut. Refused: it has most_session_notices; NotFound: there is
   * no such session.
   */
  Status add_notice(SessionId id, const SessionNotice& notice);
  /** In the order in which they were said first; none where there is no such session. */
  Result<std::vector<SessionNotice>> notices(SessionId id) const;

  /**
   * What was measured once of a machine, as its maker wrote it; nothing where it was not measured, also in an
   * older database that is only read. @param machine names it, as its maker does. @param kind "ceilings"
   */
  Result<std::optional<std::string>> machine_measure(std::string_view machine, std::string_view kind) const;
  /** Replaces the earlier one of that machine and kind. */
  Status save_machine_measure(std::string_view machine, std::string_view kind, std::string_view json);

  /**
   * What was measured of a study as a whole, as its maker wrote it; nothing where it was not measured, also
   * in an older database that is only read. It is deleted with its study. @param kind "network pass"
   */
  Result<std::optional<std::string>> study_measure(StudyId id, std::string_view kind) const;
  /** Replaces the earlier one of that study and kind; NotFound where there is no such study. */
  Status save_study_measure(StudyId id, std::string_view kind, std::string_view json);

  /**
   * What was asked of one trial after its session, as its maker wrote it; nothing where it was not asked,
   * also in an older database that is only read. It is deleted with its session. @param kind "counters"
   */
  Result<std::optional<std::string>> trial_insight(SessionId id, std::int64_t trial,
                                                   std::string_view kind) const;
  /** Replaces the earlier one of that trial and kind; NotFound where there is no such session. */
  Status save_trial_insight(SessionId id, std::int64_t trial, std::string_view kind, std::string_view json);

 private:
  struct Connection;
  explicit Store(std::unique_ptr<Connection> connection);
  std::unique_ptr<Connection> connection_;
};

}  // namespace kernelscape
