#include "core/space/topology.h"
#include "tests/test_program.h"
#include "tests/tuner/tuner_fixture.h"

namespace kernelscape::tuner_climbing_test {
using namespace kernelscape::tuner_fixture;

namespace {

using Configurations = std::set<space::Configuration>;

/** All members that differ in exactly one knob. */
Configurations hamming_neighbours(const space::SearchSpace& space, const space::Configuration& from) {
  Configurations found;
  for (const space::Configuration& member : all_members(space))
    if (differing_knobs(member, from) == 1) found.insert(member);
  return found;
}

Configurations next_neighbours(const space::SearchSpace& space, const space::Configuration& from) {
  const std::vector<space::Configuration> found = space::neighbours(space, from);
  return {found.begin(), found.end()};
}

/** Different for every configuration, so that there is one best neighbour; a tenth fails. */
double distinct_fitness(const space::Configuration& one) {
  const double rough = rough_fitness(one);
  return rough > 0 ? rough + 1e-6 * (one.indices[0] + 10.0 * one.indices[1] + 100.0 * one.indices[2]) : 0;
}

/** What a climb to the best neighbour has to ask for, computed from the measured fitness alone. */
class ExpectedClimb {
 public:
  ExpectedClimb(const space::SearchSpace& space, bool adjacent) : space_(space), adjacent_(adjacent) {}

  void start(const space::Configuration& at) { current_ = at; }
  void know(const space::Configuration& one) { known_[one] = distinct_fitness(one); }

  /** Climbs over what is known. Returns the unknown neighbours, none at an optimum. */
  Configurations wanted() {
    while (true) {
      const Configurations all =
          adjacent_ ? next_neighbours(space_, current_) : hamming_neighbours(space_, current_);
      Configurations unknown;
      for (const space::Configuration& one : all)
        if (!known_.contains(one)) unknown.insert(one);
      if (!unknown.empty()) return unknown;
      space::Configuration best = current_;
      for (const space::Configuration& one : all)
        if (known_[one] > known_[best]) best = one;
      if (best == current_) return {};
      current_ = best;
    }
  }

  const space::Configuration& current() const { return current_; }

 private:
  space::SearchSpace space_;
  bool adjacent_;
  space::Configuration current_;
  std::map<space::Configuration, double> known_;
};

}  // namespace

class TunerClimbingTest : public QObject {
  Q_OBJECT

 private slots:
  void mls_climbs_to_the_best_neighbour_data() {
    QTest::addColumn<bool>("adjacent");
    QTest::addColumn<bool>("constrained");
    QTest::newRow("any other value") << false << false;
    QTest::newRow("any other value, constrained") << false << true;
    QTest::newRow("next values") << true << false;
    QTest::newRow("next values, constrained") << true << true;
  }

  void mls_climbs_to_the_best_neighbour() {
    QFETCH(bool, adjacent);
    QFETCH(bool, constrained);
    const space::SearchSpace space = constrained ? sum_space({6, 5, 7}, 8) : plain_space({6, 5, 7});
    const std::uint64_t seed = printed_seed();
    for (std::uint64_t run = 0; run < 20; ++run) {
      const auto tuner = make_tuner(
          "mls", make_context("mls", space, seed + run, {{"neighbour", adjacent ? "adjacent" : "hamming"}}));
      ExpectedClimb expected(space, adjacent);
      std::size_t visited = 0;
      Configurations wanted;
      while (true) {
        const auto proposal = tuner->propose(1000);
        QVERIFY(proposal.has_value());
        if (std::holds_alternative<tuner::Finished>(*proposal)) break;
        const auto& candidates = std::get<std::vector<space::Configuration>>(*proposal);
        if (wanted.empty()) {
          QCOMPARE(candidates.size(), std::size_t{1});
          expected.start(candidates.front());
        } else {
          QCOMPARE(Configurations(candidates.begin(), candidates.end()), wanted);
        }
        for (const space::Configuration& one : candidates) expected.know(one);
        visited += candidates.size();
        tuner->observe(measure(candidates, distinct_fitness));
        wanted = expected.wanted();
      }
      QCOMPARE(visited, all_members(space).size());
    }
  }

  void greedy_ils_moves_to_the_first_better_and_goes_on_nearby() {
    const space::SearchSpace space = plain_space({4, 4, 4, 4, 4, 4});
    const auto fitness = [](const space::Configuration& one) {
      return 1 + static_cast<double>(std::hash<space::Configuration>{}(one) % 100'000);
    };
    const std::uint64_t seed = printed_seed();
    for (std::uint64_t run = 0; run < 20; ++run) {
      const auto tuner =
          make_tuner("greedy-ils", make_context("greedy-ils", space, seed + run, {{"walk", "0.5"}}));
      const auto next = [&] {
        space::Configuration candidate = propose(*tuner, 1).front();
        tuner->observe(measure({candidate}, fitness));
        return candidate;
      };
      space::Configuration best = next();
      Configurations known{best};
      const auto at_optimum = [&] { return std::ranges::includes(known, hamming_neighbours(space, best)); };
      while (!at_optimum()) {
        const space::Configuration candidate = next();
        QCOMPARE(differing_knobs(candidate, best), std::size_t{1});
        QVERIFY(known.insert(candidate).second);
        if (fitness(candidate) > fitness(best)) best = candidate;
      }
      // Half of six knobs: three random steps from the optimum, and one in the next climb.
      for (int trial = 0; trial < 2; ++trial) QVERIFY(differing_knobs(next(), best) <= 4);
    }
  }

  void basin_hopping_descends_and_hops_to_next_values() {
    const space::SearchSpace space = plain_space({9, 9, 9, 9});
    const auto fitness = [](const space::Configuration& one) {
      return 1 + static_cast<double>(std::hash<space::Configuration>{}(one) % 100'000);
    };
    const std::uint64_t seed = printed_seed();
    for (std::uint64_t run = 0; run < 20; ++run) {
      const auto tuner = make_tuner("basin-hopping", make_context("basin-hopping", space, seed + run));
      space::Configuration minimum = propose(*tuner, 100).front();
      std::map<space::Configuration, double> known{{minimum, fitness(minimum)}};
      tuner->observe(measure({minimum}, fitness));
      while (true) {
        const Configurations around = next_neighbours(space, minimum);
        Configurations wanted;
        for (const space::Configuration& one : around)
          if (!known.contains(one)) wanted.insert(one);
        if (!wanted.empty()) {
          const auto candidates = propose(*tuner, 100);
          QCOMPARE(Configurations(candidates.begin(), candidates.end()), wanted);
          tuner->observe(measure(candidates, fitness));
          for (const space::Configuration& one : candidates) known[one] = fitness(one);
        }
        const space::Configuration best = *std::ranges::max_element(around, {}, fitness);
        if (fitness(best) <= fitness(minimum)) break;
        minimum = best;
      }
      // A hop ends at most one value away in each knob; if that is known, its neighbours are measured.
      for (const space::Configuration& candidate : propose(*tuner, 100)) {
        std::int64_t most = 0;
        for (std::size_t knob = 0; knob < 4; ++knob) {
          const auto difference = static_cast<std::int64_t>(candidate.indices[knob]) - minimum.indices[knob];
          most = std::max(most, std::abs(difference));
        }
        QVERIFY(most <= 2);
      }
    }
  }
};

KERNELSCAPE_PLAIN_TEST(TunerClimbingTest)

}  // namespace kernelscape::tuner_climbing_test
#include "tuner_climbing_test.moc"
