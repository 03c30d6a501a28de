#include "core/tuner/factorization_moves.h"
#include "tests/test_program.h"
#include "tests/tuner/tuner_fixture.h"

namespace kernelscape::tuner_factorization_moves_test {
using namespace kernelscape::tuner_fixture;

namespace {

space::SearchSpace space_of(std::vector<space::Knob> knobs) {
  return *space::SearchSpace::make(std::move(knobs));
}

/** "[4, 2, 1]" for a space of one knob. */
std::string factors(const space::SearchSpace& space,
                    const std::optional<space::Configuration>& configuration) {
  if (!configuration) return "illegal";
  return space.knobs()[0].describe(configuration->indices[0]) +
         (space.contains(*configuration) ? "" : ", no member");
}

/** Where each move of a space of one knob leads to: "0>1 by 2: [4, 2, 1]". */
std::vector<std::string> moves_from(const space::SearchSpace& space, const std::vector<std::int64_t>& from) {
  std::vector<std::string> texts;
  for (const tuner::FactorizationMove& move : tuner::factorization_moves(space)) {
    const auto to = tuner::apply_move(space, {{*space.knobs()[0].find(from)}}, move);
    texts.push_back(std::to_string(move.from) + ">" + std::to_string(move.to) + " by " +
                    std::to_string(move.prime) + ": " + factors(space, to));
  }
  return texts;
}

std::optional<space::Configuration> start_of(const tuner::Context& context) {
  tuner::Visited visited(context.space, base::Random(1));
  auto start = tuner::take_start(context, visited);
  if (start && (visited.size() != 1 || !visited.contains(*start))) throw std::logic_error("not visited");
  return start;
}

}  // namespace

class TunerFactorizationMovesTest : public QObject {
  Q_OBJECT

 private slots:
  void moves_of_a_power_of_two() {
    const space::SearchSpace space = space_of({*space::Knob::factorization("tile", 8, 3)});
    QCOMPARE(moves_from(space, {8, 1, 1}),
             (std::vector<std::string>{"0>1 by 2: [4, 2, 1]", "0>2 by 2: [4, 1, 2]", "1>0 by 2: illegal",
                                       "1>2 by 2: illegal", "2>0 by 2: illegal", "2>1 by 2: illegal"}));
    QCOMPARE(moves_from(space, {2, 4, 1}),
             (std::vector<std::string>{"0>1 by 2: [1, 8, 1]", "0>2 by 2: [1, 4, 2]", "1>0 by 2: [4, 2, 1]",
                                       "1>2 by 2: [2, 2, 2]", "2>0 by 2: illegal", "2>1 by 2: illegal"}));
  }

  void moves_of_a_product_of_two_primes() {
    const space::SearchSpace space = space_of({*space::Knob::factorization("tile", 12, 2)});
    QCOMPARE(moves_from(space, {12, 1}),
             (std::vector<std::string>{"0>1 by 2: [6, 2]", "0>1 by 3: [4, 3]", "1>0 by 2: illegal",
                                       "1>0 by 3: illegal"}));
    QCOMPARE(moves_from(space, {4, 3}), (std::vector<std::string>{"0>1 by 2: [2, 6]", "0>1 by 3: illegal",
                                                                  "1>0 by 2: illegal", "1>0 by 3: [12, 1]"}));
  }

  void moves_off_the_values_are_illegal() {
    const space::SearchSpace bounded = space_of({*space::Knob::factorization("tile", 12, 2, 2)});
    QCOMPARE(moves_from(bounded, {12, 1})[0], std::string("0>1 by 2: [6, 2]"));
    QCOMPARE(moves_from(bounded, {12, 1})[1], std::string("0>1 by 3: illegal"));

    const space::Knob whole = *space::Knob::factorization("tile", 12, 2);
    const space::SearchSpace restricted =
        space_of({*whole.restricted({*whole.find({12, 1}), *whole.find({4, 3})})});
    QCOMPARE(moves_from(restricted, {12, 1})[0], std::string("0>1 by 2: illegal"));
    QCOMPARE(moves_from(restricted, {12, 1})[1], std::string("0>1 by 3: [4, 3]"));

    // First factors are 8 at most.
    const space::SearchSpace constrained = bounded_sum_space({*space::Knob::factorization("tile", 16, 2)}, 8);
    QCOMPARE(moves_from(constrained, {8, 2})[0], std::string("0>1 by 2: [4, 4]"));
    QCOMPARE(moves_from(constrained, {8, 2})[1], std::string("1>0 by 2: [16, 1], no member"));
  }

  void the_number_of_moves_is_fixed() {
    // OpEvo's MM1: K in 3, X and Y in 4 factors, all powers of two.
    QCOMPARE(tuner::factorization_moves(space_of({*space::Knob::factorization("k", 1024, 3),
                                                  *space::Knob::factorization("x", 512, 4),
                                                  *space::Knob::factorization("y", 1024, 4)}))
                 .size(),
             std::size_t{6 + 12 + 12});
    // 3 primes; knobs of one value don't move, of whatever kind.
    QCOMPARE(
        tuner::factorization_moves(space_of({*space::Knob::factorization("b", 960, 2),
                                             *space::Knob::factorization("one", 1, 4), numbers("fixed", 1)}))
            .size(),
        std::size_t{2 * 3});
  }

  void legal_moves_lead_to_all_neighbours_once() {
    base::Random random(printed_seed());
    const std::vector<space::Knob> knobs{*space::Knob::factorization("a", 60, 3),
                                         *space::Knob::factorization("b", 36, 2),
                                         *space::Knob::factorization("c", 27, 4)};
    for (const space::SearchSpace& space : {space_of(knobs), bounded_sum_space(knobs, 30)}) {
      for (int repeat = 0; repeat < 100; ++repeat) {
        const space::Configuration from = *space.random_member(random);
        std::vector<space::Configuration> reached;
        for (const tuner::FactorizationMove& move : tuner::factorization_moves(space)) {
          auto to = tuner::apply_move(space, from, move);
          if (to && space.contains(*to)) reached.push_back(std::move(*to));
        }
        const std::set<space::Configuration> expected = one_move_away(space, from);
        QCOMPARE(reached.size(), expected.size());
        QVERIFY(std::set<space::Configuration>(reached.begin(), reached.end()) == expected);
      }
    }
  }

  void shares_of_the_factors() {
    const space::SearchSpace space =
        space_of({*space::Knob::factorization("a", 8, 3), *space::Knob::factorization("one", 1, 2),
                  numbers("fixed", 1), *space::Knob::factorization("b", 12, 2)});
    const space::Configuration configuration{
        {*space.knobs()[0].find({2, 4, 1}), 0, 0, *space.knobs()[3].find({3, 4})}};
    const std::vector<double> expected{-0.25, 0, -0.375, -0.25, 4.0 / 12 - 0.5};
    QCOMPARE(tuner::factor_shares(space, configuration), expected);
  }

  void search_starts_with_everything_in_the_first_factor() {
    const space::SearchSpace space = space_of({*space::Knob::factorization("a", 60, 3), numbers("fixed", 1),
                                               *space::Knob::factorization("b", 64, 2)});
    const auto start = start_of(make_context("gbfs", space, 1));
    QCOMPARE(space.describe(*start), std::string("a=[60, 1, 1] fixed=0 b=[64, 1]"));
  }

  void search_starts_as_few_moves_from_there_as_it_can() {
    const space::Knob whole = *space::Knob::factorization("a", 60, 3);
    const space::Knob rest = *whole.restricted(
        {*whole.find({1, 60, 1}), *whole.find({20, 1, 3}), *whole.find({15, 2, 2}), *whole.find({2, 1, 30})});
    QCOMPARE(factors(space_of({rest}), start_of(make_context("gbfs", space_of({rest}), 1))),
             std::string("[20, 1, 3]"));
    // Moves from [64, 1] in both: 9, 5 and 5.
    const space::SearchSpace space =
        *space::SearchSpace::make_explicit(two_part_knobs({7, 7}), {{{5, 4}}, {{4, 1}}, {{2, 3}}});
    const auto start = start_of(make_context("gbfs", space, 1));
    QVERIFY((start == space::Configuration{{4, 1}} || start == space::Configuration{{2, 3}}));
  }

  void search_starts_with_a_random_member_where_constraints_forbid_that() {
    const space::SearchSpace space = bounded_sum_space(two_part_knobs({8, 8}), 9);
    std::set<space::Configuration> starts;
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
      tuner::Visited visited(space, base::Random(seed));
      const auto start = tuner::take_start(make_context("gbfs", space, 1), visited);
      QVERIFY(start && space.contains(*start) && visited.contains(*start));
      starts.insert(*start);
    }
    QVERIFY(starts.size() > 1);
    QVERIFY(!start_of(make_context("gbfs", bounded_sum_space(two_part_knobs({8, 8}), 1), 1)));
  }

  void search_starts_with_the_best_of_the_history() {
    tuner::Context context = make_context("gbfs", two_part_space({8, 8}), 1);
    context.history = {{{{1, 2}}, 5, trial::ErrorCategory::NoError},
                       {{{6, 3}}, 7, trial::ErrorCategory::NoError},
                       {{{6, 30}}, 9, trial::ErrorCategory::NoError},
                       {{{0, 3}}, 0, trial::ErrorCategory::RuntimeDevice}};
    QVERIFY((start_of(context) == space::Configuration{{6, 3}}));
    context.history.erase(context.history.begin(), context.history.begin() + 3);
    QVERIFY((start_of(context) == space::Configuration{{0, 0}}));
  }

  void refusal_names_the_knobs_in_the_way() {
    std::vector<space::Knob> knobs{
        *space::Knob::factorization("tile", 8, 2), *space::Knob::permutation("order", {"x", "y"}),
        numbers("unroll", 3), numbers("fixed", 1),
        *space::Knob::categorical("layout", {space::KnobValue{true}, space::KnobValue{false}})};
    const auto refused = tuner::require_factorizations(space_of(knobs), "gbfs");
    QVERIFY(!refused);
    QCOMPARE(refused.error().code, ErrorCode::InvalidArgument);
    const QString message = QString::fromStdString(refused.error().message);
    QVERIFY2(message.contains("gbfs"), qPrintable(message));
    QVERIFY2(message.endsWith(": \"order\" (permutation), \"unroll\" (ordinal), \"layout\" (categorical)"),
             qPrintable(message));
    QVERIFY(QString::fromStdString(refused.error().hint).contains("matmul-tiled"));

    knobs.push_back(numbers("fourth", 2));
    QVERIFY(QString::fromStdString(tuner::require_factorizations(space_of(knobs), "gbfs").error().message)
                .endsWith("\"layout\" (categorical), \"fourth\" (ordinal)"));
    knobs.push_back(numbers("fifth", 2));
    knobs.push_back(numbers("sixth", 2));
    QVERIFY(QString::fromStdString(tuner::require_factorizations(space_of(knobs), "gbfs").error().message)
                .endsWith("\"layout\" (categorical) and 3 more"));
  }
};

KERNELSCAPE_PLAIN_TEST(TunerFactorizationMovesTest)

}  // namespace kernelscape::tuner_factorization_moves_test
#include "tuner_factorization_moves_test.moc"
