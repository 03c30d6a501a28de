#include "app/command_line/study_verdicts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "app/command_line/console.h"
#include "app/command_line/study_plan.h"
#include "core/analysis/comparison/friedman.h"
#include "core/analysis/comparison/testability.h"
#include "core/study/planned_comparison.h"

namespace kernelscape::command_line {
namespace {

/** Of final performance, score, and the goal that most papers take; all goals are in the rows. */
constexpr std::array shown_measures{analysis::ComparedMeasure{analysis::CompareBy::FinalPerformance, 0},
                                    analysis::ComparedMeasure{analysis::CompareBy::Score, 0},
                                    analysis::ComparedMeasure{analysis::CompareBy::SecondsToGoal, 1},
                                    analysis::ComparedMeasure{analysis::CompareBy::TrialsToGoal, 1}};

std::string factor_text(double factor) {
  if (std::isnan(factor)) return "-";
  // The median run of the baseline never gets there, on a task at least.
  if (factor == 0) return "baseline never";
  return std::isinf(factor) ? "never" : fmt::format("{:.2f}x", factor);
}

std::string signed_text(double difference) { return fmt::format("{:+.3f}", difference); }

/** The arm's number against the baseline's: a ratio of times, else a difference. */
std::string against_text(const analysis::ComparisonRow& row, const analysis::ComparisonRow& baseline,
                         const analysis::ComparedMeasure& measure) {
  if (row.runs == 0 || baseline.runs == 0) return "-";
  if (analysis::less_is_better(measure)) {
    const analysis::GoalReached& goal = row.goals.at(measure.goal);
    const auto& ratio =
        measure.by == analysis::CompareBy::SecondsToGoal ? goal.seconds_ratio : goal.trials_ratio;
    return ratio && !goal.within_noise ? with_interval(ratio->ratio, ratio->interval, factor_text) : "-";
  }
  const double difference = analysis::row_number(row, measure) - analysis::row_number(baseline, measure);
  if (std::isnan(difference)) return "-";
  return with_interval(difference,
                       measure.by == analysis::CompareBy::Score ? row.score_difference_interval
                                                                : row.share_difference_interval,
                       signed_text);
}

/** Corrected p and effect size: A12 of runs, the rank correlation of tasks. */
std::pair<std::string, std::string> test_texts(const analysis::ComparisonRow& row,
                                               const analysis::ComparedMeasure& measure) {
  if (const auto& test = analysis::row_test(row, measure); row.task && test)
    return {p_value_text(test->corrected_p),
            test->paired ? fmt::format("{:+.2f}", test->pair_effect) : fmt::format("{:.2f}", test->a12)};
  if (const auto& test = analysis::row_tasks_test(row, measure); !row.task && test)
    return {p_value_text(test->corrected_p), fmt::format("{:+.2f}", test->effect)};
  return {"-", "-"};
}

std::string measure_words(const analysis::ComparedMeasure& measure) {
  return measure.by == analysis::CompareBy::FinalPerformance ? "final share"
                                                             : analysis::measure_name(measure);
}

void add_rows(const analysis::ComparedRuns& runs, const analysis::ComparisonTable& table,
              const analysis::ComparisonRow& row, TextTable& text) {
  const analysis::ComparisonRow& baseline = *table.baseline_row(row.task);
  for (const analysis::ComparedMeasure& measure : shown_measures) {
    const auto [p, effect] = test_texts(row, measure);
    text.add({row.task ? runs.tasks[*row.task].name : "all", runs.arms[row.arm].name, measure_words(measure),
              against_text(row, baseline, measure), p, effect,
              analysis::verdict_of(runs, table, row, measure).words});
  }
}

base::TerminalText ranking_text(const analysis::ComparedRuns& runs, const analysis::ComparisonTable& table) {
  constexpr std::size_t fewest_arms = 3;  // of two, Wilcoxon's test says more
  base::TerminalText text;
  for (const analysis::ComparedMeasure& measure : shown_measures) {
    const std::optional<analysis::TaskRanking> ranking = analysis::rank_over_tasks(table, measure);
    if (!ranking || ranking->arms.size() < fewest_arms) continue;
    std::vector<std::size_t> order(ranking->arms.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::ranges::stable_sort(order, {}, [&](std::size_t i) { return ranking->test.mean_ranks[i]; });
    std::string ranks;
    for (const std::size_t i : order)
      ranks += fmt::format("{}{} {:.2f}", ranks.empty() ? "" : ", ", runs.arms[ranking->arms[i]].name,
                           ranking->test.mean_ranks[i]);
    text += base::write<base::Terminal>(
        "mean ranks over {} tasks by {} (Friedman p {}; critical difference {:.2f}): {}{}\n",
        ranking->tasks.size(), measure_words(measure), p_value_text(ranking->test.p),
        ranking->test.critical_difference, ranks,
        ranking->test.significant() ? "" : "; no pair differs significantly");
  }
  return text.empty() ? text : "\n" + text;
}

base::TerminalText list_text(std::string_view title, const std::vector<std::string>& sentences) {
  if (sentences.empty()) return {};
  base::TerminalText text = base::write<base::Terminal>("\n{}\n", title);
  for (const std::string& sentence : sentences) text += base::write<base::Terminal>("  - {}\n", sentence);
  return text;
}

/**
 * Returns the tasks of a study with the facts known from its replays; measured tasks and tasks without a run
 * have none.
 */
std::vector<analysis::PlannedTask> notified_tasks(const study::Definition& study,
                                                  const analysis::ComparedRuns& runs) {
  std::vector<analysis::PlannedTask> tasks;
  for (std::size_t task = 0; task < runs.tasks.size(); ++task) {
    const analysis::ComparedTask& reported = runs.tasks[task];
    analysis::PlannedTask& planned = tasks.emplace_back();
    planned.name = reported.name;
    planned.recorded = study.tasks.at(task).recorded();
    if (!reported.members.empty()) planned.known = std::make_shared<const analysis::ComparedTask>(reported);
  }
  return tasks;
}

base::TerminalText method_text(const analysis::ComparisonTable& table) {
  if (table.paired_starts)
    return {
        "95 % intervals by the bootstrap of paired repeats; p of Wilcoxon's signed rank after Holm's "
        "correction; effect: rank correlation\n"};
  return {"95 % intervals by the bootstrap; p after Holm's correction; effect is A12 within a task\n"};
}

}  // namespace

std::string p_value_text(double p) { return p < 0.001 ? "<0.001" : fmt::format("{:.3f}", p); }

base::TerminalText planned_text(const study::Definition& study, const analysis::ComparedRuns& runs) {
  return answers_text(
      analysis::planned_answers(study::planned_comparison(study, notified_tasks(study, runs))));
}

base::TerminalText verdict_text(const analysis::ComparedRuns& runs, const analysis::ComparisonTable& table,
                                bool by_task) {
  if (runs.arms.size() < 2) return {};
  const bool one_task = runs.tasks.size() == 1;
  TextTable text(
      {"task", "tuner", "by", "against " + runs.arms.at(table.baseline).name, "p", "effect", "verdict"});
  for (const analysis::ComparisonRow& row : table.rows) {
    if (row.arm == table.baseline) continue;
    if (row.task ? one_task || by_task : !one_task) add_rows(runs, table, row, text);
  }
  return "\n" + text.text() + method_text(table) +
         list_text("blocking reasons", analysis::blocking_reason(runs, table)) + ranking_text(runs, table);
}

}  // namespace kernelscape::command_line
