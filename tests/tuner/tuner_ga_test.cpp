#include "tests/test_program.h"
#include "tests/tuner/tuner_fixture.h"

namespace kernelscape::tuner_ga_test {
using namespace kernelscape::tuner_fixture;

class TunerGaTest : public QObject {
  Q_OBJECT

 private slots:
  void generations_do_not_mix() {
    const auto tuner = make_tuner("ga", make_context("ga", plain_space({30, 30, 30}), printed_seed()));
    std::vector<std::size_t> sizes;
    for (int batch = 0; batch < 4; ++batch) {
      const auto candidates = propose(*tuner, 70);
      sizes.push_back(candidates.size());
      tuner->observe(measure(candidates, rough_fitness));
    }
    QCOMPARE(sizes, (std::vector<std::size_t>{70, 30, 70, 30}));
  }

  void without_mutation_all_genes_come_from_the_only_fit_parents() {
    // Two of the first generation have fitness: with 1e-8 for the others, all pairs are these two.
    const auto tuner =
        make_tuner("ga", make_context("ga", plain_space({500, 500, 500, 500, 500, 500, 500, 500}),
                                      printed_seed(), {{"mutation_probability", "0"}, {"population", "4"}}));
    const auto first = propose(*tuner, 4);
    tuner->observe(measure(first, [&](const space::Configuration& candidate) {
      return candidate == first[0] || candidate == first[1] ? 1e6 : 0;
    }));
    std::size_t foreign = 0;
    for (const space::Configuration& child : propose(*tuner, 4)) {
      for (std::size_t gene = 0; gene < 8; ++gene) {
        const std::uint32_t value = child.indices[gene];
        foreign += value != first[0].indices[gene] && value != first[1].indices[gene] ? 1U : 0U;
      }
    }
    // A child equal to a parent or sibling has genes re-drawn until it is new: a few, not most, of the 32.
    QVERIFY2(foreign <= 8, qPrintable(QString::number(foreign)));
  }

  void elites_stay_parents() {
    // Only two of the first generation are fit, none of the second. With elites, these two are the parents of
    // the third as well; without, it comes from crossovers of crossovers.
    const auto strangers = [](const std::string& elites, std::uint64_t seed) {
      const auto tuner = make_tuner(
          "ga", make_context("ga", plain_space({500, 500, 500, 500, 500, 500, 500, 500}), seed,
                             {{"mutation_probability", "0"}, {"population", "10"}, {"elites", elites}}));
      const auto first = propose(*tuner, 10);
      tuner->observe(measure(first, [&](const space::Configuration& candidate) {
        return candidate == first[0] || candidate == first[1] ? 1e6 : 0;
      }));
      tuner->observe(measure(propose(*tuner, 10), [](const space::Configuration&) { return 0.0; }));
      return std::ranges::count_if(propose(*tuner, 10), [&](const space::Configuration& child) {
        return genes_beyond_crossover(child, {first[0], first[1]}) > 1;
      });
    };
    const std::uint64_t seed = printed_seed();
    std::ptrdiff_t with_elites = 0;
    std::ptrdiff_t without_elites = 0;
    for (std::uint64_t repeat = 0; repeat < 20; ++repeat) {
      with_elites += strangers("2", seed + repeat);
      without_elites += strangers("0", seed + repeat);
    }
    // One in some thousand has two genes re-drawn, since the first one made it a child of before.
    QVERIFY2(with_elites <= 4 && without_elites > 4,
             qPrintable(QString("%1 %2").arg(with_elites).arg(without_elites)));
  }
};

KERNELSCAPE_PLAIN_TEST(TunerGaTest)

}  // namespace kernelscape::tuner_ga_test
#include "tuner_ga_test.moc"
