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

namespace kernelscape {

/** What predictors are trained on, and predictors themselves, at one moment: immutable, shared. */
struct LearningLists {
  std::vector<StudySummary> data_sets;     ///< newest first; an owner is one that lives
  std::vector<KnownPredictor> predictors;  ///< the database's newest first, then the shipped ones
};

/** A data set with what it has of its tasks so far. */
struct DataSetSnapshot {
  StudyId id = 0;
  StudyDefinition definition = {};
  std::vector<DataSetTask> tasks = {};
};

using LearningListsPointer = std::shared_ptr<const LearningLists>;
using DataSetSnapshotPointer = std::shared_ptr<const DataSetSnapshot>;

/**
 * Reads data sets and predictors from the database by a service, once a second at most and only while
 * somebody looks: their lists, and the tasks of one data set. What did not change is not told again.
 */
class LearningWatch : public QObject {
  Q_OBJECT

 public:
  explicit LearningWatch(std::filesystem::path database, QObject* parent = nullptr);

  /** Somebody begins or ceases to look: a view that is shown or hidden. What is known is told to who begins.
   */
  void set_looked_at(const QObject* by, bool looked_at);
  /** The tasks of this data set instead of the one before; none: of no one. */
  void watch(std::optional<StudyId> data_set);
  /** Reads again at once: after something was written. */
  void refresh();

 signals:
  /** A list is another, or somebody began to look. */
  void lists_changed(kernelscape::LearningListsPointer lists);
  /** What the data set has of its tasks went on. */
  void data_set_changed(kernelscape::DataSetSnapshotPointer snapshot);
  /** It can't be read: told once until it can. */
  void failed(const QString& message);

 private:
  /** What of a predictor tells that it went on, without its bytes. */
  struct PredictorMark {
    PredictorId id = 0;
    PredictorState state = PredictorState::Training;
    std::string reason;
    std::size_t epochs_size = 0;
    bool alive = false;  ///< its owner

    bool operator==(const PredictorMark&) const = default;
  };

  Service::Pause look();
  Status look_at(std::optional<StudyId> data_set);
  Status look_at_lists();
  Status look_at_tasks(StudyId id);
  void report(const Error& error);

  std::filesystem::path database_;
  std::mutex mutex_;
  std::set<const QObject*> lookers_;
  std::optional<StudyId> wanted_;
  bool lists_asked_ = false;  ///< somebody began to look: they are told though they are the same
  bool tasks_asked_ = false;  ///< the same of the data set's tasks

  // Of the service's thread.
  std::optional<Store> store_;
  std::optional<std::vector<PredictorMark>> told_marks_;
  LearningListsPointer told_lists_;
  DataSetSnapshotPointer told_data_set_;
  std::string told_error_;
  Service service_;
};

}  // namespace kernelscape

Q_DECLARE_METATYPE(kernelscape::LearningListsPointer)
Q_DECLARE_METATYPE(kernelscape::DataSetSnapshotPointer)
