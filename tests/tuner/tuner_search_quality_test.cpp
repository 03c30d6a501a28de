#include <cmath>
#include <numbers>

#include "tests/test_program.h"
#include "tests/tuner/tuner_fixture.h"

namespace kernelscape::tuner_search_quality_test {
using namespace kernelscape::tuner_fixture;

namespace {

/** A smooth hill with ripples, and a corner of errors: 0 to 100 over 2.5 million configurations. */
double hill(const space::Configuration& configuration) {
  const std::vector<double> peak{14, 3, 11, 6, 9};
  double fitness = 100;
  for (std::size_t knob = 0; knob < peak.size(); ++knob) {
    const double distance = (configuration.indices[knob] - peak[knob]) / 19;
    fitness *=
        std::exp(-3 * distance * distance) * (0.95 + 0.05 * std::cos(distance * 12 * std::numbers::pi));
  }
  return configuration.indices[0] + configuration.indices[1] > 30 ? 0 : fitness;
}

double mean_best(const std::string& tuner, std::uint64_t seed, int repeats) {
  // The same hill: two-part factorizations have the neighbours of ordinals.
  const std::vector<std::int64_t> counts(5, 19);
  const space::SearchSpace space = needs_factorizations(tuner) ? two_part_space(counts) : plain_space(counts);
  double sum = 0;
  for (int repeat = 0; repeat < repeats; ++repeat) {
    const auto made =
        make_tuner(tuner, make_context(tuner, space, seed + static_cast<std::uint64_t>(repeat)));
    const auto batch = static_cast<std::size_t>(tuner::own_batch(**tuner::find_tuner(tuner), 4));
    double best = 0;
    for (const space::Configuration& candidate : run_tuner(*made, hill, 600, always(batch)))
      best = std::max(best, hill(candidate));
    sum += best;
  }
  return sum / repeats;
}

}  // namespace

/** No tuner is worth its time if it does not beat random search where fitness is smooth. */
class TunerSearchQualityTest : public QObject {
  Q_OBJECT

 private slots:
  void beats_random_search_data() {
    QTest::addColumn<QString>("tuner");
    QTest::addColumn<int>("repeats");
    for (const char* tuner : {"ga", "sa", "nose", "opevo", "gbfs", "na2c"})
      QTest::addRow("%s", tuner) << QString(tuner) << 24;
    QTest::newRow("xgb") << QString("xgb") << 3;
    QTest::newRow("adatune") << QString("adatune") << 6;
    QTest::newRow("heron") << QString("heron") << 3;
  }

  void beats_random_search() {
    QFETCH(QString, tuner);
    QFETCH(int, repeats);
    const std::uint64_t seed = printed_seed();
    const double random_best = mean_best("random", seed, 24);
    const double best = mean_best(tuner.toStdString(), seed, repeats);
    const QByteArray values = QString("random %1, %2 %3").arg(random_best).arg(tuner).arg(best).toUtf8();
    qInfo("%s", values.constData());
    QVERIFY2(best > random_best, values.constData());
  }
};

KERNELSCAPE_PLAIN_TEST(TunerSearchQualityTest)

}  // namespace kernelscape::tuner_search_quality_test
#include "tuner_search_quality_test.moc"
