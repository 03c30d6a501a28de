#include "core/analysis/comparison/planned_answers.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <map>
#include <optional>

#include "core/analysis/comparison/comparison_table.h"
#include "core/analysis/comparison/friedman.h"
#include "core/analysis/comparison/random_search.h"
#include "core/analysis/comparison/statistical_tests.h"

namespace kernelscape::analysis {
namespace {

using Answers = std::vector<PlannedAnswer>;

constexpr std::int64_t max_repeats_asked = 1000;
constexpr std::size_t max_tasks_asked = 100;
constexpr std::size_t goal_to_95 = 1;  ///< position in goal_shares

/**
 * Returns the number of deviations that a normal variable exceeds with this probability; 0 from a half on.
 */
double upper_normal_quantile(double probability) {
  return boost::math::quantile(boost::math::complement(boost::math::normal(), std::min(probability, 0.5)));
}

double min_p_of_repeats(const PlannedComparison& planned, std::int64_t repeats) {
  const auto n = static_cast<std::size_t>(repeats);
  return planned.paired_starts ? smallest_signed_rank_p(n) : smallest_mann_whitney_p(n, n);
}

std::string p_text(double p) { return p < 0.0001 ? "below 0.0001" : fmt::format("{:.2g}", std::min(1.0, p)); }

std::string count_text(std::size_t count, std::string_view one, std::string_view several) {
  return count == 1 ? fmt::format("1 {}", one) : fmt::format("{} {}", count, several);
}

/** "a, b, c and 9 more". */
std::string named_list(const std::vector<std::string>& names) {
  constexpr std::size_t max_names = 6;
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), max_names); ++i) text += (i == 0 ? "" : ", ") + names[i];
  if (names.size() > max_names) text += fmt::format(" and {} more", names.size() - max_names);
  return text;
}

bool goal_in_noise(const PlannedTask& task, std::size_t goal) {
  return task.known && task.known->noise > 0 && 1 - goal_shares.at(goal) <= task.known->noise;
}

/** Returns true if a table has the number on the task, as far as that is known in advance. */
bool is_offered(const PlannedTask& task, const ComparedMeasure& measure) {
  if (measure.by == CompareBy::Score) return task.recorded;
  return !less_is_better(measure) || !goal_in_noise(task, measure.goal);
}

/**
 * Describes the effect that a test detects four times out of five at the least favourable level of the
 * correction: A12 of runs, the rank correlation of pairs. Source: Noether, "Sample size determination for
 * some common nonparametric tests", Journal of the American Statistical Association 82, 1987.
 */
std::string detectable_words(const PlannedComparison& planned, double tests) {
  constexpr double missed = 0.2;
  const double deviations =
      upper_normal_quantile(significance_level / 2 / tests) + upper_normal_quantile(missed);
  const auto n = static_cast<double>(planned.repeats);
  const double a12 = 0.5 + deviations / std::sqrt(6 * n);
  const double correlation = 2 * deviations / std::sqrt(3 * n);
  if (planned.paired_starts ? correlation >= 1 : a12 >= 1) return {};
  return planned.paired_starts
             ? fmt::format(
                   "; differences are detected 4 times out of 5 from a rank correlation of about {:.2f} on",
                   correlation)
             : fmt::format("; differences are detected 4 times out of 5 from an A12 of about {:.2f} on", a12);
}

void add_within_task(const PlannedComparison& planned, Answers& answers) {
  if (planned.repeats < 2) {
    answers.push_back({PlannedAnswerKind::Cannot, "one run each: nothing can be tested within a task"});
    return;
  }
  const PlannedTests found = planned_tests(planned);
  const auto tests = static_cast<double>(found.within_tasks);
  const double least = found.min_p_within;
  const std::string sizes = planned.paired_starts ? fmt::format("{} pairs", planned.repeats)
                                                  : fmt::format("{0} against {0}", planned.repeats);
  if (tests * least > significance_level) {
    std::int64_t enough = planned.repeats;
    while (enough < max_repeats_asked && tests * min_p_of_repeats(planned, enough) > significance_level)
      ++enough;
    answers.push_back(
        {PlannedAnswerKind::Cannot,
         fmt::format("within a task {} cannot reach significance once all {:.0f} tests are corrected: the "
                     "smallest p is {}, {} after correction; {} repeats can",
                     sizes, tests, p_text(least), p_text(tests * least), enough)});
    return;
  }
  answers.push_back(
      {PlannedAnswerKind::Decides,
       fmt::format("within a task {} can reach significance: the smallest p is {}, {} after correction over "
                   "{:.0f} tests",
                   sizes, p_text(least), p_text(tests * least), tests) +
           detectable_words(planned, tests)});
}

void add_pairs(const PlannedComparison& planned, Answers& answers) {
  if (!planned.paired_starts || planned.repeats < 2) return;
  answers.push_back(
      {PlannedAnswerKind::Decides,
       "starts are paired: within a task the runs of a repeat are compared with each other, by Wilcoxon's "
       "signed rank, and intervals draw repeats for all tuners alike"});
}

void add_over_tasks(const PlannedComparison& planned, Answers& answers) {
  const std::size_t tasks = planned.tasks.size();
  if (tasks < 2) {
    answers.push_back({PlannedAnswerKind::Cannot, "one task: the results do not apply to others"});
    return;
  }
  const PlannedTests found = planned_tests(planned);
  const auto tests = static_cast<double>(found.over_tasks);
  const double least = found.min_p_over;
  if (tests * least <= significance_level) {
    answers.push_back({PlannedAnswerKind::Decides,
                       fmt::format("over {} tasks differences can reach significance by signed ranks: the "
                                   "smallest p is {}, {} after correction over {:.0f} tests",
                                   tasks, p_text(least), p_text(tests * least), tests)});
    return;
  }
  std::size_t enough = tasks;
  while (enough < max_tasks_asked && tests * smallest_signed_rank_p(enough) > significance_level) ++enough;
  answers.push_back(
      {PlannedAnswerKind::Cannot,
       fmt::format(
           "over tasks nothing can reach significance with {}: the smallest p is {}, {} after correction "
           "over {:.0f} tests; {} tasks can",
           tasks, p_text(least), p_text(tests * least), tests, enough)});
}

/**
 * Adds what Friedman's mean ranks can decide: the largest possible difference of two arms has all others
 * between them.
 */
void add_mean_ranks(const PlannedComparison& planned, Answers& answers) {
  constexpr std::size_t fewest_arms = 3;
  const auto arms = static_cast<double>(planned.arms.size());
  const auto tasks = static_cast<double>(planned.tasks.size());
  if (planned.arms.size() < fewest_arms || planned.tasks.size() < 2) return;
  const std::optional<double> critical = nemenyi_critical_value(planned.arms.size());
  if (!critical) {
    answers.push_back(
        {PlannedAnswerKind::Cannot,
         fmt::format(
             "mean ranks of {} tuners cannot be compared: Nemenyi's test has no critical values for so many",
             planned.arms.size())});
    return;
  }
  const double apart = *critical * std::sqrt(arms * (arms + 1) / (6 * tasks));
  if (apart > arms - 1) {
    answers.push_back(
        {PlannedAnswerKind::Cannot,
         fmt::format(
             "by mean ranks over {} tasks no two of {} tuners are distinguishable: that requires {:.1f} "
             "ranks, but first and last differ by {}",
             planned.tasks.size(), planned.arms.size(), apart, planned.arms.size() - 1)});
    return;
  }
  answers.push_back(
      {PlannedAnswerKind::Decides,
       fmt::format("by mean ranks over {} tasks (Friedman, Nemenyi) tuners are distinguished from "
                   "{:.1f} of {} ranks on, if the ranks differ at all",
                   planned.tasks.size(), apart, planned.arms.size() - 1)});
}

/**
 * Returns the number of draws without replacement after which half of random runs have drawn one of `good`
 * members.
 */
std::size_t median_draws(std::size_t members, std::size_t good) {
  double missed = 1;
  std::size_t draws = 0;
  while (draws + good < members && missed > 0.5) {
    missed *= static_cast<double>(members - draws - good) / static_cast<double>(members - draws);
    ++draws;
  }
  return missed > 0.5 ? draws + 1 : draws;
}

/** Returns the names of the tasks for whose recorded facts `holds` is true. */
template <typename Holds>
std::vector<std::string> known_tasks_where(const PlannedComparison& planned, const Holds& holds) {
  std::vector<std::string> names;
  for (const PlannedTask& task : planned.tasks)
    if (task.known && !task.known->members.empty() && holds(*task.known)) names.push_back(task.name);
  return names;
}

/**
 * Adds the tasks on which every run sees all members, and those on which random search comes within the noise
 * of the optimum.
 */
void add_finals(const PlannedComparison& planned, Answers& answers) {
  const auto trials = static_cast<std::size_t>(std::max<std::int64_t>(0, planned.trials));
  const auto whole = [&](const ComparedTask& task) {
    return trials == 0 ? !planned.other_limits : trials >= task.members.size();
  };
  const std::vector<std::string> visited = known_tasks_where(planned, whole);
  if (!visited.empty())
    answers.push_back(
        {PlannedAnswerKind::Cannot,
         fmt::format(
             "a run can visit the whole space of {}: all such runs have the same result, so the final "
             "performance decides nothing there; compare seconds and trials to a goal instead",
             named_list(visited))});
  if (trials == 0) return;
  const std::vector<std::string> saturated = known_tasks_where(planned, [&](const ComparedTask& task) {
    if (whole(task) || !(task.noise > 0) || !(task.optimum > 0)) return false;
    return RandomSearchExpectation(task.members).best_after(trials) >= (1 - task.noise) * task.optimum;
  });
  if (!saturated.empty())
    answers.push_back(
        {PlannedAnswerKind::Cannot,
         fmt::format("no final performance is distinguishable from that of random search on {}: after {} "
                     "trials that is expected within the recording's noise of the optimum",
                     named_list(saturated), trials)});
}

void add_goals_in_noise(const PlannedComparison& planned, Answers& answers) {
  for (std::size_t goal = 0; goal < goal_shares.size(); ++goal) {
    std::vector<std::string> tasks;
    for (const PlannedTask& task : planned.tasks)
      if (goal_in_noise(task, goal))
        tasks.push_back(fmt::format("{} ({:.1f} %)", task.name, 100 * task.known->noise));
    if (tasks.empty()) continue;
    answers.push_back({PlannedAnswerKind::Cannot,
                       fmt::format("{:.0f} % of the optimum is within the noise and not available on {}",
                                   100 * goal_shares.at(goal), named_list(tasks))});
  }
}

bool only_draws(const PlannedArm& arm) { return arm.random_phase == all_trials_random_phase; }

bool learns_late(const PlannedArm& arm) { return arm.random_phase > 0 && !only_draws(arm); }

void add_random_phases(const PlannedComparison& planned, Answers& answers) {
  for (const PlannedArm& arm : planned.arms) {
    if (!learns_late(arm) || planned.trials <= 0) continue;
    if (arm.random_phase >= planned.trials) {
      answers.push_back(
          {PlannedAnswerKind::Cannot,
           fmt::format("{} is in its random phase for all of its {} trials (the first {}): what "
                       "is compared is random search",
                       arm.name, planned.trials, arm.random_phase)});
    } else if (2 * arm.random_phase >= planned.trials) {
      answers.push_back({PlannedAnswerKind::Caution,
                         fmt::format("{} draws its first {} of {} trials at random: a goal that is reached "
                                     "before then does not measure what it learns",
                                     arm.name, arm.random_phase, planned.trials)});
    }
  }
}

/** Adds tasks on which half of random runs reach 95 % before an arm starts to learn. */
void add_goals_in_random_phases(const PlannedComparison& planned, Answers& answers) {
  for (const PlannedArm& arm : planned.arms) {
    if (!learns_late(arm) || (planned.trials > 0 && arm.random_phase >= planned.trials)) continue;
    const std::vector<std::string> tasks = known_tasks_where(planned, [&](const ComparedTask& task) {
      const auto good = std::ranges::count_if(task.members, [&](double performance) {
        return performance >= goal_shares[goal_to_95] * task.optimum;
      });
      return good > 0 && median_draws(task.members.size(), static_cast<std::size_t>(good)) <=
                             static_cast<std::size_t>(arm.random_phase);
    });
    if (tasks.empty()) continue;
    answers.push_back(
        {PlannedAnswerKind::Cannot,
         fmt::format("trials and seconds to {:.0f} % do not measure what {} learns on {}: half of all random "
                     "runs reach it within its first {} trials, which are random",
                     100 * goal_shares[goal_to_95], arm.name, named_list(tasks), arm.random_phase)});
  }
}

/** Adds batches of arms for which there is no random arm with the same batch. */
void add_batches(const PlannedComparison& planned, Answers& answers) {
  std::map<std::int64_t, std::string> batches;  // with an arm that has the batch
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
  answers.push_back({PlannedAnswerKind::Caution,
                     fmt::format("batch sizes differ, so times to a goal compare batches too: no random arm "
                                 "has the batch of {}",
                                 alone)});
}

/** Adds recordings that could not be read, whose facts are unknown. */
void add_unread(const PlannedComparison& planned, Answers& answers) {
  std::vector<std::string> names;
  for (const PlannedTask& task : planned.tasks)
    if (!task.unread.empty()) names.push_back(fmt::format("{} ({})", task.name, task.unread));
  if (names.empty()) return;
  answers.push_back(
      {PlannedAnswerKind::Caution,
       fmt::format("{} {} not read, so their limits are unknown, and tests are counted as if they "
                   "existed: {}",
                   count_text(names.size(), "recording", "recordings"), names.size() == 1 ? "was" : "were",
                   named_list(names))});
}

}  // namespace

PlannedTests planned_tests(const PlannedComparison& planned) {
  PlannedTests tests;
  if (planned.arms.size() < 2) return tests;
  const std::size_t others = planned.arms.size() - 1;
  for (const ComparedMeasure& measure : compared_measures()) {
    const auto offered = static_cast<std::size_t>(std::ranges::count_if(
        planned.tasks, [&](const PlannedTask& task) { return is_offered(task, measure); }));
    tests.within_tasks += others * offered;
    if (offered >= 2) tests.over_tasks += others;
  }
  if (planned.repeats > 0) tests.min_p_within = min_p_of_repeats(planned, planned.repeats);
  tests.min_p_over = smallest_signed_rank_p(planned.tasks.size());
  return tests;
}

std::vector<PlannedAnswer> planned_answers(const PlannedComparison& planned) {
  Answers answers;
  if (planned.arms.size() < 2) return answers;
  add_within_task(planned, answers);
  add_pairs(planned, answers);
  add_over_tasks(planned, answers);
  add_mean_ranks(planned, answers);
  add_finals(planned, answers);
  add_goals_in_noise(planned, answers);
  add_random_phases(planned, answers);
  add_goals_in_random_phases(planned, answers);
  add_batches(planned, answers);
  add_unread(planned, answers);
  return answers;
}

std::vector<std::string> testability(const PlannedComparison& planned) {
  std::vector<std::string> words;
  for (PlannedAnswer& answer : planned_answers(planned)) words.push_back(std::move(answer.words));
  return words;
}

}  // namespace kernelscape::analysis
