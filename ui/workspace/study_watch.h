#pragma once

#include <QObject>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "core/study/comparison_reader.h"
#include "ui/workspace/service.h"

namespace kernelscape {

/** What is compared: a study, or sessions that a user chose; neither: nothing. */
struct CompareSource {
  std::optional<StudyId> study;
  std::vector<SessionId> sessions;

  bool empty() const { return !study && sessions.empty(); }  ///< nothing is compared
  bool operator==(const CompareSource&) const = default;
};

/** What is compared, at one moment: immutable, shared between threads. */
struct StudySnapshot {
  CompareSource source;
  std::shared_ptr<const ComparedRuns> runs;  ///< never null
  std::size_t baseline = 0;                  ///< that the study names
};

using StudySnapshotPointer = std::shared_ptr<const StudySnapshot>;
using StudySummaries = std::shared_ptr<const std::vector<StudySummary>>;

/**
 * Reads studies from the database by a service, once a second at most and only while somebody looks: their
 * list, and the runs of the one that is compared. What did not change is not told again.
 */
class StudyWatch : public QObject {
  Q_OBJECT

 public:
  explicit StudyWatch(std::filesystem::path database, QObject* parent = nullptr);

  /** Begins or ceases to look. */
  void set_active(bool active);
  /** Instead of what was compared before. */
  void watch(const CompareSource& source);
  /** Reads again at once: after something was written. */
  void refresh() { wake(); }

 signals:
  /** Newest first; an owner is one that lives. */
  void studies_changed(kernelscape::StudySummaries studies);
  /** What is compared is another, or its runs went on. */
  void snapshot_changed(kernelscape::StudySnapshotPointer snapshot);
  /** It can't be read: told once until it can, or until another is wanted. */
  void failed(const QString& message);

 private:
  /** What of a run tells that it went on. */
  struct RunMark {
    std::int64_t session = 0;
    double trials = 0;
    double seconds = 0;
    std::size_t member_shares = 0;  ///< values, which come after their trials
    bool finished = false;
    std::string error;

    bool operator==(const RunMark&) const = default;
  };

  void wake();
  Service::Pause look();
  void look_at(const CompareSource& wanted);
  void look_at_list();
  Status look_at_runs(const CompareSource& wanted);
  void report(const Error& error);

  std::filesystem::path database_;
  std::mutex mutex_;
  CompareSource wanted_;
  bool active_ = false;

  // Of the service's thread.
  std::optional<Store> store_;
  std::unique_ptr<ComparisonReader> reader_;
  CompareSource read_;
  std::size_t baseline_ = 0;
  std::optional<std::vector<RunMark>> told_runs_;
  StudySummaries told_studies_;
  std::string told_error_;
  Service service_;
};

}  // namespace kernelscape

Q_DECLARE_METATYPE(kernelscape::StudySummaries)
Q_DECLARE_METATYPE(kernelscape::StudySnapshotPointer)
