#include <QTest>
#include <algorithm>
#include <cmath>

#include "core/surrogate/source_model.h"
#include "core/surrogate/source_weights.h"
#include "tests/surrogate/printed_seed.h"
#include "tests/test_program.h"

namespace kernelscape::surrogate_source_weights_test {
namespace {

constexpr std::uint32_t levels = 12;

std::vector<base::GridColumn> columns() {
  base::GridColumn column;
  for (std::uint32_t level = 0; level < levels; ++level)
    column.positions.push_back(level / static_cast<double>(levels - 1));
  return {column, column, column};
}

surrogate::ProductKernel kernel() { return {columns(), surrogate::Correlation::Exponential, 0.2, {1, 1, 1}}; }

/** ln time: every point has one, no smooth function explains all of it. */
double value_at(const base::GridPoint& point) {
  return std::sin(1.7 * point[0]) + std::cos(0.9 * point[1] * point[2]) + 0.1 * point[2];
}

std::vector<base::GridPoint> random_points(std::size_t count, base::Random& random) {
  std::vector<base::GridPoint> points;
  const auto level = [&] { return static_cast<std::uint32_t>(random.below(levels)); };
  for (std::size_t i = 0; i < count; ++i) points.push_back({level(), level(), level()});
  return points;
}

std::vector<double> values_at(const std::vector<base::GridPoint>& points) {
  std::vector<double> values;
  for (const base::GridPoint& point : points) values.push_back(value_at(point));
  return values;
}

std::vector<surrogate::SourceWeight> weights_of(const std::vector<base::GridPoint>& points,
                                                const std::vector<std::vector<double>>& sources,
                                                base::Random random) {
  return surrogate::source_weights(kernel(), 1e-3, points, values_at(points), sources, random);
}

}  // namespace

class SurrogateSourceWeightsTest : public QObject {
  Q_OBJECT

 private slots:
  static void a_shifted_and_scaled_source_is_used() {
    base::Random random(printed_seed());
    const std::vector<base::GridPoint> points = random_points(40, random);
    std::vector<double> source = values_at(points);
    for (double& value : source) value = 3 + value / 1.3;
    const auto weights = weights_of(points, {source}, random.fork("draws"));
    QVERIFY2(weights[0].weight > 0.9, qPrintable(QString::number(weights[0].weight)));
    QVERIFY2(std::abs(weights[0].slope - 1.3) < 0.1, qPrintable(QString::number(weights[0].slope)));
  }

  static void shuffled_sources_are_not_used_beside_a_good_one() {
    base::Random random(printed_seed());
    const std::vector<base::GridPoint> points = random_points(40, random);
    std::vector<std::vector<double>> sources{values_at(points)};
    for (int i = 0; i < 4; ++i) {
      sources.push_back(values_at(points));
      random.shuffle(std::span(sources.back()));
    }
    const auto weights = weights_of(points, sources, random.fork("draws"));
    QVERIFY2(weights[0].weight > 0.9, qPrintable(QString::number(weights[0].weight)));
    double others = 0;
    for (std::size_t i = 1; i < weights.size(); ++i) others += weights[i].weight * weights[i].slope;
    QVERIFY2(others < 0.1, qPrintable(QString::number(others)));
  }

  /** On average over sources: a single one may be right by chance. */
  static void wrong_sources_alone_are_hardly_used() {
    base::Random random(printed_seed());
    double sum = 0;
    constexpr int rounds = 20;
    for (int round = 0; round < rounds; ++round) {
      const std::vector<base::GridPoint> points = random_points(30, random);
      std::vector<double> source = values_at(points);
      random.shuffle(std::span(source));
      const auto weights = weights_of(points, {source}, random.fork(std::to_string(round)));
      sum += weights[0].weight * weights[0].slope;
    }
    QVERIFY2(sum / rounds < 0.1, qPrintable(QString::number(sum / rounds)));
  }

  static void few_or_equal_trials_say_nothing() {
    base::Random random(printed_seed());
    const std::vector<base::GridPoint> points = random_points(2, random);
    const surrogate::SourceWeight half{0.5, 1};
    QVERIFY((weights_of(points, {{1, 2}, {2, 1}}, random) == std::vector{half, half}));
    const std::vector<base::GridPoint> equal(5, points[0]);
    const std::vector<double> source(5, 1.0);
    QVERIFY((weights_of(equal, {source, source}, random) == std::vector{half, half}));
  }

  static void equal_random_numbers_give_equal_weights() {
    base::Random random(printed_seed());
    const std::vector<base::GridPoint> points = random_points(25, random);
    std::vector<double> source = values_at(points);
    for (double& value : source) value += random.normal();
    QVERIFY(weights_of(points, {source}, base::Random(7)) == weights_of(points, {source}, base::Random(7)));
  }

  /** The posterior mean is computed once and by a product with weights; here by the process itself. */
  static void a_source_predicts_its_posterior_mean_and_what_it_measured() {
    base::Random random(printed_seed());
    std::vector<surrogate::GridObservation> trials;
    for (const base::GridPoint& point : random_points(60, random))
      trials.push_back({point, std::exp(-value_at(point)), true, 0});
    const base::GridPoint failed{0, 0, 0};
    std::erase_if(trials, [&](const auto& trial) { return trial.point == failed; });
    trials.push_back({failed, 0, false, 0});
    std::vector<surrogate::MappedColumn> mapping;
    for (std::size_t column = 0; column < 3; ++column) {
      mapping.push_back({.target = column});
      for (std::uint32_t level = 0; level < levels; ++level) mapping.back().levels.push_back(level);
    }
    const surrogate::SourceModel source(columns(), mapping, {}, trials, random.fork("fit"));
    surrogate::SpaceModel model(columns(), {}, random.fork("fit"));
    for (const surrogate::GridObservation& trial : trials) model.observe(trial);
    model.update();
    const double mean = model.performance().mean();
    double slowest = -1e9;
    for (const surrogate::GridObservation& trial : trials) {
      if (!trial.valid) continue;
      const double value = model.value_of(trial.fitness) - mean;
      QVERIFY(std::abs(source.predict(trial.point) - value) < 1e-9);
      slowest = std::max(slowest, value);
    }
    QVERIFY(std::abs(source.predict(failed) - slowest) < 1e-9);
    for (const base::GridPoint& point : random_points(50, random)) {
      if (std::ranges::find(trials, point, &surrogate::GridObservation::point) != trials.end()) continue;
      const double expected = model.performance().predict(point).mean - mean;
      QVERIFY2(std::abs(source.predict(point) - expected) < 1e-3, qPrintable(QString::number(expected)));
    }
  }
};

KERNELSCAPE_PLAIN_TEST(SurrogateSourceWeightsTest)

}  // namespace kernelscape::surrogate_source_weights_test
#include "surrogate_source_weights_test.moc"
