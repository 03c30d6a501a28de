#include "core/analysis/comparison/what_can_be_decided.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

#include "core/analysis/comparison/statistical_tests.h"

namespace kernelscape {
namespace {

constexpr std::int64_t most_repeats_asked = 1000;
constexpr std::size_t most_tasks_asked = 100;

/** Deviations above which a normal variable lies with this probability. */
double upper_normal_quantile(double probability) {
  double low = 0;
  double high = 40;
  for (int i = 0; i < 100; ++i) {
    const double middle = (low + high) / 2;
    (std::erfc(middle / std::numbers::sqrt2) / 2 > probability ? low : high) = middle;
  }
  return high;
}

double least_p_within_task(std::int64_t repeats) {
  return smallest_mann_whitney_p(static_cast<std::size_t>(repeats), static_cast<std::size_t>(repeats));
}

double least_p_over_tasks(std::size_t tasks) {
  return std::min(1.0, std::exp2(1 - static_cast<double>(tasks)));
}

std::string p_words(double p) {
  return p < 0.0001 ? "below 0.0001" : fmt::format("{:.2g}", std::min(1.0, p));
}

/**
 * The A12 from which a test finds a difference four times out of five at the least favourable level of the
 * correction. Source: Noether, "Sample size determination for some common nonparametric tests", Journal of
 * the American Statistical Association 82, 1987.
 */
double detectable_a12(std::int64_t repeats, double tests) {
  constexpr double missed = 0.2;
  const double deviations =
      upper_normal_quantile(significance_level / 2 / tests) + upper_normal_quantile(missed);
  return 0.5 + deviations / std::sqrt(6 * static_cast<double>(repeats));
}

std::string within_task_sentence(const PlannedComparison& planned) {
  if (planned.repeats < 2) return "one run each: nothing can be tested within a task";
  const double tests = static_cast<double>(
      (planned.arms.size() - 1) * std::max<std::size_t>(1, planned.tasks) * compared_measures().size());
  const double least = least_p_within_task(planned.repeats);
  const std::string sizes = fmt::format("{0} against {0}", planned.repeats);
  if (tests * least > significance_level) {
    std::int64_t enough = planned.repeats;
    while (enough < most_repeats_asked && tests * least_p_within_task(enough) > significance_level) ++enough;
    return fmt::format(
        "within a task {} cannot reach significance once all {:.0f} tests are corrected: the least p is {}, "
        "{} "
        "after correction; {} repeats can",
        sizes, tests, p_words(least), p_words(tests * least), enough);
  }
  std::string text = fmt::format(
      "within a task {} can reach significance: the least p after correction over {:.0f} "
      "tests is {}",
      sizes, tests, p_words(tests * least));
  const double a12 = detectable_a12(planned.repeats, tests);
  if (a12 < 1)
    text += fmt::format("; differences are found 4 times out of 5 from an A12 of about {:.2f} on", a12);
  return text;
}

std::string over_tasks_sentence(const PlannedComparison& planned) {
  if (planned.tasks < 2) return "one task: nothing is said of others";
  const auto tests = static_cast<double>((planned.arms.size() - 1) * compared_measures().size());
  const double least = least_p_over_tasks(planned.tasks);
  if (tests * least <= significance_level)
    return fmt::format(
        "over {} tasks differences can reach significance: the least p after correction over {:.0f} "
        "tests is {}",
        planned.tasks, tests, p_words(tests * least));
  std::size_t enough = planned.tasks;
  while (enough < most_tasks_asked && tests * least_p_over_tasks(enough) > significance_level) ++enough;
  return fmt::format(
      "over tasks nothing can reach significance with {}: the least p is {}, {} after correction "
      "over {:.0f} tests; {} tasks can",
      planned.tasks, p_words(least), p_words(tests * least), tests, enough);
}

bool only_draws(const PlannedArm& arm) { return arm.random_phase == all_trials_random_phase; }

void add_random_phases(const PlannedComparison& planned, std::vector<std::string>& sentences) {
  for (const PlannedArm& arm : planned.arms) {
    if (arm.random_phase <= 0 || only_draws(arm) || planned.trials <= 0) continue;
    if (arm.random_phase >= planned.trials) {
      sentences.push_back(
          fmt::format("{} is in its random phase for all of its {} trials (the first {}): what is "
                      "compared is random search",
                      arm.name, planned.trials, arm.random_phase));
    } else if (2 * arm.random_phase >= planned.trials) {
      sentences.push_back(
          fmt::format("{} draws its first {} of {} trials at random: a goal that is reached before "
                      "then says nothing of what it learns",
                      arm.name, arm.random_phase, planned.trials));
    }
  }
}

/** Batches of arms that have no random arm of the same batch. */
void add_batches(const PlannedComparison& planned, std::vector<std::string>& sentences) {
  std::map<std::int64_t, std::string> batches;  // with an arm of it
  std::string alone;
  for (const PlannedArm& arm : planned.arms) {
    if (arm.batch <= 0) continue;
    batches.emplace(arm.batch, arm.name);
    const bool paired = std::ranges::any_of(
        planned.arms, [&](const PlannedArm& other) { return only_draws(other) && other.batch == arm.batch; });
    if (!paired && !only_draws(arm))
      alone += fmt::format("{}{} ({})", alone.empty() ? "" : ", ", arm.name, arm.batch);
  }
  if (batches.size() < 2 || alone.empty()) return;
  sentences.push_back(
      fmt::format("batch sizes differ, so times to a goal compare batches too: no random arm has the "
                  "batch of {}",
                  alone));
}

/** "99 % is not offered on a, b: within the noise". */
void add_noise(const ComparedRuns& runs, const ComparisonTable& table, std::vector<std::string>& sentences) {
  for (std::size_t goal = 0; goal < goal_shares.size(); ++goal) {
    std::string tasks;
    for (const ComparisonRow& row : table.rows) {
      if (!row.task || row.arm != table.baseline || !row.goals[goal].within_noise) continue;
      const ComparedTask& task = runs.tasks[*row.task];
      tasks += fmt::format("{}{} ({:.1f} %)", tasks.empty() ? "" : ", ", task.name, 100 * task.noise);
    }
    if (!tasks.empty())
      sentences.push_back(fmt::format("{:.0f} % of the optimum is within the noise and not offered on {}",
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
    sentences.push_back("the final performance is what the tuning saw, not confirmed by every run, on " +
                        tasks);
}

/** How often each thing hinders a verdict within tasks. */
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

std::vector<std::string> what_can_be_decided(const PlannedComparison& planned) {
  if (planned.arms.size() < 2) return {};
  std::vector<std::string> sentences{within_task_sentence(planned), over_tasks_sentence(planned)};
  add_random_phases(planned, sentences);
  add_batches(planned, sentences);
  return sentences;
}

std::vector<std::string> what_hinders(const ComparedRuns& runs, const ComparisonTable& table) {
  std::vector<std::string> sentences;
  add_random_trials(runs, table, sentences);
  add_noise(runs, table, sentences);
  add_unconfirmed(runs, table, sentences);
  add_counts(runs, table, sentences);
  return sentences;
}

}  // namespace kernelscape
