#pragma once

#include <QObject>
#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "core/study/comparison_reader.h"
#include "ui/workspace/database_poller.h"
#include "ui/workspace/study_list.h"

namespace kernelscape::workspace {

/** The subject of a comparison: a study, or sessions that a user chose; empty if neither is set. */
struct CompareSource {
  std::optional<store::StudyId> study;
  std::vector<store::SessionId> sessions;

  bool empty() const { return !study && sessions.empty(); }  ///< nothing is compared
  bool operator==(const CompareSource&) const = default;
};

/** Snapshot of a comparison: immutable, shared between threads. */
struct StudySnapshot {
  CompareSource source;
  std::shared_ptr<const analysis::ComparedRuns> runs;  ///< never null
  std::size_t baseline = 0;                            ///< baseline that the study names
};

using StudySnapshotPointer = std::shared_ptr<const StudySnapshot>;

/**
 * Reads studies from the database in a service thread, at most once a second and only while a view shows
 * them: their list, and the runs of the compared study. Unchanged data are not reported again.
 */
class StudyWatch : public QObject {
  Q_OBJECT

 public:
  explicit StudyWatch(std::filesystem::path database, QObject* parent = nullptr);

  /** Starts or stops reading. */
  void set_active(bool active) { poller_.set_active(active); }
  /** Replaces the subject of the comparison. */
  void watch(const CompareSource& source) { poller_.watch(source); }
  /** Reads the database at once; to be called after something was written. */
  void refresh() { poller_.wake(); }

 signals:
  /**
   * The list of studies changed.
   * @param studies newest first; an owner is set only if its process is alive
   */
  void studies_changed(kernelscape::workspace::StudySummaries studies);
  /** The subject of the comparison changed, or its runs did. */
  void snapshot_changed(kernelscape::workspace::StudySnapshotPointer snapshot);
  /** The database can't be read; reported once until it can be read, or until the subject changes. */
  void failed(const QString& message);

 private:
  /** The properties of a run that show whether it changed. */
  struct RunMark {
    std::int64_t session = 0;
    double trials = 0;
    double seconds = 0;
    std::size_t member_shares = 0;  ///< number of values, which are stored after their trials
    bool finished = false;
    std::string error;

    bool operator==(const RunMark&) const = default;
  };

  Status read(const store::Store& store, const CompareSource& wanted);
  Status read_list(const store::Store& store);
  Status read_runs(const store::Store& store, const CompareSource& wanted);
  void forget_runs();

  // Used by the poller's thread only.
  std::unique_ptr<study::ComparisonReader> reader_;
  std::size_t baseline_ = 0;
  std::optional<std::vector<RunMark>> notified_runs_;
  StudySummaries notified_studies_;
  DatabasePoller<CompareSource> poller_;
};

}  // namespace kernelscape::workspace

Q_DECLARE_METATYPE(kernelscape::workspace::StudySummaries)
Q_DECLARE_METATYPE(kernelscape::workspace::StudySnapshotPointer)
