#include <QTest>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>

#include "core/analysis/comparison/friedman.h"
#include "core/analysis/comparison/testability.h"
#include "tests/analysis/compared_runs_support.h"
#include "tests/test_program.h"

namespace kernelscape::analysis_verdicts_test {

namespace {

constexpr analysis::ComparedMeasure final_quality{analysis::CompareBy::FinalPerformance, 0};
constexpr analysis::ComparedMeasure trials_to_95{analysis::CompareBy::TrialsToGoal, 1};
constexpr analysis::ComparedMeasure trials_to_99{analysis::CompareBy::TrialsToGoal, 2};

/** Arm 0 reaches the optimum with trials 50 and up, arm 1 from trial `first` on. */
analysis::ComparedRuns race(int repeats, std::size_t tasks, int first = 5) {
  analysis::ComparedRuns runs = empty_comparison(2, tasks);
  for (std::size_t task = 0; task < tasks; ++task) {
    for (int repeat = 0; repeat < repeats; ++repeat) {
      for (const std::size_t arm : {std::size_t{0}, std::size_t{1}}) {
        const double trial = (arm == 0 ? 50 : first) + repeat;
        runs.runs.push_back(
            finished_run(arm, task, repeat, curve_of_steps({{3 * trial, trial, 1}}, 600, 200)));
      }
    }
  }
  return runs;
}

const analysis::ComparisonRow& row_at(const analysis::ComparisonTable& table, std::size_t arm,
                                      std::optional<std::size_t> task) {
  return *std::ranges::find_if(
      table.rows, [&](const analysis::ComparisonRow& row) { return row.arm == arm && row.task == task; });
}

analysis::Verdict verdict_of_race(const analysis::ComparedRuns& runs,
                                  const analysis::ComparedMeasure& measure,
                                  std::optional<std::size_t> task = 0, std::size_t baseline = 0) {
  const analysis::ComparisonTable table = analysis::comparison_table(runs, baseline, {.resamples = 100});
  return analysis::verdict_of(runs, table, row_at(table, 1 - baseline, task), measure);
}

bool says(const std::vector<std::string>& sentences, const std::string& words) {
  return std::ranges::any_of(
      sentences, [&](const std::string& sentence) { return sentence.find(words) != std::string::npos; });
}

/** A run of random search over members, drawn without replacement. */
analysis::BestCurve random_run(base::Random& random, const std::vector<double>& members, int trials) {
  std::vector<std::uint32_t> left(members.size());
  for (std::size_t i = 0; i < left.size(); ++i) left[i] = static_cast<std::uint32_t>(i);
  std::vector<CurveStep> steps;
  double best = 0;
  for (int trial = 1; trial <= trials; ++trial) {
    std::swap(left[random.below(left.size())], left.back());
    const double performance = members[left.back()];
    left.pop_back();
    if (performance > best) steps.push_back({0.5 * trial, static_cast<double>(trial), best = performance});
  }
  return curve_of_steps(steps, 0.5 * trials, trials);
}

}  // namespace

class AnalysisVerdictsTest : public QObject {
  Q_OBJECT

 private slots:
  void words_of_a_race() {
    QCOMPARE(verdict_of_race(race(20, 1), trials_to_95).words, std::string("ahead"));
    QCOMPARE(verdict_of_race(race(20, 1), trials_to_95, 0, 1).words, std::string("behind"));
    QCOMPARE(verdict_of_race(race(20, 1), final_quality).words, std::string("no difference in any run"));
    QCOMPARE(verdict_of_race(race(20, 1, 50), trials_to_95).words,
             std::string("not decided: intervals overlap"));
    // Six tests: trials and seconds to three goals; the final performance is alike.
    QCOMPARE(verdict_of_race(race(4, 1), trials_to_95).words,
             std::string("cannot reach significance with 4 against 4 in 6 tests"));
    QCOMPARE(verdict_of_race(race(3, 1), trials_to_95).words,
             std::string("cannot reach significance with 3 against 3"));
    QCOMPARE(verdict_of_race(race(1, 1), trials_to_95).words,
             std::string("one run each: nothing can be tested"));
    QVERIFY(verdict_of_race(race(0, 1), trials_to_95).decision == analysis::Decision::NoRuns);
    QVERIFY(verdict_of_race(race(20, 1), {analysis::CompareBy::Score, 0}).decision ==
            analysis::Decision::NotAvailable);
  }

  /** Own intervals may overlap where that of the ratio is beyond 1: then the test does not decide, and says
   * so. */
  void an_overlap_is_said_where_the_ratio_may_be_1() {
    int overlaps = 0;
    int tests = 0;
    base::Random random(31);
    for (int round = 0; round < 60; ++round) {
      // From races that nobody is ahead in to some that one nearly wins.
      analysis::ComparedRuns runs = empty_comparison(2, 1);
      for (int repeat = 0; repeat < 20; ++repeat) {
        for (const std::size_t arm : {std::size_t{0}, std::size_t{1}}) {
          const double trial = 10 + static_cast<double>(random.below(60)) + (arm == 0 ? round / 2 : 0);
          runs.runs.push_back(
              finished_run(arm, 0, repeat, curve_of_steps({{3 * trial, trial, 1}}, 600, 200)));
        }
      }
      const analysis::ComparisonTable table = analysis::comparison_table(runs, 0, {.resamples = 400});
      const analysis::ComparisonRow& row = row_at(table, 1, 0);
      const std::string words = analysis::verdict_of(runs, table, row, trials_to_95).words;
      const analysis::ConfidenceInterval ratio = *row.goals[1].trials_ratio->interval;
      const bool may_be_1 = ratio.low <= 1 && 1 <= ratio.high;
      if (words == "not decided: intervals overlap") {
        ++overlaps;
        QVERIFY2(may_be_1, qPrintable(QString("%1 to %2").arg(ratio.low).arg(ratio.high)));
      }
      if (words.starts_with("not decided: p ")) ++tests;
    }
    QVERIFY(overlaps > 0);
    QVERIFY2(tests > 0, "no race was between the two");
  }

  void over_tasks() {
    // Six tests: 6 / 512 passes 0.05 over 10 tasks, 6 / 16 over 5 does not.
    QCOMPARE(verdict_of_race(race(2, 10), trials_to_95, {}).words, std::string("ahead"));
    QCOMPARE(verdict_of_race(race(2, 5), trials_to_95, {}).words,
             std::string("cannot reach significance over 5 tasks in 6 tests"));
    QVERIFY(verdict_of_race(race(2, 1), trials_to_95, {}).decision == analysis::Decision::TooFewRuns);
    const analysis::ComparedRuns runs = race(6, 10);
    const analysis::ComparisonTable table = analysis::comparison_table(runs, 0);
    const analysis::GoalReached& goal = row_at(table, 1, {}).goals[1];
    // Medians of 50 to 55, and of 5 to 10.
    QVERIFY(std::fabs(goal.trials_ratio->ratio - 7.5 / 52.5) < 1e-12);
    QVERIFY(goal.trials_ratio->interval->low < 7.5 / 52.5 && goal.trials_ratio->interval->high > 7.5 / 52.5);
    QVERIFY(goal.trials_ratio->interval->high < 0.3);
    QCOMPARE(goal.trials_tasks_test->effect, 1.0);
    QCOMPARE(goal.trials_tasks_test->better, std::size_t{10});
    QVERIFY(!row_at(table, 0, {}).goals[1].trials_ratio);
  }

  void random_phases_are_not_the_tuner() {
    analysis::ComparedRuns runs = race(20, 1);
    runs.arms[1].random_phase = 100;
    const analysis::Verdict verdict = verdict_of_race(runs, trials_to_95);
    QVERIFY(verdict.decision == analysis::Decision::RandomPhase && !verdict.decided());
    QCOMPARE(verdict.words, std::string("still in its random phase (first 100 trials of arm 1)"));
    const analysis::ComparisonTable table = analysis::comparison_table(runs, 0, {.resamples = 0});
    QCOMPARE(row_at(table, 1, 0).random_trials, 100.0);
    QCOMPARE(row_at(table, 1, 0).trials, 200.0);
    QVERIFY(says(analysis::blocking_reason(runs, table),
                 "arm 1: 100 of the 200 trials of a run were its random phase"));
    runs.arms[1].random_phase = 10;  // the median is at 14.5
    QVERIFY(verdict_of_race(runs, trials_to_95).decided());
    runs.arms[1].random_phase = analysis::all_trials_random_phase;  // random search is what it is
    QVERIFY(verdict_of_race(runs, trials_to_95).decided());
  }

  void goals_within_the_noise_are_not_offered() {
    analysis::ComparedRuns runs = race(20, 1);
    runs.tasks[0].noise = 0.02;
    QVERIFY(verdict_of_race(runs, trials_to_95).decided());
    QCOMPARE(verdict_of_race(runs, trials_to_99).words, std::string("within the recording's noise"));
    const analysis::ComparisonTable table = analysis::comparison_table(runs, 0, {.resamples = 0});
    QVERIFY(!row_at(table, 1, 0).goals[2].trials_test && row_at(table, 1, {}).goals[2].within_noise);
    QCOMPARE(table.tests_within_tasks, std::size_t{4});
    QVERIFY(says(analysis::blocking_reason(runs, table), "99 % of the optimum is within the noise"));
  }

  void finals_within_the_noise_decide_nothing() {
    analysis::ComparedRuns runs = empty_comparison(2, 3);
    for (std::size_t task = 0; task < 3; ++task) {
      for (int repeat = 0; repeat < 12; ++repeat) {
        for (const std::size_t arm : {std::size_t{0}, std::size_t{1}}) {
          const double performance = arm == 0 ? 1 : 0.985;
          runs.runs.push_back(
              finished_run(arm, task, repeat, curve_of_steps({{3, 1, performance}}, 600, 200)));
        }
      }
    }
    const auto with_noise = [&](double noise) {
      for (analysis::ComparedTask& task : runs.tasks) task.noise = noise;
      return analysis::rank_over_tasks(analysis::comparison_table(runs, 0, {.resamples = 0}), final_quality)
          .has_value();
    };
    QVERIFY(with_noise(0) && with_noise(0.01));
    QCOMPARE(verdict_of_race(runs, final_quality).words, std::string("behind"));
    QVERIFY(!with_noise(0.02));
    QCOMPARE(verdict_of_race(runs, final_quality).words, std::string("within the recording's noise"));
    QVERIFY(verdict_of_race(runs, final_quality, {}).decision == analysis::Decision::WithinNoise);
    // Measured anew in every run, noise is what the tests are about.
    for (analysis::ComparedTask& task : runs.tasks) task.measured = true;
    QCOMPARE(verdict_of_race(runs, final_quality).words, std::string("behind"));
  }

  void confirmations_take_the_place_of_tuning() {
    analysis::ComparedRuns runs = race(2, 1);
    runs.tasks[0].measured = true;
    runs.tasks[0].optimum_known = false;
    const std::array confirmed{0.8, 0.5, 0.7, 0.4};
    for (std::size_t i = 0; i < 3; ++i) runs.runs[i].confirmed = confirmed[i];
    const auto row = [&] { return row_at(analysis::comparison_table(runs, 0, {.resamples = 0}), 1, 0); };
    QVERIFY(!row().confirmed && row().mean_final == 1);  // one run has none
    runs.runs[3].confirmed = confirmed[3];
    QVERIFY(row().confirmed && std::fabs(row().mean_final - 0.45) < 1e-12);
    QVERIFY(std::fabs(row().final_share - 0.45 / 0.8) < 1e-12);
    runs.tasks[0].measured = false;
    QVERIFY(!row().confirmed && row().mean_final == 1);
  }

  void plans_are_judged_before_they_run() {
    analysis::PlannedComparison planned;
    planned.arms = {{"random", 64, analysis::all_trials_random_phase}, {"ga", 100, 100}};
    planned.repeats = 3;
    planned.tasks.resize(1);
    planned.trials = 100;
    const std::vector<std::string> few = analysis::testability(planned);
    QVERIFY(says(few, "3 against 3 cannot reach significance") && says(few, "6 repeats can"));
    QVERIFY(says(few, "one task") && says(few, "ga is in its random phase for all of its 100 trials"));
    QVERIFY(says(few, "no random arm has the batch of ga (100)"));
    planned.arms.push_back({"random@100", 100, analysis::all_trials_random_phase, true});
    planned.repeats = 40;
    planned.tasks.resize(12);
    planned.trials = 1000;
    const std::vector<std::string> enough = analysis::testability(planned);
    QVERIFY(says(enough, "40 against 40 can reach significance") &&
            says(enough, "over 12 tasks differences can"));
    QVERIFY(!says(enough, "random phase") && !says(enough, "no random arm"));
    planned.repeats = 1;
    QVERIFY(says(analysis::testability(planned), "one run each: nothing can be tested"));
    planned.arms.resize(1);
    QVERIFY(analysis::testability(planned).empty());
  }

  void random_search_against_itself() {
    constexpr std::uint64_t seed = 190119;
    std::printf("random search against itself: seed %llu\n", static_cast<unsigned long long>(seed));
    constexpr int comparisons = 400;
    base::Random random(seed);
    std::vector<double> members(600);
    for (double& member : members) member = random.chance(0.1) ? 0 : std::exp(random.normal());
    const double optimum = *std::ranges::max_element(members);
    const std::vector<analysis::ComparedMeasure> measures = analysis::compared_measures();
    std::vector<int> called(measures.size());
    for (int comparison = 0; comparison < comparisons; ++comparison) {
      analysis::ComparedRuns runs = empty_comparison(2, 1);
      runs.tasks[0].optimum = optimum;
      runs.tasks[0].members = members;
      runs.tasks[0].noise = 0.06;  // one goal is enough, and quicker
      for (int repeat = 0; repeat < 10; ++repeat)
        for (const std::size_t arm : {std::size_t{0}, std::size_t{1}})
          runs.runs.push_back(finished_run(arm, 0, repeat, random_run(random, members, 150)));
      const analysis::ComparisonTable table = analysis::comparison_table(runs, 0, {.resamples = 0});
      for (std::size_t i = 0; i < measures.size(); ++i) {
        const std::optional<analysis::RunsTest>& test = analysis::row_test(row_at(table, 1, 0), measures[i]);
        if (test && test->p <= analysis::significance_level) ++called[i];
      }
    }
    // Binomial 99.9 % bounds of 400: at most 5 % of an exact test; 4.3 % of 10 against 10 without ties.
    for (std::size_t i = 0; i < measures.size(); ++i)
      QVERIFY2(called[i] <= 36, qPrintable(QString::fromStdString(analysis::measure_name(measures[i]))));
    const auto score =
        std::ranges::find(measures, analysis::CompareBy::Score, &analysis::ComparedMeasure::by) -
        measures.begin();
    const int by_score = called[static_cast<std::size_t>(score)];
    QVERIFY2(by_score >= 4 && by_score <= 33, qPrintable(QString::number(by_score)));
  }
};

KERNELSCAPE_PLAIN_TEST(AnalysisVerdictsTest)

}  // namespace kernelscape::analysis_verdicts_test
#include "analysis_verdicts_test.moc"
