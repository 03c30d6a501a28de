#include "core/study/data_set_tasks.h"

#include <algorithm>
#include <set>

#include "core/study/execution.h"
#include "core/tuner/tuner.h"

namespace kernelscape::study {
namespace {

/** Returns the series with a tuner's predictions for its trials. */
std::set<std::string> prediction_series() {
  std::set<std::string> names;
  for (const trial::SeriesDescription& series : tuner::described_series())
    if (series.relation != trial::SeriesRelation::None) names.insert(series.name);
  return names;
}

Status read_session(const store::Store& store, const std::set<std::string>& predictions, DataSetTask& task) {
  const store::SessionSummary session = TRY(store.sessions().get(*task.session));
  const task::Task tuned = TRY(task::task_from_json(session.record.task_json));
  task.flops = tuned.flops();
  TRY(store.trials().visit_rows(*task.session, 0, [&](const store::ArrivedRow& row) {
    if (row.category == trial::ErrorCategory::NoError) ++task.valid;
  }));
  task.before_model = task.status.trial_count;
  return store.series().visit(*task.session, 0, [&](const store::StoredSeries& value) {
    if (predictions.contains(value.series)) task.before_model = std::min(task.before_model, value.trial);
  });
}

}  // namespace

Result<std::vector<DataSetTask>> data_set_tasks(const store::Store& store, store::StudyId id) {
  const Definition study = TRY(stored_study(store, id));
  const std::vector<store::StudyRun> runs = TRY(store.studies().runs(id));
  const std::vector<PlannedRun> plan = plan_runs(study);
  const std::set<std::string> predictions = prediction_series();
  std::vector<DataSetTask> tasks;
  for (std::size_t i = 0; i < std::min(runs.size(), plan.size()); ++i) {
    DataSetTask& task = tasks.emplace_back();
    task.task = study.tasks[plan[i].task].task;
    task.session = runs[i].session;
    task.status = runs[i].status;
    task.error = runs[i].error;
    if (!task.session) continue;
    // A damaged session hides no other.
    if (const Status read = read_session(store, predictions, task); !read) task.error = read.error().message;
  }
  return tasks;
}

}  // namespace kernelscape::study
