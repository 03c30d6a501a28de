#include "tests/test_program.h"
#include "tests/tuner/tuner_fixture.h"

namespace kernelscape::tuner_ansor_test {
using namespace kernelscape::tuner_fixture;

namespace {

/** Depends on each knob by itself, so that the trees can learn it; one corner fails. */
double additive(const space::Configuration& one) {
  double sum = 1;
  for (const std::uint32_t index : one.indices) sum += index;
  return one.indices[0] == 0 ? 0 : sum;
}

}  // namespace

class TunerAnsorTest : public QObject {
  Q_OBJECT

  static std::unique_ptr<tuner::Tuner> make(std::uint64_t seed, std::map<std::string, std::string> settings) {
    settings.emplace("round_size", "20");
    settings.emplace("population", "200");
    return make_tuner("ansor", make_context("ansor", plain_space({10, 10, 10, 10, 10, 10}), seed, settings));
  }

 private slots:
  void rounds_end_with_random_candidates() {
    const auto tuner = make(printed_seed(), {{"random_share", "0.25"}});
    for (int round = 0; round < 4; ++round) {
      const auto candidates = propose(*tuner, 20);
      QCOMPARE(candidates.size(), std::size_t{20});
      // The first round is random; after it 15 are planned, from the highest score to the lowest, 5 random.
      std::vector<double> scores;
      for (std::size_t i = 0; i < candidates.size(); ++i) {
        const auto series = tuner->series(i);
        if (!series.empty()) {
          QCOMPARE(i, scores.size());
          scores.push_back(series.front().value);
        }
      }
      QCOMPARE(scores.size(), std::size_t{round == 0 ? 0U : 15U});
      QVERIFY(std::ranges::is_sorted(scores, std::greater{}));
      tuner->observe(measure(candidates, additive));
    }
  }

  void only_copies_find_what_the_first_generation_has() {
    // Without mutation and crossover all generations are the first one: random members and measured ones.
    const std::uint64_t seed = printed_seed();
    const auto best_planned = [&](const std::map<std::string, std::string>& settings) {
      double sum = 0;
      for (std::uint64_t run = 0; run < 5; ++run) {
        const auto tuner = make(seed + run, settings);
        double best = 0;
        for (const space::Configuration& one : run_tuner(*tuner, additive, 100, always(20)))
          best = std::max(best, additive(one));
        sum += best;
      }
      return sum;
    };
    const double bred = best_planned({});
    const double copied = best_planned({{"mutation_probability", "0"}, {"crossover_probability", "0"}});
    qInfo("bred %g, copied %g", bred, copied);
    QVERIFY(bred > copied);
  }
};

KERNELSCAPE_PLAIN_TEST(TunerAnsorTest)

}  // namespace kernelscape::tuner_ansor_test
#include "tuner_ansor_test.moc"
