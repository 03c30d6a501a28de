#pragma once

#include <QObject>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/study/network_progress.h"
#include "core/task/network.h"
#include "ui/workspace/database_poller.h"
#include "ui/workspace/study_list.h"

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

  /** Starts or stops reading. */
  void set_active(bool active) { poller_.set_active(active); }
  /**
   * Replaces the watched study; its snapshot is reported even if it has not changed.
   * @param study nullopt: only the list is read
   */
  void watch(std::optional<store::StudyId> study) { poller_.watch(study); }
  /** Reads the database at once; to be called after something was written. */
  void refresh() { poller_.wake(); }

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
    std::optional<std::string> latencies;  ///< of the whole model, as stored
    std::optional<std::string> latency;    ///< of the whole model at the end, as stored

    bool operator==(const StudyMark&) const = default;
  };

  Status read(const store::Store& store, std::optional<store::StudyId> wanted);
  Status read_list(const store::Store& store);
  Status read_network(const store::Store& store, store::StudyId id);
  static Result<StudyMark> mark_of(const store::Store& store, store::StudyId id);

  // Used by the poller's thread only.
  StudySummaries notified_studies_;
  std::optional<StudyMark> notified_mark_;
  NetworkSnapshotPointer notified_;
  DatabasePoller<std::optional<store::StudyId>> poller_;
};

}  // namespace kernelscape::workspace

Q_DECLARE_METATYPE(kernelscape::workspace::NetworkSnapshotPointer)
