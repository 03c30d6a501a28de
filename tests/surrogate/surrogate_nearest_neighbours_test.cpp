#include <QTest>
#include <algorithm>
#include <cmath>
#include <random>

#include "core/base/random.h"
#include "core/surrogate/nearest_neighbours.h"
#include "tests/test_program.h"

namespace kernelscape::surrogate_nearest_neighbours_test {

namespace {

struct Observed {
  std::vector<double> point;
  double value;
};

/** Equation 4 as the paper writes it. */
double reference_distance(const std::vector<double>& x, const std::vector<double>& z) {
  double distance = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (x[i] == 0 && z[i] == 0) continue;
    distance += std::fabs(x[i] - z[i]) / (std::fabs(x[i]) + std::fabs(z[i]));
  }
  return distance;
}

std::vector<surrogate::Neighbour> reference_nearest(const std::vector<Observed>& observed,
                                                    const std::vector<double>& query, std::size_t k,
                                                    surrogate::ZeroDistance zero_distance) {
  std::vector<surrogate::Neighbour> all;
  for (std::size_t i = 0; i < observed.size(); ++i) {
    const double distance = reference_distance(query, observed[i].point);
    if (zero_distance == surrogate::ZeroDistance::Measured || distance > 0) all.push_back({distance, i});
  }
  std::stable_sort(all.begin(), all.end(), [](const surrogate::Neighbour& a, const surrogate::Neighbour& b) {
    return a.distance < b.distance;
  });
  if (all.size() > k) all.resize(k);
  return all;
}

double reference_estimate(const std::vector<Observed>& observed,
                          const std::vector<surrogate::Neighbour>& nearest) {
  if (nearest.empty()) return 0;
  if (nearest[0].distance == 0) return observed[nearest[0].number].value;
  double weights = 0;
  double sum = 0;
  for (const surrogate::Neighbour& neighbour : nearest) {
    weights += 1 / neighbour.distance;
    sum += 1 / neighbour.distance * observed[neighbour.number].value;
  }
  return sum / weights;
}

}  // namespace

class SurrogateNearestNeighboursTest : public QObject {
  Q_OBJECT

 private slots:
  void canberra_distance_by_hand() {
    // |1-3|/4 + 0/0 + |0-5|/5 + |6-2|/8
    QCOMPARE(surrogate::canberra_distance(std::vector<double>{1, 0, 0, 6}, std::vector<double>{3, 0, 5, 2}),
             0.5 + 0 + 1 + 0.5);
    // opposite signs are as far apart as it gets
    QCOMPARE(surrogate::canberra_distance(std::vector<double>{-1}, std::vector<double>{7}), 1.0);
  }

  void estimate_by_hand() {
    surrogate::NearestNeighbours surrogate(1, 2, surrogate::ZeroDistance::Measured);
    QCOMPARE(surrogate.estimate(std::vector<double>{1}), 0.0);
    surrogate.add(std::vector<double>{3}, 10);  // distance to 1: 2/4
    surrogate.add(std::vector<double>{1}, 50);
    surrogate.add(std::vector<double>{7}, 90);  // distance to 3: 4/10, to 2: 5/9
    // nearest to 2: 3 at 1/5, 1 at 1/3; weights 5 and 3
    QCOMPARE(surrogate.estimate(std::vector<double>{2}), (5 * 10 + 3 * 50) / 8.0);
    QCOMPARE(surrogate.estimate(std::vector<double>{7}), 90.0);
  }

  void excluded_points_are_no_neighbours() {
    surrogate::NearestNeighbours surrogate(1, 1, surrogate::ZeroDistance::Excluded);
    surrogate.add(std::vector<double>{4}, 1);
    QCOMPARE(surrogate.estimate(std::vector<double>{4}), 0.0);
    surrogate.add(std::vector<double>{5}, 2);
    QCOMPARE(surrogate.estimate(std::vector<double>{4}), 2.0);
  }

  void equals_brute_force_data() {
    QTest::addColumn<int>("dimensions");
    QTest::addColumn<int>("values");  ///< per coordinate, at most
    QTest::addColumn<int>("points");
    QTest::addColumn<int>("smallest");
    QTest::addColumn<double>("unit");
    QTest::newRow("line") << 1 << 40 << 400 << 0 << 1.0;
    QTest::newRow("binary: nearly all distances tie") << 9 << 2 << 900 << 0 << 1.0;
    QTest::newRow("small space") << 3 << 5 << 700 << 0 << 1.0;
    QTest::newRow("like a schedule") << 9 << 30 << 3000 << 0 << 1.0;
    QTest::newRow("negative values") << 4 << 9 << 1500 << -4 << 1.0;
    QTest::newRow("values that are no integers") << 5 << 12 << 1500 << 0 << 0.1;
    QTest::newRow("no zeros") << 6 << 4 << 2000 << 1 << 1.0;
    QTest::newRow("one point many times") << 2 << 1 << 300 << 3 << 1.0;
  }

  void equals_brute_force() {
    QFETCH(int, dimensions);
    QFETCH(int, values);
    QFETCH(int, points);
    QFETCH(int, smallest);
    QFETCH(double, unit);
    const std::uint64_t seed = std::random_device{}();
    qInfo("seed %llu", static_cast<unsigned long long>(seed));
    base::Random random(seed);
    std::vector<std::uint64_t> counts;
    for (int i = 0; i < dimensions; ++i)
      counts.push_back(1 + random.below(static_cast<std::uint64_t>(values)));
    const auto draw = [&] {
      std::vector<double> point;
      for (const std::uint64_t count : counts)
        point.push_back((smallest + static_cast<double>(random.below(count))) * unit);
      return point;
    };
    for (const surrogate::ZeroDistance zero_distance :
         {surrogate::ZeroDistance::Measured, surrogate::ZeroDistance::Excluded}) {
      const std::size_t k = 1 + random.below(12);
      surrogate::NearestNeighbours surrogate(static_cast<std::size_t>(dimensions), k, zero_distance);
      std::vector<Observed> observed;
      for (int i = 0; i < points; ++i) {
        observed.push_back({draw(), random.chance(0.3) ? 0 : 100 * random.uniform()});
        surrogate.add(observed.back().point, observed.back().value);
        if (i % 7 != 0 && i + 1 != points) continue;
        const std::vector<double> query = draw();
        const auto expected = reference_nearest(observed, query, k, zero_distance);
        QVERIFY2(surrogate.nearest(query) == expected, qPrintable(QString("after %1 points").arg(i + 1)));
        QVERIFY(surrogate.estimate(query) == reference_estimate(observed, expected));  // to the last bit
      }
      QCOMPARE(surrogate.size(), observed.size());
    }
  }

  void refuses_points_of_another_space() {
    surrogate::NearestNeighbours surrogate(2, 1, surrogate::ZeroDistance::Measured);
    QVERIFY_EXCEPTION_THROWN(surrogate.add(std::vector<double>{1}, 1), std::invalid_argument);
    QVERIFY_EXCEPTION_THROWN(surrogate.estimate(std::vector<double>{1, 2, 3}), std::invalid_argument);
    QVERIFY_EXCEPTION_THROWN(surrogate::NearestNeighbours(0, 1, surrogate::ZeroDistance::Measured),
                             std::invalid_argument);
  }
};

KERNELSCAPE_PLAIN_TEST(SurrogateNearestNeighboursTest)

}  // namespace kernelscape::surrogate_nearest_neighbours_test
#include "surrogate_nearest_neighbours_test.moc"
