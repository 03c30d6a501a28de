#include <QTest>
#include <cmath>
#include <limits>

#include "core/base/random.h"
#include "core/surrogate/boosted_trees.h"
#include "core/surrogate/gradient_boosting.h"
#include "tests/surrogate/printed_seed.h"
#include "tests/test_program.h"

namespace kernelscape::surrogate_boosted_trees_test {

namespace {

constexpr std::size_t columns = 7;

struct RandomRows {
  std::vector<float> features;
  std::vector<float> labels;
};

/** A constant column in front, one that is another's copy behind, values of every size in between. */
RandomRows random_rows(std::size_t count, base::Random& random) {
  RandomRows rows;
  for (std::size_t row = 0; row < count; ++row) {
    std::vector<float> values{2.5F};
    for (std::size_t column = 1; column + 1 < columns; ++column)
      values.push_back(static_cast<float>(random.normal() * std::pow(10, static_cast<int>(column) - 3)));
    values.push_back(values[2]);
    rows.labels.push_back(values[2] > 0 ? values[4] * values[3] : values[5] / 50);
    rows.features.insert(rows.features.end(), values.begin(), values.end());
  }
  return rows;
}

surrogate::GradientBoosting trained(surrogate::BoostingObjective objective, const RandomRows& rows,
                                    int rounds) {
  surrogate::BoostingParameters parameters;
  parameters.objective = objective;
  parameters.maximum_depth = 5;
  parameters.subsample = 0.9;
  return *surrogate::GradientBoosting::train({rows.features, columns, rows.labels, {}}, parameters,
                                             {.maximum = rounds, .patience = rounds});
}

std::vector<float> predictions(const surrogate::BoostedTrees& trees, const RandomRows& rows) {
  std::vector<float> result;
  for (std::size_t row = 0; row < rows.labels.size(); ++row)
    result.push_back(trees.predict(std::span(rows.features).subspan(row * columns, columns)));
  return result;
}

}  // namespace

class SurrogateBoostedTreesTest : public QObject {
  Q_OBJECT

 private slots:
  void predict_what_the_library_predicts_data() {
    QTest::addColumn<bool>("rank");
    QTest::newRow("pairwise rank") << true;
    QTest::newRow("regression") << false;
  }
  void predict_what_the_library_predicts() {
    QFETCH(bool, rank);
    base::Random random(printed_seed());
    for (int i = 0; i < 5; ++i) {
      const RandomRows rows = random_rows(50 + random.below(300), random);
      const surrogate::GradientBoosting model = trained(
          rank ? surrogate::BoostingObjective::PairwiseRank : surrogate::BoostingObjective::Regression, rows,
          30);
      const auto trees = model.trees();
      QVERIFY2(trees.has_value(), trees ? "" : describe(trees.error()).c_str());
      QCOMPARE(trees->columns(), columns);
      QCOMPARE(trees->trees(), static_cast<std::size_t>(model.rounds()));
      const RandomRows fresh = random_rows(200, random);
      for (const RandomRows& asked : {rows, fresh})
        QCOMPARE(predictions(*trees, asked), *model.predict(asked.features));
      const auto again = surrogate::BoostedTrees::from_numbers(trees->to_numbers());
      QVERIFY2(again.has_value(), again ? "" : describe(again.error()).c_str());
      QCOMPARE(again->to_numbers(), trees->to_numbers());
      QCOMPARE(predictions(*again, fresh), predictions(*trees, fresh));
    }
  }

  void trees_that_ask_nothing_give_what_they_begin_with() {
    const RandomRows rows{std::vector<float>(columns * 10, 1), std::vector<float>(10, 0.5F)};
    const surrogate::GradientBoosting model = trained(surrogate::BoostingObjective::Regression, rows, 3);
    const auto trees = model.trees();
    QVERIFY(trees.has_value());
    QCOMPARE(predictions(*trees, rows), *model.predict(rows.features));
    QCOMPARE(surrogate::BoostedTrees::from_numbers(trees->to_numbers())->to_numbers(), trees->to_numbers());
  }

  void numbers_by_hand() {
    // Two columns, base 0.5: a tree that asks column 1 whether it is less than 3, and one leaf of 10.
    const std::vector<float> numbers{2, 0.5F, 2,  //
                                     3, 1,    3, 1, -1, 100, 0, -1, 200, 0, 1, -1, 10, 0};
    const auto trees = surrogate::BoostedTrees::from_numbers(numbers);
    QVERIFY2(trees.has_value(), trees ? "" : describe(trees.error()).c_str());
    QCOMPARE(trees->trees(), std::size_t{2});
    QCOMPARE(trees->predict(std::vector<float>{9, 2.9F}), 110.5F);
    QCOMPARE(trees->predict(std::vector<float>{9, 3}), 210.5F);
    QCOMPARE(trees->to_numbers(), numbers);
  }

  void damaged_numbers_are_refused_data() {
    QTest::addColumn<int>("place");
    QTest::addColumn<float>("number");
    const float no_number = std::numeric_limits<float>::quiet_NaN();
    QTest::newRow("no columns") << 0 << 0.0F;
    QTest::newRow("half a column") << 0 << 2.5F;
    QTest::newRow("columns beyond counting") << 0 << 1e30F;
    QTest::newRow("a base that is none") << 1 << no_number;
    QTest::newRow("fewer trees") << 2 << 1.0F;
    QTest::newRow("more trees") << 2 << 3.0F;
    QTest::newRow("trees that fill a memory") << 2 << 1e9F;
    QTest::newRow("a tree without nodes") << 3 << 0.0F;
    QTest::newRow("a tree of more nodes than numbers") << 3 << 1e7F;
    QTest::newRow("a column that rows lack") << 4 << 2.0F;
    QTest::newRow("a negative column") << 4 << -2.0F;
    QTest::newRow("a threshold that is none") << 5 << no_number;
    QTest::newRow("a node that asks itself") << 6 << 0.0F;
    QTest::newRow("a child behind the tree") << 6 << 2.0F;
    QTest::newRow("an infinite leaf") << 8 << std::numeric_limits<float>::infinity();
    QTest::newRow("a leaf with children") << 9 << 1.0F;
  }
  void damaged_numbers_are_refused() {
    QFETCH(int, place);
    QFETCH(float, number);
    std::vector<float> numbers{2, 0.5F, 2,  //
                               3, 1,    3, 1, -1, 100, 0, -1, 200, 0, 1, -1, 10, 0};
    numbers[static_cast<std::size_t>(place)] = number;
    const auto trees = surrogate::BoostedTrees::from_numbers(numbers);
    QVERIFY(!trees.has_value());
    QCOMPARE(static_cast<int>(trees.error().code), static_cast<int>(ErrorCode::Corrupt));
  }

  void cut_off_numbers_are_refused() {
    base::Random random(printed_seed());
    const RandomRows rows = random_rows(60, random);
    std::vector<float> numbers =
        trained(surrogate::BoostingObjective::Regression, rows, 4).trees()->to_numbers();
    for (std::size_t kept = 0; kept < numbers.size(); ++kept)
      QVERIFY(!surrogate::BoostedTrees::from_numbers(std::span(numbers).first(kept)));
    numbers.push_back(0);
    QVERIFY(!surrogate::BoostedTrees::from_numbers(numbers));
  }

  void whatever_is_read_answers() {
    base::Random random(printed_seed());
    const RandomRows rows = random_rows(60, random);
    const std::vector<float> numbers =
        trained(surrogate::BoostingObjective::Regression, rows, 6).trees()->to_numbers();
    int read = 0;
    for (int i = 0; i < 3000; ++i) {
      std::vector<float> changed = numbers;
      for (std::uint64_t change = 0; change <= random.below(3); ++change)
        changed[random.below(changed.size())] = random.chance(0.5) ? changed[random.below(changed.size())]
                                                                   : static_cast<float>(random.below(40)) - 5;
      // Fewer columns than a row has are as good.
      const auto trees = surrogate::BoostedTrees::from_numbers(changed);
      if (!trees || trees->columns() > columns) continue;
      ++read;
      for (const float prediction : predictions(*trees, rows)) QVERIFY(!std::isnan(prediction));
    }
    QVERIFY(read > 0);
  }
};

KERNELSCAPE_PLAIN_TEST(SurrogateBoostedTreesTest)

}  // namespace kernelscape::surrogate_boosted_trees_test
#include "surrogate_boosted_trees_test.moc"
