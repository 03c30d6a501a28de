#include <QTest>
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <limits>

#include "core/analysis/comparison/curve_bands.h"
#include "core/analysis/comparison/performance_profile.h"
#include "core/analysis/comparison/statistical_tests.h"
#include "core/analysis/comparison/testability.h"
#include "tests/analysis/compared_runs_support.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/test_program.h"

namespace kernelscape::analysis_paired_starts_test {

namespace {

constexpr analysis::ComparedMeasure paired_trials_to_95{analysis::CompareBy::TrialsToGoal, 1};
constexpr double never = std::numeric_limits<double>::infinity();

/** Where a run of each repeat reaches the optimum, by arm; infinity: it never does. */
analysis::ComparedRuns runs_reaching(const std::vector<std::vector<double>>& trials) {
  analysis::ComparedRuns runs = empty_comparison(trials.size(), 1);
  runs.paired_starts = true;
  for (std::size_t arm = 0; arm < trials.size(); ++arm) {
    for (std::size_t repeat = 0; repeat < trials[arm].size(); ++repeat) {
      const double at = trials[arm][repeat];
      std::vector<CurveStep> steps;
      if (at < never) steps.push_back({2 * at, at, 1});
      runs.runs.push_back(finished_run(arm, 0, static_cast<int>(repeat), curve_of_steps(steps, 2000, 1000)));
    }
  }
  return runs;
}

/** The sum of the mid-ranks of positive differences, twice over, by comparing all pairs of sizes. */
int positive_rank_sum(const std::vector<double>& differences, std::uint32_t flipped) {
  int sum = 0;
  for (std::size_t i = 0; i < differences.size(); ++i) {
    const bool negative = (differences[i] < 0) != ((flipped >> i & 1) != 0);
    if (negative) continue;
    int doubled_rank = 1;
    for (const double other : differences) {
      if (std::fabs(other) < std::fabs(differences[i])) doubled_rank += 2;
      if (std::fabs(other) == std::fabs(differences[i])) doubled_rank += 1;
    }
    sum += doubled_rank;
  }
  return sum;
}

/** Every way to exchange the two runs of each pair, as likely as what was seen: twice the smaller tail. */
double exchanged_p(std::vector<double> differences) {
  std::erase(differences, 0.0);
  const int seen = positive_rank_sum(differences, 0);
  double below = 0;
  double above = 0;
  const std::uint32_t all = std::uint32_t{1} << differences.size();
  for (std::uint32_t flipped = 0; flipped < all; ++flipped) {
    const int sum = positive_rank_sum(differences, flipped);
    if (sum <= seen) ++below;
    if (sum >= seen) ++above;
  }
  return std::min(1.0, 2 * std::min(below, above) / static_cast<double>(all));
}

const analysis::ComparisonRow& arm_row(const analysis::ComparisonTable& table, std::size_t arm) {
  return *table.row(arm, 0);
}

}  // namespace

/** Runs that share a seed: tested pair by pair, drawn together. */
class AnalysisPairedStartsTest : public QObject {
  Q_OBJECT

 private slots:
  void the_test_is_that_of_all_exchanges_within_pairs() {
    base::Random random(testing::random_seed());
    for (int round = 0; round < 60; ++round) {
      const auto pairs = 1 + random.below(10);
      std::vector<std::vector<double>> trials(2);
      std::vector<double> differences;
      for (std::uint64_t i = 0; i < pairs; ++i) {
        for (std::vector<double>& arm : trials)
          // Powers of two: ratios tie exactly, and so do their logarithms.
          arm.push_back(random.chance(0.15) ? never : std::exp2(static_cast<double>(random.below(6))));
        const double ours = trials[1].back();
        const double theirs = trials[0].back();
        differences.push_back(ours == theirs ? 0 : std::log(theirs / ours));
      }
      const analysis::ComparisonTable table =
          analysis::comparison_table(runs_reaching(trials), 0, {.resamples = 0});
      const std::optional<analysis::RunsTest>& test =
          analysis::row_test(arm_row(table, 1), paired_trials_to_95);
      QVERIFY(test && test->paired);
      QCOMPARE(test->pairs, static_cast<std::size_t>(pairs));
      QVERIFY(std::fabs(test->p - exchanged_p(differences)) < 1e-12);
      QVERIFY(std::fabs(analysis::wilcoxon_signed_rank_p(differences) - exchanged_p(differences)) < 1e-12);
    }
    // The extreme of so many pairs, and the tables of Wilcoxon (1945): 6 pairs are the fewest for 0.05.
    QCOMPARE(analysis::smallest_signed_rank_p(5), 0.0625);
    QCOMPARE(analysis::smallest_signed_rank_p(6), 0.03125);
    QCOMPARE(analysis::smallest_signed_rank_p(0), 1.0);
    for (std::size_t n = 1; n < 12; ++n)
      QVERIFY(std::fabs(analysis::wilcoxon_signed_rank_p(std::vector<double>(n, 2.5)) -
                        analysis::smallest_signed_rank_p(n)) < 1e-12);
  }

  /** Starts that differ much, and an arm that is always a little earlier than the baseline. */
  void pairs_decide_what_independent_runs_do_not() {
    std::vector<std::vector<double>> trials(2);
    for (int repeat = 0; repeat < 12; ++repeat) {
      const double start = 20 * (repeat + 1);
      trials[0].push_back(start + 4);
      trials[1].push_back(start);
    }
    analysis::ComparedRuns runs = runs_reaching(trials);
    const auto words = [&](std::size_t baseline) {
      const analysis::ComparisonTable table = analysis::comparison_table(runs, baseline, {.resamples = 200});
      return analysis::verdict_of(runs, table, arm_row(table, 1 - baseline), paired_trials_to_95).words;
    };
    QCOMPARE(words(0), std::string("ahead in paired runs"));
    QCOMPARE(words(1), std::string("behind in paired runs"));
    const analysis::ComparisonTable paired = analysis::comparison_table(runs, 0);
    runs.paired_starts = false;
    const analysis::ComparisonTable apart = analysis::comparison_table(runs, 0);
    QCOMPARE(words(0), std::string("not decided: intervals overlap"));
    const analysis::ConfidenceInterval together = *arm_row(paired, 1).goals[1].trials_ratio->interval;
    const analysis::ConfidenceInterval alone = *arm_row(apart, 1).goals[1].trials_ratio->interval;
    QVERIFY(together.high < 1 && alone.high > 1);
    QVERIFY(together.high - together.low < (alone.high - alone.low) / 4);
    // What is said of an arm alone does not change much: its own repeats are drawn either way.
    const analysis::ConfidenceInterval own = *arm_row(paired, 1).goals[1].trials_interval;
    QVERIFY(own.low < 130 && own.high > 130);
  }

  void words_say_that_pairs_are_few_or_alike() {
    const auto words = [](const std::vector<std::vector<double>>& trials) {
      const analysis::ComparedRuns runs = runs_reaching(trials);
      const analysis::ComparisonTable table = analysis::comparison_table(runs, 0, {.resamples = 200});
      return analysis::verdict_of(runs, table, arm_row(table, 1), paired_trials_to_95).words;
    };
    QCOMPARE(words({{8, 8, 8}, {8, 8, 8}}), std::string("no difference in any pair"));
    QCOMPARE(words({{8, 8, 8, 8}, {4, 4, 4, 8}}),
             std::string("cannot reach significance with 3 pairs that differ of 4"));
    // Six tests: 6 x 2 / 2^7 is above 0.05, 6 x 2 / 2^8 is below.
    QCOMPARE(words({std::vector<double>(7, 8), std::vector<double>(7, 4)}),
             std::string("cannot reach significance with 7 pairs in 6 tests"));
    QCOMPARE(words({std::vector<double>(8, 8), std::vector<double>(8, 4)}),
             std::string("ahead in paired runs"));
    QCOMPARE(words({{8, 4, 8, 4, 8, 4, 8, 4, 8}, {4, 8, 4, 8, 4, 8, 4, 8, 8}}),
             std::string("not decided in paired runs: the interval of the ratio contains 1"));
  }

  void runs_without_a_partner_are_in_no_pair() {
    analysis::ComparedRuns runs = runs_reaching({std::vector<double>(9, 8), std::vector<double>(9, 4)});
    std::erase_if(runs.runs,
                  [](const analysis::ComparedRun& run) { return run.arm == 1 && run.repeat == 3; });
    runs.runs.front().finished = false;  // of the baseline
    const analysis::ComparisonTable table = analysis::comparison_table(runs, 0, {.resamples = 100});
    QCOMPARE(analysis::row_test(arm_row(table, 1), paired_trials_to_95)->pairs, std::size_t{7});
    QVERIFY(arm_row(table, 1).goals[1].trials_interval);
    std::erase_if(runs.runs,
                  [](const analysis::ComparedRun& run) { return (run.arm == 0) == (run.repeat < 4); });
    const analysis::ComparisonTable none = analysis::comparison_table(runs, 0, {.resamples = 100});
    QCOMPARE(analysis::verdict_of(runs, none, arm_row(none, 1), paired_trials_to_95).words,
             std::string("not tested: no pair of runs"));
  }

  /** An arm that is the baseline, with the same seeds: nothing is left of the scatter of its runs. */
  void speed_up_over_itself_has_no_width() {
    std::vector<double> trials;
    for (int repeat = 0; repeat < 10; ++repeat) trials.push_back(10 + 30 * repeat);
    const analysis::ComparedRuns runs = runs_reaching({trials, trials});
    const std::vector<double> grid = analysis::curve_grid(runs, 0, analysis::CompareAxis::Trials);
    const analysis::CurveBands bands =
        analysis::curve_bands(runs, {1, 0}, analysis::CompareAxis::Trials, analysis::CompareY::SpeedUp, grid,
                              0, {.resamples = 100});
    bool any = false;
    for (std::size_t i = 0; i < grid.size(); ++i) {
      if (!std::isfinite(bands.mean_low[i]) || !std::isfinite(bands.mean_high[i])) continue;
      any = true;
      if (bands.mean_low[i] > 0) QVERIFY(std::fabs(bands.mean_high[i] - bands.mean_low[i]) < 1e-12);
    }
    QVERIFY(any);
  }

  void profiles_have_bands_around_their_shares() {
    base::Random random(testing::random_seed());
    std::vector<std::vector<double>> trials(3);
    for (int repeat = 0; repeat < 15; ++repeat)
      for (std::size_t arm = 0; arm < trials.size(); ++arm)
        trials[arm].push_back(static_cast<double>((arm + 1) * (5 + random.below(40))));
    for (const bool paired : {false, true}) {
      analysis::ComparedRuns runs = runs_reaching(trials);
      runs.paired_starts = paired;
      QVERIFY(analysis::performance_profile(runs, paired_trials_to_95).lines.front().band.low.empty());
      const analysis::PerformanceProfile profile =
          analysis::performance_profile(runs, paired_trials_to_95, {.resamples = 400});
      const analysis::PerformanceProfile again =
          analysis::performance_profile(runs, paired_trials_to_95, {.resamples = 400});
      for (const analysis::ProfileLine& line : profile.lines) {
        const analysis::ProfileBand& band = line.band;
        QCOMPARE(band.low.size(), band.factors.size());
        QVERIFY(std::ranges::is_sorted(band.low) && std::ranges::is_sorted(band.high));
        std::size_t inside = 0;
        for (std::size_t i = 0; i < band.factors.size(); ++i) {
          QVERIFY(band.low[i] >= 0 && band.low[i] <= band.high[i] && band.high[i] <= 1);
          const double share = line.at(band.factors[i]);
          if (band.low[i] <= share && share <= band.high[i]) ++inside;
        }
        QVERIFY(4 * inside >= 3 * band.factors.size());
        QVERIFY(again.lines[static_cast<std::size_t>(&line - profile.lines.data())].band.high == band.high);
      }
    }
  }

  /** Two arms whose runs share their starts and nothing decides after: 5 % are called at most. */
  void an_arm_against_itself() {
    constexpr std::uint64_t seed = 451126;
    std::printf("paired starts against themselves: seed %llu\n", static_cast<unsigned long long>(seed));
    constexpr int comparisons = 600;
    base::Random random(seed);
    int called = 0;
    for (int comparison = 0; comparison < comparisons; ++comparison) {
      std::vector<std::vector<double>> trials(2);
      for (int repeat = 0; repeat < 12; ++repeat) {
        const double start = std::exp(2 * random.normal());
        for (std::vector<double>& arm : trials)
          arm.push_back(std::clamp(100 * start * std::exp(0.3 * random.normal()), 1.0, 900.0));
      }
      const analysis::ComparisonTable table =
          analysis::comparison_table(runs_reaching(trials), 0, {.resamples = 0});
      const std::optional<analysis::RunsTest>& test =
          analysis::row_test(arm_row(table, 1), paired_trials_to_95);
      if (test && test->p <= analysis::significance_level) ++called;
    }
    // An exact test of 12 pairs calls 4.2 %: binomial bounds of 600 at 99.9 %.
    QVERIFY2(called >= 9 && called <= 45, qPrintable(QString::number(called)));
  }
};

KERNELSCAPE_PLAIN_TEST(AnalysisPairedStartsTest)

}  // namespace kernelscape::analysis_paired_starts_test
#include "analysis_paired_starts_test.moc"
