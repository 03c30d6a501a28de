#pragma once

#include <QObject>
#include <atomic>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/study/network_progress.h"
#include "core/task/network.h"
#include "ui/workspace/service.h"
#include "ui/workspace/study_watch.h"

namespace kernelscape {

/** A network's study, at one moment: immutable, shared between threads. */
struct NetworkSnapshot {
  NetworkSource progress;                       ///< never null
  std::shared_ptr<const WholeNetwork> network;  ///< that it is of; null: it can't be read any more
};

using NetworkSnapshotPointer = std::shared_ptr<const NetworkSnapshot>;

/**
 * Reads the studies of networks from the database by a service, once a second at most, never while a kernel
 * is timed, and only while somebody looks: their list, and the one that is shown. What did not change is not
 * told again.
 */
class NetworkWatch : public QObject {
  Q_OBJECT

 public:
  explicit NetworkWatch(std::filesystem::path database, QObject* parent = nullptr);
  ~NetworkWatch() override;

  /** Begins or ceases to look. */
  void set_active(bool active);
  /** Instead of what was shown before; none: only the list. Told anew, also where it has not changed. */
  void watch(std::optional<StudyId> study);
  /** Reads again at once: after something was written. */
  void refresh() { wake(); }

 signals:
  /** Newest first; an owner is one that lives. */
  void studies_changed(kernelscape::StudySummaries studies);
  /** The study that is watched, or its layers went on. */
  void snapshot_changed(kernelscape::NetworkSnapshotPointer snapshot);
  /** It can't be read: told once until it can, or until another is wanted. */
  void failed(const QString& message);

 private:
  /** What of a layer's run tells that it went on. */
  struct RunMark {
    std::optional<SessionId> session;
    SessionState state = SessionState::Running;
    std::int64_t trials = 0;
    double seconds = 0;
    std::string error;

    bool operator==(const RunMark&) const = default;
  };
  /** The same of a study. */
  struct StudyMark {
    StudyId study = 0;
    bool owned = false;
    std::vector<RunMark> runs;

    bool operator==(const StudyMark&) const = default;
  };

  void wake();
  Service::Pause look();
  Status look_at(std::optional<StudyId> wanted);
  Status look_at_list();
  Status look_at_network(StudyId id);
  Result<StudyMark> mark_of(StudyId id) const;
  void report(const Error& error);
  /** Whether to go on: stands still while a kernel is timed on this machine. */
  bool proceed() const;

  std::filesystem::path database_;
  std::shared_ptr<std::atomic<bool>> leaving_ = std::make_shared<std::atomic<bool>>(false);
  std::mutex mutex_;
  std::optional<StudyId> wanted_;
  bool asked_ = false;  ///< what is watched is to be told again
  bool active_ = false;

  // Of the service's thread.
  std::optional<Store> store_;
  StudySummaries told_studies_;
  std::optional<StudyMark> told_mark_;
  NetworkSnapshotPointer told_;
  std::string told_error_;
  Service service_;
};

}  // namespace kernelscape

Q_DECLARE_METATYPE(kernelscape::NetworkSnapshotPointer)
