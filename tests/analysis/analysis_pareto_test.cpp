#include <QTest>
#include <cmath>
#include <limits>
#include <set>

#include "core/analysis/pareto.h"
#include "core/base/random.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/test_program.h"

namespace kernelscape::analysis_pareto_test {

using analysis::Better;

namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN();

bool at_least_as_good(double a, double b, Better better) { return better == Better::Less ? a <= b : a >= b; }

/** The definition: compares every pair of points. */
std::set<std::size_t> front_by_definition(const analysis::Objective& x, const analysis::Objective& y) {
  std::set<std::size_t> front;
  for (std::size_t i = 0; i < x.values.size(); ++i) {
    bool on_front = !std::isnan(x.values[i]) && !std::isnan(y.values[i]);
    for (std::size_t j = 0; j < x.values.size() && on_front; ++j) {
      if (std::isnan(x.values[j]) || std::isnan(y.values[j])) continue;
      const bool as_good = at_least_as_good(x.values[j], x.values[i], x.better) &&
                           at_least_as_good(y.values[j], y.values[i], y.better);
      on_front = !(as_good && (x.values[j] != x.values[i] || y.values[j] != y.values[i]));
    }
    if (on_front) front.insert(i);
  }
  return front;
}

/** Few different values, so that ties and duplicates are frequent, and some without one. */
std::vector<double> random_values(base::Random& random, std::size_t count) {
  const auto different = static_cast<std::uint64_t>(1 + random.below(12));
  std::vector<double> values(count);
  for (double& value : values) {
    value = random.chance(0.1) ? none : static_cast<double>(random.below(different)) - 3;
    if (random.chance(0.02)) value = std::numeric_limits<double>::infinity();
  }
  return values;
}

analysis::Column metric_column(const std::string& name, const std::string& unit) {
  return {.name = name, .title = name, .unit = unit, .metric = 0};
}

}  // namespace

class AnalysisParetoTest : public QObject {
  Q_OBJECT

 private slots:
  void fronts_are_those_of_the_definition() {
    base::Random random(testing::random_seed());
    for (int round = 0; round < 400; ++round) {
      const std::size_t count = random.below(60);
      const std::vector<double> x = random_values(random, count);
      const std::vector<double> y = random_values(random, count);
      const analysis::Objective along{x, random.chance(0.5) ? Better::Less : Better::More};
      const analysis::Objective up{y, random.chance(0.5) ? Better::Less : Better::More};
      const std::vector<std::size_t> front = analysis::pareto_front(along, up);
      const std::set<std::size_t> positions(front.begin(), front.end());
      QCOMPARE(positions.size(), front.size());
      QVERIFY(positions == front_by_definition(along, up));
      for (std::size_t i = 1; i < front.size(); ++i) {
        QVERIFY(at_least_as_good(x[front[i - 1]], x[front[i]], along.better));
        QVERIFY(at_least_as_good(y[front[i]], y[front[i - 1]], up.better));
      }
    }
  }

  void equal_points_are_all_on_the_front() {
    const std::vector<double> x{1, 2, 1, 2, 3};
    const std::vector<double> y{5, 4, 5, 5, 4};
    QVERIFY(analysis::pareto_front({x, Better::Less}, {y, Better::Less}) ==
            (std::vector<std::size_t>{0, 2, 1}));
  }

  void a_large_set_has_its_front() {
    constexpr std::size_t count = 200'000;
    std::vector<double> x(count);
    std::vector<double> y(count);
    for (std::size_t i = 0; i < count; ++i) {
      x[i] = static_cast<double>(i);
      y[i] = static_cast<double>(count - i);
    }
    QCOMPARE(analysis::pareto_front({x, Better::Less}, {y, Better::Less}).size(), count);
    QCOMPARE(analysis::pareto_front({x, Better::More}, {y, Better::Less}),
             std::vector<std::size_t>{count - 1});
  }

  void directions_follow_units_and_names() {
    QVERIFY(analysis::usual_direction(metric_column("energy", "J")) == Better::Less);
    QVERIFY(analysis::usual_direction(metric_column("code_size", "B")) == Better::Less);
    QVERIFY(analysis::usual_direction(metric_column("GFLOP/s", "")) == Better::More);
    QVERIFY(analysis::usual_direction(metric_column("traffic", "GB/s")) == Better::More);
    QVERIFY(analysis::usual_direction(metric_column("Accuracy", "%")) == Better::More);
    for (const char* more : {"GFLOPS", "l2_hit rate", "dram.throughput"})
      QVERIFY(analysis::usual_direction(metric_column(more, "")) == Better::More);
    // Parts of words are other words.
    for (const char* less : {"white_pixels", "architecture", "inaccuracy"})
      QVERIFY(analysis::usual_direction(metric_column(less, "")) == Better::Less);
    QVERIFY(analysis::usual_direction({.name = "ms", .measured = trial::Measured::Milliseconds}) ==
            Better::Less);
    QVERIFY(analysis::usual_direction({.name = "gflops", .measured = trial::Measured::Gflops}) ==
            Better::More);
  }

  /** A failed trial may have a small metric, and is no candidate. */
  void failures_are_left_out() {
    const auto space =
        space::SearchSpace::make(
            {space::Knob::ordinal("x", {std::int64_t{1}, std::int64_t{2}, std::int64_t{3}}).value()})
            .value();
    trial::Table table(1);
    for (std::uint32_t index = 0; index < 3; ++index) {
      trial::Row row{.number = index, .sample_count = 1, .median_seconds = 1.0 + index};
      if (index == 0) row.category = trial::ErrorCategory::WrongAnswer;
      table.append(row, {{index}}, std::vector<double>{static_cast<double>(index)});
    }
    const analysis::TrialColumns columns(space, 0, false, {}, false, false, {{"energy", "J"}});
    const std::vector<std::int64_t> rows{0, 1, 2};
    const std::size_t energy = columns.find("energy").value();
    const std::vector<double> values = analysis::objective_values(columns, table.snapshot(), rows, energy);
    QVERIFY(std::isnan(values[0]));
    QCOMPARE(values[1], 1.0);
    QCOMPARE(values[2], 2.0);
    QCOMPARE(columns.columns()[energy].unit, std::string("J"));
  }

  void bandwidth_is_derived_from_the_bytes_of_a_call() {
    const auto space =
        space::SearchSpace::make({space::Knob::ordinal("x", {std::int64_t{1}, std::int64_t{2}}).value()})
            .value();
    trial::Table table(1);
    table.append({.sample_count = 1, .median_seconds = 2e-3}, {{0}});
    table.append({.number = 1, .category = trial::ErrorCategory::WrongAnswer}, {{1}});
    const analysis::TrialColumns columns(space, 0, false, {}, false, false, {}, 6e6);
    const std::size_t bandwidth = columns.find("gbs").value();
    QCOMPARE(columns.value(table.snapshot(), 0, bandwidth), 3.0);
    QVERIFY(std::isnan(columns.value(table.snapshot(), 1, bandwidth)));
    QVERIFY(!analysis::TrialColumns(space, 0).find("gbs"));
  }

  /** A metric keeps its name in filters unless a knob or a measured column has it. */
  void metrics_beside_knobs_of_their_name() {
    const auto space =
        space::SearchSpace::make({space::Knob::ordinal("energy", {std::int64_t{1}, std::int64_t{2}}).value()})
            .value();
    trial::Table table(1);
    table.append({.sample_count = 1, .median_seconds = 1}, {{1}}, std::vector<double>{7, 0.5});
    const analysis::TrialColumns columns(space, 0, false, {}, false, false, {{"energy", "J"}, {"ms", ""}});
    const auto value = [&](std::string_view name) {
      return columns.value(table.snapshot(), 0, columns.find(name).value());
    };
    QCOMPARE(value("energy"), 2.0);
    QCOMPARE(value("metric.energy"), 7.0);
    QCOMPARE(value("metric.ms"), 0.5);
    QCOMPARE(value("ms"), 1000.0);
  }
};

KERNELSCAPE_PLAIN_TEST(AnalysisParetoTest)

}  // namespace kernelscape::analysis_pareto_test
#include "analysis_pareto_test.moc"
