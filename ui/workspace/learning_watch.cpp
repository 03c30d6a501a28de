#include "ui/workspace/learning_watch.h"

#include <algorithm>
#include <utility>

#include "core/study/execution.h"
#include "ui/workspace/study_list.h"

namespace kernelscape::workspace {
namespace {

bool same_task(const study::DataSetTask& a, const study::DataSetTask& b) {
  return a.session == b.session && a.status.state == b.status.state &&
         a.status.trial_count == b.status.trial_count && a.status.best_seconds == b.status.best_seconds &&
         a.error == b.error;
}

bool is_data_set(const store::StudyRecord& study) {
  return study::purpose_of(study) == study::Purpose::DataSet;
}

}  // namespace

LearningWatch::LearningWatch(std::filesystem::path database, QObject* parent)
    : QObject(parent),
      poller_(
          std::move(database),
          {.work = "reading the predictors",
           .read = [this](const store::Store& store, const Subject& subject) { return read(store, subject); },
           .report_again = [this] { notified_data_set_.reset(); },
           .forget = [this] { forget(); },
           .failed = [this](const Error& error) { emit failed(QString::fromStdString(describe(error))); }}) {}

void LearningWatch::set_looked_at(const QObject* by, bool looked_at) {
  if (looked_at) {
    lookers_.insert(by);
    poller_.change([](Subject& subject) { ++subject.registrations; });
  } else {
    lookers_.erase(by);
  }
  poller_.set_active(!lookers_.empty());
}

void LearningWatch::watch(std::optional<store::StudyId> data_set) {
  poller_.ask([data_set](Subject& subject) { subject.data_set = data_set; });
}

void LearningWatch::forget() {
  notified_marks_.reset();
  notified_data_set_.reset();
}

Status LearningWatch::read(const store::Store& store, const Subject& subject) {
  TRY(read_lists(store, subject.registrations));
  if (subject.data_set) return read_tasks(store, *subject.data_set);
  notified_data_set_.reset();
  return {};
}

/** A predictor's description is in its file, which is read only if its row has changed, not every second. */
Status LearningWatch::read_lists(const store::Store& store, std::uint64_t registrations) {
  std::vector<store::StudySummary> data_sets = TRY(read_studies(store, is_data_set));
  std::vector<PredictorMark> marks;
  const std::vector<store::PredictorSummary> stored = TRY(store.predictors().all());
  for (const store::PredictorSummary& predictor : stored)
    marks.push_back({predictor.record.id, predictor.state, predictor.state_reason,
                     predictor.epochs_json.size(), predictor.owner && predictor.owner->alive()});
  const bool registered = std::exchange(notified_registrations_, registrations) != registrations;
  const bool same_predictors = notified_lists_ && notified_marks_ == marks;
  if (same_predictors && same_studies(notified_lists_->data_sets, data_sets)) {
    if (registered) poller_.deliver([this, lists = notified_lists_] { emit lists_changed(lists); });
    return {};
  }
  std::vector<study::KnownPredictor> predictors =
      same_predictors ? notified_lists_->predictors : TRY(study::known_predictors(store));
  notified_lists_ =
      std::make_shared<const LearningLists>(LearningLists{std::move(data_sets), std::move(predictors)});
  notified_marks_ = std::move(marks);
  poller_.deliver([this, lists = notified_lists_] { emit lists_changed(lists); });
  return {};
}

Status LearningWatch::read_tasks(const store::Store& store, store::StudyId id) {
  std::vector<study::DataSetTask> tasks = TRY(study::data_set_tasks(store, id));
  const bool known = notified_data_set_ && notified_data_set_->id == id;
  if (known && std::ranges::equal(notified_data_set_->tasks, tasks, same_task)) return {};
  study::Definition definition = known ? notified_data_set_->definition : TRY(study::stored_study(store, id));
  notified_data_set_ =
      std::make_shared<const DataSetSnapshot>(DataSetSnapshot{id, std::move(definition), std::move(tasks)});
  poller_.deliver([this, snapshot = notified_data_set_] { emit data_set_changed(snapshot); });
  return {};
}

}  // namespace kernelscape::workspace
