#include <QTest>
#include <cmath>
#include <limits>
#include <map>

#include "core/analysis/calibration.h"
#include "core/analysis/landscape/column_relevance.h"
#include "core/base/random.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/test_program.h"

namespace kernelscape::analysis_model_belief_test {

namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN();

analysis::SeriesSnapshot lengthscales(const std::map<std::string, double>& values, std::int64_t trial = 100) {
  analysis::SeriesTable table;
  for (const auto& [column, value] : values) table.set(trial, "lengthscale " + column, value);
  return table.snapshot();
}

std::vector<std::string> columns_of(const std::vector<analysis::ColumnRelevance>& relevance) {
  std::vector<std::string> columns;
  for (const analysis::ColumnRelevance& one : relevance) columns.push_back(one.column);
  return columns;
}

}  // namespace

class AnalysisModelBeliefTest : public QObject {
  Q_OBJECT

 private slots:
  void normal_errors_with_the_right_deviation_are_calibrated() {
    base::Random random(testing::random_seed());
    analysis::CalibrationCount right;
    analysis::CalibrationCount sure;
    analysis::CalibrationCount unsure;
    for (int trial = 0; trial < 20'000; ++trial) {
      const double predicted = 300 * random.uniform();
      const double deviation = 1 + 20 * random.uniform();
      const double measured = predicted + deviation * random.normal();
      right.add(predicted, deviation, measured);
      sure.add(predicted, deviation / 4, measured);
      unsure.add(predicted, deviation * 4, measured);
    }
    // Five standard errors of a share of 20,000 at most.
    const double slack = 5 * std::sqrt(0.25 / 20'000);
    QVERIFY(std::abs(right.calibration()->within_one - std::erf(std::sqrt(0.5))) < slack);
    QVERIFY(std::abs(right.calibration()->within_two - std::erf(std::sqrt(2.0))) < slack);
    QVERIFY(std::abs(sure.calibration()->within_one - std::erf(0.25 * std::sqrt(0.5))) < slack);
    QVERIFY(unsure.calibration()->within_one > 0.99);
    QCOMPARE(right.calibration()->trials, 20'000);
  }

  void calibration_counts_what_can_be_counted() {
    analysis::CalibrationCount count;
    for (int trial = 0; trial < 9; ++trial) count.add(10, 1, 11);  // on the border: within
    for (const double strange : {none, HUGE_VAL, -HUGE_VAL}) {
      count.add(strange, 1, 10);
      count.add(10, strange, 10);
      count.add(10, 1, strange);
    }
    count.add(10, -1, 10);
    QVERIFY(!count.calibration());
    count.add(10, 0, 10);  // sure, and right
    QVERIFY(count.calibration() == (analysis::Calibration{1, 1, 10}));
    for (int trial = 0; trial < 5; ++trial) count.add(10, 1, 8);
    for (int trial = 0; trial < 5; ++trial) count.add(10, 0, 11);
    QVERIFY(count.calibration() == (analysis::Calibration{0.5, 0.75, 20}));
  }

  void relevance_falls_with_the_lengthscale() {
    base::Random random(testing::random_seed());
    for (int round = 0; round < 1000; ++round) {
      const surrogate::KernelShape kernel{
          random.chance(0.5) ? surrogate::Correlation::Exponential : surrogate::Correlation::Matern32,
          0.9 * random.uniform()};
      const double shorter = 0.05 * std::pow(1000, random.uniform());
      const double longer = shorter * (1.01 + random.uniform());
      QVERIFY(analysis::relevance_of(shorter, kernel) > analysis::relevance_of(longer, kernel));
      QVERIFY(analysis::relevance_of(longer, kernel) > 0);
      QVERIFY(analysis::relevance_of(shorter, kernel) <= 1 - kernel.damping);
    }
    QCOMPARE(analysis::relevance_of(1), 0.8 * (1 - std::exp(-1)));
    QVERIFY(std::abs(analysis::relevance_of(0.02) - 0.8) < 1e-9);
    QVERIFY(analysis::relevance_of(50) < 0.016);
  }

  void relevance_is_what_the_kernel_loses() {
    base::Random random(testing::random_seed());
    for (int round = 0; round < 100; ++round) {
      const double damping = random.uniform();
      const surrogate::Correlation correlation =
          random.chance(0.5) ? surrogate::Correlation::Exponential : surrogate::Correlation::Matern32;
      const double tile = 0.02 + 3 * random.uniform();
      const double tile_inner = 0.02 + 3 * random.uniform();
      const double unroll = 0.02 + 3 * random.uniform();
      const base::GridColumn column{.positions = {0, 0.3, 1}};
      const surrogate::ProductKernel kernel({column, column, column}, correlation, damping,
                                            {tile, tile_inner, unroll});
      const auto relevance = analysis::column_relevance(
          lengthscales({{"tile[0]", tile}, {"tile[1]", tile_inner}, {"unroll", unroll}}),
          {correlation, damping});
      QCOMPARE(relevance.size(), std::size_t{3});
      for (const analysis::ColumnRelevance& one : relevance) {
        base::GridPoint moved{one.column == "tile[0]" ? 2U : 0U, one.column == "tile[1]" ? 2U : 0U,
                              one.column == "unroll" ? 2U : 0U};
        QVERIFY(std::abs(one.share - (1 - kernel({0, 0, 0}, moved))) < 1e-12);
        moved = one.knob == "tile" ? base::GridPoint{2, 2, 0} : base::GridPoint{0, 0, 2};
        QVERIFY(std::abs(one.knob_share - (1 - kernel({0, 0, 0}, moved))) < 1e-12);
      }
      QVERIFY(std::ranges::is_sorted(relevance, std::greater(), &analysis::ColumnRelevance::share));
    }
  }

  void the_latest_lengthscales_count() {
    analysis::SeriesTable table;
    QVERIFY(analysis::column_relevance(table.snapshot()).empty());
    QCOMPARE(analysis::latest_lengthscales(table.snapshot()), -1);
    table.set(7, "predicted_mean", 100);
    table.set(7, "lengthscale", 1);  // somebody else's series
    table.set(7, "lengthscale ", 1);
    QVERIFY(analysis::column_relevance(table.snapshot()).empty());
    table.set(120, "lengthscale order[ic]", 5);
    table.set(120, "lengthscale a", 0.5);
    table.set(120, "lengthscale b", 0.5);
    table.set(121, "lengthscale order[ic]", 0.1);
    table.set(121, "lengthscale short", 0.021);
    table.set(121, "lengthscale shorter", 0.02);
    table.set(500, "predicted_mean", 100);
    const auto relevance = analysis::column_relevance(table.snapshot());
    QCOMPARE(columns_of(relevance), std::vector<std::string>({"shorter", "short", "order[ic]", "a", "b"}));
    QCOMPARE(relevance[2].knob, std::string("order"));
    QCOMPARE(relevance[2].lengthscale, 0.1);
    QCOMPARE(analysis::latest_lengthscales(table.snapshot()), 121);
  }

  void what_is_no_lengthscale_is_left_out() {
    const auto relevance = analysis::column_relevance(
        lengthscales({{"a", 0}, {"b", -1}, {"c", HUGE_VAL}, {"d", 1e-300}, {"e", 1e300}, {"f", none}}));
    QCOMPARE(columns_of(relevance), std::vector<std::string>({"d", "e"}));
    for (const analysis::ColumnRelevance& one : relevance) QVERIFY(one.share >= 0 && one.share <= 0.8);
  }
};

KERNELSCAPE_PLAIN_TEST(AnalysisModelBeliefTest)

}  // namespace kernelscape::analysis_model_belief_test
#include "analysis_model_belief_test.moc"
