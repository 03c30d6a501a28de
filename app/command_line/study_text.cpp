#include "app/command_line/study_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "app/command_line/console.h"
#include "core/analysis/comparison/phase_shares.h"
#include "core/base/numbers.h"

namespace kernelscape {
namespace {

std::string percent(double share) { return fmt::format("{:.1f} %", 100 * share); }

std::string goal_text(const GoalReached& goal) {
  if (goal.runs == 0) return "-";
  const std::string time = std::isfinite(goal.median_seconds) ? time_text(goal.median_seconds) : "never";
  return fmt::format("{} ({}/{})", time, goal.reached, goal.runs);
}

std::string p_text(double p) { return p < 0.001 ? "<0.001" : fmt::format("{:.3f}", p); }

/** Over all tasks Wilcoxon's, within a task the corrected Mann-Whitney test. */
std::string test_text(const ComparisonRow& row, std::size_t baseline) {
  if (row.arm == baseline) return "baseline";
  if (row.wilcoxon_p) return p_text(*row.wilcoxon_p);
  if (!row.test) return "-";
  if (!row.test->can_be_significant) return "needs more repeats";
  return fmt::format("{}, A12 {:.2f}", p_text(row.test->corrected_p), row.test->a12);
}

std::string score_text(double score) { return std::isfinite(score) ? fmt::format("{:.3f}", score) : "-"; }

/** "8", or "6 of 8, 1 failed" where some are missing. */
std::string runs_text(const ComparisonRow& row) {
  std::string text = std::to_string(row.runs);
  if (row.unfinished > 0) text += fmt::format(" +{} unfinished", row.unfinished);
  if (row.failed > 0) text += fmt::format(" +{} failed", row.failed);
  return text;
}

bool optima_known(const ComparedRuns& runs) {
  return std::ranges::all_of(runs.tasks, &ComparedTask::optimum_known);
}

std::vector<std::string> row_cells(const ComparedRuns& runs, const ComparisonRow& row, std::size_t baseline) {
  const bool any = row.runs > 0;
  std::vector<std::string> cells = {runs.arms[row.arm].name, runs_text(row),
                                    any ? percent(row.final_share) : "-"};
  for (const GoalReached& goal : row.goals) cells.push_back(goal_text(goal));
  cells.push_back(any ? fmt::format("{:.3f}", row.area_by_seconds) : "-");
  cells.push_back(any ? score_text(row.score) : "-");
  cells.push_back(test_text(row, baseline));
  return cells;
}

TerminalText quality_text(const ComparedRuns& runs, const ComparisonTable& table) {
  TextTable text({"tuner", "runs", optima_known(runs) ? "% of optimum" : "% of best found", "to 90 %",
                  "to 95 %", "to 99 %", "area", "score", "p"});
  for (const ComparisonRow& row : table.rows) {
    if (!row.task) text.add(row_cells(runs, row, table.baseline));
  }
  return text.text();
}

TerminalText task_text(const ComparedRuns& runs, const ComparisonTable& table) {
  TextTable text({"task", "tuner", "runs", optima_known(runs) ? "% of optimum" : "% of best found", "to 90 %",
                  "to 95 %", "to 99 %", "area", "score", "p"});
  for (const ComparisonRow& row : table.rows) {
    if (!row.task) continue;
    std::vector<std::string> cells = row_cells(runs, row, table.baseline);
    cells.insert(cells.begin(), runs.tasks[*row.task].name);
    text.add(std::move(cells));
  }
  return "\n" + text.text();
}

TerminalText phase_text(const ComparedRuns& runs) {
  TextTable text({"tuner", "wall time a run", "search", "build", "run", "idle"});
  for (std::size_t arm = 0; arm < runs.arms.size(); ++arm) {
    const PhaseTimes times = phase_times(runs, arm);
    const double all = times.search_seconds + times.build_seconds + times.run_seconds + times.idle_seconds;
    const auto share = [all](double seconds) { return percent(all > 0 ? seconds / all : 0); };
    text.add({runs.arms[arm].name, time_text(all), share(times.search_seconds), share(times.build_seconds),
              share(times.run_seconds), share(times.idle_seconds)});
  }
  return "\n" + text.text();
}

/** A column per category that occurs: share of trials, and of work seconds. */
TerminalText error_text(const ComparedRuns& runs) {
  std::vector<CategoryShares> shares;
  for (std::size_t arm = 0; arm < runs.arms.size(); ++arm) shares.push_back(category_shares(runs, arm));
  std::vector<std::size_t> occurring;
  std::vector<std::string> header = {"tuner", "trials a run"};
  for (std::size_t category = 0; category < error_category_count; ++category) {
    if (std::ranges::none_of(shares, [&](const CategoryShares& arm) { return arm.trials[category] > 0; }))
      continue;
    occurring.push_back(category);
    header.emplace_back(to_string(static_cast<ErrorCategory>(category)));
  }
  TextTable text(header);
  for (std::size_t arm = 0; arm < runs.arms.size(); ++arm) {
    std::vector<std::string> cells = {runs.arms[arm].name, fmt::format("{:.0f}", shares[arm].trials_per_run)};
    for (const std::size_t category : occurring) {
      cells.push_back(fmt::format("{} / {}", percent(shares[arm].trials[category]),
                                  percent(shares[arm].work_seconds[category])));
    }
    text.add(std::move(cells));
  }
  return "\nshare of trials / of work seconds\n" + text.text();
}

nlohmann::json finite_or_null(double value) {
  return std::isfinite(value) ? nlohmann::json(value) : nlohmann::json();
}

nlohmann::json goals_to_json(const ComparisonRow& row) {
  nlohmann::json goals = nlohmann::json::array();
  for (const GoalReached& goal : row.goals) {
    goals.push_back({{"share", goal.share},
                     {"median_seconds", finite_or_null(goal.median_seconds)},
                     {"median_trials", finite_or_null(goal.median_trials)},
                     {"reached", goal.reached},
                     {"runs", goal.runs}});
  }
  return goals;
}

}  // namespace

TerminalText comparison_text(const ComparedRuns& runs, const ComparisonTable& table, bool by_task) {
  TerminalText text = quality_text(runs, table);
  if (by_task) text += task_text(runs, table);
  return text + phase_text(runs) + error_text(runs);
}

nlohmann::json comparison_row_event(StudyId study, const ComparedRuns& runs, const ComparisonRow& row) {
  nlohmann::json event = {{"event", "row"},
                          {"study", study},
                          {"tuner", runs.arms[row.arm].name},
                          {"task", row.task ? nlohmann::json(runs.tasks[*row.task].name) : nlohmann::json()},
                          {"runs", row.runs},
                          {"unfinished", row.unfinished},
                          {"failed", row.failed},
                          {"mean_final", row.mean_final},
                          {"median_final", row.median_final},
                          {"final_share", row.final_share},
                          {"goals", goals_to_json(row)},
                          {"area_by_seconds", row.area_by_seconds},
                          {"area_by_trials", row.area_by_trials},
                          {"score", finite_or_null(row.score)},
                          {"wilcoxon_p", row.wilcoxon_p ? nlohmann::json(*row.wilcoxon_p) : nlohmann::json()},
                          {"test", nlohmann::json()}};
  if (row.task) event["optimum_known"] = runs.tasks[*row.task].optimum_known;
  if (row.test) {
    event["test"] = {{"p", row.test->p},
                     {"corrected_p", row.test->corrected_p},
                     {"a12", row.test->a12},
                     {"can_be_significant", row.test->can_be_significant}};
  }
  return event;
}

}  // namespace kernelscape
