#include "core/space/topology.h"
#include "core/tuner/annealing.h"
#include "core/tuner/factorization_moves.h"
#include "core/tuner/genes.h"
#include "core/tuner/member_share.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/test_program.h"
#include "tests/tuner/tuner_fixture.h"

namespace kernelscape::tuner_member_share_test {
using namespace kernelscape::tuner_fixture;
using kernelscape::testing::random_seed;

namespace {

using Texts = std::map<std::string, std::string>;

std::optional<double> share_of(const tuner::Tuner& tuner, std::size_t position) {
  for (const trial::SeriesValue& value : tuner.series(position))
    if (value.series == tuner::member_share_name) return value.value;
  return std::nullopt;
}

/** A fifth of the product are members. */
space::SearchSpace crowded_space() { return sum_space({20, 20, 20}, 20); }

/** What a tuner draws, written apart from it: each child counts once, as it is drawn first. */
class Reference {
 public:
  Reference(space::SearchSpace space, base::Random random, const std::vector<space::Configuration>& visited)
      : space_(std::move(space)), random_(std::move(random)), visited_(visited.begin(), visited.end()) {}

  base::Random& random() { return random_; }
  const space::SearchSpace& space() const { return space_; }
  double share() const { return static_cast<double>(members_) / drawn_; }

  /** @param draw of a child, up to a hundred times @param change of one that is known */
  void child(const std::function<space::Configuration()>& draw,
             const std::function<space::Configuration(const space::Configuration&)>& change) {
    space::Configuration child = draw();
    ++drawn_;
    members_ += space_.contains(child) ? 1 : 0;
    for (int draws = 1; !space_.contains(child); ++draws)
      child = draws < 100 ? draw() : *space_.random_member(random_);
    while (!visited_.insert(child).second) {
      space::Configuration changed = change(child);
      if (space_.contains(changed)) child = std::move(changed);
    }
  }

  /** As AutoTVM changes children that are known. */
  void child(const std::function<space::Configuration()>& draw) {
    this->child(draw, [&](space::Configuration known) {
      tuner::randomise_gene(known, space_.knobs(), random_);
      return known;
    });
  }

  /** A neighbour that is redrawn where it is no member or known. */
  void neighbour(const space::Configuration& of) {
    for (int draws = 0;; ++draws) {
      const space::Configuration moved = tuner::random_walk(of, space_.knobs(), random_);
      if (draws == 0) ++drawn_;
      if (draws == 0 && space_.contains(moved)) ++members_;
      if (space_.contains(moved) && visited_.insert(moved).second) return;
    }
  }

 private:
  space::SearchSpace space_;
  base::Random random_;
  std::set<space::Configuration> visited_;
  int drawn_ = 0;
  int members_ = 0;
};

double never_zero(const space::Configuration& configuration) { return 1 + rough_fitness(configuration); }

/** A tuner after its first batch was observed. */
struct Begun {
  std::unique_ptr<tuner::Tuner> tuner;
  std::vector<space::Configuration> candidates;
  std::vector<trial::Observation> observed;
  base::Random random;
};

Begun start_tuner(const std::string& name, const space::SearchSpace& space, std::size_t batch,
                  const Texts& settings) {
  const std::uint64_t seed = random_seed();
  Begun begun{make_tuner(name, make_context(name, space, seed, settings)), {}, {}, base::Random(seed)};
  begun.candidates = propose(*begun.tuner, batch);
  begun.observed = measure(begun.candidates, never_zero);
  for (std::size_t i = 0; i < batch; ++i)
    if (share_of(*begun.tuner, i)) throw std::runtime_error("nothing was drawn yet");
  begun.tuner->observe(begun.observed);
  return begun;
}

std::vector<double> fitness_of(const std::vector<trial::Observation>& observed) {
  std::vector<double> fitness;
  for (const trial::Observation& observation : observed) fitness.push_back(observation.fitness);
  return fitness;
}

/** Of the first steps of annealing's chains. */
double annealed_share(const space::SearchSpace& space, const base::Random& from, std::size_t chains) {
  base::Random random = from;
  tuner::Visited placed(space, random.fork("chains"));
  std::vector<space::Configuration> points;
  while (points.size() < chains) points.push_back(*placed.take_random());
  int members = 0;
  for (const space::Configuration& point : points) {
    space::Configuration moved = tuner::random_walk(point, space.knobs(), random);
    members += space.contains(moved) ? 1 : 0;
    for (int draws = 1; !space.contains(moved) && draws < 100; ++draws)
      moved = tuner::random_walk(point, space.knobs(), random);
    if (!space.contains(moved)) moved = *space.random_member(random);
  }
  return members / static_cast<double>(chains);
}

}  // namespace

class TunerMemberShareTest : public QObject {
  Q_OBJECT

 private slots:
  void counts_by_hand() {
    tuner::DrawnChildren drawn;
    std::vector<trial::SeriesValue> values;
    drawn.report(values);
    QVERIFY(!drawn.share() && values.empty());
    for (const bool member : {true, false, false, true, false}) drawn.count(member);
    QCOMPARE(drawn.drawn(), std::int64_t{5});
    QCOMPARE(drawn.members(), std::int64_t{2});
    drawn.report(values);
    QCOMPARE(values.size(), std::size_t{1});
    QCOMPARE(values[0].series, std::string(tuner::member_share_name));
    QCOMPARE(values[0].value, 0.4);
  }

  void a_child_counts_once_as_it_was_drawn_first() {
    const space::SearchSpace space = sum_space({5, 5}, 4);
    base::Random random(random_seed());
    tuner::DrawnChildren drawn;
    int draws = 0;
    QVERIFY(tuner::draw_child(
        space, random, [&](base::Random&) { return ++draws, space::Configuration{{0, 4}}; }, drawn));
    QCOMPARE(draws, 1);
    draws = 0;
    const auto late = tuner::draw_child(
        space, random, [&](base::Random&) { return space::Configuration{{4, ++draws < 5 ? 4U : 0U}}; },
        drawn);
    QVERIFY(*late == (space::Configuration{{4, 0}}));
    QVERIFY(
        tuner::draw_child(space, random, [](base::Random&) { return space::Configuration{{4, 4}}; }, drawn));
    QCOMPARE(drawn.drawn(), std::int64_t{3});
    QCOMPARE(drawn.members(), std::int64_t{1});
  }

  void ga_counts_the_children_of_a_generation() {
    const Texts settings{{"population", "60"}, {"mutation_probability", "0.3"}};
    Begun begun = start_tuner("ga", crowded_space(), 60, settings);
    Reference reference(crowded_space(), begun.random.fork("genetic operators"), begun.candidates);
    std::vector<double> scores = fitness_of(begun.observed);
    for (double& score : scores) score += 1e-8;
    const auto breed = [&] {
      const auto [first, second] = tuner::draw_distinct_pair(scores, reference.random());
      space::Configuration child =
          tuner::crossover(begun.candidates[first], begun.candidates[second], reference.random().below(3));
      tuner::mutate(child, reference.space().knobs(), 0.3, reference.random());
      return child;
    };
    for (int i = 0; i < 60; ++i) reference.child(breed);
    // In pieces: every trial of the generation has its share.
    for (int piece = 0; piece < 3; ++piece) {
      const auto candidates = propose(*begun.tuner, 20);
      for (std::size_t i = 0; i < 20; ++i) QCOMPARE(share_of(*begun.tuner, i), reference.share());
      begun.tuner->observe(measure(candidates, never_zero));
    }
    QVERIFY(reference.share() > 0 && reference.share() < 1);
  }

  void nose_counts_its_offspring() {
    const Texts settings{{"population", "40"}, {"offspring_ratio", "1.5"}, {"mutation_probability", "0.3"}};
    Begun begun = start_tuner("nose", crowded_space(), 40, settings);
    Reference reference(crowded_space(), begun.random.fork("genetic operators"), begun.candidates);
    const std::vector<double> fitness = fitness_of(begun.observed);
    std::vector<space::Configuration> population;
    std::vector<double> roulette;
    for (const std::size_t best : tuner::best_positions(fitness, 40)) {
      population.push_back(begun.candidates[best]);
      roulette.push_back(fitness[best]);
    }
    const auto breed = [&] {
      const std::size_t first = reference.random().weighted(roulette);
      const std::size_t second = reference.random().weighted(roulette);
      space::Configuration child =
          tuner::crossover(population[first], population[second], reference.random().below(3));
      tuner::mutate_to_others(child, reference.space().knobs(), 0.3, reference.random());
      return child;
    };
    for (int i = 0; i < 60; ++i) reference.child(breed);
    propose(*begun.tuner, 5);
    for (std::size_t i = 0; i < 5; ++i) QCOMPARE(share_of(*begun.tuner, i), reference.share());
  }

  void opevo_counts_the_children_of_a_generation_data() {
    QTest::addColumn<bool>("stay");
    QTest::newRow("bred anew") << false;
    QTest::newRow("walks stay inside") << true;
  }
  void opevo_counts_the_children_of_a_generation() {
    QFETCH(bool, stay);
    Begun begun = start_tuner("opevo", crowded_space(), 8,
                              {{"parents", "8"}, {"offspring", "50"}, {"outside", stay ? "stay" : "redraw"}});
    Reference reference(crowded_space(), begun.random.fork("genetic operators"), begun.candidates);
    const std::vector<double> fitness = fitness_of(begun.observed);
    std::vector<space::Configuration> parents;
    std::vector<double> roulette;
    for (const std::size_t best : tuner::best_positions(fitness, 8)) {
      parents.push_back(begun.candidates[best]);
      roulette.push_back(fitness[best]);
    }
    const space::SearchSpace& space = reference.space();
    const auto walked = [&](space::Configuration child) {
      for (std::size_t knob = 0; knob < 3; ++knob) {
        child.indices[knob] =
            stay ? space::q_random_member_walk(space, child, knob, 0.5, reference.random()).index
                 : space::q_random_walk(space.knobs()[knob], child.indices[knob], 0.5, reference.random())
                       .index;
      }
      return child;
    };
    const auto breed = [&] {
      space::Configuration child = parents.front();
      for (std::size_t knob = 0; knob < 3; ++knob)
        child.indices[knob] = parents[reference.random().weighted(roulette)].indices[knob];
      // Outside, it is bred anew before it walks.
      return stay && !space.contains(child) ? child : walked(child);
    };
    for (int i = 0; i < 50; ++i) reference.child(breed, walked);
    propose(*begun.tuner, 50);
    for (std::size_t i = 0; i < 50; ++i)
      if (const auto share = share_of(*begun.tuner, i)) QCOMPARE(*share, reference.share());
    QVERIFY(share_of(*begun.tuner, 0));
  }

  void sa_counts_the_neighbours_of_a_proposal() {
    Begun begun = start_tuner("sa", crowded_space(), 1, {});
    Reference reference(crowded_space(), begun.random.fork("moves"), begun.candidates);
    for (int i = 0; i < 10; ++i) reference.neighbour(begun.candidates[0]);
    propose(*begun.tuner, 10);
    for (std::size_t i = 0; i < 10; ++i) QCOMPARE(share_of(*begun.tuner, i), reference.share());
  }

  void annealing_counts_the_steps_of_its_chains() {
    const space::SearchSpace space = crowded_space();
    const std::uint64_t seed = random_seed();
    tuner::AnnealingOptimizer optimizer(space, {.chains = 64, .iterations = 1, .patience = 1},
                                        base::Random(seed));
    QVERIFY(!optimizer.drawn().share());
    const auto flat = [](std::span<const space::Configuration> points) -> Result<std::vector<float>> {
      return std::vector<float>(points.size(), 1);
    };
    QVERIFY(optimizer.find_maximums(flat, 8, tuner::Visited(space, base::Random(seed))));
    QCOMPARE(optimizer.drawn().drawn(), std::int64_t{64});
    QCOMPARE(optimizer.drawn().share(), annealed_share(space, base::Random(seed), 64));
    // Each search begins anew.
    QVERIFY(optimizer.find_maximums(flat, 8, tuner::Visited(space, base::Random(seed))));
    QCOMPARE(optimizer.drawn().drawn(), std::int64_t{64});
  }

  void plans_have_the_share_of_their_annealing_data() {
    QTest::addColumn<QString>("tuner");
    for (const char* tuner : {"xgb", "adatune"}) QTest::newRow(tuner) << QString(tuner);
  }
  void plans_have_the_share_of_their_annealing() {
    QFETCH(QString, tuner);
    Begun begun = start_tuner(tuner.toStdString(), crowded_space(), 32,
                              {{"plan_size", "32"}, {"chains", "64"}, {"annealing_iterations", "1"}});
    const double expected = annealed_share(crowded_space(), begun.random.fork("annealing"), 64);
    for (int piece = 0; piece < 2; ++piece) {
      const auto candidates = propose(*begun.tuner, 10);
      for (std::size_t i = 0; i < 10; ++i) QCOMPARE(share_of(*begun.tuner, i), expected);
      begun.tuner->observe(measure(candidates, never_zero));
    }
  }

  void na2c_counts_moves_that_lead_somewhere() {
    const space::SearchSpace space = bounded_sum_space(
        {*space::Knob::factorization("a", 64, 3), *space::Knob::factorization("b", 96, 3)}, 3);
    std::uint64_t seed = random_seed();
    std::unique_ptr<tuner::Tuner> tuner;
    std::vector<space::Configuration> candidates;
    // From some starts the walks are given up, and random members fill the batch.
    const auto all_walked = [&] {
      for (std::size_t i = 1; i < 20; ++i)
        if (!share_of(*tuner, i)) return false;
      return true;
    };
    do {
      ++seed;
      tuner = make_tuner("na2c",
                         make_context("na2c", space, seed, {{"random_action_share", "1"}, {"states", "20"}}));
      candidates = propose(*tuner, 20);
    } while (!all_walked());
    QVERIFY(!share_of(*tuner, 0));  // no walk led to the start
    base::Random random = base::Random(seed).fork("walks");
    const std::vector<tuner::FactorizationMove> moves = tuner::factorization_moves(space);
    std::set<space::Configuration> visited{candidates.front()};
    int drawn = 0;
    int members = 0;
    while (visited.size() < 20) {
      space::Configuration state = candidates.front();
      for (int step = 0; step < 3 && visited.size() < 20; ++step) {
        QVERIFY(random.chance(1));
        const auto to = tuner::apply_move(space, state, moves[random.below(moves.size())]);
        if (!to) continue;
        ++drawn;
        if (!space.contains(*to)) continue;
        ++members;
        visited.insert(*to);
        state = *to;
      }
    }
    QCOMPARE(share_of(*tuner, 1), static_cast<double>(members) / drawn);
    QVERIFY(members < drawn);
  }

  void without_constraints_all_are_members() {
    std::set<std::string> reporting;
    for (const tuner::Declaration& declaration : tuner::tuner_registry()) {
      const space::SearchSpace space =
          needs_factorizations(declaration.name) ? two_part_space({12, 12, 12}) : plain_space({12, 12, 12});
      const auto tuner = make_tuner(declaration.name, make_context(declaration.name, space, random_seed()));
      for (int batch = 0; batch < 8; ++batch) {
        const auto candidates = propose(*tuner, 50);
        for (std::size_t i = 0; i < candidates.size(); ++i) {
          const auto share = share_of(*tuner, i);
          if (!share) continue;
          reporting.insert(declaration.name);
          QCOMPARE(*share, 1.0);
        }
        tuner->observe(measure(candidates, never_zero));
      }
      const bool declared = std::ranges::count(declaration.series, tuner::member_share_name,
                                               &trial::SeriesDescription::name) > 0;
      QCOMPARE(reporting.contains(declaration.name), declared);
    }
    for (const char* tuner : {"ga", "nose", "opevo", "sa", "xgb", "adatune", "na2c"})
      QVERIFY2(reporting.contains(tuner), tuner);
    // Their pools, neighbours and random members never leave the space.
    for (const char* tuner : {"random", "grid", "gbfs", "gp"}) QVERIFY2(!reporting.contains(tuner), tuner);
  }
};

KERNELSCAPE_PLAIN_TEST(TunerMemberShareTest)

}  // namespace kernelscape::tuner_member_share_test
#include "tuner_member_share_test.moc"
