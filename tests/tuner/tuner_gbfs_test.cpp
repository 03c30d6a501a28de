#include <cmath>

#include "tests/test_program.h"
#include "tests/tuner/tuner_fixture.h"

namespace kernelscape::tuner_gbfs_test {
using namespace kernelscape::tuner_fixture;

namespace {

std::set<space::Configuration> as_set(const std::vector<space::Configuration>& configurations) {
  return {configurations.begin(), configurations.end()};
}

std::vector<std::string> described(const space::SearchSpace& space,
                                   const std::vector<space::Configuration>& candidates) {
  std::vector<std::string> texts;
  for (const space::Configuration& candidate : candidates) texts.push_back(space.describe(candidate));
  std::ranges::sort(texts);
  return texts;
}

/** Best-first search over whole neighbourhoods, as the paper has it. */
class ReferenceSearch {
 public:
  explicit ReferenceSearch(space::SearchSpace space) : space_(std::move(space)) {}

  void observe(const std::vector<trial::Observation>& observations) {
    for (const trial::Observation& observation : observations) {
      known_.insert(observation.configuration);
      queue_.push_back(observation);
    }
  }

  bool empty() const { return queue_.empty(); }
  double expanded_fitness() const { return expanded_.fitness; }

  /** New neighbours of the best, of the latest of equals, which leaves the queue. */
  std::set<space::Configuration> expand() {
    auto best = queue_.begin();
    for (auto item = queue_.begin(); item != queue_.end(); ++item) {
      if (item->fitness >= best->fitness) best = item;
    }
    expanded_ = *best;
    queue_.erase(best);
    std::set<space::Configuration> fresh = one_move_away(space_, expanded_.configuration);
    std::erase_if(fresh, [&](const space::Configuration& neighbour) { return known_.contains(neighbour); });
    return fresh;
  }

 private:
  space::SearchSpace space_;
  std::set<space::Configuration> known_;
  std::vector<trial::Observation> queue_;
  trial::Observation expanded_;
};

/** Few different values: many states are equally fit. */
double few_values(const space::Configuration& configuration) {
  return static_cast<double>(std::hash<space::Configuration>{}(configuration) % 4);
}

std::string reason_of(tuner::Tuner& tuner) {
  const auto proposal = tuner.propose(5);
  return std::get<tuner::Finished>(*proposal).reason;
}

}  // namespace

class TunerGbfsTest : public QObject {
  Q_OBJECT

  static std::map<std::string, std::string> whole_neighbourhoods(const char* when_stuck) {
    return {{"samples", "1000"}, {"when_stuck", when_stuck}};
  }

 private slots:
  void first_steps_by_hand() {
    const space::SearchSpace space = *space::SearchSpace::make(
        {*space::Knob::factorization("x", 8, 3), *space::Knob::factorization("y", 12, 2)});
    const auto tuner = make_tuner("gbfs", make_context("gbfs", space, printed_seed()));
    const auto start = propose(*tuner, 5);
    QCOMPARE(described(space, start), (std::vector<std::string>{"x=[8, 1, 1] y=[12, 1]"}));
    QVERIFY(tuner->series(0).empty());
    tuner->observe(measure(start, [](const space::Configuration&) { return 3; }));

    // Four legal moves, none left out by five samples.
    const auto second = propose(*tuner, 5);
    QCOMPARE(described(space, second),
             (std::vector<std::string>{"x=[4, 1, 2] y=[12, 1]", "x=[4, 2, 1] y=[12, 1]",
                                       "x=[8, 1, 1] y=[4, 3]", "x=[8, 1, 1] y=[6, 2]"}));
    QCOMPARE(tuner->series(3).at(0).series, std::string("expanded_fitness"));
    QCOMPARE(tuner->series(3).at(0).value, 3.0);
    tuner->observe(measure(second, [&](const space::Configuration& candidate) {
      return space.describe(candidate) == "x=[8, 1, 1] y=[4, 3]" ? 2 : 1;
    }));

    // Of [4, 3] in y: back, where the search was; on to [2, 6]; and the two of x.
    const auto third = propose(*tuner, 5);
    QCOMPARE(
        described(space, third),
        (std::vector<std::string>{"x=[4, 1, 2] y=[4, 3]", "x=[4, 2, 1] y=[4, 3]", "x=[8, 1, 1] y=[2, 6]"}));
    QCOMPARE(tuner->series(0).at(0).value, 2.0);
  }

  void expands_the_best_then_the_latest_data() {
    QTest::addColumn<QString>("space_name");
    for (const char* name : {"plain", "constrained", "far apart"}) QTest::addRow("%s", name) << QString(name);
  }
  void expands_the_best_then_the_latest() {
    QFETCH(QString, space_name);
    const std::vector<space::Knob> knobs{*space::Knob::factorization("a", 60, 2),
                                         *space::Knob::factorization("b", 16, 3),
                                         *space::Knob::factorization("c", 6, 2)};
    const space::SearchSpace space = space_name == "plain" ? *space::SearchSpace::make(knobs)
                                     : space_name == "constrained"
                                         ? bounded_sum_space(knobs, 20)
                                         : explicit_space(two_part_knobs({7, 5, 9}));
    const auto tuner = make_tuner(
        "gbfs", make_context("gbfs", space, printed_seed(), whole_neighbourhoods("random-member")));
    ReferenceSearch reference(space);
    std::set<space::Configuration> visited;
    while (visited.size() < all_members(space).size()) {
      std::set<space::Configuration> expected;
      while (expected.empty() && !reference.empty()) expected = reference.expand();
      const auto candidates = propose(*tuner, 1000);
      if (expected.empty()) {
        QCOMPARE(candidates.size(), std::size_t{1});
        QVERIFY(space.contains(candidates.front()) && !visited.contains(candidates.front()));
      } else {
        QVERIFY(as_set(candidates) == expected);
      }
      for (std::size_t i = 0; i < candidates.size(); ++i) {
        QCOMPARE(tuner->series(i).empty(), expected.empty());
        if (!expected.empty()) QCOMPARE(tuner->series(i).at(0).value, reference.expanded_fitness());
      }
      visited.insert(candidates.begin(), candidates.end());
      const auto observations = measure(candidates, few_values);
      tuner->observe(observations);
      reference.observe(observations);
    }
    QCOMPARE(reason_of(*tuner), std::string("the whole space was visited"));
  }

  void stops_as_published_where_the_best_state_leads_to_nothing_new() {
    const space::SearchSpace space = *space::SearchSpace::make(
        {*space::Knob::factorization("a", 60, 2), *space::Knob::factorization("b", 16, 3)});
    const auto tuner =
        make_tuner("gbfs", make_context("gbfs", space, printed_seed(), whole_neighbourhoods("stop")));
    ReferenceSearch reference(space);
    reference.observe(measure(propose(*tuner, 9), few_values));
    tuner->observe(measure({{{0, 0}}}, few_values));
    for (auto expected = reference.expand(); !expected.empty(); expected = reference.expand()) {
      const auto candidates = propose(*tuner, 1000);
      QVERIFY(as_set(candidates) == expected);
      const auto observations = measure(candidates, few_values);
      tuner->observe(observations);
      reference.observe(observations);
    }
    QVERIFY(!reference.empty());  // there was a next best
    QCOMPARE(reason_of(*tuner), std::string("the best state led to no new configuration"));
    QCOMPARE(reason_of(*tuner), std::string("the best state led to no new configuration"));
  }

  void stop_ends_an_empty_search_too() {
    const auto tuner = make_tuner("gbfs", make_context("gbfs", bounded_sum_space(two_part_knobs({4, 4}), 1),
                                                       1, {{"when_stuck", "stop"}}));
    QCOMPARE(reason_of(*tuner), std::string("the space has no feasible configurations"));
  }

  void known_states_use_up_the_sample() {
    // A path of 40 states, one sample each: half of the samples go back, and end the search.
    const std::uint64_t seed = printed_seed();
    std::size_t states = 0;
    for (std::uint64_t repeat = 0; repeat < 400; ++repeat) {
      const auto tuner = make_tuner("gbfs", make_context("gbfs", two_part_space({40}), seed + repeat,
                                                         {{"samples", "1"}, {"when_stuck", "stop"}}));
      states += run_tuner(
                    *tuner, [](const space::Configuration& at) { return 1 + at.indices[0]; }, 1000, always(5))
                    .size();
    }
    // The start, its only neighbour, and one more for every draw that goes on: 3 expected, deviation sqrt(2).
    const double mean = static_cast<double>(states) / 400;
    QVERIFY2(std::abs(mean - 3) < 6 * std::sqrt(2.0 / 400), qPrintable(QString::number(mean)));
  }

  void samples_are_distinct_and_uniform() {
    const space::SearchSpace space = *space::SearchSpace::make(
        {*space::Knob::factorization("x", 64, 4), *space::Knob::factorization("y", 12, 2)});
    const std::uint64_t seed = printed_seed();
    std::map<space::Configuration, int> counts;
    constexpr int repeats = 3000;
    for (std::uint64_t repeat = 0; repeat < repeats; ++repeat) {
      const auto tuner = make_tuner("gbfs", make_context("gbfs", space, seed + repeat, {{"samples", "2"}}));
      tuner->observe(measure(propose(*tuner, 5), rough_fitness));
      const auto sampled = propose(*tuner, 5);
      QCOMPARE(as_set(sampled).size(), std::size_t{2});
      for (const space::Configuration& candidate : sampled) ++counts[candidate];
    }
    QCOMPARE(counts.size(), std::size_t{5});
    const double deviation = std::sqrt(repeats * 0.4 * 0.6);
    for (const auto& [candidate, count] : counts) QVERIFY(std::abs(count - repeats * 0.4) < 6 * deviation);
  }

  void pieces_do_not_change_the_search() {
    const std::uint64_t seed = printed_seed();
    const space::SearchSpace space = two_part_space({12, 12, 12, 12});
    const auto run_in = [&](std::size_t n) {
      return run_tuner(*make_tuner("gbfs", make_context("gbfs", space, seed)), rough_fitness, 300, always(n));
    };
    const auto whole = run_in(5);
    QCOMPARE(whole.size(), std::size_t{300});
    QVERIFY(whole == run_in(1));
    QVERIFY(whole == run_in(3));
    QVERIFY(whole == run_in(100));
  }
};

KERNELSCAPE_PLAIN_TEST(TunerGbfsTest)

}  // namespace kernelscape::tuner_gbfs_test
#include "tuner_gbfs_test.moc"
