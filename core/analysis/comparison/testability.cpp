#include "core/analysis/comparison/testability.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace kernelscape::analysis {
namespace {

/** Adds "99 % of the optimum is within the noise and not available on a, b". */
void add_noise(const ComparedRuns& runs, const ComparisonTable& table, std::vector<std::string>& sentences) {
  for (std::size_t goal = 0; goal < goal_shares.size(); ++goal) {
    std::string tasks;
    for (const ComparisonRow& row : table.rows) {
      if (!row.task || row.arm != table.baseline || !row.goals[goal].within_noise) continue;
      const ComparedTask& task = runs.tasks[*row.task];
      tasks += fmt::format("{}{} ({:.1f} %)", tasks.empty() ? "" : ", ", task.name, 100 * task.noise);
    }
    if (!tasks.empty())
      sentences.push_back(fmt::format("{:.0f} % of the optimum is within the noise and not available on {}",
                                      100 * goal_shares[goal], tasks));
  }
}

void add_random_trials(const ComparedRuns& runs, const ComparisonTable& table,
                       std::vector<std::string>& sentences) {
  for (const ComparisonRow& row : table.rows) {
    const ComparedArm& arm = runs.arms[row.arm];
    if (row.task || row.runs == 0 || arm.random_phase <= 0 || arm.random_phase == all_trials_random_phase)
      continue;
    sentences.push_back(fmt::format("{}: {:.0f} of the {:.0f} trials of a run were its random phase{}",
                                    arm.name, row.random_trials, row.trials,
                                    row.random_trials < row.trials ? "" : ": it never got past it"));
  }
}

void add_unconfirmed(const ComparedRuns& runs, const ComparisonTable& table,
                     std::vector<std::string>& sentences) {
  std::string tasks;
  for (const ComparisonRow& row : table.rows) {
    if (!row.task || row.arm != table.baseline || row.runs == 0 || row.confirmed) continue;
    if (!runs.tasks[*row.task].measured) continue;
    tasks += (tasks.empty() ? "" : ", ") + runs.tasks[*row.task].name;
  }
  if (!tasks.empty())
    sentences.push_back("the final performance is that seen during tuning, not confirmed by every run, on " +
                        tasks);
}

void add_equal_finals(const ComparedRuns& runs, const ComparisonTable& table,
                      std::vector<std::string>& sentences) {
  const std::vector<std::size_t> alike = tasks_with_equal_finals(runs, table);
  if (alike.empty()) return;
  std::string tasks;
  for (const std::size_t task : alike) tasks += (tasks.empty() ? "" : ", ") + runs.tasks[task].name;
  if (alike.size() > 1 && alike.size() == runs.tasks.size()) tasks = "any task";
  sentences.push_back(fmt::format(
      "the final performance cannot distinguish these tuners on {}: equal in every run, or within "
      "the recording's noise; seconds and trials to a goal can",
      tasks));
}

/** Counts how often each reason prevents a verdict within tasks. */
void add_counts(const ComparedRuns& runs, const ComparisonTable& table, std::vector<std::string>& sentences) {
  std::map<std::string, std::size_t> counts;
  std::size_t all = 0;
  for (const ComparisonRow& row : table.rows) {
    if (!row.task || row.arm == table.baseline) continue;
    for (const ComparedMeasure& measure : compared_measures()) {
      const Verdict verdict = verdict_of(runs, table, row, measure);
      if (verdict.decision == Decision::NotAvailable) continue;
      ++all;
      if (verdict.decision == Decision::TooFewRuns || verdict.decision == Decision::OneRun ||
          verdict.decision == Decision::RandomPhase)
        ++counts[verdict.words];
    }
  }
  for (const auto& [words, count] : counts)
    sentences.push_back(fmt::format("{} of {} comparisons within tasks: {}", count, all, words));
}

}  // namespace

std::vector<std::size_t> tasks_with_equal_finals(const ComparedRuns& runs, const ComparisonTable& table) {
  std::map<std::size_t, bool> alike;  // by task
  for (const ComparisonRow& row : table.rows) {
    if (!row.task || row.arm == table.baseline || row.runs == 0) continue;
    const Decision decision = verdict_of(runs, table, row, {CompareBy::FinalPerformance}).decision;
    if (decision == Decision::NoRuns) continue;
    const bool same = decision == Decision::AllAlike || decision == Decision::WithinNoise;
    const auto found = alike.emplace(*row.task, same).first;
    found->second = found->second && same;
  }
  std::vector<std::size_t> tasks;
  for (const auto& [task, same] : alike)
    if (same) tasks.push_back(task);
  return tasks;
}

std::vector<std::string> blocking_reason(const ComparedRuns& runs, const ComparisonTable& table) {
  std::vector<std::string> sentences;
  add_equal_finals(runs, table, sentences);
  add_random_trials(runs, table, sentences);
  add_noise(runs, table, sentences);
  add_unconfirmed(runs, table, sentences);
  add_counts(runs, table, sentences);
  return sentences;
}

}  // namespace kernelscape::analysis
