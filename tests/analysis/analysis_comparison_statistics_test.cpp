#include <QTest>
#include <cmath>
#include <limits>

#include "core/analysis/comparison/bootstrap.h"
#include "core/analysis/comparison/curve_bands.h"
#include "core/analysis/comparison/friedman.h"
#include "core/analysis/comparison/performance_profile.h"
#include "core/analysis/comparison/statistical_tests.h"
#include "core/analysis/comparison/tail_probabilities.h"
#include "tests/analysis/compared_runs_support.h"
#include "tests/test_program.h"

namespace kernelscape::analysis_comparison_statistics_test {

namespace {

using Samples = std::vector<double>;
constexpr double endless = std::numeric_limits<double>::infinity();

bool close_to(double a, double b, double tolerance = 1e-9) { return std::fabs(a - b) <= tolerance; }

/** Gets to the optimum of 1 with this trial; infinity: never gets anywhere. */
analysis::ComparedRun run_to_optimum(std::size_t arm, std::size_t task, int repeat, double trial) {
  std::vector<CurveStep> steps;
  if (trial < endless) steps.push_back({2 * trial, trial, 1});
  return finished_run(arm, task, repeat, curve_of_steps(steps, 200, 100));
}

/** Share of samples of the standard normal whose interval holds 0. */
template <typename Interval>
double coverage(const Interval& interval) {
  constexpr int rounds = 400;
  constexpr std::size_t samples = 20;
  base::Random random(20260119);
  int held = 0;
  for (int round = 0; round < rounds; ++round) {
    Samples drawn(samples);
    for (double& value : drawn) value = random.normal();
    const std::optional<analysis::ConfidenceInterval> found =
        interval(drawn, analysis::BootstrapOptions{.resamples = 400, .seed = random.bits()});
    held += found->low <= 0 && 0 <= found->high ? 1 : 0;
  }
  return static_cast<double>(held) / rounds;
}

}  // namespace

class AnalysisComparisonStatisticsTest : public QObject {
  Q_OBJECT

 private slots:
  void intervals_hold_what_they_should() {
    const double of_means = coverage(analysis::bootstrap_mean_interval);
    const double of_medians = coverage(analysis::bootstrap_median_interval);
    // Five standard errors of 400 rounds, and what 20 samples cost.
    QVERIFY2(of_means > 0.89 && of_means < 1, qPrintable(QString::number(of_means)));
    QVERIFY2(of_medians > 0.89, qPrintable(QString::number(of_medians)));
  }

  void few_samples_have_wide_intervals() {
    // 2.093 * sqrt(20 / 19) deviations.
    QVERIFY(close_to(analysis::expanded_tail(20), 0.01588, 2e-5));
    QVERIFY(close_to(analysis::expanded_tail(100'000), 0.025, 1e-5));
    QVERIFY(analysis::expanded_tail(2) < 1e-10);
    QVERIFY(!analysis::bootstrap_mean_interval(Samples{3}));
    QVERIFY(!analysis::bootstrap_mean_interval(Samples{}));
    const Samples alike(7, 2.5);
    QVERIFY(*analysis::bootstrap_mean_interval(alike) == (analysis::ConfidenceInterval{2.5, 2.5}));
    const Samples two{1, 5};
    QVERIFY(*analysis::bootstrap_mean_interval(two) == (analysis::ConfidenceInterval{1, 5}));
    QVERIFY(*analysis::bootstrap_mean_interval(two) == *analysis::bootstrap_mean_interval(two));
    QVERIFY(!analysis::bootstrap_mean_interval(two, {.resamples = 0}));
  }

  void infinities_are_values_like_others() {
    Samples odd{endless, 1, 3};
    Samples even{1, endless};
    QCOMPARE(analysis::median_with_infinities(odd), 3.0);
    QCOMPARE(analysis::median_with_infinities(even), endless);
    QCOMPARE(analysis::median_with_infinities({}), 0.0);
    const Samples times{10, 20, 30, endless, endless};
    const analysis::ConfidenceInterval interval = *analysis::bootstrap_median_interval(times);
    QCOMPARE(interval.low, 10.0);
    QCOMPARE(interval.high, endless);
    // What is not a number can be anything.
    const analysis::ConfidenceInterval ratio = *analysis::percentile_interval({1, std::nan(""), 1}, 2);
    QCOMPARE(ratio.low, 0.0);
    QCOMPARE(ratio.high, endless);
  }

  void tails_of_known_distributions() {
    for (const double x : {0.25, 1.0, 4.5, 30.0, 200.0})
      QVERIFY(close_to(analysis::chi_square_tail(x, 2) / std::exp(-x / 2), 1));
    QVERIFY(close_to(analysis::chi_square_tail(3.841458820694124, 1), 0.05));
    QCOMPARE(analysis::chi_square_tail(0, 5), 1.0);
    for (const std::int64_t degrees : {1, 5, 30, 150})
      QVERIFY(close_to(analysis::f_tail(std::pow(analysis::student_quantile_95(degrees), 2), 1,
                                        static_cast<double>(degrees)),
                       0.05));
    for (const double x : {0.1, 1.0, 7.0})
      QVERIFY(close_to(analysis::f_tail(x, 2, 6), std::pow(1 + x / 3, -3)));
    QCOMPARE(analysis::f_tail(endless, 3, 7), 0.0);
    QCOMPARE(analysis::f_tail(0, 3, 7), 1.0);
  }

  void friedman_by_hand() {
    const std::vector<Samples> blocks{{1, 2, 3}, {10, 20, 30}, {1, 3, 2}, {2, 1, endless}};
    const analysis::FriedmanTest test = *analysis::friedman_test(blocks, true);
    QVERIFY(close_to(test.mean_ranks[0], 1.25) && close_to(test.mean_ranks[1], 2) &&
            close_to(test.mean_ranks[2], 2.75));
    QVERIFY(close_to(test.chi_square, 4.5) && close_to(test.chi_square_p, std::exp(-2.25)));
    QVERIFY(close_to(test.f, 13.5 / 3.5) && close_to(test.p, std::pow(1 + 13.5 / 3.5 / 3, -3)));
    QVERIFY(close_to(test.critical_difference, 2.343701 * std::sqrt(0.5)));
    QVERIFY(!test.significant());
    QVERIFY(close_to(analysis::friedman_test(blocks)->mean_ranks[0], 2.75));
    // Of two arms it is the sign test's square: (3 - 1)^2 / (3 + 1), ties left out.
    const std::vector<Samples> pairs{{2, 1}, {3, 1}, {4, 1}, {1, 2}, {5, 5}};
    QVERIFY(close_to(analysis::friedman_test(pairs)->chi_square, 1));
    const std::vector<Samples> alike(4, Samples{1, 1, 1});
    QCOMPARE(analysis::friedman_test(alike)->p, 1.0);
    const std::vector<Samples> agreed(6, Samples{3, 2, 1});
    QCOMPARE(analysis::friedman_test(agreed)->p, 0.0);
    QVERIFY(!analysis::friedman_test(std::vector<Samples>{{1, 2}}));
    QVERIFY(!analysis::nemenyi_critical_value(1) && !analysis::nemenyi_critical_value(21));
    QCOMPARE(*analysis::nemenyi_critical_value(10), 3.163684);
    QCOMPARE(*analysis::nemenyi_critical_value(20), 3.543799);
  }

  void arms_that_are_not_distinguished() {
    analysis::FriedmanTest test;
    test.mean_ranks = {2.9, 1, 2.5, 3.6};
    test.critical_difference = 1;
    const std::vector<analysis::RankGroup> groups = analysis::rank_groups(test);
    QVERIFY(groups == (std::vector<analysis::RankGroup>{{{2, 0}}, {{0, 3}}}));
    test.critical_difference = 0.1;
    QVERIFY(analysis::rank_groups(test).empty());
    test.critical_difference = 5;
    QVERIFY(analysis::rank_groups(test) == (std::vector<analysis::RankGroup>{{{1, 2, 0, 3}}}));
  }

  void ranks_need_whole_blocks() {
    analysis::ComparedRuns runs = empty_comparison(2, 4);
    for (std::size_t task = 0; task < 4; ++task)
      for (std::size_t arm = 0; arm < 2; ++arm)
        if (task != 1 || arm != 1)
          runs.runs.push_back(run_to_optimum(arm, task, 0, static_cast<double>(10 + arm)));
    runs.tasks[3].noise = 0.06;  // 95 % is within it
    const analysis::ComparisonTable table = analysis::comparison_table(runs, 0, {.resamples = 0});
    const analysis::TaskRanking ranking =
        *analysis::rank_over_tasks(table, {analysis::CompareBy::TrialsToGoal, 1});
    QVERIFY(ranking.tasks == (std::vector<std::size_t>{0, 2}));
    QVERIFY(close_to(ranking.test.mean_ranks[0], 1) && close_to(ranking.test.mean_ranks[1], 2));
    QCOMPARE(analysis::rank_over_tasks(table, {analysis::CompareBy::TrialsToGoal, 0})->tasks.size(),
             std::size_t{3});
    QVERIFY(!analysis::rank_over_tasks(table, {analysis::CompareBy::Score, 0}));  // members are not recorded
  }

  void profiles_are_against_the_best_median() {
    analysis::ComparedRuns runs = empty_comparison(2, 2);
    const std::vector<Samples> trials{{2, 4, endless}, {8, 8, 8}};
    for (std::size_t arm = 0; arm < 2; ++arm) {
      for (int repeat = 0; repeat < 3; ++repeat) {
        runs.runs.push_back(run_to_optimum(arm, 0, repeat, trials[arm][static_cast<std::size_t>(repeat)]));
        runs.runs.push_back(run_to_optimum(arm, 1, repeat, endless));
      }
    }
    const analysis::PerformanceProfile profile =
        analysis::performance_profile(runs, {analysis::CompareBy::SecondsToGoal, 1});
    QVERIFY(profile.tasks == (std::vector<std::size_t>{0}));
    QVERIFY(profile.unreached == (std::vector<std::size_t>{1}));
    QCOMPARE(profile.lines.size(), std::size_t{2});
    QVERIFY(close_to(profile.lines[0].at(0.4), 0) && close_to(profile.lines[0].at(0.5), 1.0 / 3));
    QVERIFY(close_to(profile.lines[0].at(1), 2.0 / 3) && close_to(profile.lines[0].at(1e9), 2.0 / 3));
    QVERIFY(close_to(profile.lines[1].at(1.9), 0) && close_to(profile.lines[1].at(2), 1));
    QCOMPARE(profile.largest_factor, 2.0);
    QVERIFY(analysis::performance_profile(runs, {analysis::CompareBy::Score, 0}).lines.empty());
  }

  void bands_lie_around_curves() {
    analysis::ComparedRuns runs = empty_comparison(2, 2);
    for (std::size_t task = 0; task < 2; ++task)
      for (std::size_t arm = 0; arm < 2; ++arm)
        for (int repeat = 0; repeat < 8; ++repeat)
          runs.runs.push_back(run_to_optimum(arm, task, repeat, 10 + 5.0 * repeat));
    const std::vector<double> grid{0, 5, 20, 30, 60, 100};
    for (const analysis::CompareY y : {analysis::CompareY::ShareOfOptimum, analysis::CompareY::SpeedUp}) {
      const analysis::AggregatedCurve curve =
          analysis::aggregate_curve(runs, {1, {}}, analysis::CompareAxis::Trials, y, grid, 0);
      const analysis::CurveBands bands =
          analysis::curve_bands(runs, {1, {}}, analysis::CompareAxis::Trials, y, grid, 0, {.resamples = 200});
      QCOMPARE(bands.mean_low.size(), grid.size());
      QCOMPARE(bands.median_high.size(), grid.size());
      for (std::size_t i = 0; i < grid.size(); ++i) {
        QCOMPARE(std::isnan(bands.mean_low[i]), std::isnan(curve.mean[i]));
        if (std::isnan(curve.mean[i])) continue;
        QVERIFY(bands.mean_low[i] <= curve.mean[i] + 1e-12 && curve.mean[i] <= bands.mean_high[i] + 1e-12);
      }
      QVERIFY(close_to(bands.mean_low.back(), 1) && close_to(bands.mean_high.back(), 1));  // all are there
    }
    std::erase_if(runs.runs, [](const analysis::ComparedRun& run) { return run.repeat > 0; });
    QVERIFY(analysis::curve_bands(runs, {1, {}}, analysis::CompareAxis::Trials,
                                  analysis::CompareY::ShareOfOptimum, grid)
                .mean_low.empty());
  }

  void effect_of_signed_ranks() {
    QCOMPARE(analysis::rank_biserial_correlation(Samples{1, 2, endless}), 1.0);
    QCOMPARE(analysis::rank_biserial_correlation(Samples{-1, 0, -2}), -1.0);
    QVERIFY(close_to(analysis::rank_biserial_correlation(Samples{-1, 2, 3}), 4.0 / 6));  // (5 - 1) / 6
    QCOMPARE(analysis::rank_biserial_correlation(Samples{}), 0.0);
  }
};

KERNELSCAPE_PLAIN_TEST(AnalysisComparisonStatisticsTest)

}  // namespace kernelscape::analysis_comparison_statistics_test
#include "analysis_comparison_statistics_test.moc"
