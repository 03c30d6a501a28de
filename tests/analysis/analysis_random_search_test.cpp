#include <QTest>
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/analysis/comparison/random_search.h"
#include "core/base/random.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/test_program.h"

namespace kernelscape::analysis_random_search_test {

namespace {

bool near(double a, double b, double tolerance = 1e-12) { return std::fabs(a - b) <= tolerance; }

struct Moments {
  double mean = 0;
  double deviation = 0;
};

Moments moments(const std::vector<double>& values) {
  Moments found;
  const auto count = static_cast<double>(values.size());
  for (const double value : values) found.mean += value / count;
  double variance = 0;
  for (const double value : values) variance += (value - found.mean) * (value - found.mean) / count;
  found.deviation = std::sqrt(variance);
  return found;
}

/** Of the best of all subsets of this size. */
Moments enumerated(const std::vector<double>& members, std::size_t draws) {
  std::vector<double> bests;
  for (std::uint32_t mask = 0; mask < std::uint32_t{1} << members.size(); ++mask) {
    if (std::popcount(mask) != static_cast<int>(draws)) continue;
    double best = 0;
    for (std::size_t i = 0; i < members.size(); ++i)
      if ((mask >> i & 1) != 0) best = std::max(best, members[i]);
    bests.push_back(best);
  }
  return moments(bests);
}

/** Ties and failures are frequent. */
std::vector<double> random_members(base::Random& random, std::size_t count) {
  std::vector<double> members(count);
  for (double& member : members)
    if (random.chance(0.7))
      member = random.chance(0.5) ? static_cast<double>(random.below(5)) : random.uniform();
  return members;
}

/** 1 to `count`, shuffled. */
std::vector<double> numbers_up_to(base::Random& random, std::size_t count) {
  std::vector<double> members(count);
  std::iota(members.begin(), members.end(), 1.0);
  random.shuffle(std::span(members));
  return members;
}

/** The largest of `n` different numbers of 1 to `count`. */
Moments largest_number(double count, double n) {
  return {n * (count + 1) / (n + 1),
          std::sqrt(n * (count + 1) * (count - n) / ((n + 1) * (n + 1) * (n + 2)))};
}

}  // namespace

class AnalysisRandomSearchTest : public QObject {
  Q_OBJECT

 private slots:
  void small_spaces_are_as_by_enumeration() {
    base::Random random(testing::random_seed());
    for (int round = 0; round < 60; ++round) {
      const std::vector<double> members = random_members(random, 1 + random.below(10));
      const analysis::RandomSearchExpectation search(members);
      QCOMPARE(search.members(), members.size());
      QCOMPARE(search.best_after(0), 0.0);
      QCOMPARE(search.deviation_after(0), 0.0);
      for (std::size_t draws = 1; draws <= members.size(); ++draws) {
        const Moments expected = enumerated(members, draws);
        QVERIFY(near(search.best_after(draws), expected.mean));
        QVERIFY(near(search.deviation_after(draws), expected.deviation, 1e-7));
      }
    }
  }

  void draws_to_a_performance_are_the_fewest() {
    base::Random random(testing::random_seed());
    for (int round = 0; round < 40; ++round) {
      const std::vector<double> members = random_members(random, 1 + random.below(9));
      const analysis::RandomSearchExpectation search(members);
      const double most = *std::ranges::max_element(members);
      for (const double performance : {0.0, most * random.uniform(), most * random.uniform(), most}) {
        std::size_t fewest = 0;
        while (fewest > 0 ? enumerated(members, fewest).mean < performance - 1e-9 : performance > 0) ++fewest;
        QCOMPARE(search.trials_to(performance), fewest);
      }
      QCOMPARE(search.trials_to(most * 2 + 1), members.size());
    }
  }

  void large_spaces_are_as_the_closed_form_data() {
    QTest::addColumn<std::size_t>("count");
    QTest::newRow("37") << std::size_t{37};
    QTest::newRow("20,736") << std::size_t{20'736};
    QTest::newRow("a million") << std::size_t{1'000'000};
  }

  void large_spaces_are_as_the_closed_form() {
    QFETCH(std::size_t, count);
    base::Random random(testing::random_seed());
    const analysis::RandomSearchExpectation search(numbers_up_to(random, count));
    const auto size = static_cast<double>(count);
    for (const std::size_t draws : {std::size_t{1}, std::size_t{2}, std::size_t{30}, 1 + random.below(count),
                                    count / 2, count - 1, count}) {
      const Moments expected = largest_number(size, static_cast<double>(draws));
      QVERIFY(near(search.best_after(draws), expected.mean, 1e-9 * size));
      QVERIFY(
          near(search.deviation_after(draws), expected.deviation, 1e-6 * expected.deviation + 1e-9 * size));
    }
    // n (N + 1) / (n + 1) >= share * N
    for (const double share : {0.25, 0.5001, 0.9, 0.9503}) {
      const double draws = share * size / (size + 1 - share * size);
      QCOMPARE(search.trials_to(share * size), static_cast<std::size_t>(std::ceil(draws - 1e-9)));
    }
  }

  void is_what_random_searches_find() {
    base::Random random(testing::random_seed());
    std::vector<double> members = random_members(random, 400);
    const analysis::RandomSearchExpectation search(members);
    constexpr std::size_t searches = 5000;
    for (const std::size_t draws : {std::size_t{3}, std::size_t{25}}) {
      std::vector<double> bests;
      for (std::size_t i = 0; i < searches; ++i) {
        for (std::size_t draw = 0; draw < draws; ++draw)
          std::swap(members[draw], members[draw + random.below(members.size() - draw)]);
        bests.push_back(
            *std::max_element(members.begin(), members.begin() + static_cast<std::ptrdiff_t>(draws)));
      }
      const Moments found = moments(bests);
      const double standard_error = search.deviation_after(draws) / std::sqrt(static_cast<double>(searches));
      QVERIFY(near(found.mean, search.best_after(draws), 5 * standard_error));
      QVERIFY(
          near(found.deviation, search.deviation_after(draws), 0.2 * search.deviation_after(draws) + 1e-9));
    }
  }

  void odd_spaces() {
    const analysis::RandomSearchExpectation none(std::vector<double>{});
    QCOMPARE(none.best_after(3), 0.0);
    QCOMPARE(none.deviation_after(3), 0.0);
    QCOMPARE(none.trials_to(1), std::size_t{0});
    QCOMPARE(none.optimum(), 0.0);
    QCOMPARE(none.median_valid(), 0.0);
    QVERIFY(analysis::score_points(none).empty());

    const analysis::RandomSearchExpectation failures(std::vector<double>(9));
    QCOMPARE(failures.best_after(4), 0.0);
    QCOMPARE(failures.trials_to(1), std::size_t{9});
    QCOMPARE(failures.median_valid(), 0.0);
    QVERIFY(analysis::score_points(failures).empty());

    // What is no performance is a failure.
    const analysis::RandomSearchExpectation odd(
        std::vector<double>{std::nan(""), 4, -7, std::numeric_limits<double>::infinity(), 2, 0});
    QCOMPARE(odd.optimum(), 4.0);
    QCOMPARE(odd.median_valid(), 3.0);
    QCOMPARE(odd.members(), std::size_t{6});
    QVERIFY(near(odd.best_after(1), 1));
    QCOMPARE(odd.best_after(6), 4.0);
    QCOMPARE(odd.best_after(600), 4.0);
    QCOMPARE(odd.deviation_after(600), 0.0);
  }

  void a_space_of_equals_cannot_be_scored() {
    const std::vector<double> equal(12, 0.1);
    const analysis::RandomSearchExpectation search(equal);
    QCOMPARE(search.best_after(1), 0.1);
    QCOMPARE(search.deviation_after(5), 0.0);
    QCOMPARE(search.trials_to(0.1), std::size_t{1});
    QVERIFY(analysis::score_points(search).empty());
    std::vector<double> with_failures = equal;
    with_failures.resize(40);
    QVERIFY(analysis::score_points(analysis::RandomSearchExpectation(with_failures)).empty());
    QVERIFY(analysis::score_points(analysis::RandomSearchExpectation(std::vector<double>{7})).empty());
  }

  void points_of_the_score_are_equally_far_apart() {
    base::Random random(testing::random_seed());
    // 1 to 1,000: n * 1001 / (n + 1) reaches 500.5 with the first draw, and 975.025 with the 38th.
    const analysis::RandomSearchExpectation search(numbers_up_to(random, 1000));
    const std::vector<analysis::ScorePoint> points = analysis::score_points(search);
    QCOMPARE(points.size(), std::size_t{50});
    for (std::size_t i = 0; i < points.size(); ++i) {
      const double trials = 1 + 37 * static_cast<double>(i + 1) / 50;
      QVERIFY(near(points[i].trials, trials));
      QVERIFY(near(points[i].expected, largest_number(1000, std::floor(trials)).mean, 1e-9));
    }
    QCOMPARE(points.back().trials, 38.0);
  }

  void points_where_nothing_is_left_to_gain_are_left_out() {
    // The median is 1.5, which one draw reaches; two draws have the optimum.
    const std::vector<analysis::ScorePoint> points =
        analysis::score_points(analysis::RandomSearchExpectation(std::vector<double>{1, 2}));
    QCOMPARE(points.size(), std::size_t{49});
    for (const analysis::ScorePoint& point : points) QVERIFY(point.trials < 2 && near(point.expected, 1.5));
    // The median is 1.9, which three draws reach; only all five have 1.995.
    const std::vector<analysis::ScorePoint> few =
        analysis::score_points(analysis::RandomSearchExpectation(std::vector<double>{2, 1.9, 1.9, 0, 0}));
    QCOMPARE(few.size(), std::size_t{49});
    for (const analysis::ScorePoint& point : few)
      QVERIFY(near(point.expected, point.trials < 4 ? 1.96 : 1.98));
  }
};

KERNELSCAPE_PLAIN_TEST(AnalysisRandomSearchTest)

}  // namespace kernelscape::analysis_random_search_test
#include "analysis_random_search_test.moc"
