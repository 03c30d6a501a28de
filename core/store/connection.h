#pragma once

#include <functional>
#include <map>
#include <set>

#include "core/store/reading.h"
#include "core/store/sqlite.h"
#include "core/store/store.h"
#include "core/trial/replayed_samples.h"

namespace kernelscape::store {

/** The state that all parts of Store share. */
struct Store::Connection {
  explicit Connection(sqlite::Database opened, std::unique_ptr<EmptyLog> made_log = nullptr)
      : log(std::move(made_log)), database(std::move(opened)) {}
  explicit Connection(OpenedToRead opened)
      : snapshot(opened.snapshot), log(std::move(opened.log)), database(std::move(opened.database)) {}

  /** Begins a write transaction. @param durable the commit survives a loss of power */
  Result<sqlite::Transaction> begin(bool durable);
  /**
   * Begins a write transaction for a session. It is durable if the session takes real measurements. Returns
   * NotFound if the session does not exist.
   */
  Result<sqlite::Transaction> begin_session(SessionId id);

  struct Selection {
    bool with_spaces = true;
    bool listed_only = false;  ///< excludes trashed sessions and sessions of studies
  };
  /**
   * Visits the sessions numbered [first, last] that `selection` includes, newest first. A session that cannot
   * be read is visited as a Corrupt error. @param held counts the content of sessions that were visited
   * before and are still kept
   */
  Status visit_summaries(SessionId first, SessionId last, const Selection& selection,
                         sqlite::HeldContent& held, const std::function<void(Result<SessionSummary>)>& visit);
  /**
   * Returns all sessions of `selection` that can be read, newest first. @param unreadable gets one error for
   * each session that cannot be read; may be null
   */
  Result<std::vector<SessionSummary>> summaries(const Selection& selection, std::vector<Error>* unreadable);
  /**
   * Returns the ids of the sessions that an index and the table of session states contain, as far as these
   * can be read.
   */
  std::set<SessionId> sessions_by_other_pages();
  /**
   * Returns the owner of a session, or nullopt if the session has no owner. Returns NotFound if the session
   * does not exist.
   */
  Result<std::optional<Owner>> owner(SessionId id);
  /**
   * Visits the studies numbered [first, last], newest first. A study that cannot be read is visited as a
   * Corrupt error. @param listed_only excludes trashed studies
   */
  Status visit_studies(StudyId first, StudyId last, bool listed_only,
                       const std::function<void(Result<StudySummary>)>& visit);
  /**
   * Returns the owner of a study, or nullopt if the study has no owner. Returns NotFound if the study does
   * not exist.
   */
  Result<std::optional<Owner>> study_owner(StudyId id);

  // These functions are parts of a transaction that the caller began.
  /**
   * Returns Refused if a table has no unused row numbers left. No number is assigned twice, and the numbers
   * of sessions and recorded spaces are stored in the upper half of other numbers. @param last_number SQL
   * that reads the last number. @param things "sessions"
   */
  Status check_numbers_left(std::string_view last_number, std::string_view things);
  /** Inserts the rows of a session in state Running without trials. Equal texts of spaces are stored once. */
  Result<SessionId> insert_session(const SessionRecord& record, const Owner& owner);
  /** Replaces the owner without any check; nullopt removes the owner. */
  Status set_owner(SessionId id, const std::optional<Owner>& owner);
  /** Replaces the owner of a study without any check; nullopt removes the owner. */
  Status set_study_owner(StudyId id, const std::optional<Owner>& owner);
  /** Replaces the whole status except the owner. Returns NotFound if the session does not exist. */
  Status write_status(SessionId id, const SessionStatus& status);
  /** Inserts series values and replaces existing values of the same trial and name. */
  Status insert_series(SessionId id, std::span<const StoredSeries> values);
  /** Removes the texts and recordings that only deleted sessions used. */
  Status sweep(std::span<const RecordingId> recordings);

  /**
   * Sets a text in a separate transaction. @param sql takes the text and the id as parameters. @param missing
   * the error that is returned if no row has the id
   */
  Status set_text(std::int64_t id, std::string_view sql, std::string_view text, const Error& missing);

  /** Where the trials of a session are stored. */
  struct TrialPlace {
    SessionKind kind = SessionKind::Measured;
    RecordingId recording = 0;   ///< 0: the trials are stored as rows
    bool of_gpu = false;         ///< stored trials may have resources and build logs
    bool has_checksums = false;  ///< all rows have checksums, because the session was created after checksums
                                 ///< were introduced
    /** Measure options of a replay that takes fewer samples than were recorded; nullopt: all samples. */
    std::optional<trial::MeasureOptions> sampling = {};

    bool stored() const { return recording == 0; }  ///< not rows of a recording
  };
  /** Returns the place of a session's trials; the kind is Measured if the session does not exist. */
  Result<TrialPlace> trial_place(SessionId id);

  /** A recorded space that was read from the database. */
  struct KeptRecording {
    std::shared_ptr<const trial::Recording> recording;
    std::vector<double> finished_seconds;  ///< by row, for the recording as a session; empty until needed
  };
  /**
   * Returns a recording, which is read on first use. The pointer stays valid while the store is open. Returns
   * NotFound if the recording does not exist.
   */
  Result<KeptRecording*> kept_recording(RecordingId id);

  /** A trial whose measurement is a row of a recording. */
  struct RecordedTrial {
    std::int64_t number = 0;
    std::int32_t batch = 0;
    std::int32_t position = 0;
    std::uint32_t row = 0;
    double finished_seconds = 0;
    std::optional<trial::ReplayedSamples> samples =
        {};  ///< the samples that were taken; nullopt: all of them
  };
  /** Sets the samples that a replay took, and replaces the row by the row of the recording. */
  static void take_replayed_samples(const trial::Recording& recording, const trial::MeasureOptions& options,
                                    RecordedTrial& trial);
  /** Visits the trials numbered [first, end) of a replayed or recorded session in ascending order. */
  Status visit_recorded(SessionId id, const TrialPlace& place, std::int64_t first, std::int64_t end,
                        const std::function<void(const trial::Recording&, const RecordedTrial&)>& visit);
  /**
   * Implements visit_recorded() for a replayed session, using the rows of its batches. Returns Corrupt if a
   * batch does not fit the recording.
   */
  Status visit_replayed(SessionId id, const TrialPlace& place, const trial::Recording& recording,
                        std::int64_t first, std::int64_t end,
                        const std::function<void(const trial::Recording&, const RecordedTrial&)>& visit);
  /**
   * Visits the trials of visit_recorded() as table rows, without the first `skip`. The row is valid during
   * the call.
   */
  Status visit_recorded_rows(SessionId id, const TrialPlace& place, std::int64_t skip,
                             const std::function<void(const ArrivedRow&)>& visit);
  /**
   * Returns the batches by number, with configurations looked up in the recording. A recorded space has one
   * batch of all rows.
   */
  Result<std::vector<StoredBatch>> recorded_batches(SessionId id, const TrialPlace& place);

  Error no_session(SessionId id) const;  ///< returns NotFound and names the database
  Error no_study(StudyId id) const;      ///< returns NotFound and names the database
  /** Returns the error for a value in the file that the schema does not allow. */
  Error damaged(std::string_view what) const;
  /** Returns the error for a trial whose values violate the schema or differ from the stored checksum. */
  Error damaged_trial(SessionId id, std::int64_t number) const;

  /** Returns `value` if all rows of `query` were read, or else the error of `query`. */
  template <typename T>
  static Result<T> finish(const sqlite::Query& query, T value) {
    TRY(query.status());
    return value;
  }

  bool snapshot = false;          ///< see Store::is_snapshot()
  std::unique_ptr<EmptyLog> log;  ///< destroyed after the database
  sqlite::Database database;
  std::map<SessionId, bool> real_measurements;  ///< whether a session takes real measurements; never changes
                                                ///< during the life of a session
  std::map<RecordingId, KeptRecording> recordings;
  bool synchronous_full = true;
};

}  // namespace kernelscape::store
