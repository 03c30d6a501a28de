#include <QTest>
#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "core/analysis/comparison/statistical_tests.h"
#include "core/base/random.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/test_program.h"

namespace kernelscape::analysis_statistical_tests_test {

namespace {

using Sample = std::vector<double>;

bool near(double a, double b, double tolerance = 1e-12) { return std::fabs(a - b) <= tolerance; }

/** Few distinct values: ties are frequent. */
Sample random_sample(base::Random& random, std::size_t size, std::uint64_t distinct) {
  Sample sample(size);
  for (double& value : sample) value = static_cast<double>(random.below(distinct)) - 2;
  return sample;
}

/** Pairs that `a` wins, ties as halves: Mann and Whitney's U, twice over. */
int doubled_u(const Sample& a, const Sample& b) {
  int wins = 0;
  for (const double x : a)
    for (const double y : b) wins += x > y ? 2 : x == y ? 1 : 0;
  return wins;
}

/** Twice the smaller tail, of any equally likely outcomes. */
double enumerated_p(const std::vector<int>& outcomes, int observed) {
  const auto below = std::ranges::count_if(outcomes, [&](int outcome) { return outcome <= observed; });
  const auto above = std::ranges::count_if(outcomes, [&](int outcome) { return outcome >= observed; });
  return std::min(1.0,
                  2 * static_cast<double>(std::min(below, above)) / static_cast<double>(outcomes.size()));
}

/** All ways to split the values of both into samples of these sizes. */
double enumerated_mann_whitney(const Sample& a, const Sample& b) {
  Sample all = a;
  all.insert(all.end(), b.begin(), b.end());
  std::vector<int> outcomes;
  for (std::uint32_t mask = 0; mask < std::uint32_t{1} << all.size(); ++mask) {
    if (std::popcount(mask) != static_cast<int>(a.size())) continue;
    Sample first;
    Sample second;
    for (std::size_t i = 0; i < all.size(); ++i) ((mask >> i & 1) != 0 ? first : second).push_back(all[i]);
    outcomes.push_back(doubled_u(first, second));
  }
  return enumerated_p(outcomes, doubled_u(a, b));
}

/** Sum of the ranks of positive differences, by Walsh averages with a positive sum; ties as halves. */
int doubled_signed_rank(const Sample& differences) {
  int sum = 0;
  for (std::size_t i = 0; i < differences.size(); ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      const double walsh = differences[i] + differences[j];
      sum += walsh > 0 ? 2 : walsh == 0 ? 1 : 0;
    }
  }
  return sum;
}

/** All signs of the differences that are not zero. */
double enumerated_wilcoxon(Sample differences) {
  std::erase(differences, 0.0);
  std::vector<int> outcomes;
  for (std::uint32_t mask = 0; mask < std::uint32_t{1} << differences.size(); ++mask) {
    Sample flipped = differences;
    for (std::size_t i = 0; i < flipped.size(); ++i)
      if ((mask >> i & 1) != 0) flipped[i] = -flipped[i];
    outcomes.push_back(doubled_signed_rank(flipped));
  }
  return enumerated_p(outcomes, doubled_signed_rank(differences));
}

constexpr int draws = 20'000;

/** Five standard errors of a share that was estimated from `draws` outcomes and doubled. */
double monte_carlo_tolerance(double p) {
  return 5 * std::sqrt(std::max(p, 0.001) * 2 / static_cast<double>(draws));
}

double sampled_mann_whitney(base::Random& random, const Sample& a, const Sample& b) {
  Sample all = a;
  all.insert(all.end(), b.begin(), b.end());
  std::vector<int> outcomes;
  for (int draw = 0; draw < draws; ++draw) {
    random.shuffle(std::span(all));
    const auto middle = all.begin() + static_cast<std::ptrdiff_t>(a.size());
    outcomes.push_back(doubled_u({all.begin(), middle}, {middle, all.end()}));
  }
  return enumerated_p(outcomes, doubled_u(a, b));
}

/** Whether Holm's procedure rejects `hypothesis` at this level: step by step, as it is defined. */
bool holm_rejects(const std::vector<double>& p, std::size_t hypothesis, double level) {
  std::vector<std::size_t> left(p.size());
  std::iota(left.begin(), left.end(), std::size_t{0});
  while (!left.empty()) {
    const auto least = std::ranges::min_element(left, {}, [&](std::size_t i) { return p[i]; });
    if (p[*least] > level / static_cast<double>(left.size())) return false;
    if (*least == hypothesis) return true;
    left.erase(least);
  }
  return false;
}

}  // namespace

class AnalysisStatisticalTestsTest : public QObject {
  Q_OBJECT

 private slots:
  void mann_whitney_is_that_of_all_splits() {
    base::Random random(testing::random_seed());
    for (int round = 0; round < 150; ++round) {
      const std::uint64_t distinct = 1 + random.below(9);
      const Sample a = random_sample(random, 1 + random.below(6), distinct);
      const Sample b = random_sample(random, 1 + random.below(6), distinct);
      QVERIFY(near(analysis::mann_whitney_p(a, b), enumerated_mann_whitney(a, b)));
    }
  }

  void mann_whitney_by_hand() {
    QVERIFY(near(analysis::mann_whitney_p(Sample{1, 2, 3, 4, 5}, Sample{6, 7, 8, 9, 10}), 2.0 / 252));
    QVERIFY(near(analysis::mann_whitney_p(Sample{3, 4}, Sample{1, 2}), 2.0 / 6));
    // Four of 20 splits are at least as extreme: two at either end.
    QVERIFY(near(analysis::mann_whitney_p(Sample{1, 2, 4}, Sample{3, 5, 6}), 0.2));
    // U = 17 of 20: 1 + 1 + 2 + 3 of 126 splits lie in that tail.
    QVERIFY(near(analysis::mann_whitney_p(Sample{19, 22, 16, 29, 24}, Sample{20, 11, 17, 12}), 14.0 / 126));
    QCOMPARE(analysis::mann_whitney_p(Sample{}, Sample{1, 2}), 1.0);
    QCOMPARE(analysis::mann_whitney_p(Sample{1, 2}, Sample{}), 1.0);
    QCOMPARE(analysis::mann_whitney_p(Sample(8, 3.5), Sample(7, 3.5)), 1.0);
    QCOMPARE(analysis::mann_whitney_p(Sample(80, 3.5), Sample(70, 3.5)), 1.0);
  }

  void mann_whitney_depends_on_the_order_of_values_alone() {
    base::Random random(testing::random_seed());
    for (int round = 0; round < 40; ++round) {
      Sample a = random_sample(random, 1 + random.below(40), 30);
      Sample b = random_sample(random, 1 + random.below(40), 30);
      const double p = analysis::mann_whitney_p(a, b);
      QVERIFY(p > 0 && p <= 1);
      QVERIFY(near(analysis::mann_whitney_p(b, a), p));
      QVERIFY(p >= analysis::smallest_mann_whitney_p(a.size(), b.size()) * (1 - 1e-12) ||
              a.size() * b.size() > 900);
      random.shuffle(std::span(a));
      for (Sample* sample : {&a, &b})
        for (double& value : *sample) value = -std::exp(value / 4);
      QVERIFY(near(analysis::mann_whitney_p(a, b), p));
    }
  }

  void large_samples_are_as_by_permutation_data() {
    QTest::addColumn<std::size_t>("first");
    QTest::addColumn<std::size_t>("second");
    QTest::addColumn<double>("bias");
    QTest::newRow("exact") << std::size_t{30} << std::size_t{30} << 0.0;
    QTest::newRow("exact, unequal") << std::size_t{4} << std::size_t{200} << 0.0;
    QTest::newRow("normal") << std::size_t{40} << std::size_t{45} << 0.01;
    QTest::newRow("normal, unequal") << std::size_t{120} << std::size_t{15} << 0.01;
  }

  void large_samples_are_as_by_permutation() {
    QFETCH(std::size_t, first);
    QFETCH(std::size_t, second);
    QFETCH(double, bias);
    base::Random random(testing::random_seed());
    for (const double shift : {0.0, 3.0}) {
      Sample a = random_sample(random, first, 12);
      const Sample b = random_sample(random, second, 12);
      for (double& value : a) value += shift;
      const double p = analysis::mann_whitney_p(a, b);
      const double sampled = sampled_mann_whitney(random, a, b);
      QVERIFY2(near(p, sampled, monte_carlo_tolerance(p) + bias),
               qPrintable(QStringLiteral("%1 instead of %2").arg(p).arg(sampled)));
    }
  }

  void the_smallest_p_is_that_of_separated_samples() {
    for (std::size_t n = 1; n <= 14; ++n) {
      for (std::size_t m = 1; m <= 14; ++m) {
        Sample low(n);
        Sample high(m);
        std::iota(low.begin(), low.end(), 0.0);
        std::iota(high.begin(), high.end(), 100.0);
        QVERIFY(near(analysis::smallest_mann_whitney_p(n, m), analysis::mann_whitney_p(low, high)));
      }
    }
    QVERIFY(near(analysis::smallest_mann_whitney_p(5, 5), 2.0 / 252));
    QVERIFY(near(analysis::smallest_mann_whitney_p(8, 8), 2.0 / 12870));
    QCOMPARE(analysis::smallest_mann_whitney_p(1, 1), 1.0);
    QCOMPARE(analysis::smallest_mann_whitney_p(0, 9), 1.0);
    QCOMPARE(analysis::smallest_mann_whitney_p(9, 0), 1.0);
    QVERIFY(analysis::smallest_mann_whitney_p(5000, 5000) < 1e-300);
  }

  void a12_is_the_share_of_won_pairs() {
    QCOMPARE(analysis::vargha_delaney_a12(Sample{1, 2}, Sample{2, 3}), 0.125);
    QCOMPARE(analysis::vargha_delaney_a12(Sample{5, 6, 7}, Sample{1}), 1.0);
    QCOMPARE(analysis::vargha_delaney_a12(Sample{}, Sample{1}), 0.5);
    QCOMPARE(analysis::vargha_delaney_a12(Sample{1}, Sample{}), 0.5);
    base::Random random(testing::random_seed());
    const Sample a = random_sample(random, 17, 9);
    const Sample b = random_sample(random, 11, 9);
    QVERIFY(near(analysis::vargha_delaney_a12(a, b), doubled_u(a, b) / (2.0 * 17 * 11)));
    QVERIFY(near(analysis::vargha_delaney_a12(a, b) + analysis::vargha_delaney_a12(b, a), 1));
  }

  void wilcoxon_is_that_of_all_signs() {
    base::Random random(testing::random_seed());
    for (int round = 0; round < 100; ++round) {
      Sample differences = random_sample(random, random.below(12), 1 + random.below(12));
      for (double& difference : differences) difference *= random.chance(0.3) ? -1 : 1;
      QVERIFY(near(analysis::wilcoxon_signed_rank_p(differences), enumerated_wilcoxon(differences)));
      for (double& difference : differences) difference *= -3;
      QVERIFY(near(analysis::wilcoxon_signed_rank_p(differences), enumerated_wilcoxon(differences)));
    }
  }

  void wilcoxon_by_hand() {
    QVERIFY(near(analysis::wilcoxon_signed_rank_p(Sample{1, 2, 3, 4, 5}), 2.0 / 32));
    QVERIFY(near(analysis::wilcoxon_signed_rank_p(Sample{0, 0, 1, 2, 3, 4, 5}), 2.0 / 32));
    // The ranks of the negative ones sum to 1: two of 64 signs in that tail.
    QVERIFY(near(analysis::wilcoxon_signed_rank_p(Sample{-1, 2, 3, 4, 5, 6}), 4.0 / 64));
    // Darwin's plants: 24 of 120 is the smaller sum of ranks.
    const Sample darwin{6, 8, 14, 16, 23, 24, 28, 29, 41, -48, 49, 56, 60, -67, 75};
    QVERIFY(near(analysis::wilcoxon_signed_rank_p(darwin), 1352.0 / 32768));
    QCOMPARE(analysis::wilcoxon_signed_rank_p(Sample{}), 1.0);
    QCOMPARE(analysis::wilcoxon_signed_rank_p(Sample{0, 0, 0}), 1.0);
    QCOMPARE(analysis::wilcoxon_signed_rank_p(Sample{7}), 1.0);
  }

  void many_differences_are_as_by_permutation_data() {
    QTest::addColumn<std::size_t>("count");
    QTest::addColumn<double>("bias");
    QTest::newRow("exact") << std::size_t{25} << 0.0;
    QTest::newRow("normal") << std::size_t{26} << 0.01;
    QTest::newRow("normal, many") << std::size_t{90} << 0.01;
  }

  void many_differences_are_as_by_permutation() {
    QFETCH(std::size_t, count);
    QFETCH(double, bias);
    base::Random random(testing::random_seed());
    Sample differences = random_sample(random, count, 11);
    for (double& difference : differences) difference = difference >= 1 ? difference : difference - 1;
    const double p = analysis::wilcoxon_signed_rank_p(differences);
    std::vector<int> outcomes;
    for (int draw = 0; draw < draws; ++draw) {
      Sample flipped = differences;
      for (double& difference : flipped) difference *= random.chance(0.5) ? -1 : 1;
      outcomes.push_back(doubled_signed_rank(flipped));
    }
    const double sampled = enumerated_p(outcomes, doubled_signed_rank(differences));
    QVERIFY2(near(p, sampled, monte_carlo_tolerance(p) + bias),
             qPrintable(QStringLiteral("%1 instead of %2").arg(p).arg(sampled)));
  }

  void holm_rejects_where_its_corrected_p_is_below_the_level() {
    base::Random random(testing::random_seed());
    for (int round = 0; round < 100; ++round) {
      std::vector<double> p(random.below(9));
      for (double& one : p)
        one = random.chance(0.3) ? 0.01 * static_cast<double>(1 + random.below(4)) : random.uniform() * 0.2;
      const std::vector<double> corrected = analysis::holm_correction(p);
      QCOMPARE(corrected.size(), p.size());
      for (std::size_t i = 0; i < p.size(); ++i) {
        QVERIFY(corrected[i] >= p[i] && corrected[i] <= 1);
        QVERIFY(!holm_rejects(p, i, corrected[i] * (1 - 1e-9)));
        QVERIFY(corrected[i] == 1 || holm_rejects(p, i, corrected[i] * (1 + 1e-9)));
      }
    }
  }

  void holm_by_hand() {
    const std::vector<double> corrected =
        analysis::holm_correction(std::vector<double>{0.01, 0.04, 0.03, 0.6});
    QVERIFY(near(corrected[0], 0.04) && near(corrected[1], 0.09) && near(corrected[2], 0.09));
    QVERIFY(near(corrected[3], 0.6));
    QCOMPARE(analysis::holm_correction(std::vector<double>{0.5, 0.9}), (std::vector<double>{1, 1}));
    QCOMPARE(analysis::holm_correction({}), std::vector<double>{});
  }
};

KERNELSCAPE_PLAIN_TEST(AnalysisStatisticalTestsTest)

}  // namespace kernelscape::analysis_statistical_tests_test
#include "analysis_statistical_tests_test.moc"
