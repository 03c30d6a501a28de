#pragma once

#include <QObject>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "core/study/data_set_tasks.h"
#include "core/study/known_predictors.h"
#include "core/study/study.h"
#include "ui/workspace/database_poller.h"

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
  void refresh() { poller_.wake(); }

 signals:
  /** A list changed, or a view was registered. */
  void lists_changed(kernelscape::workspace::LearningListsPointer lists);
  /** The results of the data set's tasks changed. */
  void data_set_changed(kernelscape::workspace::DataSetSnapshotPointer snapshot);
  /** The database can't be read; reported once until it can be read, or until watch() is called. */
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

  /** What the views want to be read. */
  struct Subject {
    std::optional<store::StudyId> data_set = {};
    std::uint64_t registrations = 0;  ///< number of views that were registered; reported to each new one
  };

  Status read(const store::Store& store, const Subject& subject);
  Status read_lists(const store::Store& store, std::uint64_t registrations);
  Status read_tasks(const store::Store& store, store::StudyId id);
  void forget();

  std::set<const QObject*> lookers_;

  // Used by the poller's thread only.
  std::optional<std::vector<PredictorMark>> notified_marks_;
  LearningListsPointer notified_lists_;
  std::uint64_t notified_registrations_ = 0;
  DataSetSnapshotPointer notified_data_set_;
  DatabasePoller<Subject> poller_;
};

}  // namespace kernelscape::workspace

Q_DECLARE_METATYPE(kernelscape::workspace::LearningListsPointer)
Q_DECLARE_METATYPE(kernelscape::workspace::DataSetSnapshotPointer)
