#pragma once

#include <QObject>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <vector>

#include "core/study/data_set_tasks.h"
#include "core/study/known_predictors.h"
#include "core/study/study.h"
#include "ui/workspace/service.h"

namespace kernelscape::workspace {

/** Data sets and predictors at one moment: immutable, shared between threads. */
struct LearningLists {
  std::vector<store::StudySummary> data_sets;  ///< newest first; an owner is set only if its process is alive
  std::vector<study::KnownPredictor> predictors;  ///< those of the database, newest first, then the built-in
                                                  ///< predictors
};

/** A data set with the results of its tasks so far. */
struct DataSetSnapshot {
  store::StudyId id = 0;
  study::Definition definition = {};
  std::vector<study::DataSetTask> tasks = {};
};

using LearningListsPointer = std::shared_ptr<const LearningLists>;
using DataSetSnapshotPointer = std::shared_ptr<const DataSetSnapshot>;

/**
 * Reads data sets and predictors from the database in a service thread, at most once a second and only while
 * a view shows them: their lists, and the tasks of one data set. Unchanged data are not reported again.
 */
class LearningWatch : public QObject {
  Q_OBJECT

 public:
  explicit LearningWatch(std::filesystem::path database, QObject* parent = nullptr);

  /**
   * Registers or unregisters a view that shows the data: a view that is shown or hidden. A newly registered
   * view gets the known data.
   * @param by the view
   */
  void set_looked_at(const QObject* by, bool looked_at);
  /** Replaces the data set whose tasks are watched. @param data_set nullopt: none */
  void watch(std::optional<store::StudyId> data_set);
  /** Reads the database at once; to be called after something was written. */
  void refresh();

 signals:
  /** A list changed, or a view was registered. */
  void lists_changed(kernelscape::workspace::LearningListsPointer lists);
  /** The results of the data set's tasks changed. */
  void data_set_changed(kernelscape::workspace::DataSetSnapshotPointer snapshot);
  /** The database can't be read; reported once until it can be read. */
  void failed(const QString& message);

 private:
  /** The properties of a predictor that show whether it changed, without its contents. */
  struct PredictorMark {
    store::PredictorId id = 0;
    store::PredictorState state = store::PredictorState::Training;
    std::string reason;
    std::size_t epochs_size = 0;
    bool alive = false;  ///< its owner is alive

    bool operator==(const PredictorMark&) const = default;
  };

  Service::Pause look();
  Status look_at(std::optional<store::StudyId> data_set);
  Status look_at_lists();
  Status look_at_tasks(store::StudyId id);
  void report(const Error& error);

  std::filesystem::path database_;
  std::mutex mutex_;
  std::set<const QObject*> lookers_;
  std::optional<store::StudyId> wanted_;
  bool lists_asked_ = false;  ///< a view was registered: the lists are reported even if unchanged
  bool tasks_asked_ = false;  ///< a view was registered: the tasks of the data set are reported even if
                              ///< unchanged

  // Used by the service's thread only.
  std::optional<store::Store> store_;
  std::optional<std::vector<PredictorMark>> notified_marks_;
  LearningListsPointer notified_lists_;
  DataSetSnapshotPointer notified_data_set_;
  std::string notified_error_;
  Service service_;
};

}  // namespace kernelscape::workspace

Q_DECLARE_METATYPE(kernelscape::workspace::LearningListsPointer)
Q_DECLARE_METATYPE(kernelscape::workspace::DataSetSnapshotPointer)
