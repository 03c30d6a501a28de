#include "app/command_line/study_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "app/command_line/console.h"
#include "app/command_line/study_verdicts.h"
#include "core/analysis/comparison/phase_shares.h"
#include "core/base/numbers.h"

namespace kernelscape::command_line {
namespace {

std::string percent(double share) { return fmt::format("{:.1f} %", 100 * share); }

std::string goal_text(const analysis::GoalReached& goal) {
  if (goal.within_noise) return "within the noise";
  if (goal.runs == 0) return "-";
  const auto text = [](double seconds) {
    return std::isfinite(seconds) ? base::time_text(seconds) : "never";
  };
  const std::string time = with_interval(goal.median_seconds, goal.seconds_interval, text);
  return fmt::format("{} ({}/{})", time, goal.reached, goal.runs);
}

/** Of the final performance, corrected: over all tasks Wilcoxon's; within a task of pairs too, else the
 * Mann-Whitney test. */
std::string test_text(const analysis::ComparisonRow& row, std::size_t baseline) {
  if (row.arm == baseline) return "baseline";
  if (row.tasks_test)
    return row.tasks_test->can_be_significant ? p_value_text(row.tasks_test->corrected_p)
                                              : "needs more tasks";
  if (!row.test) return "-";
  if (row.test->all_equal) return "no difference";
  if (!row.test->can_be_significant) return "underpowered";
  if (row.test->paired)
    return fmt::format("{}, rank {:+.2f}", p_value_text(row.test->corrected_p), row.test->pair_effect);
  return fmt::format("{}, A12 {:.2f}", p_value_text(row.test->corrected_p), row.test->a12);
}

std::string three_decimals(double number) {
  return std::isfinite(number) ? fmt::format("{:.3f}", number) : "-";
}

/** "100", or how many of them were the arm's random phase. */
std::string trials_text(const analysis::ComparisonRow& row) {
  if (!(row.random_trials > 0)) return fmt::format("{:.0f}", row.trials);
  return fmt::format("{:.0f} ({:.0f} random)", row.trials, row.random_trials);
}

/** "8", or "6 of 8, 1 failed" where some are missing. */
std::string runs_text(const analysis::ComparisonRow& row) {
  std::string text = std::to_string(row.runs);
  if (row.unfinished > 0) text += fmt::format(" +{} unfinished", row.unfinished);
  if (row.failed > 0) text += fmt::format(" +{} failed", row.failed);
  return text;
}

bool optima_known(const analysis::ComparedRuns& runs) {
  return std::ranges::all_of(runs.tasks, &analysis::ComparedTask::optimum_known);
}

std::vector<std::string> row_cells(const analysis::ComparedRuns& runs, const analysis::ComparisonRow& row,
                                   std::size_t baseline) {
  const bool any = row.runs > 0;
  std::vector<std::string> cells = {runs.arms[row.arm].name, runs_text(row), any ? trials_text(row) : "-",
                                    any ? with_interval(row.final_share, row.share_interval, percent) : "-"};
  for (const analysis::GoalReached& goal : row.goals) cells.push_back(goal_text(goal));
  cells.push_back(any ? with_interval(row.area_by_seconds, row.area_by_seconds_interval, three_decimals)
                      : "-");
  cells.push_back(any ? with_interval(row.score, row.score_interval, three_decimals) : "-");
  cells.push_back(test_text(row, baseline));
  return cells;
}

base::TerminalText quality_text(const analysis::ComparedRuns& runs, const analysis::ComparisonTable& table) {
  TextTable text({"tuner", "runs", "trials", optima_known(runs) ? "% of optimum" : "% of best found",
                  "to 90 %", "to 95 %", "to 99 %", "area", "score", "p"});
  for (const analysis::ComparisonRow& row : table.rows) {
    if (!row.task) text.add(row_cells(runs, row, table.baseline));
  }
  return text.text();
}

base::TerminalText task_text(const analysis::ComparedRuns& runs, const analysis::ComparisonTable& table) {
  TextTable text({"task", "tuner", "runs", "trials", optima_known(runs) ? "% of optimum" : "% of best found",
                  "to 90 %", "to 95 %", "to 99 %", "area", "score", "p"});
  for (const analysis::ComparisonRow& row : table.rows) {
    if (!row.task) continue;
    std::vector<std::string> cells = row_cells(runs, row, table.baseline);
    cells.insert(cells.begin(), runs.tasks[*row.task].name);
    text.add(cells);
  }
  return "\n" + text.text();
}

base::TerminalText phase_text(const analysis::ComparedRuns& runs) {
  TextTable text({"tuner", "wall time a run", "search", "build", "run", "idle"});
  for (std::size_t arm = 0; arm < runs.arms.size(); ++arm) {
    const analysis::PhaseTimes times = analysis::phase_times(runs, arm);
    const double all = times.search_seconds + times.build_seconds + times.run_seconds + times.idle_seconds;
    const auto share = [all](double seconds) { return percent(all > 0 ? seconds / all : 0); };
    text.add({runs.arms[arm].name, base::time_text(all), share(times.search_seconds),
              share(times.build_seconds), share(times.run_seconds), share(times.idle_seconds)});
  }
  return "\n" + text.text();
}

/** A column per category that occurs: share of trials, and of build and run time. */
base::TerminalText error_text(const analysis::ComparedRuns& runs) {
  std::vector<analysis::CategoryShares> shares;
  for (std::size_t arm = 0; arm < runs.arms.size(); ++arm)
    shares.push_back(analysis::category_shares(runs, arm));
  std::vector<std::size_t> occurring;
  std::vector<std::string> header = {"tuner", "trials a run"};
  for (std::size_t category = 0; category < trial::error_category_count; ++category) {
    if (std::ranges::none_of(shares,
                             [&](const analysis::CategoryShares& arm) { return arm.trials[category] > 0; }))
      continue;
    occurring.push_back(category);
    header.emplace_back(trial::to_string(static_cast<trial::ErrorCategory>(category)));
  }
  TextTable text(header);
  for (std::size_t arm = 0; arm < runs.arms.size(); ++arm) {
    std::vector<std::string> cells = {runs.arms[arm].name, fmt::format("{:.0f}", shares[arm].trials_per_run)};
    for (const std::size_t category : occurring) {
      cells.push_back(fmt::format("{} / {}", percent(shares[arm].trials[category]),
                                  percent(shares[arm].work_seconds[category])));
    }
    text.add(cells);
  }
  return "\nshare of trials / of build and run time\n" + text.text();
}

}  // namespace

base::TerminalText comparison_text(const analysis::ComparedRuns& runs, const analysis::ComparisonTable& table,
                                   bool by_task) {
  base::TerminalText text = quality_text(runs, table);
  if (by_task) text += task_text(runs, table);
  text += verdict_text(runs, table, by_task);
  return text + phase_text(runs) + error_text(runs);
}

}  // namespace kernelscape::command_line
