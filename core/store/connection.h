#pragma once

#include <map>

#include "core/store/sqlite.h"
#include "core/store/store.h"

namespace kernelscape {

/** What the parts of Store share. */
struct Store::Connection {
  explicit Connection(sqlite::Database opened) : database(std::move(opened)) {}

  /** Starts to write. `durable`: the commit survives a loss of power. */
  Result<sqlite::Transaction> begin(bool durable);
  /** Starts to write to a session, durably where it measures for real; NotFound where it does not exist. */
  Result<sqlite::Transaction> begin_session(SessionId id);

  struct Selection {
    bool with_spaces = true;
    bool listed_only = false;  ///< without the trashed ones and those of studies
  };
  Result<std::vector<SessionSummary>> summaries(SessionId first, SessionId last, const Selection& selection);
  Result<std::optional<Owner>> owner(SessionId id);
  Result<std::vector<StudySummary>> study_summaries(StudyId first, StudyId last, bool listed_only);
  Result<std::optional<Owner>> study_owner(StudyId id);

  // Parts of a transaction that the caller began.
  Result<SessionId> insert_session(const SessionRecord& record, const Owner& owner);
  Status set_owner(SessionId id, const std::optional<Owner>& owner);
  Status set_study_owner(StudyId id, const std::optional<Owner>& owner);
  Status write_status(SessionId id, const SessionStatus& status);
  Status insert_series(SessionId id, std::span<const StoredSeries> values);
  /** Removes texts and recordings that sessions, which were deleted, have left behind. */
  Status sweep(std::span<const RecordingId> recordings);

  /** A transaction of its own. @param sql takes the text and the id. @param missing where there is none */
  Status set_text(std::int64_t id, std::string_view sql, std::string_view text, const Error& missing);

  /** Where the trials of a session are. */
  struct TrialPlace {
    SessionKind kind = SessionKind::Measured;
    RecordingId recording = 0;  ///< 0: they are stored
    bool of_gpu = false;        ///< stored ones may have resources and build logs

    bool stored() const { return recording == 0; }
  };
  /** Measured where there is no such session. */
  Result<TrialPlace> trial_place(SessionId id);

  /** A recorded space that was read. */
  struct KeptRecording {
    std::shared_ptr<const Recording> recording;
    std::vector<double> finished_seconds;  ///< by row, as a session of its own; empty until it is needed
  };
  Result<KeptRecording*> kept_recording(RecordingId id);

  /** A trial whose measurement is a row of a recording. */
  struct RecordedTrial {
    std::int64_t number = 0;
    std::int32_t batch = 0;
    std::int32_t position = 0;
    std::uint32_t row = 0;
    double finished_seconds = 0;
  };
  /** Those numbered [first, end) of a replayed or recorded session, in their order. */
  Status visit_recorded(SessionId id, const TrialPlace& place, std::int64_t first, std::int64_t end,
                        const std::function<void(const Recording&, const RecordedTrial&)>& visit);
  Status visit_replayed(SessionId id, const Recording& recording, std::int64_t first, std::int64_t end,
                        const std::function<void(const Recording&, const RecordedTrial&)>& visit);
  Status visit_recorded_rows(SessionId id, const TrialPlace& place, std::int64_t skip,
                             const std::function<void(const ArrivedRow&)>& visit);
  Result<std::vector<StoredBatch>> recorded_batches(SessionId id, const TrialPlace& place);

  Error no_session(SessionId id) const;
  Error no_study(StudyId id) const;
  /** A value in the file that the schema does not allow. */
  Error damaged(std::string_view what) const;

  /** The status of `query` once all its rows were read, or why not. */
  template <typename T>
  static Result<T> finish(const sqlite::Query& query, T value) {
    TRY(query.status());
    return value;
  }

  sqlite::Database database;
  std::map<SessionId, bool> real_measurements;  ///< never changes in the life of a session
  std::map<RecordingId, KeptRecording> recordings;
  bool synchronous_full = true;
};

}  // namespace kernelscape
