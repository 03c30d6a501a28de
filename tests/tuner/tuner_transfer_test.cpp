#include <algorithm>
#include <cmath>

#include "core/tuner/declaration.h"
#include "core/tuner/transfer.h"
#include "tests/test_program.h"
#include "tests/tuner/tuner_fixture.h"

namespace kernelscape::tuner_transfer_test {
using namespace kernelscape::tuner_fixture;

namespace {

/** Best at index 4 of every knob; rough, so that 30 trials of 315 do not find the best by themselves. */
double peaked_fitness(const space::Configuration& configuration) {
  double slowness = 1;
  for (const std::uint32_t index : configuration.indices)
    slowness += std::abs(static_cast<double>(index) - 4) * (index % 2 == 0 ? 1.0 : 1.6);
  return 100 / slowness;
}

std::shared_ptr<const tuner::SourceTrials> source_of(const space::SearchSpace& space, const Fitness& fitness,
                                                     std::string name = "another device") {
  return std::make_shared<const tuner::SourceTrials>(
      tuner::SourceTrials{std::move(name), space, measure(all_members(space), fitness)});
}

/** The fitness of some other member, in an order that a seed gives. */
std::shared_ptr<const tuner::SourceTrials> shuffled_source(const space::SearchSpace& space,
                                                           base::Random& random) {
  tuner::SourceTrials source = *source_of(space, peaked_fitness);
  std::vector<double> fitness;
  for (const trial::Observation& trial : source.trials) fitness.push_back(trial.fitness);
  random.shuffle(std::span(fitness));
  for (std::size_t i = 0; i < fitness.size(); ++i) source.trials[i].fitness = fitness[i];
  return std::make_shared<const tuner::SourceTrials>(std::move(source));
}

using Sources = std::vector<std::shared_ptr<const tuner::SourceTrials>>;

std::vector<space::Configuration> proposals(const space::SearchSpace& space, std::uint64_t seed,
                                            const Sources& sources, std::size_t trials,
                                            std::map<std::string, std::string> settings = {}) {
  tuner::Context context = make_context("gp", space, seed, std::move(settings));
  context.sources = sources;
  const auto tuner = make_tuner("gp", std::move(context));
  return run_tuner(*tuner, peaked_fitness, trials, always(1));
}

double best_fitness(const std::vector<space::Configuration>& configurations) {
  double best = 0;
  for (const space::Configuration& configuration : configurations)
    best = std::max(best, peaked_fitness(configuration));
  return best;
}

}  // namespace

class TunerTransferTest : public QObject {
  Q_OBJECT

 private slots:
  static void proposals_without_sources_are_those_of_before() {
    const auto failing = [](const space::Configuration& configuration) {
      if (configuration.indices[0] + configuration.indices[1] > 9) return 0.0;
      double slowness = 1;
      for (const std::uint32_t index : configuration.indices)
        slowness += std::abs(static_cast<double>(index) - 4);
      return 100 / slowness;
    };
    const auto run = [&](const char* whole_space_members) {
      const auto tuner = make_tuner("gp", make_context("gp", plain_space({7, 5, 9}), 42,
                                                       {{"whole_space_members", whole_space_members}}));
      return run_tuner(*tuner, failing, 15, always(3));
    };
    const std::vector<space::Configuration> whole{{{3, 2, 4}}, {{1, 1, 1}}, {{4, 4, 3}}, {{5, 0, 6}},
                                                  {{4, 4, 8}}, {{6, 4, 4}}, {{6, 4, 0}}, {{4, 4, 0}},
                                                  {{5, 4, 2}}, {{0, 4, 2}}, {{3, 4, 4}}, {{4, 4, 4}},
                                                  {{0, 0, 8}}, {{4, 4, 5}}, {{5, 4, 5}}};
    const std::vector<space::Configuration> pools{{{3, 2, 4}}, {{1, 1, 1}}, {{4, 4, 3}}, {{5, 0, 6}},
                                                  {{4, 4, 8}}, {{6, 4, 4}}, {{6, 4, 0}}, {{4, 4, 0}},
                                                  {{5, 4, 2}}, {{0, 4, 2}}, {{3, 4, 4}}, {{4, 4, 4}},
                                                  {{0, 0, 8}}, {{4, 4, 5}}, {{5, 4, 5}}};
    QVERIFY(run("100000") == whole);
    QVERIFY(run("0") == pools);
  }

  /** Another device: all times twice as long, to the power of 0.9. */
  static void the_first_trial_is_the_best_of_a_scaled_source_data() {
    QTest::addColumn<QString>("members");
    QTest::newRow("the whole space") << "100000";
    QTest::newRow("pools") << "0";
  }
  void the_first_trial_is_the_best_of_a_scaled_source() {
    QFETCH(const QString, members);
    const space::SearchSpace space = plain_space({7, 5, 9});
    const Sources sources{source_of(space, [](const space::Configuration& configuration) {
      return std::pow(peaked_fitness(configuration), 0.9) / 2;
    })};
    const std::vector<space::Configuration> found =
        proposals(space, printed_seed(), sources, 4, {{"whole_space_members", members.toStdString()}});
    QVERIFY((found.front() == space::Configuration{{4, 4, 4}}));
  }

  /** The optimum has moved by a step of each knob: the source misleads at first, and is mistrusted then. */
  static void a_shifted_source_does_not_hurt_for_long() {
    const space::SearchSpace space = plain_space({9, 9, 9});
    const Sources sources{source_of(space, [](const space::Configuration& configuration) {
      space::Configuration shifted = configuration;
      for (std::uint32_t& index : shifted.indices) index = index > 0 ? index - 1 : 0;
      return peaked_fitness(shifted);
    })};
    const std::uint64_t seed = printed_seed();
    double best = 0;
    constexpr std::uint64_t runs = 8;
    for (std::uint64_t run = 0; run < runs; ++run)
      best += best_fitness(proposals(space, seed + run, sources, 50)) / runs;
    QVERIFY2(best > 95, qPrintable(QString::number(best)));
  }

  static void shuffled_sources_do_not_hurt() {
    const space::SearchSpace space = plain_space({7, 5, 9});
    base::Random random(printed_seed());
    double loss = 0;
    constexpr int runs = 6;
    for (int run = 0; run < runs; ++run) {
      const Sources sources{shuffled_source(space, random), shuffled_source(space, random)};
      loss += (1 - best_fitness(proposals(space, random.bits(), sources, 50)) / 100) / runs;
    }
    QVERIFY2(loss < 0.1, qPrintable(QString::number(loss)));
  }

  static void equal_sources_give_equal_proposals() {
    const space::SearchSpace space = plain_space({7, 5, 9});
    base::Random random(printed_seed());
    const Sources sources{source_of(space, peaked_fitness), shuffled_source(space, random)};
    const std::uint64_t seed = random.bits();
    QVERIFY(proposals(space, seed, sources, 30) == proposals(space, seed, sources, 30));
  }

  /** The extents differ: factors stand for the same share of the loop. */
  static void factors_are_compared_by_their_share_of_the_extent() {
    const space::SearchSpace small = two_part_space({5, 5});
    const space::SearchSpace large = two_part_space({9, 9});
    const auto middle = [](const space::SearchSpace& space) {
      return [space](const space::Configuration& configuration) {
        double slowness = 1;
        for (std::size_t knob = 0; knob < 2; ++knob) {
          const space::Knob& factors = space.knobs()[knob];
          const double share =
              std::log(static_cast<double>(factors.element(configuration.indices[knob], 1))) /
              std::log(static_cast<double>(factors.product()));
          slowness += 10 * std::abs(share - 0.5);
        }
        return 100 / slowness;
      };
    };
    const auto source = source_of(small, middle(small));
    QVERIFY((tuner::best_of_source(large, *source, 1).front() == space::Configuration{{4, 4}}));
    const space::GridCoordinates coordinates(large, nullptr);
    const auto model = tuner::source_model(large, coordinates, *source, {}, base::Random(1));
    const auto predicted = [&](std::uint32_t first, std::uint32_t second) {
      return model->predict(coordinates.of({{first, second}}));
    };
    QVERIFY(predicted(4, 4) < predicted(0, 4));
    QVERIFY(predicted(4, 4) < predicted(4, 8));
    // 2^2 of 2^4 and 2^4 of 2^8 are the same point of the source.
    QCOMPARE(predicted(4, 4),
             tuner::source_model(small, space::GridCoordinates(small, nullptr), *source, {}, base::Random(1))
                 ->predict(space::GridCoordinates(small, nullptr).of({{2, 2}})));
  }

  static void ordinals_are_compared_by_value_and_unknown_knobs_stay_at_the_best() {
    const auto ordinal = [](std::string name, std::vector<space::KnobValue> values) {
      return *space::Knob::ordinal(std::move(name), std::move(values));
    };
    const std::int64_t eight = 8;
    const std::int64_t sixteen = 16;
    const std::int64_t thirty_two = 32;
    const space::SearchSpace old_space =
        *space::SearchSpace::make({ordinal("block", {eight, sixteen}), numbers("gone", 6)});
    const space::SearchSpace new_space = *space::SearchSpace::make({ordinal("block", {sixteen, thirty_two})});
    const auto source = source_of(old_space, [](const space::Configuration& configuration) {
      return configuration.indices[0] == 0 ? 1.0 : 2.0 + configuration.indices[1];
    });
    QVERIFY((tuner::best_of_source(new_space, *source, 3) == std::vector{space::Configuration{{0}}}));
    const space::GridCoordinates coordinates(new_space, nullptr);
    const auto model = tuner::source_model(new_space, coordinates, *source, {}, base::Random(1));
    QCOMPARE(model->predict(coordinates.of({{0}})), model->predict(coordinates.of({{1}})));
  }

  static void unusable_sources_are_refused() {
    const space::SearchSpace space = plain_space({7, 5, 9});
    const auto refused = [&](const Sources& sources, std::map<std::string, std::string> settings = {}) {
      tuner::Context context = make_context("gp", space, 1, std::move(settings));
      context.sources = sources;
      const Status fits = (*tuner::find_tuner("gp"))->fits(context);
      return fits ? std::string() : describe(fits.error());
    };
    QCOMPARE(refused({source_of(space, peaked_fitness)}), std::string());
    const std::string other = refused({source_of(two_part_space({5, 5}), peaked_fitness, "session 9")});
    QVERIFY2(other.contains("session 9") && other.contains("tile0") && other.contains("knob0"),
             other.c_str());
    const std::string few = refused({source_of(space, [](const space::Configuration& configuration) {
      return configuration.indices[0] == 0 && configuration.indices[1] == 0 ? 1.0 : 0.0;
    })});
    QVERIFY2(few.contains("9 valid trials") && few.contains("at least 10"), few.c_str());
    const space::SearchSpace factors = two_part_space({7, 5, 9});
    tuner::Context levels = make_context("gp", factors, 1, {{"encoding", "levels"}});
    levels.sources = {source_of(factors, peaked_fitness)};
    const Status fits = (*tuner::find_tuner("gp"))->fits(levels);
    QVERIFY(!fits && fits.error().hint.contains("factorizations"));
  }

  static void the_use_of_each_source_is_reported() {
    const space::SearchSpace space = plain_space({7, 5, 9});
    base::Random random(printed_seed());
    tuner::Context context = make_context("gp", space, random.bits());
    context.sources = {source_of(space, peaked_fitness, "good")};
    const auto tuner = make_tuner("gp", std::move(context));
    run_tuner(*tuner, peaked_fitness, 12, always(1));
    propose(*tuner, 1);
    const std::vector<trial::SeriesValue> series = tuner->series(0);
    const auto good = std::ranges::find(series, "source_weight good", &trial::SeriesValue::series);
    QVERIFY(good != series.end());
    QVERIFY2(good->value > 0, qPrintable(QString::number(good->value)));
  }
};

KERNELSCAPE_TEST(TunerTransferTest, QCoreApplication)

}  // namespace kernelscape::tuner_transfer_test
#include "tuner_transfer_test.moc"
