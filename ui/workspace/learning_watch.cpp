#include "ui/workspace/learning_watch.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "core/base/memory.h"
#include "core/study/execution.h"
#include "ui/workspace/session_watch.h"

namespace kernelscape::workspace {
namespace {

constexpr std::chrono::seconds learning_poll_interval{1};

bool same_data_set(const store::StudySummary& a, const store::StudySummary& b) {
  return a.record.id == b.record.id && a.record.name == b.record.name && a.done_runs == b.done_runs &&
         a.failed_runs == b.failed_runs && a.owner == b.owner;
}

bool same_task(const study::DataSetTask& a, const study::DataSetTask& b) {
  return a.session == b.session && a.status.state == b.status.state &&
         a.status.trial_count == b.status.trial_count && a.status.best_seconds == b.status.best_seconds &&
         a.error == b.error;
}

Result<std::vector<store::StudySummary>> data_sets_of(const store::Store& store) {
  std::vector<store::StudySummary> studies = TRY(store.studies().all());
  std::erase_if(studies, [](const store::StudySummary& study) {
    return study::purpose_of(study.record) != study::Purpose::DataSet;
  });
  for (store::StudySummary& study : studies)
    if (study.owner && !study.owner->alive()) study.owner.reset();
  return studies;
}

}  // namespace

LearningWatch::LearningWatch(std::filesystem::path database, QObject* parent)
    : QObject(parent), database_(std::move(database)), service_([this] { return look(); }) {}

void LearningWatch::set_looked_at(const QObject* by, bool looked_at) {
  {
    const std::scoped_lock lock(mutex_);
    if (looked_at) {
      lookers_.insert(by);
      lists_asked_ = true;
    } else {
      lookers_.erase(by);
    }
  }
  if (looked_at) service_.wake();
}

void LearningWatch::watch(std::optional<store::StudyId> data_set) {
  {
    const std::scoped_lock lock(mutex_);
    wanted_ = data_set;
    tasks_asked_ = true;
  }
  refresh();
}

/** A window that never shows predictors does not start the thread. */
void LearningWatch::refresh() {
  bool looked_at = false;
  {
    const std::scoped_lock lock(mutex_);
    looked_at = !lookers_.empty();
  }
  if (looked_at) service_.wake();
}

Service::Pause LearningWatch::look() {
  std::optional<store::StudyId> wanted;
  {
    const std::scoped_lock lock(mutex_);
    if (lookers_.empty()) return {};
    wanted = wanted_;
  }
  Status looked = open_to_watch(store_, database_);
  if (looked) looked = base::guarded("reading the predictors", [&] { return look_at(wanted); });
  if (looked) {
    notified_error_.clear();
  } else {
    notified_marks_.reset();
    notified_data_set_.reset();
    report(looked.error());
  }
  return learning_poll_interval;
}

void LearningWatch::report(const Error& error) {
  const std::string text = describe(error);
  if (std::exchange(notified_error_, text) == text) return;
  service_.deliver([this, text] { emit failed(QString::fromStdString(text)); });
}

Status LearningWatch::look_at(std::optional<store::StudyId> data_set) {
  TRY(look_at_lists());
  if (!data_set) {
    notified_data_set_.reset();
    return {};
  }
  return look_at_tasks(*data_set);
}

/** A predictor's description is in its file, which is read only if its row has changed, not every second. */
Status LearningWatch::look_at_lists() {
  std::vector<store::StudySummary> data_sets = TRY(data_sets_of(*store_));
  std::vector<PredictorMark> marks;
  const std::vector<store::PredictorSummary> stored = TRY(store_->predictors().all());
  for (const store::PredictorSummary& predictor : stored)
    marks.push_back({predictor.record.id, predictor.state, predictor.state_reason,
                     predictor.epochs_json.size(), predictor.owner && predictor.owner->alive()});
  const bool asked = [this] {
    const std::scoped_lock lock(mutex_);
    return std::exchange(lists_asked_, false);
  }();
  const bool same_predictors = notified_lists_ && notified_marks_ == marks;
  if (same_predictors && std::ranges::equal(notified_lists_->data_sets, data_sets, same_data_set)) {
    if (asked) service_.deliver([this, lists = notified_lists_] { emit lists_changed(lists); });
    return {};
  }
  std::vector<study::KnownPredictor> predictors =
      same_predictors ? notified_lists_->predictors : TRY(study::known_predictors(*store_));
  notified_lists_ =
      std::make_shared<const LearningLists>(LearningLists{std::move(data_sets), std::move(predictors)});
  notified_marks_ = std::move(marks);
  service_.deliver([this, lists = notified_lists_] { emit lists_changed(lists); });
  return {};
}

Status LearningWatch::look_at_tasks(store::StudyId id) {
  std::vector<study::DataSetTask> tasks = TRY(study::data_set_tasks(*store_, id));
  const bool asked = [this] {
    const std::scoped_lock lock(mutex_);
    return std::exchange(tasks_asked_, false);
  }();
  const bool known = notified_data_set_ && notified_data_set_->id == id;
  if (known && !asked && std::ranges::equal(notified_data_set_->tasks, tasks, same_task)) return {};
  study::Definition definition =
      known ? notified_data_set_->definition : TRY(study::stored_study(*store_, id));
  notified_data_set_ =
      std::make_shared<const DataSetSnapshot>(DataSetSnapshot{id, std::move(definition), std::move(tasks)});
  service_.deliver([this, snapshot = notified_data_set_] { emit data_set_changed(snapshot); });
  return {};
}

}  // namespace kernelscape::workspace
