#pragma once

#include <functional>
#include <map>
#include <set>

#include "core/store/reading.h"
#include "core/store/sqlite.h"
#include "core/store/store.h"
#include "core/trial/replayed_samples.h"

namespace kernelscape {

/** What the parts of Store share. */
struct Store::Connection {
  explicit Connection(sqlite::Database opened, std::unique_ptr<EmptyLog> made_log = nullptr)
      : log(std::move(made_log)), database(std::move(opened)) {}

  /** Starts to write. `durable`: the commit survives a loss of power. */
  Result<sqlite::Transaction> begin(bool durable);
  /** Starts to write to a session, durably where it measures for real; NotFound where it does not exist. */
  Result<sqlite::Transaction> begin_session(SessionId id);

  struct Selection {
    bool with_spaces = true;
    bool listed_only = false;  ///< without the trashed ones and those of studies
  };
  /**
   * Those numbered [first, last] that `selection` admits, newest first; Corrupt for one that cannot be.
   * @param held what was visited before and is kept
   */
  Status visit_summaries(SessionId first, SessionId last, const Selection& selection,
                         sqlite::HeldContent& held, const std::function<void(Result<SessionSummary>)>& visit);
  /** All of them that can be read, newest first. @param unreadable gets why others cannot; may be null */
  Result<std::vector<SessionSummary>> summaries(const Selection& selection, std::vector<Error>* unreadable);
  /** The numbers of sessions that an index and the table of their states know, as far as these can be read.
   */
  std::set<SessionId> sessions_by_other_pages();
  /** Nothing where nobody owns it; NotFound where there is no such session. */
  Result<std::optional<Owner>> owner(SessionId id);
  /** Those numbered [first, last], newest first; Corrupt for one that cannot be. @param listed_only without
   * the trashed ones */
  Status visit_studies(StudyId first, StudyId last, bool listed_only,
                       const std::function<void(Result<StudySummary>)>& visit);
  /** Nothing where nobody owns it; NotFound where there is no such study. */
  Result<std::optional<Owner>> study_owner(StudyId id);

  // Parts of a transaction that the caller began.
  /**
   * Refused where a table has no numbers left: none is given twice, and those of sessions and recorded spaces
   * stand in the upper half of others. @param last_number SQL: the last one. @param things "sessions"
   */
  Status check_numbers_left(std::string_view last_number, std::string_view things);
  /** The rows of a session, Running and without trials; its space is stored once for equal texts. */
  Result<SessionId> insert_session(const SessionRecord& record, const Owner& owner);
  /** Replaces the owner without a question; nothing: nobody owns it from now on. */
  Status set_owner(SessionId id, const std::optional<Owner>& owner);
  /** The same for a study. */
  Status set_study_owner(StudyId id, const std::optional<Owner>& owner);
  /** Replaces all but the owner; NotFound where there is no such session. */
  Status write_status(SessionId id, const SessionStatus& status);
  /** Values of a trial and a name that are there already are replaced. */
  Status insert_series(SessionId id, std::span<const StoredSeries> values);
  /** Removes texts and recordings that sessions, which were deleted, have left behind. */
  Status sweep(std::span<const RecordingId> recordings);

  /** A transaction of its own. @param sql takes the text and the id. @param missing where there is none */
  Status set_text(std::int64_t id, std::string_view sql, std::string_view text, const Error& missing);

  /** Where the trials of a session are. */
  struct TrialPlace {
    SessionKind kind = SessionKind::Measured;
    RecordingId recording = 0;   ///< 0: they are stored
    bool of_gpu = false;         ///< stored ones may have resources and build logs
    bool has_checksums = false;  ///< all of its rows: it was made since there are any
    /** Of a replay that takes fewer samples than were recorded: which. */
    std::optional<MeasureOptions> sampling = {};

    bool stored() const { return recording == 0; }  ///< its trials are rows of their own, not of a recording
  };
  /** Measured where there is no such session. */
  Result<TrialPlace> trial_place(SessionId id);

  /** A recorded space that was read. */
  struct KeptRecording {
    std::shared_ptr<const Recording> recording;
    std::vector<double> finished_seconds;  ///< by row, as a session of its own; empty until it is needed
  };
  /** Read on first use; the pointer stays valid while the store is open. NotFound where it is not there. */
  Result<KeptRecording*> kept_recording(RecordingId id);

  /** A trial whose measurement is a row of a recording. */
  struct RecordedTrial {
    std::int64_t number = 0;
    std::int32_t batch = 0;
    std::int32_t position = 0;
    std::uint32_t row = 0;
    double finished_seconds = 0;
    std::optional<ReplayedSamples> samples = {};  ///< that were taken; none: all of them
  };
  /** Sets the samples that a replay took, and the row to that of the recording. */
  static void take_replayed_samples(const Recording& recording, const MeasureOptions& options,
                                    RecordedTrial& trial);
  /** Those numbered [first, end) of a replayed or recorded session, in their order. */
  Status visit_recorded(SessionId id, const TrialPlace& place, std::int64_t first, std::int64_t end,
                        const std::function<void(const Recording&, const RecordedTrial&)>& visit);
  /**
   * visit_recorded() for a replayed session: from its batches' rows. Corrupt where one does not fit the
   * recording.
   */
  Status visit_replayed(SessionId id, const TrialPlace& place, const Recording& recording, std::int64_t first,
                        std::int64_t end,
                        const std::function<void(const Recording&, const RecordedTrial&)>& visit);
  /** visit_recorded() as table rows, without the first `skip`; the row is valid during the call. */
  Status visit_recorded_rows(SessionId id, const TrialPlace& place, std::int64_t skip,
                             const std::function<void(const ArrivedRow&)>& visit);
  /**
   * By number, with configurations looked up in the recording; one batch of all rows for a recorded space.
   */
  Result<std::vector<StoredBatch>> recorded_batches(SessionId id, const TrialPlace& place);

  Error no_session(SessionId id) const;  ///< NotFound, naming the database
  Error no_study(StudyId id) const;      ///< NotFound, naming the database
  /** A value in the file that the schema does not allow. */
  Error damaged(std::string_view what) const;
  /** A trial with values that the schema does not allow, or other ones than were stored. */
  Error damaged_trial(SessionId id, std::int64_t number) const;

  /** The status of `query` once all its rows were read, or why not. */
  template <typename T>
  static Result<T> finish(const sqlite::Query& query, T value) {
    TRY(query.status());
    return value;
  }

  std::unique_ptr<EmptyLog> log;  ///< destroyed after the database
  sqlite::Database database;
  std::map<SessionId, bool> real_measurements;  ///< never changes in the life of a session
  std::map<RecordingId, KeptRecording> recordings;
  bool synchronous_full = true;
};

}  // namespace kernelscape
