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
#include "core/store/records.h"
#include "core/trial/confirmation.h"
#include "core/trial/machine_speed.h"
#include "core/trial/recording.h"
#include "core/trial/session_notice.h"
#include "core/trial/table.h"
#include "core/trial/trial.h"

namespace kernelscape::store {

enum class OpenMode {
  ReadWrite,  ///< creates the file and its folder if they are missing
  Existing,   ///< for writing as well, but the file must exist
  ReadOnly    ///< the file must exist, and is not changed; works in read-only folders and file systems
};

struct Options {
  std::chrono::milliseconds busy_timeout{10'000};  ///< how long to wait for another process's lock
};

/**
 * The SQLite database that stores all sessions, studies and predictors: WAL, busy time-out, foreign keys.
 * Older schema versions are migrated; a newer schema and the database of another program are refused. Any
 * number of processes may use one database; a session has one owner. A Store is used by one thread at a time;
 * each thread, and each forked process, opens a separate Store.
 *
 * Every error names the database's path and a remedy: read-only, full disk, locked, truncated, not a
 * database, newer schema.
 */
class Store {
 public:
  /**
   * Opens the database and, unless it is opened read-only, migrates its schema. A read-only store reads a
   * database with an older schema, or with a log left on a read-only file system, from a temporary copy that
   * is a snapshot of this moment. Errors: Refused: a newer schema, the database of another program; NotFound:
   * the file is missing, with similar names; InvalidArgument: a folder, a pipe, a device; Environment: no
   * space for a copy.
   */
  static Result<Store> open(const std::filesystem::path& path, OpenMode mode = OpenMode::ReadWrite,
                            const Options& options = {});
  /**
   * Returns a read-only store without a file, with the content of a database that does not exist yet. @param
   * path the path that error messages name
   */
  static Result<Store> nothing_yet(const std::filesystem::path& path);
  /**
   * Returns $XDG_DATA_HOME/kernelscape/kernelscape.db, or ~/.local/share/kernelscape/kernelscape.db if
   * XDG_DATA_HOME is not set.
   */
  static std::filesystem::path default_path();

  Store(Store&&) noexcept;
  Store& operator=(Store&&) noexcept;
  ~Store();

  const std::filesystem::path& path() const;  ///< of the database file
  /** Returns true if later changes of the database file are not seen: open it again to see them. */
  bool is_snapshot() const;

  /**
   * Combines all writes during the life of this object into one transaction: other connections see either all
   * of them after commit() or none. If the object is destroyed without commit(), or the process dies, nothing
   * is stored. Other writers wait meanwhile.
   */
  class Transaction {
   public:
    Transaction(Transaction&&) noexcept;
    Transaction& operator=(Transaction&&) = delete;
    ~Transaction();
    /** Commits all writes, durably. */
    Status commit();

   private:
    friend class Store;
    struct State;
    explicit Transaction(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
  };
  /**
   * Begins a transaction. Waits for other writers, as every call does. Ids that were assigned in a
   * transaction without commit() are invalid.
   */
  Result<Transaction> begin();

  /** Creates a session owned by `owner`. */
  Result<SessionId> create_session(const SessionRecord& record, const Owner& owner);
  /**
   * Creates a session owned by `owner` as run `run` of a study in one transaction: a process that dies leaves
   * no session without its study.
   */
  Result<SessionId> create_session(const SessionRecord& record, const Owner& owner, StudyId study,
                                   std::int64_t run);

  /**
   * Takes the ownership of a session that has no owner or whose owner is dead. Returns Refused with the
   * process id of a living owner, including this process. The state is unchanged until update_status() sets
   * Running.
   */
  Status claim_session(SessionId id, const Owner& owner);
  /**
   * Releases the ownership. Returns Refused if another process owns the session. A session left in state
   * Running reads as Interrupted from then on.
   */
  Status release_session(SessionId id, const Owner& owner);

  /**
   * Returns all sessions, newest first, without the trashed ones and those of studies. Sessions of
   * collections are included unless their collection is trashed. A damaged session does not hide others.
   * @param unreadable gets one error for each session that cannot be read; may be null
   */
  Result<std::vector<SessionSummary>> sessions(std::vector<Error>* unreadable = nullptr) const;
  /**
   * Returns the same sessions as sessions(), without the texts of their spaces, which may be long: for lists.
   */
  Result<std::vector<SessionSummary>> session_list(std::vector<Error>* unreadable = nullptr) const;
  /**
   * Returns a session, including a trashed session and a session of a study. Returns NotFound if it does not
   * exist and Corrupt if it is damaged.
   */
  Result<SessionSummary> session(SessionId id) const;
  /**
   * Returns the project of the user's own kernel from which a session was created, or NotFound if the session
   * has no project.
   */
  Result<std::string> project_json(SessionId id) const;
  /**
   * Finds a session by id or by name. An ambiguous or unknown name is an error that lists candidates.
   * Sessions of studies are found by id only, sessions of collections by both.
   */
  Result<SessionId> find_session(std::string_view id_or_name) const;
  /**
   * Deletes a session together with the messages, the space, the recorded space and the project that no other
   * session uses. Returns Refused while a living process owns the session.
   */
  Status delete_session(SessionId id);

  /** Replaces the whole status; the owner is unchanged. Returns NotFound if the session does not exist. */
  Status update_status(SessionId id, const SessionStatus& status);
  /** Replaces the budget with which the session was created. */
  Status update_budget(SessionId id, const std::string& budget_json);
  /**
   * Sets the usual times of the speed probe of a session, measured with this program's probe_version.
   * @param machine names the device and the number of threads; not empty
   * @param usual must be known
   */
  Status set_usual_probe(SessionId id, const std::string& machine, const trial::ProbeSeconds& usual);
  /**
   * Returns the usual times of a machine: of each part the shortest time that any of its last 20 measured
   * sessions stored with this program's probe_version; nullopt if there is none.
   */
  Result<std::optional<trial::ProbeSeconds>> usual_probe(std::string_view machine) const;
  /**
   * Sets the name, which may be any text and need not be unique. Returns NotFound if the session does not
   * exist.
   */
  Status set_name(SessionId id, const std::string& name);
  /** Replaces the note; an empty text removes it. Returns NotFound if the session does not exist. */
  Status set_note(SessionId id, const std::string& note);
  /** Replaces all tags. Returns InvalidArgument if a tag is empty or has more than one line. */
  Status set_tags(SessionId id, std::span<const std::string> tags);

  /**
   * Hides a session from the lists until restore_trashed() or delete_session(). Returns Refused while a
   * living process owns the session.
   */
  Status trash_session(SessionId id);
  /** Shows a trashed session in the lists again; has no effect if the session was not trashed. */
  Status restore_trashed(SessionId id);
  Result<std::vector<SessionId>> trashed_sessions() const;  ///< ascending

  /**
   * Commits trials together with the session's counters. The commit is durable if the session takes real
   * measurements, and happens before any other component is notified of the trials. Trials of a batch may be
   * in any order.
   */
  Status append_trials(SessionId id, std::span<const trial::Trial> trials, const SessionStatus& status);

  /**
   * Commits replayed batches, the series of their trials and the session's counters; each batch is one row. A
   * killed replay loses what was not committed and repeats it. Every batch must have trials, and batches are
   * appended in the order of their trials.
   */
  Status append_replayed(SessionId id, std::span<const ReplayedBatch> batches,
                         std::span<const StoredSeries> series, const SessionStatus& status);

  /**
   * Commits a proposed batch before it is measured, so that resume can compare proposals with it. @param
   * search_seconds time that the proposal took
   */
  Status append_batch(SessionId id, std::int32_t batch, std::span<const space::Configuration> candidates,
                      double search_seconds);
  struct StoredBatch {
    std::int32_t batch = 0;
    std::vector<space::Configuration> candidates;
    double search_seconds = 0;

    bool operator==(const StoredBatch&) const = default;
  };
  /**
   * Returns the batches by number; a recorded space has one batch of all rows. Resume compares proposals with
   * them.
   */
  Result<std::vector<StoredBatch>> batches(SessionId id) const;

  /** Returns the trials numbered [first, first + count), with samples, messages and build logs. */
  Result<std::vector<trial::Trial>> trials(SessionId id, std::int64_t first = 0,
                                           std::int64_t count = -1) const;
  /** Returns one complete trial by its number, or NotFound if the session has no such trial. */
  Result<trial::Trial> trial(SessionId id, std::int64_t number) const;

  /**
   * A row without samples and texts. Rows come in order of arrival after the first `skip`, to fill a trial
   * table.
   */
  struct ArrivedRow : trial::Row {
    space::Configuration configuration;
    std::vector<double> metrics;  ///< in the order of metrics(); NaN, or beyond the end: none
  };
  /** Returns the rows by value, each with its configuration. Use visit_rows() if they need not be kept. */
  Result<std::vector<ArrivedRow>> rows(SessionId id, std::int64_t skip = 0) const;
  /** Visits the rows of rows() one by one without keeping them. The row is valid during the call. */
  Status visit_rows(SessionId id, std::int64_t skip,
                    const std::function<void(const ArrivedRow&)>& visit) const;
  /**
   * Returns the fleet workers that measured trials of the session, in the order of their numbers from 1;
   * empty if this machine measured all trials.
   */
  Result<std::vector<std::string>> workers(SessionId id) const;
  /**
   * Returns the metrics that trials of the session have beside their times, in the order of their first
   * occurrence; empty if there are none.
   */
  Result<std::vector<trial::MetricName>> metrics(SessionId id) const;
  /** Returns the text of a row's message or build log. */
  Result<std::string> message(std::int64_t message_id) const;
  /**
   * Returns true if the session measures on a GPU, so that its trials have, or may get, resource figures of
   * GPU compilers. Rows of the target "cpu" are read without these columns.
   */
  Result<bool> has_resources(SessionId id) const;
  /**
   * Returns true if trials are ranked by an objective that an imported file defines and that is not the
   * median of their samples.
   */
  Result<bool> has_own_objectives(SessionId id) const;
  /** Returns true if trials of the session have, or will get, times of the speed probe. */
  Result<bool> has_probes(SessionId id) const;

  /**
   * Appends series values. A value that exists already is replaced, because resume reports replayed batches
   * again.
   */
  Status append_series(SessionId id, std::span<const StoredSeries> values);
  /** Returns all series values, sorted by trial, then by name. */
  Result<std::vector<StoredSeries>> series(SessionId id) const;
  /**
   * Visits the series values of trials numbered `first` and later one by one without keeping them. A value is
   * valid during the call. The values of a batch are committed at once, so that a reader may continue after
   * the last trial it saw.
   */
  Status visit_series(SessionId id, std::int64_t first,
                      const std::function<void(const StoredSeries&)>& visit) const;

  /**
   * Appends confirmations to those of earlier ends of the session. The last confirmation of a trial is valid.
   */
  Status append_confirmations(SessionId id, std::span<const trial::Confirmation> confirmations);
  /** Returns the confirmations in the order in which they were appended. */
  Result<std::vector<trial::Confirmation>> confirmations(SessionId id) const;

  /** Returns the id of the stored recording with the same bytes, or nullopt if it is not stored. */
  Result<std::optional<RecordingId>> find_recording(const trial::Recording& recording) const;
  /**
   * Stores the bytes of a recorded space until the last session that uses it is deleted. Equal recordings are
   * stored once.
   */
  Result<RecordingId> add_recording(const trial::Recording& recording);
  /** Returns a recording. It is read once by each Store and then shared. */
  Result<std::shared_ptr<const trial::Recording>> recording(RecordingId id) const;

  /**
   * Stores the definition of a study and its number of runs. No run has a session yet, and the study has no
   * owner.
   */
  Result<StudyId> create_study(const StudyRecord& record);
  /**
   * Stores a collection with a fixed number of sessions. create_session() adds the sessions as runs, numbered
   * from 0. Returns InvalidArgument for a blank name.
   */
  Result<StudyId> create_collection(const StudyRecord& record, const std::string& about);
  /** Returns all collections, newest first, without the trashed ones. */
  Result<std::vector<CollectionSummary>> collections() const;
  /** Finds a collection by id or by name. An ambiguous or unknown name is an error that lists candidates. */
  Result<StudyId> find_collection(std::string_view id_or_name) const;
  /**
   * Takes the ownership of a study that has no owner or whose owner is dead. Returns Refused with the process
   * id of a living owner.
   */
  Status claim_study(StudyId id, const Owner& owner);
  /** Releases the ownership. Returns Refused if another process owns the study. */
  Status release_study(StudyId id, const Owner& owner);
  /** Returns all studies, newest first, without the trashed ones. @param unreadable as for sessions() */
  Result<std::vector<StudySummary>> studies(std::vector<Error>* unreadable = nullptr) const;
  /** Returns a study, including a trashed study, or NotFound if it does not exist. */
  Result<StudySummary> study(StudyId id) const;
  /** Finds a study by id or by name. An ambiguous or unknown name is an error that lists candidates. */
  Result<StudyId> find_study(std::string_view id_or_name) const;
  /**
   * Returns all runs by number, whether they were started or not. A run whose session is damaged is a failed
   * run with the error.
   */
  Result<std::vector<StudyRun>> study_runs(StudyId id) const;
  /** Sets why a run has no session or failed; an empty text removes the error. */
  Status set_study_run_error(StudyId id, std::int64_t run, std::string_view error);
  /**
   * Sets the name, which may be any text and need not be unique. Returns NotFound if the study does not
   * exist.
   */
  Status set_study_name(StudyId id, const std::string& name);
  /** Replaces the note; an empty text removes it. */
  Status set_study_note(StudyId id, const std::string& note);
  /** Replaces all tags. Returns InvalidArgument if a tag is empty or has more than one line. */
  Status set_study_tags(StudyId id, std::span<const std::string> tags);
  /** Hides a study from the lists. Returns Refused while a living process owns it. */
  Status trash_study(StudyId id);
  /** Shows a trashed study in the lists again. Returns NotFound if it does not exist. */
  Status restore_trashed_study(StudyId id);
  Result<std::vector<StudyId>> trashed_studies() const;  ///< ascending
  Status delete_study(StudyId id);  ///< deletes the sessions as well; Refused while a living process owns the
                                    ///< study or one of its sessions

  /** Stores the definition of a predictor that `owner` trains. */
  Result<PredictorId> create_training(const PredictorRecord& record, const Owner& owner);
  /**
   * Takes the ownership of a training that is not Done and has no owner or a dead owner. Returns Refused with
   * the process id of a living owner. The state becomes Training, and the checkpoint is kept.
   */
  Status claim_training(PredictorId id, const Owner& owner);
  /**
   * Replaces the training log and the checkpoint in one transaction. Returns Refused if the training is Done.
   */
  Status save_epoch(PredictorId id, const std::string& epochs_json, std::string_view checkpoint);
  /** Sets the state to Done, stores the predictor file `bytes`, and removes the owner and the checkpoint. */
  Status finish_training(PredictorId id, std::string_view bytes, const std::string& hash);
  /**
   * Ends the training and removes the owner. The training resumes from its checkpoint when it is claimed
   * again. @param state Interrupted or Failed
   */
  Status end_training(PredictorId id, PredictorState state, const std::string& reason);
  /**
   * Stores a predictor that was trained elsewhere, with the state Done. Returns the existing id if the
   * database has a predictor with this hash.
   */
  Result<PredictorId> add_predictor(const PredictorRecord& record, std::string_view bytes,
                                    const std::string& hash);
  /** Returns all predictors, trained or not, newest first. @param unreadable as for sessions() */
  Result<std::vector<PredictorSummary>> predictors(std::vector<Error>* unreadable = nullptr) const;
  /** Returns a predictor. Returns NotFound if it does not exist and Corrupt if it is damaged. */
  Result<PredictorSummary> predictor(PredictorId id) const;
  /** Returns the predictor file. Returns Refused if the predictor is not Done. */
  Result<std::string> predictor_bytes(PredictorId id) const;
  /**
   * Returns the checkpoint that save_epoch() stored last; empty before the first epoch and after the training
   * is Done.
   */
  Result<std::string> predictor_checkpoint(PredictorId id) const;
  /** Finds a predictor by id or by name. An ambiguous or unknown name is an error that lists candidates. */
  Result<PredictorId> find_predictor(std::string_view id_or_name) const;
  /** Returns the newest predictor in state Done that has this hash, or nullopt. */
  Result<std::optional<PredictorId>> predictor_with_hash(std::string_view hash) const;
  /**
   * Deletes a predictor permanently. Sessions that used it keep their trials. Returns Refused while a living
   * process trains it.
   */
  Status delete_predictor(PredictorId id);

  /**
   * Records an interruption at session time `at_session_seconds`. @param kind "pause", "interruption", ...
   */
  Status append_interruption(SessionId id, double at_session_seconds, const std::string& kind);
  /** Returns the interruptions in the order in which they were appended. */
  Result<std::vector<SessionInterruption>> interruptions(SessionId id) const;

  /**
   * Stores a notice of a session. A text that is stored already stays one notice with its first time and
   * kind; a text longer than max_notice_bytes is cut. Returns Refused if the session has
   * max_session_notices, and NotFound if the session does not exist.
   */
  Status add_notice(SessionId id, const trial::SessionNotice& notice);
  /** Returns the notices in the order of their first occurrence; empty if the session does not exist. */
  Result<std::vector<trial::SessionNotice>> notices(SessionId id) const;

  /**
   * Returns a stored measurement of a machine in the format of its creator, or nullopt if the machine was not
   * measured or the database is an older one that is open read-only. @param machine the name of the machine
   * that the creator uses. @param kind "ceilings"
   */
  Result<std::optional<std::string>> machine_measure(std::string_view machine, std::string_view kind) const;
  /** Stores a measurement of a machine and replaces the earlier one of the same machine and kind. */
  Status save_machine_measure(std::string_view machine, std::string_view kind, std::string_view json);

  /**
   * Returns a stored measurement of a whole study in the format of its creator, or nullopt if the study was
   * not measured or the database is an older one that is open read-only. The measurement is deleted with its
   * study. @param kind "network pass"
   */
  Result<std::optional<std::string>> study_measure(StudyId id, std::string_view kind) const;
  /**
   * Stores a measurement of a study and replaces the earlier one of the same kind. Returns NotFound if the
   * study does not exist.
   */
  Status save_study_measure(StudyId id, std::string_view kind, std::string_view json);

  /**
   * Returns the stored result of an analysis of one trial after its session, in the format of its creator, or
   * nullopt if there was no analysis or the database is an older one that is open read-only. The result is
   * deleted with its session. @param kind "counters"
   */
  Result<std::optional<std::string>> trial_insight(SessionId id, std::int64_t trial,
                                                   std::string_view kind) const;
  /**
   * Stores the result of an analysis and replaces the earlier one of the same trial and kind. Returns
   * NotFound if the session does not exist.
   */
  Status save_trial_insight(SessionId id, std::int64_t trial, std::string_view kind, std::string_view json);

 private:
  struct Connection;
  explicit Store(std::unique_ptr<Connection> connection);
  std::unique_ptr<Connection> connection_;
};

}  // namespace kernelscape::store
