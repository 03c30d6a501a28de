#include <limits>

#include "core/tuner/adaptive_sampling.h"
#include "tests/test_program.h"
#include "tests/tuner/tuner_fixture.h"

namespace kernelscape::tuner_chameleon_test {
using namespace kernelscape::tuner_fixture;

namespace {

using Points = std::vector<space::Configuration>;

Points random_points(std::size_t count, std::size_t knobs, std::uint32_t values, base::Random& random) {
  Points points(count);
  for (space::Configuration& point : points)
    for (std::size_t knob = 0; knob < knobs; ++knob)
      point.indices.push_back(static_cast<std::uint32_t>(random.below(values)));
  return points;
}

double distance(const space::Configuration& a, const space::Configuration& b) {
  double sum = 0;
  for (std::size_t knob = 0; knob < a.indices.size(); ++knob) {
    const double difference = static_cast<double>(a.indices[knob]) - static_cast<double>(b.indices[knob]);
    sum += difference * difference;
  }
  return sum;
}

/** The sum over points of the distance to the nearest centroid. */
double reference_loss(const Points& points, const Points& centroids) {
  double loss = 0;
  for (const space::Configuration& point : points) {
    double least = std::numeric_limits<double>::infinity();
    for (const space::Configuration& centroid : centroids) least = std::min(least, distance(point, centroid));
    loss += least;
  }
  return loss;
}

/** Four tight groups, far from each other. */
Points four_groups(base::Random& random) {
  Points points;
  for (int i = 0; i < 60; ++i) {
    const auto group = static_cast<std::uint32_t>(i % 4);
    points.push_back({{1000 * (group % 2) + static_cast<std::uint32_t>(random.below(3)),
                       1000 * (group / 2) + static_cast<std::uint32_t>(random.below(3))}});
  }
  return points;
}

/** Depends on each knob by itself, so that the trees can learn it; one corner fails. */
double additive(const space::Configuration& one) {
  double sum = 1;
  for (const std::uint32_t index : one.indices) sum += index;
  return one.indices[0] == 0 ? 0 : sum;
}

std::unique_ptr<tuner::Tuner> make(const space::SearchSpace& space, std::uint64_t seed,
                                   std::map<std::string, std::string> settings = {}) {
  settings.emplace("episodes", "16");
  settings.emplace("steps", "50");
  return make_tuner("chameleon", make_context("chameleon", space, seed, settings));
}

/** The number of candidates of the next proposal that have a predicted score, which must come first. */
std::size_t planned(const tuner::Tuner& tuner, std::size_t candidates) {
  std::vector<double> scores;
  for (std::size_t i = 0; i < candidates; ++i) {
    const auto series = tuner.series(i);
    if (series.empty()) continue;
    if (scores.size() != i) throw std::runtime_error("a random candidate is before a planned one");
    scores.push_back(series.front().value);
  }
  if (!std::ranges::is_sorted(scores, std::greater{})) throw std::runtime_error("not by score");
  return scores.size();
}

}  // namespace

class TunerChameleonTest : public QObject {
  Q_OBJECT

 private slots:
  void clusters_are_means_of_what_is_nearest() {
    base::Random random(printed_seed());
    for (int repeat = 0; repeat < 30; ++repeat) {
      const Points points = random_points(1 + random.below(80), 1 + random.below(5), 20, random);
      const std::size_t centroids = 1 + random.below(points.size());
      const tuner::Clusters found = tuner::k_means(points, centroids, 1000, base::Random(random.bits()));
      QCOMPARE(found.centroids.size(), centroids);
      QCOMPARE(found.assignment.size(), points.size());
      QCOMPARE(found.loss, reference_loss(points, found.centroids));
      for (std::size_t i = 0; i < points.size(); ++i) {
        const double own = distance(points[i], found.centroids[found.assignment[i]]);
        for (std::size_t other = 0; other < centroids; ++other) {
          const double apart = distance(points[i], found.centroids[other]);
          QVERIFY(own < apart || (own == apart && found.assignment[i] <= other));
        }
      }
    }
  }

  void centroids_of_groups_are_their_means() {
    base::Random random(printed_seed());
    const Points points = four_groups(random);
    for (int repeat = 0; repeat < 30; ++repeat) {
      // Ended by itself: each centroid with a cluster is the mean of its members, rounded down.
      const tuner::Clusters found = tuner::k_means(points, 4, 1000, base::Random(random.bits()));
      for (std::size_t number = 0; number < 4; ++number) {
        std::vector<std::uint64_t> sums(2);
        std::uint64_t size = 0;
        for (std::size_t i = 0; i < points.size(); ++i) {
          if (found.assignment[i] != number) continue;
          ++size;
          for (std::size_t knob = 0; knob < 2; ++knob) sums[knob] += points[i].indices[knob];
        }
        for (std::size_t knob = 0; size > 0 && knob < 2; ++knob)
          QCOMPARE(std::uint64_t{found.centroids[number].indices[knob]}, sums[knob] / size);
      }
    }
  }

  void the_knee_is_that_of_all_losses() {
    base::Random random(printed_seed());
    std::set<std::size_t> counts;
    for (int repeat = 0; repeat < 40; ++repeat) {
      const Points points = repeat % 2 == 0
                                ? four_groups(random)
                                : random_points(1 + random.below(90), 1 + random.below(4), 12, random);
      const tuner::AdaptiveSampling options{.cluster_step = 1 + random.below(8),
                                            .max_clusters = 64,
                                            .knee = 1.1 + 2 * random.uniform(),
                                            .iterations = 100};
      const base::Random from(random.bits());
      const tuner::Clusters found = tuner::clusters_at_knee(points, options, from);
      // All losses, then the first that did not fall enough.
      const std::size_t most = std::min<std::size_t>(64, points.size());
      std::vector<std::size_t> tried{std::min(options.cluster_step, most)};
      while (tried.back() + options.cluster_step <= most)
        tried.push_back(tried.back() + options.cluster_step);
      std::vector<double> losses;
      for (const std::size_t centroids : tried)
        losses.push_back(
            tuner::k_means(points, centroids, 100, from.fork(std::to_string(centroids) + " centroids")).loss);
      std::size_t knee = 1;
      while (knee < tried.size() && losses[knee - 1] > options.knee * losses[knee]) ++knee;
      const std::size_t expected = tried[std::min(knee, tried.size() - 1)];
      QCOMPARE(found.centroids.size(), expected);
      counts.insert(expected);
    }
    QVERIFY(counts.size() > 2);
  }

  void the_mode_is_the_most_frequent_value_of_each_knob() {
    const Points points{{{3, 0}}, {{3, 5}}, {{1, 5}}, {{2, 0}}, {{3, 5}}};
    QVERIFY((tuner::mode_of(points) == space::Configuration{{3, 5}}));
    QVERIFY((tuner::mode_of(Points{{{4, 1}}, {{2, 7}}}) == space::Configuration{{2, 1}}));  // ties
  }

  void plans_are_a_knees_centroids_and_random_candidates() {
    const auto tuner = make(plain_space({10, 10, 10, 10, 10, 10}), printed_seed());
    auto candidates = propose(*tuner, 100);
    QCOMPARE(candidates.size(), std::size_t{64});  // random
    QCOMPARE(planned(*tuner, 64), std::size_t{0});
    for (int plan = 0; plan < 5; ++plan) {
      tuner->observe(measure(candidates, additive));
      candidates = propose(*tuner, 100);
      // As many as clusters: 16 at least, unless 8 centroids are all that is different.
      QVERIFY(candidates.size() % 8 == 0 && candidates.size() <= 64);
      QCOMPARE(planned(*tuner, candidates.size()), candidates.size() - 3);
    }
  }

  void without_sampling_all_candidates_are_measured() {
    const auto tuner = make(plain_space({10, 10, 10, 10, 10, 10}), printed_seed(), {{"sampling", "none"}});
    tuner->observe(measure(propose(*tuner, 64), additive));
    QCOMPARE(propose(*tuner, 100).size(), std::size_t{64});
    QCOMPARE(planned(*tuner, 64), std::size_t{61});
  }

  void a_plan_may_be_measured_in_pieces() {
    const std::uint64_t seed = printed_seed();
    const auto whole = make(plain_space({10, 10, 10, 10}), seed);
    const auto pieces = make(plain_space({10, 10, 10, 10}), seed);
    const auto all = run_tuner(*whole, additive, 200, always(64));
    QVERIFY(run_tuner(*pieces, additive, 200, always(1)) == all);
  }

  void constrained_spaces_have_only_members_once() {
    const space::SearchSpace space = sum_space({12, 12, 12, 12}, 20);
    const auto tuner = make(space, printed_seed());
    const auto proposed = run_tuner(*tuner, additive, 400, always(20));
    QCOMPARE(proposed.size(), std::size_t{400});
    QCOMPARE(std::set<space::Configuration>(proposed.begin(), proposed.end()).size(), proposed.size());
    for (const space::Configuration& one : proposed) QVERIFY(space.contains(one));
  }

  void finds_better_configurations_than_random_search() {
    const std::uint64_t seed = printed_seed();
    const space::SearchSpace space = plain_space({12, 12, 12, 12, 12, 12});
    double learnt = 0;
    double random = 0;
    for (std::uint64_t run = 0; run < 8; ++run) {
      const auto best_of = [&](tuner::Tuner& tuner) {
        double best = 0;
        for (const space::Configuration& one : run_tuner(tuner, additive, 300, always(64)))
          best = std::max(best, additive(one));
        return best;
      };
      learnt += best_of(*make(space, seed + run, {{"episodes", "64"}, {"steps", "100"}}));
      random += best_of(*make_tuner("random", make_context("random", space, seed + run)));
    }
    qInfo("chameleon %g, random %g", learnt, random);
    QVERIFY(learnt > random);
  }
};

KERNELSCAPE_PLAIN_TEST(TunerChameleonTest)

}  // namespace kernelscape::tuner_chameleon_test
#include "tuner_chameleon_test.moc"
