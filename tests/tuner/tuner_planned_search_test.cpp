#include <numeric>

#include "core/tuner/diversity.h"
#include "core/tuner/planned_search.h"
#include "tests/test_program.h"
#include "tests/tuner/tuner_fixture.h"

namespace kernelscape::tuner_planned_search_test {
using namespace kernelscape::tuner_fixture;

namespace {

float sum_of(const space::Configuration& configuration) {
  return static_cast<float>(
      std::accumulate(configuration.indices.begin(), configuration.indices.end(), std::uint32_t{0}));
}

Result<std::vector<float>> score_by_sum(std::span<const space::Configuration> configurations) {
  std::vector<float> scores;
  for (const space::Configuration& configuration : configurations) scores.push_back(sum_of(configuration));
  return scores;
}

tuner::PlannedSearch make_search(const space::SearchSpace& space, std::uint64_t seed,
                                 std::map<std::string, std::string> settings = {}) {
  settings.try_emplace("plan_size", "32");
  const tuner::Context context = make_context("xgb", space, seed, settings);
  return tuner::PlannedSearch(context, tuner::PlanSettings::table("").read(context.settings));
}

std::vector<space::Configuration> take(tuner::PlannedSearch& search, std::size_t n) {
  return std::get<std::vector<space::Configuration>>(search.take(n));
}

/** Which of the last n candidates were planned. */
std::vector<bool> planned(const tuner::PlannedSearch& search, std::size_t n) {
  std::vector<bool> result;
  for (std::size_t i = 0; i < n; ++i) result.push_back(search.score(i).has_value());
  return result;
}

std::vector<bool> planned_then_random(std::size_t planned, std::size_t random) {
  std::vector<bool> expected(planned, true);
  expected.resize(planned + random, false);
  return expected;
}

}  // namespace

class TunerPlannedSearchTest : public QObject {
  Q_OBJECT

  const space::SearchSpace space_ = plain_space({20, 20, 20, 20});

 private slots:
  void fits_after_each_plan_and_once_something_works() {
    tuner::PlannedSearch search = make_search(space_, 1);
    QVERIFY(!search.fit_due(31, 5));
    QVERIFY(search.fit_due(32, 5));
    QVERIFY(!search.fit_due(32, 0));
    QVERIFY(!search.fit_due(1000, 1e-6));
    search.count_fit();
    QVERIFY(!search.fit_due(63, 5));
    QVERIFY(search.fit_due(64, 5));
  }

  void all_is_random_without_a_plan() {
    tuner::PlannedSearch search = make_search(space_, printed_seed());
    QCOMPARE(take(search, 50).size(), std::size_t{50});
    QCOMPARE(planned(search, 50), planned_then_random(0, 50));
    QVERIFY(!search.score(50));
  }

  void plan_holds_the_best_then_random_ones_data() {
    QTest::addColumn<double>("share");
    QTest::addColumn<std::size_t>("random");
    QTest::addRow("none") << 0.0 << std::size_t{0};
    QTest::addRow("less than one") << 0.031 << std::size_t{0};
    QTest::addRow("rounded down") << 0.05 << std::size_t{1};
    QTest::addRow("a quarter") << 0.25 << std::size_t{8};
    QTest::addRow("nearly all") << 0.999 << std::size_t{31};
    QTest::addRow("all") << 1.0 << std::size_t{32};
  }
  void plan_holds_the_best_then_random_ones() {
    QFETCH(double, share);
    QFETCH(std::size_t, random);
    tuner::PlannedSearch search = make_search(space_, printed_seed());
    QVERIFY(search.plan(score_by_sum, share));
    const std::vector<space::Configuration> candidates = take(search, 40);
    QCOMPARE(planned(search, 40), planned_then_random(32 - random, random + 8));
    for (std::size_t i = 0; i < 32 - random; ++i) {
      QCOMPARE(*search.score(i), sum_of(candidates[i]));
      QVERIFY(i == 0 || *search.score(i) <= *search.score(i - 1));
    }
    if (random < 32) QVERIFY(*search.score(0) >= 74);  // of 76
  }

  void new_plan_replaces_the_old_one() {
    tuner::PlannedSearch search = make_search(space_, printed_seed());
    QVERIFY(search.plan(score_by_sum, 0));
    std::vector<space::Configuration> all = take(search, 10);
    const auto falling = [](std::span<const space::Configuration> configurations) {
      auto scores = score_by_sum(configurations);
      for (float& score : *scores) score = -score;
      return scores;
    };
    QVERIFY(search.plan(falling, 0.5));
    const std::vector<space::Configuration> next = take(search, 32);
    QCOMPARE(planned(search, 32), planned_then_random(16, 16));
    QVERIFY(sum_of(next.front()) <= 2);
    all.insert(all.end(), next.begin(), next.end());
    QCOMPARE(std::set<space::Configuration>(all.begin(), all.end()).size(), all.size());
  }

  void diversity_picks_among_more_maxima() {
    const std::uint64_t seed = printed_seed();
    tuner::PlannedSearch all = make_search(space_, seed, {{"plan_size", "12"}});
    tuner::PlannedSearch diverse = make_search(space_, seed, {{"plan_size", "4"}, {"diversity_ratio", "3"}});
    QVERIFY(all.plan(score_by_sum, 0) && diverse.plan(score_by_sum, 0));
    const std::vector<space::Configuration> maxima = take(all, 12);
    std::vector<space::Configuration> expected;
    for (const std::size_t position : tuner::submodular_pick(maxima, 4)) expected.push_back(maxima[position]);
    QVERIFY(take(diverse, 4) == expected);
  }

  void sample_is_unvisited_and_stays_so() {
    base::Random random(printed_seed());
    const space::SearchSpace space = sum_space({9, 9, 9}, 10);
    const std::size_t members = all_members(space).size();
    tuner::PlannedSearch search = make_search(space, random.bits());
    std::set<space::Configuration> proposed;
    while (proposed.size() < members) {
      const std::vector<space::Configuration> sample = search.sample_unvisited(20);
      QCOMPARE(sample.size(), std::min<std::size_t>(20, members - proposed.size()));
      QCOMPARE(std::set<space::Configuration>(sample.begin(), sample.end()).size(), sample.size());
      for (const space::Configuration& configuration : sample)
        QVERIFY(space.contains(configuration) && !proposed.contains(configuration));
      for (const space::Configuration& configuration : take(search, 1 + random.below(30)))
        QVERIFY(proposed.insert(configuration).second);
    }
    QVERIFY(search.sample_unvisited(20).empty());
    QCOMPARE(std::get<tuner::Finished>(search.take(1)).reason, std::string("the whole space was visited"));
  }

  void plan_shrinks_with_what_is_left() {
    const space::SearchSpace space = plain_space({5, 8});
    tuner::PlannedSearch search = make_search(space, printed_seed());
    take(search, 30);
    QVERIFY(search.plan(score_by_sum, 0.125));  // of 32: 4 of the 10 that are left
    QCOMPARE(take(search, 32).size(), std::size_t{10});
    QCOMPARE(planned(search, 10), planned_then_random(6, 4));
  }

  void failing_score_fails_the_plan() {
    tuner::PlannedSearch search = make_search(space_, 1);
    const Status planned = search.plan(
        [](std::span<const space::Configuration>) -> Result<std::vector<float>> {
          return fail(ErrorCode::Internal, "no score");
        },
        0);
    QVERIFY(!planned);
    QCOMPARE(planned.error().message, std::string("no score"));
    QCOMPARE(take(search, 3).size(), std::size_t{3});
  }
};

KERNELSCAPE_PLAIN_TEST(TunerPlannedSearchTest)

}  // namespace kernelscape::tuner_planned_search_test
#include "tuner_planned_search_test.moc"
