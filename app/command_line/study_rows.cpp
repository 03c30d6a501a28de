#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "app/command_line/study_text.h"
#include "core/analysis/comparison/testability.h"

namespace kernelscape::command_line {
namespace {

nlohmann::json finite_or_null(double value) {
  return std::isfinite(value) ? nlohmann::json(value) : nlohmann::json();
}

/** [low, high]; an end that is not finite, or no interval, is null. */
nlohmann::json interval_to_json(const std::optional<analysis::ConfidenceInterval>& interval) {
  if (!interval) return {};
  return nlohmann::json::array({finite_or_null(interval->low), finite_or_null(interval->high)});
}

nlohmann::json ratio_to_json(const std::optional<analysis::RatioToBaseline>& ratio) {
  if (!ratio) return {};
  return {{"ratio", finite_or_null(ratio->ratio)}, {"interval", interval_to_json(ratio->interval)}};
}

nlohmann::json test_to_json(const std::optional<analysis::RunsTest>& test) {
  if (!test) return {};
  return {{"p", test->p},
          {"corrected_p", test->corrected_p},
          {"a12", test->a12},
          {"paired", test->paired},
          {"pairs", test->paired ? nlohmann::json(test->pairs) : nlohmann::json()},
          {"pair_effect", test->paired ? nlohmann::json(test->pair_effect) : nlohmann::json()},
          {"can_be_significant", test->can_be_significant}};
}

nlohmann::json tasks_test_to_json(const std::optional<analysis::TasksTest>& test) {
  if (!test) return {};
  return {{"p", test->p},
          {"corrected_p", test->corrected_p},
          {"tasks", test->tasks},
          {"better", test->better},
          {"worse", test->worse},
          {"effect", test->effect},
          {"can_be_significant", test->can_be_significant}};
}

nlohmann::json goals_to_json(const analysis::ComparisonRow& row) {
  nlohmann::json goals = nlohmann::json::array();
  for (const analysis::GoalReached& goal : row.goals) {
    goals.push_back({{"share", goal.share},
                     {"median_seconds", finite_or_null(goal.median_seconds)},
                     {"median_trials", finite_or_null(goal.median_trials)},
                     {"seconds_interval", interval_to_json(goal.seconds_interval)},
                     {"trials_interval", interval_to_json(goal.trials_interval)},
                     {"seconds_ratio", ratio_to_json(goal.seconds_ratio)},
                     {"trials_ratio", ratio_to_json(goal.trials_ratio)},
                     {"seconds_test", test_to_json(goal.seconds_test)},
                     {"trials_test", test_to_json(goal.trials_test)},
                     {"seconds_tasks_test", tasks_test_to_json(goal.seconds_tasks_test)},
                     {"trials_tasks_test", tasks_test_to_json(goal.trials_tasks_test)},
                     {"within_noise", goal.within_noise},
                     {"in_random_phase", goal.in_random_phase},
                     {"reached", goal.reached},
                     {"runs", goal.runs}});
  }
  return goals;
}

/** What each measure decides, by its name. */
nlohmann::json verdicts_to_json(const analysis::ComparedRuns& runs, const analysis::ComparisonTable& table,
                                const analysis::ComparisonRow& row) {
  nlohmann::json verdicts = nlohmann::json::object();
  if (row.arm == table.baseline) return verdicts;
  for (const analysis::ComparedMeasure& measure : analysis::compared_measures())
    verdicts[analysis::measure_name(measure)] = analysis::verdict_of(runs, table, row, measure).words;
  return verdicts;
}

}  // namespace

nlohmann::json comparison_row_event(store::StudyId study, const analysis::ComparedRuns& runs,
                                    const analysis::ComparisonTable& table,
                                    const analysis::ComparisonRow& row) {
  nlohmann::json event = {{"event", "row"},
                          {"study", study},
                          {"tuner", runs.arms[row.arm].name},
                          {"task", row.task ? nlohmann::json(runs.tasks[*row.task].name) : nlohmann::json()},
                          {"runs", row.runs},
                          {"unfinished", row.unfinished},
                          {"failed", row.failed},
                          {"trials", row.trials},
                          {"random_trials", row.random_trials},
                          {"confirmed", row.confirmed},
                          {"mean_final", row.mean_final},
                          {"mean_final_interval", interval_to_json(row.mean_final_interval)},
                          {"median_final", row.median_final},
                          {"median_final_interval", interval_to_json(row.median_final_interval)},
                          {"final_share", row.final_share},
                          {"share_interval", interval_to_json(row.share_interval)},
                          {"share_difference_interval", interval_to_json(row.share_difference_interval)},
                          {"goals", goals_to_json(row)},
                          {"area_by_seconds", row.area_by_seconds},
                          {"area_by_seconds_interval", interval_to_json(row.area_by_seconds_interval)},
                          {"area_by_trials", row.area_by_trials},
                          {"area_by_trials_interval", interval_to_json(row.area_by_trials_interval)},
                          {"score", finite_or_null(row.score)},
                          {"score_interval", interval_to_json(row.score_interval)},
                          {"score_difference_interval", interval_to_json(row.score_difference_interval)},
                          {"score_test", test_to_json(row.score_test)},
                          {"tasks_test", tasks_test_to_json(row.tasks_test)},
                          {"score_tasks_test", tasks_test_to_json(row.score_tasks_test)},
                          {"wilcoxon_p", row.wilcoxon_p ? nlohmann::json(*row.wilcoxon_p) : nlohmann::json()},
                          {"test", test_to_json(row.test)},
                          {"verdicts", verdicts_to_json(runs, table, row)}};
  if (row.task) event["optimum_known"] = runs.tasks[*row.task].optimum_known;
  return event;
}

}  // namespace kernelscape::command_line
