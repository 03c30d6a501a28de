#include <QTest>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <random>

#include "core/base/random.h"
#include "core/surrogate/expected_improvement.h"
#include "tests/surrogate/printed_seed.h"
#include "tests/test_program.h"

namespace kernelscape::surrogate_expected_improvement_test {

namespace {

double density(double z) { return std::exp(-z * z / 2) / std::sqrt(2 * std::numbers::pi); }

/** The integral of improvement times density by Simpson's rule, from no improvement to 13 deviations up. */
double integrated(double mean, double deviation, double best) {
  constexpr int intervals = 40'000;
  const double last = std::max(0.0, mean - best) + 13 * deviation;
  const double step = last / intervals;
  double sum = 0;
  for (int i = 0; i <= intervals; ++i) {
    const double improvement = step * i;
    const double weight = i == 0 || i == intervals ? 1 : i % 2 == 1 ? 4 : 2;
    sum += weight * improvement * density((best + improvement - mean) / deviation) / deviation;
  }
  return sum * step / 3;
}

bool near(double value, double expected, double relative) {
  return std::abs(value - expected) <= relative * std::abs(expected);
}

}  // namespace

class SurrogateExpectedImprovementTest : public QObject {
  Q_OBJECT

 private slots:
  void by_hand() {
    // phi(0) = 0.39894228..., phi(1) = 0.24197072..., Phi(1) = 0.84134474...
    QVERIFY(near(surrogate::expected_improvement(7, 1, 7), 0.3989422804014327, 1e-15));
    QVERIFY(near(surrogate::expected_improvement(1, 1, 0), 1.0833154705876863, 1e-15));
    QVERIFY(near(surrogate::expected_improvement(2, 1, 3), 0.0833154705876863, 1e-14));
    QVERIFY(near(surrogate::expected_improvement(104, 4, 100), 4 * 1.0833154705876863, 1e-14));
  }

  void nothing_uncertain() {
    QCOMPARE(surrogate::expected_improvement(5, 0, 3), 2.0);
    QCOMPARE(surrogate::expected_improvement(3, 0, 3), 0.0);
    QCOMPARE(surrogate::expected_improvement(1, 0, 3), 0.0);
  }

  void equals_the_integral() {
    base::Random random(printed_seed());
    for (int i = 0; i < 200; ++i) {
      const double best = 2000 * random.uniform() - 1000;
      const double deviation = std::exp(6 * random.uniform() - 3);
      const double mean = best + deviation * (16 * random.uniform() - 8);
      const double expected = integrated(mean, deviation, best);
      QVERIFY2(near(surrogate::expected_improvement(mean, deviation, best), expected, 1e-8),
               qPrintable(QString("%1 %2 %3").arg(mean).arg(deviation).arg(best)));
    }
  }

  void far_below_the_best() {
    // The asymptotic series of the tail; its next term is 945 / z^10.
    for (const double z : {15.0, 20.0, 30.0, 36.0}) {
      const double square = z * z;
      const double series =
          density(z) / square * (1 - 3 / square + 15 / (square * square) - 105 / (square * square * square));
      QVERIFY2(near(surrogate::expected_improvement(-z, 1, 0), series, 1e-6), qPrintable(QString::number(z)));
    }
  }

  void never_below_what_is_certain() {
    base::Random random(printed_seed());
    for (int i = 0; i < 100'000; ++i) {
      const double best = 1e4 * random.uniform();
      const double mean = 1e4 * random.uniform();
      const double deviation = std::exp(80 * random.uniform() - 70);
      const double improvement = surrogate::expected_improvement(mean, deviation, best);
      QVERIFY(std::isfinite(improvement));
      QVERIFY(improvement >= 0 && improvement >= mean - best);
      // E[max(x, 0)] - E[max(-x, 0)] = E[x].
      const double loss = surrogate::expected_improvement(best, deviation, mean);
      QVERIFY(std::abs(improvement - loss - (mean - best)) <= 1e-9 * (improvement + loss));
    }
  }

  void rises_with_mean_and_deviation() {
    double last = 0;
    for (double mean = -38; mean < 50; mean += 0.25) {
      const double improvement = surrogate::expected_improvement(mean, 1, 0);
      QVERIFY(improvement >= last);
      last = improvement;
    }
    last = 0;
    for (double deviation = 1e-3; deviation < 1e6; deviation *= 1.1) {
      const double improvement = surrogate::expected_improvement(90, deviation, 100);
      QVERIFY(improvement >= last);
      last = improvement;
    }
    QVERIFY(last > 1e5);
  }

  void extremes_stay_numbers() {
    constexpr double smallest = std::numeric_limits<double>::denorm_min();
    QCOMPARE(surrogate::expected_improvement(5, smallest, 3), 2.0);
    QCOMPARE(surrogate::expected_improvement(3, smallest, 5), 0.0);
    QCOMPARE(surrogate::expected_improvement(1e15, 1e-3, 0), 1e15);
    QCOMPARE(surrogate::expected_improvement(0, 1, 1e15), 0.0);
    QVERIFY(near(surrogate::expected_improvement(0, 1e15, 1), 1e15 * 0.3989422804014327, 1e-12));
    for (const double z : {36.5, 37.0, 37.5, 38.0, 38.5, 39.0, 40.0})  // where the density underflows
      QVERIFY(surrogate::expected_improvement(-z, 1, 0) >= 0 &&
              surrogate::expected_improvement(-z, 1, 0) < 1e-290);
  }

  void unit_does_not_matter() {
    base::Random random(printed_seed());
    for (int i = 0; i < 1000; ++i) {
      const double mean = 200 * random.uniform();
      const double deviation = 50 * random.uniform();
      // A power of two scales without rounding.
      QCOMPARE(surrogate::expected_improvement(0x1p30 * mean, 0x1p30 * deviation, 0x1p30 * 100),
               0x1p30 * surrogate::expected_improvement(mean, deviation, 100));
    }
  }
};

KERNELSCAPE_PLAIN_TEST(SurrogateExpectedImprovementTest)

}  // namespace kernelscape::surrogate_expected_improvement_test
#include "surrogate_expected_improvement_test.moc"
