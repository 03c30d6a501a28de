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

namespace kernelscape::workspace {

/** The study of a network at one moment: immutable, shared between threads. */
struct NetworkSnapshot {
  study::NetworkSource progress;  ///< never null
  std::shared_ptr<const task::WholeNetwork>
      network;  ///< the network of the study; null: it can't be read any more
};

using NetworkSnapshotPointer = std::shared_ptr<const NetworkSnapshot>;

/**
 * Reads the studies of networks from the database in a service thread, at most once a second, never while a
 * kernel is timed, and only while a view shows them: their list, and one watched study. Unchanged data are
 * not reported again.
 */
class NetworkWatch : public QObject {
  Q_OBJECT

 public:
  explicit NetworkWatch(std::filesystem::path database, QObject* parent = nullptr);
  ~NetworkWatch() override;

  /** Starts or stops reading. */
  void set_active(bool active);
  /**
   * Replaces the watched study; its snapshot is reported even if it has not changed.
   * @param study nullopt: only the list is read
   */
  void watch(std::optional<store::StudyId> study);
  /** Reads the database at once; to be called after something was written. */
  void refresh() { wake(); }

 signals:
  /**
   * The list of studies changed.
   * @param studies newest first; an owner is set only if its process is alive
   */
  void studies_changed(kernelscape::workspace::StudySummaries studies);
  /** Another study is watched, or its layers changed. */
  void snapshot_changed(kernelscape::workspace::NetworkSnapshotPointer snapshot);
  /** The database can't be read; reported once until it can be read, or until another study is watched. */
  void failed(const QString& message);

 private:
  /** The properties of a layer's run that show whether it changed. */
  struct RunMark {
    std::optional<store::SessionId> session;
    store::SessionState state = store::SessionState::Running;
    std::int64_t trials = 0;
    double seconds = 0;
    std::string error;

    bool operator==(const RunMark&) const = default;
  };
  /** The properties of a study that show whether it changed. */
  struct StudyMark {
    store::StudyId study = 0;
    bool owned = false;
    std::vector<RunMark> runs;

    bool operator==(const StudyMark&) const = default;
  };

  void wake();
  Service::Pause look();
  Status look_at(std::optional<store::StudyId> wanted);
  Status look_at_list();
  Status look_at_network(store::StudyId id);
  Result<StudyMark> mark_of(store::StudyId id) const;
  void report(const Error& error);
  /** Returns false if the service has to end; blocks while a kernel is timed on this machine. */
  bool proceed() const;

  std::filesystem::path database_;
  std::shared_ptr<std::atomic<bool>> shutting_down_ = std::make_shared<std::atomic<bool>>(false);
  std::mutex mutex_;
  std::optional<store::StudyId> wanted_;
  bool asked_ = false;  ///< the watched study is to be reported even if unchanged
  bool active_ = false;

  // Used by the service's thread only.
  std::optional<store::Store> store_;
  StudySummaries notified_studies_;
  std::optional<StudyMark> notified_mark_;
  NetworkSnapshotPointer notified_;
  std::string notified_error_;
  Service service_;
};

}  // namespace kernelscape::workspace

Q_DECLARE_METATYPE(kernelscape::workspace::NetworkSnapshotPointer)
