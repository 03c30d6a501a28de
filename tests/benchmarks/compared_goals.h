#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "core/analysis/comparison/compared_curves.h"
#include "core/analysis/comparison/comparison_table.h"

/** Tables of how soon tuners come near the optimum, from the runs of a study. */
namespace kernelscape {

inline const std::vector<double> compared_trials{25, 50, 100, 200, 300};

/** @param share 0.90, 0.95 or 0.99 */
inline const analysis::GoalReached& goal_of(const analysis::ComparisonRow& row, double share) {
  return *std::ranges::find(row.goals, share, &analysis::GoalReached::share);
}

inline std::string goal_text(double value, int digits) {
  return std::isinf(value) ? "never" : fmt::format("{:.{}f}", value, digits);
}

inline std::string task_text(const analysis::ComparedRuns& runs, std::optional<std::size_t> task) {
  return task ? runs.tasks[*task].name : "all";
}

/** A row per task and tuner; the shares of the optimum are means over runs. */
inline void print_goals(const analysis::ComparedRuns& runs, const analysis::ComparisonTable& table) {
  fmt::print("| task | tuner | runs | median trials to 95 % | seconds | to 99 % | seconds |");
  for (const double trials : compared_trials) fmt::print(" best/optimum after {:.0f} |", trials);
  fmt::print(" at the end |\n|---|---|---|---|---|---|---|---|---|---|---|---|---|\n");
  for (const analysis::ComparisonRow& row : table.rows) {
    if (row.runs == 0) continue;
    const analysis::AggregatedCurve curve =
        analysis::aggregate_curve(runs, {row.arm, row.task}, analysis::CompareAxis::Trials,
                                  analysis::CompareY::ShareOfOptimum, compared_trials);
    fmt::print("| {} | {} | {} |", task_text(runs, row.task), runs.arms[row.arm].name, row.runs);
    for (const double share : {0.95, 0.99}) {
      const analysis::GoalReached& goal = goal_of(row, share);
      fmt::print(" {} | {} |", goal_text(goal.median_trials, 1), goal_text(goal.median_seconds, 2));
    }
    for (const double share : curve.mean) fmt::print(" {:.4f} |", share);
    fmt::print(" {:.4f} |\n", row.final_share);
  }
}

/** Nothing where neither gets there. */
inline std::optional<double> ratio_of(double ours, double other) {
  if (std::isinf(ours) && std::isinf(other)) return std::nullopt;
  return ours / other;
}

/** What is compared: a median of a goal. */
struct GoalMeasure {
  double share = 0;
  double analysis::GoalReached::* median;
  int digits = 0;  ///< it is written with

  double of(const analysis::ComparisonRow& row) const { return goal_of(row, share).*median; }
  std::string text_of(const analysis::ComparisonRow& row) const { return goal_text(of(row), digits); }
};

/** The row of `ours` against the best of the others. @return the ratio */
inline std::optional<double> print_ratio(const analysis::ComparedRuns& runs,
                                         const std::vector<analysis::ComparisonRow>& rows, std::size_t ours,
                                         const GoalMeasure& measure) {
  const auto own = std::ranges::find(rows, ours, &analysis::ComparisonRow::arm);
  std::vector<analysis::ComparisonRow> others = rows;
  std::erase_if(others, [&](const analysis::ComparisonRow& row) { return row.arm == ours; });
  if (own == rows.end() || others.empty()) {
    fmt::print(" | | |");
    return std::nullopt;
  }
  const analysis::ComparisonRow& best = *std::ranges::min_element(
      others, {}, [&](const analysis::ComparisonRow& row) { return measure.of(row); });
  const std::optional<double> ratio = ratio_of(measure.of(*own), measure.of(best));
  fmt::print(" {} | {} ({}) | {} |", measure.text_of(*own), measure.text_of(best), runs.arms[best.arm].name,
             ratio ? fmt::format("{:.2f}", *ratio) : "");
  return ratio;
}

inline void print_geometric_mean(const std::vector<double>& ratios, const char* measure) {
  if (ratios.empty()) return;
  double logarithms = 0;
  for (const double ratio : ratios) logarithms += std::log(ratio);
  fmt::print("geometric mean of {} ratios by {}: {:.2f}\n", ratios.size(), measure,
             std::exp(logarithms / static_cast<double>(ratios.size())));
}

/** Medians to a share of the optimum against those of the best other tuner, per task and over all runs. */
inline void print_ratios(const analysis::ComparedRuns& runs, const analysis::ComparisonTable& table,
                         std::size_t ours, double share) {
  fmt::print(
      "\n| task | {0}: trials to {1:.0f} % | best other | ratio | {0}: seconds | best other | ratio |\n",
      runs.arms[ours].name, 100 * share);
  fmt::print("|---|---|---|---|---|---|---|\n");
  std::vector<double> by_trials;
  std::vector<double> by_seconds;
  for (std::size_t task = 0; task <= runs.tasks.size(); ++task) {
    const bool all = task == runs.tasks.size();
    const std::optional<std::size_t> shown = all ? std::nullopt : std::optional(task);
    std::vector<analysis::ComparisonRow> rows = table.rows;
    std::erase_if(rows,
                  [&](const analysis::ComparisonRow& row) { return row.task != shown || row.runs == 0; });
    fmt::print("| {} |", task_text(runs, shown));
    const auto trials = print_ratio(runs, rows, ours, {share, &analysis::GoalReached::median_trials, 1});
    const auto seconds = print_ratio(runs, rows, ours, {share, &analysis::GoalReached::median_seconds, 2});
    fmt::print("\n");
    if (!all && trials) by_trials.push_back(*trials);
    if (!all && seconds) by_seconds.push_back(*seconds);
  }
  print_geometric_mean(by_trials, "trials");
  print_geometric_mean(by_seconds, "seconds");
}

/** All tables. @param tuner whose ratios to the best other are asked for */
inline void print_comparison(const analysis::ComparedRuns& runs, std::string_view tuner) {
  const analysis::ComparisonTable table = analysis::comparison_table(runs, 0);
  print_goals(runs, table);
  const auto arm = std::ranges::find(runs.arms, tuner, &analysis::ComparedArm::name);
  if (arm == runs.arms.end()) return fmt::print("\n{} is none of the tuners\n", tuner);
  for (const double share : {0.95, 0.99})
    print_ratios(runs, table, static_cast<std::size_t>(arm - runs.arms.begin()), share);
}

}  // namespace kernelscape
