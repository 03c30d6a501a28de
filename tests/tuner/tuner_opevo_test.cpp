#include <cmath>
#include <utility>

#include "core/space/topology.h"
#include "tests/space/chi_squared.h"
#include "tests/space/walk_reference.h"
#include "tests/test_program.h"
#include "tests/tuner/tuner_fixture.h"

namespace kernelscape::tuner_opevo_test {
using namespace kernelscape::testing;
using namespace kernelscape::tuner_fixture;

namespace {

using Texts = std::map<std::string, std::string>;

std::unique_ptr<tuner::Tuner> opevo(const space::SearchSpace& space, std::uint64_t seed,
                                    const Texts& settings = {}) {
  return make_tuner("opevo", make_context("opevo", space, seed, settings));
}

std::optional<double> walk_steps(const tuner::Tuner& tuner, std::size_t position) {
  const std::vector<trial::SeriesValue> series = tuner.series(position);
  if (series.empty()) return std::nullopt;
  if (series.size() != 2 || series[0].series != "walk_steps") throw std::runtime_error("other series");
  return series[0].value;
}

/** Twelve knobs of a thousand values: two random members have hardly a gene in common. */
space::SearchSpace wide_space() { return plain_space(std::vector<std::int64_t>(12, 1000)); }

/// Changes half of the children of twelve knobs, hardly any gene by more than a step or two.
const char* const low_rate = "0.05";

bool has_gene_of(const space::Configuration& child, const space::Configuration& parent, std::size_t gene) {
  return std::abs(static_cast<int>(child.indices[gene]) - static_cast<int>(parent.indices[gene])) < 10;
}

/** Whose gene a child's gene is, give or take a walk at the low rate; none where two parents are alike. */
std::optional<std::size_t> origin(const space::Configuration& child,
                                  const std::vector<space::Configuration>& parents, std::size_t gene) {
  std::optional<std::size_t> found;
  for (std::size_t i = 0; i < parents.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const auto [low, high] = std::minmax(parents[i].indices[gene], parents[j].indices[gene]);
      if (high - low < 20) return std::nullopt;
    }
    if (has_gene_of(child, parents[i], gene)) found = i;
  }
  if (!found) throw std::runtime_error("a gene of no parent");
  return found;
}

/** How many genes of the children come from each parent. */
std::vector<std::int64_t> origins(const std::vector<space::Configuration>& children,
                                  const std::vector<space::Configuration>& parents) {
  std::vector<std::int64_t> counts(parents.size());
  for (const space::Configuration& child : children) {
    for (std::size_t gene = 0; gene < child.indices.size(); ++gene)
      if (const auto parent = origin(child, parents, gene)) ++counts[*parent];
  }
  return counts;
}

/** Fitness of the parents by their position, of all others none. */
Fitness fitness_of_parents(const std::vector<space::Configuration>& parents,
                           const std::vector<double>& fitness) {
  return [=](const space::Configuration& candidate) {
    const auto found = std::ranges::find(parents, candidate);
    return found == parents.end() ? 0 : fitness[static_cast<std::size_t>(found - parents.begin())];
  };
}

/** Random members as parents with this fitness, and their children at the low mutation rate. */
struct Family {
  std::vector<space::Configuration> parents;
  std::vector<space::Configuration> children;
};

Family family(const std::vector<double>& fitness, std::uint64_t seed, Texts settings = {}) {
  settings.merge(
      Texts{{"parents", std::to_string(fitness.size())}, {"offspring", "2000"}, {"mutation_rate", low_rate}});
  const auto tuner = opevo(wide_space(), seed, settings);
  Family result;
  result.parents = propose(*tuner, fitness.size());
  tuner->observe(measure(result.parents, fitness_of_parents(result.parents, fitness)));
  result.children = propose(*tuner, 2000);
  return result;
}

/** Ordinals {0, 1, 2} and {4, 5, 6} times six: two islands of eighteen members, with no move between. */
space::SearchSpace two_islands() {
  space::ConstraintSystem constraints;
  constraints.add(
      {space::InConstraint{constraints.add_element("knob0", 0, 0), {0, 1, 2, 4, 5, 6}}, "no bridge"});
  return *space::SearchSpace::make(knobs({7, 6}), constraints);
}

/** Two knobs have to be equal: most mixtures of two members are none, and no single step leads to another. */
space::SearchSpace diagonal() {
  space::ConstraintSystem constraints;
  const space::VariableId first = constraints.add_element("knob0", 0, 0);
  const space::VariableId second = constraints.add_element("knob1", 1, 0);
  constraints.add({space::EqConstraint{first, second}, "the diagonal"});
  return *space::SearchSpace::make(knobs({40, 40, 5}), constraints);
}

/** The exact walks of a small space, by the indices of its configurations. */
class ExactWalks {
 public:
  ExactWalks(const space::SearchSpace& space, bool stay, double q) : space_(space) {
    std::vector<space::Configuration> walked;
    for (base::uint128 index = 0; index < space.size(); ++index)
      if (!stay || space.contains(space.at(index))) walked.push_back(space.at(index));
    const Matrix walks = mutation_matrix(space.knobs(), walked, q);
    const auto size = static_cast<std::size_t>(space.size());
    to_members_.assign(size, std::vector<double>(size));
    for (std::size_t from = 0; from < walked.size(); ++from)
      for (std::size_t to = 0; to < walked.size(); ++to)
        if (space.contains(walked[to])) to_members_[place(walked[from])][place(walked[to])] = walks[from][to];
  }

  std::size_t place(const space::Configuration& configuration) const {
    return static_cast<std::size_t>(space_.index_of(configuration));
  }

  /** From parents with these shares of their fitness, bred anew until it is a member. */
  std::vector<double> bred(const std::vector<std::pair<space::Configuration, double>>& parents) const {
    std::vector<double> child(to_members_.size());
    for (const auto& [first, first_share] : parents) {
      for (const auto& [second, second_share] : parents) {
        const std::size_t mixed = place({{first.indices[0], second.indices[1]}});
        for (std::size_t to = 0; to < child.size(); ++to)
          child[to] += first_share * second_share * to_members_[mixed][to];
      }
    }
    return scaled(child);
  }

  /** Where a child ends that is mutated on until it is none of the known; what would leave the space stays.
   */
  std::vector<double> until_new(std::vector<double> child, const std::vector<std::size_t>& known) const {
    for (int attempt = 0; attempt < 300; ++attempt) {
      for (const std::size_t from : known) {
        const double again = std::exchange(child[from], 0);
        double inside = 0;
        for (std::size_t to = 0; to < child.size(); ++to) {
          child[to] += again * to_members_[from][to];
          inside += to_members_[from][to];
        }
        child[from] += again * (1 - inside);
      }
    }
    for (const std::size_t place : known) child[place] = 0;
    return scaled(child);
  }

  /** Where it would end if it were bred anew instead. */
  static std::vector<double> bred_anew(std::vector<double> child, const std::vector<std::size_t>& known) {
    for (const std::size_t place : known) child[place] = 0;
    return scaled(child);
  }

 private:
  static std::vector<double> scaled(std::vector<double> weights) {
    double sum = 0;
    for (const double weight : weights) sum += weight;
    for (double& weight : weights) weight /= sum;
    return weights;
  }

  space::SearchSpace space_;
  Matrix to_members_;  ///< from any configuration; by walks that stay from members alone
};

}  // namespace

class TunerOpEvoTest : public QObject {
  Q_OBJECT

  static void both_ways() {
    QTest::addColumn<QString>("outside");
    for (const char* outside : {"redraw", "stay"}) QTest::newRow(outside) << QString(outside);
  }

 private slots:
  void generations_do_not_mix() {
    const auto sizes = [](std::size_t batch, int proposals) {
      const auto tuner = opevo(plain_space({30, 30, 30}), printed_seed(), {{"offspring", "5"}});
      std::vector<std::size_t> result;
      for (int i = 0; i < proposals; ++i) {
        const auto candidates = propose(*tuner, batch);
        result.push_back(candidates.size());
        tuner->observe(measure(candidates, rough_fitness));
      }
      return result;
    };
    QCOMPARE(sizes(100, 4), (std::vector<std::size_t>{8, 5, 5, 5}));
    QCOMPARE(sizes(3, 7), (std::vector<std::size_t>{3, 3, 2, 3, 2, 3, 2}));
    QCOMPARE((*tuner::find_tuner("opevo"))->default_batch, std::int64_t{8});
  }

  void pieces_do_not_change_the_search() {
    const std::uint64_t seed = printed_seed();
    const auto run_in = [&](std::size_t n) {
      const auto tuner = opevo(plain_space({30, 30, 30}), seed);
      std::vector<std::pair<space::Configuration, std::optional<double>>> all;
      while (all.size() < 400) {
        const auto candidates = propose(*tuner, n);
        for (std::size_t i = 0; i < candidates.size(); ++i)
          all.emplace_back(candidates[i], walk_steps(*tuner, i));
        tuner->observe(measure(candidates, rough_fitness));
      }
      return all;
    };
    QVERIFY(run_in(8) == run_in(3));
  }

  void genes_are_inherited_in_proportion_to_fitness() {
    const auto [parents, children] = family({1, 0.5, 2.5, 4}, printed_seed());
    QCOMPARE(children.size(), std::size_t{2000});
    const std::vector<std::int64_t> counts = origins(children, parents);
    QVERIFY(chi_squared_p(counts, std::vector{0.125, 0.0625, 0.3125, 0.5}) > min_p);
    QVERIFY(chi_squared_p(counts, std::vector{0.25, 0.25, 0.25, 0.25}) < min_p);
  }

  void every_gene_has_a_parent_of_its_own() {
    const auto [parents, children] = family({1, 3}, printed_seed());
    std::vector<std::int64_t> pairs(4);
    for (const space::Configuration& child : children) {
      for (std::size_t gene = 0; gene + 1 < 12; gene += 2) {
        const auto first = origin(child, parents, gene);
        const auto second = origin(child, parents, gene + 1);
        if (first && second) ++pairs[2 * *first + *second];
      }
    }
    QVERIFY(chi_squared_p(pairs, std::vector{0.0625, 0.1875, 0.1875, 0.5625}) > min_p);
  }

  void errors_are_never_inherited() {
    const auto [parents, children] = family({0, 1, 0, 2}, printed_seed());
    const std::vector<std::int64_t> counts = origins(children, parents);
    QCOMPARE(counts[0], std::int64_t{0});
    QCOMPARE(counts[2], std::int64_t{0});
    QVERIFY(chi_squared_p(counts, std::vector{0.0, 1.0 / 3, 0.0, 2.0 / 3}) > min_p);
  }

  void errors_alone_are_equal_parents() {
    const auto [parents, children] = family({0, 0, 0}, printed_seed(), {{"least_fitness", "0"}});
    QVERIFY(chi_squared_p(origins(children, parents), std::vector{1.0 / 3, 1.0 / 3, 1.0 / 3}) > min_p);
  }

  void parents_are_the_best_of_all_observed() {
    const auto tuner = opevo(wide_space(), printed_seed(),
                             {{"parents", "2"}, {"offspring", "60"}, {"mutation_rate", low_rate}});
    const std::vector<space::Configuration> first = propose(*tuner, 2);
    tuner->observe(measure(first, fitness_of_parents(first, {3, 2})));
    // One child becomes better than the worse parent, in whose place it is from then on.
    const std::vector<space::Configuration> second = propose(*tuner, 60);
    const space::Configuration child = *std::ranges::max_element(
        second, {}, [&](const space::Configuration& one) { return origins({one}, first)[1]; });
    tuner->observe(measure(second, fitness_of_parents({child}, {2.5})));
    int mixed_genes = 0;
    for (int generation = 0; generation < 2; ++generation) {
      const std::vector<space::Configuration> later = propose(*tuner, 60);
      for (std::size_t gene = 0; gene < 12; ++gene) {
        const auto of_child = origin(child, first, gene);
        if (!of_child) continue;
        const auto from_first = std::ranges::count_if(
            later, [&](const space::Configuration& one) { return has_gene_of(one, first[0], gene); });
        const auto from_second = std::ranges::count_if(
            later, [&](const space::Configuration& one) { return has_gene_of(one, first[1], gene); });
        QCOMPARE(from_first + from_second, std::ptrdiff_t{60});
        QCOMPARE(from_second > 0, *of_child == 1);
        QVERIFY(from_first > 0);
        mixed_genes += *of_child == 1 ? 1 : 0;
      }
      // A generation of errors changes nothing.
      tuner->observe(measure(later, [](const space::Configuration&) { return 0.0; }));
    }
    QVERIFY(mixed_genes > 0);
  }

  void equal_fitness_is_ranked_by_trial() {
    // Children as good as the first two trials don't take their places: every gene still comes from both.
    const auto tuner = opevo(wide_space(), printed_seed(),
                             {{"parents", "2"}, {"offspring", "60"}, {"mutation_rate", low_rate}});
    const std::vector<space::Configuration> first = propose(*tuner, 2);
    std::vector<space::Configuration> children = first;
    for (int generation = 0; generation < 4; ++generation) {
      tuner->observe(measure(children, [](const space::Configuration&) { return 5.0; }));
      children = propose(*tuner, 60);
      for (std::size_t gene = 0; gene < 12; ++gene) {
        const auto from_first = std::ranges::count_if(
            children, [&](const space::Configuration& child) { return origin(child, first, gene) == 0U; });
        const auto from_second = std::ranges::count_if(
            children, [&](const space::Configuration& child) { return origin(child, first, gene) == 1U; });
        QCOMPARE(from_first > 0, from_second > 0);
      }
    }
  }

  void children_of_one_parent_walk_as_the_paper_says_data() { both_ways(); }
  void children_of_one_parent_walk_as_the_paper_says() {
    // Two children in a space of six members. Both start from the parent; the first is mutated on while it
    // is the parent, the second while it is the parent or the first.
    QFETCH(QString, outside);
    const space::SearchSpace space = sum_space({3, 3}, 2);
    const ExactWalks walks(space, outside == "stay", 0.6);
    base::Random random(printed_seed());
    using Counts = std::vector<std::int64_t>;
    std::map<space::Configuration, Counts> firsts;
    std::map<std::pair<space::Configuration, space::Configuration>, Counts> seconds;
    for (int i = 0; i < 40'000; ++i) {
      const auto tuner = opevo(space, random.bits(),
                               {{"parents", "1"},
                                {"offspring", "2"},
                                {"mutation_rate", "0.6"},
                                {"outside", outside.toStdString()}});
      const space::Configuration parent = propose(*tuner, 1).front();
      tuner->observe(measure({parent}, [](const space::Configuration&) { return 7.0; }));
      const std::vector<space::Configuration> children = propose(*tuner, 2);
      ++firsts.try_emplace(parent, 9).first->second[walks.place(children[0])];
      ++seconds.try_emplace({parent, children[0]}, 9).first->second[walks.place(children[1])];
    }
    QCOMPARE(firsts.size(), std::size_t{6});
    ChiSquared first_children;
    ChiSquared second_children;
    ChiSquared bred_anew;
    for (const auto& [parent, counts] : firsts)
      first_children.add(counts, walks.until_new(walks.bred({{parent, 1}}), {walks.place(parent)}));
    for (const auto& [both, counts] : seconds) {
      const std::vector<double> bred = walks.bred({{both.first, 1}});
      const std::vector known{walks.place(both.first), walks.place(both.second)};
      second_children.add(counts, walks.until_new(bred, known));
      bred_anew.add(counts, ExactWalks::bred_anew(bred, known));
    }
    QVERIFY(first_children.p() > min_p);
    QVERIFY(second_children.p() > min_p);
    QVERIFY(bred_anew.p() < min_p);  // the test can tell "mutated on" from "bred anew"
  }

  void children_of_two_parents_are_mixed_and_walk_data() { both_ways(); }
  void children_of_two_parents_are_mixed_and_walk() {
    // Two of their four mixtures are (1, 1) and (3, 3), which is no member: walks that stay can't start
    // there, others can come back. Two random parents without fitness are only known.
    QFETCH(QString, outside);
    const space::SearchSpace space = sum_space({4, 4}, 4);
    const ExactWalks walks(space, outside == "stay", 0.6);
    const std::vector<space::Configuration> fit{{{3, 1}}, {{1, 3}}};
    tuner::Context context = make_context(
        "opevo", space, 0,
        {{"parents", "4"}, {"offspring", "1"}, {"mutation_rate", "0.6"}, {"outside", outside.toStdString()}});
    context.history = measure(fit, fitness_of_parents(fit, {2, 1}));
    const std::vector<double> bred = walks.bred({{fit[0], 2.0 / 3}, {fit[1], 1.0 / 3}});
    base::Random random(printed_seed());
    std::map<std::vector<std::size_t>, std::vector<std::int64_t>> children;
    for (int i = 0; i < 60'000; ++i) {
      context.random = base::Random(random.bits());
      const auto tuner = make_tuner("opevo", context);
      const std::vector<space::Configuration> parents = propose(*tuner, 4);
      tuner->observe(measure(parents, fitness_of_parents(fit, {2, 1})));
      std::vector<std::size_t> known;
      for (const space::Configuration& parent : parents) known.push_back(walks.place(parent));
      std::ranges::sort(known);
      ++children.try_emplace(known, 16).first->second[walks.place(propose(*tuner, 1).front())];
    }
    QCOMPARE(children.size(), std::size_t{55});
    ChiSquared all;
    for (const auto& [known, counts] : children) all.add(counts, walks.until_new(bred, known));
    QVERIFY(all.p() > min_p);
  }

  void a_known_child_walks_on_past_the_known() {
    // A line around its only fit trial. Every step of a walk moves by one, whatever was known on the way.
    const space::SearchSpace space = plain_space({61});
    base::Random random(printed_seed());
    const auto tuner = opevo(space, random.bits(), {{"parents", "1"}, {"offspring", "4"}});
    const space::Configuration parent = propose(*tuner, 1).front();
    tuner->observe(measure({parent}, fitness_of_parents({parent}, {1})));
    std::set<space::Configuration> known{parent};
    std::size_t walked_on = 0;
    for (int generation = 0; generation < 12; ++generation) {
      const std::vector<space::Configuration> children = propose(*tuner, 4);
      for (std::size_t i = 0; i < children.size(); ++i) {
        QVERIFY(known.insert(children[i]).second);
        const auto steps = walk_steps(*tuner, i);
        if (!steps) continue;
        const int distance =
            std::abs(static_cast<int>(children[i].indices[0]) - static_cast<int>(parent.indices[0]));
        QVERIFY(*steps >= distance);
        QCOMPARE(static_cast<int>(*steps) % 2, distance % 2);
        walked_on += *steps > distance ? 1U : 0U;
      }
      tuner->observe(measure(children, [](const space::Configuration&) { return 0.0; }));
    }
    QVERIFY(walked_on > 10);
  }

  void walks_that_find_nothing_new_end_at_a_random_member() {
    // A hundred mutations at the lowest rate take one step on average: most children stay among the known.
    const space::SearchSpace space = plain_space({1000});
    const auto tuner =
        opevo(space, printed_seed(), {{"parents", "1"}, {"offspring", "60"}, {"mutation_rate", "0.01"}});
    const std::vector<space::Configuration> parents = propose(*tuner, 1);
    tuner->observe(measure(parents, [](const space::Configuration&) { return 1.0; }));
    const std::vector<space::Configuration> children = propose(*tuner, 60);
    QCOMPARE(children.size(), std::size_t{60});
    std::size_t random_members = 0;
    for (std::size_t i = 0; i < children.size(); ++i) random_members += walk_steps(*tuner, i) ? 0U : 1U;
    QVERIFY(random_members > 20 && random_members < 60);
  }

  void walks_stay_on_their_island_or_jump() {
    const space::SearchSpace space = two_islands();
    const auto island = [](const space::Configuration& configuration) {
      return configuration.indices[0] > 3;
    };
    const std::uint64_t seed = printed_seed();
    // Only one island has fitness: what is bred from it by walks that stay is on it.
    const auto jumps = [&](const std::string& outside) {
      int across = 0;
      int bred = 0;
      for (std::uint64_t repeat = 0; repeat < 20; ++repeat) {
        const auto tuner = opevo(space, seed + repeat, {{"outside", outside}, {"mutation_rate", "0.8"}});
        std::vector<space::Configuration> candidates = propose(*tuner, 8);
        bool fit = false;
        for (int generation = 0; generation < 3; ++generation) {
          tuner->observe(measure(candidates, [&](const space::Configuration& candidate) {
            return island(candidate) ? 0.0 : 1.0 + candidate.indices[1];
          }));
          fit = fit || !std::ranges::all_of(candidates, island);
          candidates = propose(*tuner, 8);
          for (std::size_t i = 0; fit && i < candidates.size(); ++i) {
            if (!space.contains(candidates[i])) throw std::runtime_error("no member");
            if (!walk_steps(*tuner, i)) continue;
            ++bred;
            across += island(candidates[i]) ? 1 : 0;
          }
        }
      }
      if (bred < 100) throw std::runtime_error("hardly any child was bred");
      return across;
    };
    QCOMPARE(jumps("stay"), 0);
    QVERIFY(jumps("redraw") > 0);
  }

  void visits_every_member_once_data() { both_ways(); }
  void visits_every_member_once() {
    QFETCH(QString, outside);
    for (const space::SearchSpace& space :
         {plain_space({1, 1}), plain_space({23}), sum_space({8, 8, 8}, 6), sum_space({30, 30, 30, 30}, 3),
          explicit_space(knobs({7, 5, 9})), two_islands(), diagonal()}) {
      const auto tuner = opevo(space, printed_seed(), {{"outside", outside.toStdString()}});
      auto proposed = run_tuner(*tuner, rough_fitness, 100'000, always(50));
      auto members = all_members(space);
      std::ranges::sort(proposed);
      std::ranges::sort(members);
      QVERIFY(proposed == members);
    }
  }

  void random_until_one_is_fast_enough() {
    // 1e-3 GFLOP/s, where the task has a FLOP count; without one, any valid trial.
    const space::SearchSpace space = plain_space({20, 20, 20});
    const auto bred = [&](const task::Task& task, double fitness, const Texts& settings) {
      tuner::Context context = make_context("opevo", space, printed_seed(), settings);
      context.task = task;
      const auto tuner = make_tuner("opevo", context);
      run_tuner(*tuner, [&](const space::Configuration&) { return fitness; }, 40, always(8));
      const std::size_t count = propose(*tuner, 8).size();
      std::size_t walked = 0;
      for (std::size_t i = 0; i < count; ++i) walked += walk_steps(*tuner, i) ? 1U : 0U;
      return walked;
    };
    const task::Task matmul = *task::parse_task("matmul 16x16 16x16 f32");
    QCOMPARE(bred(matmul, 0, {}), std::size_t{0});
    QCOMPARE(bred(matmul, 0.99e-3, {}), std::size_t{0});
    QCOMPARE(bred(matmul, 1e-3, {}), std::size_t{8});
    QCOMPARE(bred(matmul, 1, {{"least_fitness", "2"}}), std::size_t{0});
    QCOMPARE(bred({}, 0, {}), std::size_t{0});
    QCOMPARE(bred({}, 1e-6, {}), std::size_t{8});
    QCOMPARE(bred({}, 0, {{"least_fitness", "0"}}), std::size_t{8});
  }

  void one_valid_trial_ends_the_random_phase() {
    const auto tuner = opevo(wide_space(), printed_seed(), {{"mutation_rate", low_rate}});
    for (int generation = 0; generation < 4; ++generation) {
      const auto strangers = propose(*tuner, 8);
      for (std::size_t i = 0; i < 8; ++i) QVERIFY(!walk_steps(*tuner, i));
      if (generation < 3) {
        tuner->observe(measure(strangers, [](const space::Configuration&) { return 0.0; }));
        continue;
      }
      tuner->observe(measure(strangers, fitness_of_parents({strangers[6]}, {1})));
      for (const space::Configuration& child : propose(*tuner, 8))
        for (std::size_t gene = 0; gene < 12; ++gene) QVERIFY(has_gene_of(child, strangers[6], gene));
    }
  }

  void series_has_the_steps_of_the_bred_alone() {
    const auto tuner = opevo(plain_space({50, 50, 50}), printed_seed());
    for (int piece = 0; piece < 6; ++piece) {
      const auto candidates = propose(*tuner, 4);
      for (std::size_t i = 0; i < 4; ++i) QCOMPARE(walk_steps(*tuner, i).has_value(), piece >= 2);
      tuner->observe(measure(candidates, [](const space::Configuration&) { return 1.0; }));
    }
    QVERIFY(tuner->series(8).empty());
  }

  void walks_are_as_long_as_the_rate_says() {
    // q / (1 - q) steps per knob where no child is known: each of 12 knobs, 2000 children.
    for (const double q : {0.5, 0.75}) {
      const auto tuner =
          opevo(wide_space(), printed_seed(),
                {{"parents", "1"}, {"offspring", "2000"}, {"mutation_rate", std::to_string(q)}});
      tuner->observe(measure(propose(*tuner, 1), [](const space::Configuration&) { return 1.0; }));
      const std::size_t count = propose(*tuner, 2000).size();
      double sum = 0;
      for (std::size_t i = 0; i < count; ++i) sum += *walk_steps(*tuner, i);
      const double expected = 12 * q / (1 - q);
      const double deviation = std::sqrt(12 * q / ((1 - q) * (1 - q)) / 2000);
      // Known children, a few in a hundred thousand, go further.
      QVERIFY2(std::fabs(sum / 2000 - expected) < 7 * deviation, qPrintable(QString::number(sum / 2000)));
    }
  }

  void warm_start_begins_with_the_best() {
    tuner::Context context = make_context("opevo", plain_space({50, 50, 50}), printed_seed());
    context.history = {{{{1, 2, 3}}, 5, trial::ErrorCategory::NoError},
                       {{{7, 8, 9}}, 50, trial::ErrorCategory::NoError},
                       {{{4, 4, 4}}, 0, trial::ErrorCategory::RuntimeDevice}};
    const auto candidates = propose(*make_tuner("opevo", context), 8);
    QCOMPARE(candidates.size(), std::size_t{8});
    QCOMPARE(candidates[0], (space::Configuration{{7, 8, 9}}));
    QCOMPARE(candidates[1], (space::Configuration{{1, 2, 3}}));
    QVERIFY(!std::ranges::count(candidates, space::Configuration{{4, 4, 4}}));
  }

  void rates_without_an_end_are_refused() {
    const tuner::Declaration& declaration = **tuner::find_tuner("opevo");
    for (const char* rate : {"1", "0.995", "0", "-0.5", "nan"}) {
      const auto refused = tuner::parse_settings(declaration, {{"mutation_rate", rate}});
      QVERIFY(!refused);
      QVERIFY(refused.error().message.find("mutation_rate") != std::string::npos);
    }
    QVERIFY(!tuner::parse_settings(declaration, {{"outside", "leave"}}));
    QVERIFY(
        tuner::parse_settings(declaration, {{"mutation_rate", "0.99"}, {"outside", "redraw"}}).has_value());
  }
};

KERNELSCAPE_PLAIN_TEST(TunerOpEvoTest)

}  // namespace kernelscape::tuner_opevo_test
#include "tuner_opevo_test.moc"
