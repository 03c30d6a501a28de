#include <QTest>
#include <cmath>
#include <limits>
#include <random>

#include "core/base/random.h"
#include "core/surrogate/column_selection.h"
#include "core/surrogate/gradient_boosting.h"
#include "core/surrogate/recall.h"
#include "tests/surrogate/printed_seed.h"
#include "tests/test_program.h"

namespace kernelscape::surrogate_gradient_boosting_test {

namespace {

constexpr std::size_t columns = 4;

struct Table {
  std::vector<float> features;
  std::vector<float> labels;
  surrogate::BoostingData data() const { return {features, columns, labels, {}}; }
};

/** Labels in [0, 1] that depend on two of the four columns. */
Table make_table(std::size_t rows, base::Random& random) {
  Table table;
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t i = 0; i < columns; ++i) table.features.push_back(static_cast<float>(random.below(16)));
    const float* last = table.features.data() + row * columns;
    table.labels.push_back((last[0] + last[2] * (last[0] > 7 ? 1.0F : 0.2F)) / 30);
  }
  return table;
}

/** Share of pairs whose order the predictions get right. */
double concordance(std::span<const float> predicted, std::span<const float> labels) {
  double right = 0;
  double pairs = 0;
  for (std::size_t a = 0; a < labels.size(); ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      if (labels[a] == labels[b]) continue;
      pairs += 1;
      right += (predicted[a] < predicted[b]) == (labels[a] < labels[b]) ? 1 : 0;
    }
  }
  return right / pairs;
}

}  // namespace

class SurrogateGradientBoostingTest : public QObject {
  Q_OBJECT

 private slots:
  void ranks_keep_the_order_of_equals() {
    QCOMPARE(surrogate::descending_ranks(std::vector<float>{2, 5, 2, 9, 0}),
             (std::vector<std::size_t>{2, 1, 3, 0, 4}));
  }

  void average_recall_by_hand() {
    // By prediction: items 1, 0, 3, 2, with true ranks 1, 0, 3, 2.
    // c_0 = 0/1; c_1 = #{1 <= 1}/2 = 1/2; c_2 = #{1, 0 <= 2}/3 = 2/3; c_3 = #{1, 0, 3 <= 3}/4 = 3/4
    const std::vector<float> predictions{0.5F, 0.9F, 0.1F, 0.3F};
    const std::vector<std::size_t> ranks{0, 1, 2, 3};
    QCOMPARE(surrogate::average_recall(predictions, ranks, 2), (0 + 1.0 / 2) / 2);
    QCOMPARE(surrogate::average_recall(predictions, ranks, 4), (0 + 1.0 / 2 + 2.0 / 3 + 3.0 / 4) / 4);
    QCOMPARE(surrogate::average_recall(predictions, ranks, 8), (0 + 1.0 / 2 + 2.0 / 3 + 3.0 / 4) / 8);
  }

  void wrong_order_has_no_recall_at_the_top() {
    const std::vector<float> predictions{4, 3, 2, 1};
    const std::vector<std::size_t> ranks{3, 2, 1, 0};
    QCOMPARE(surrogate::average_recall(predictions, ranks, 2), 0.0);
  }

  void learns_the_order_data() {
    QTest::addColumn<bool>("rank");
    QTest::newRow("pairwise rank") << true;
    QTest::newRow("regression") << false;
  }

  void learns_the_order() {
    QFETCH(bool, rank);
    const std::uint64_t seed = std::random_device{}();
    qInfo("seed %llu", static_cast<unsigned long long>(seed));
    base::Random random(seed);
    const Table training = make_table(400, random);
    const Table fresh = make_table(200, random);
    surrogate::BoostingParameters parameters;
    parameters.objective =
        rank ? surrogate::BoostingObjective::PairwiseRank : surrogate::BoostingObjective::Regression;
    const auto model = surrogate::GradientBoosting::train(training.data(), parameters, {});
    QVERIFY(model.has_value());
    QVERIFY(model->rounds() < 8000);
    const auto predicted = model->predict(fresh.features);
    QVERIFY(predicted.has_value());
    QVERIFY(concordance(*predicted, fresh.labels) > 0.8);
  }

  void same_data_gives_the_same_model() {
    base::Random random(7);
    const Table table = make_table(300, random);
    const auto first = surrogate::GradientBoosting::train(table.data(), {}, {});
    const auto second = surrogate::GradientBoosting::train(table.data(), {}, {});
    QVERIFY(first && second);
    QCOMPARE(first->rounds(), second->rounds());
    QCOMPARE(*first->predict(table.features), *second->predict(table.features));
    // One row at a time is the same as all at once.
    QCOMPARE(first->predict(std::span(table.features).first(columns))->front(),
             first->predict(table.features)->front());
  }

  void patience_ends_the_training() {
    // One label only: the recall of the first round is never beaten.
    const std::vector<float> features(columns * 10, 1);
    const std::vector<float> labels(10, 0.5F);
    const auto model = surrogate::GradientBoosting::train({features, columns, labels, {}}, {},
                                                          {.maximum = 100, .patience = 5});
    QVERIFY(model.has_value());
    QCOMPARE(model->rounds(), 6);
    QCOMPARE(
        surrogate::GradientBoosting::train({features, columns, labels, {}}, {}, {.maximum = 3, .patience = 5})
            ->rounds(),
        3);
  }

  void base_margins_are_added() {
    base::Random random(11);
    const Table table = make_table(200, random);
    surrogate::BoostingParameters parameters;
    parameters.objective = surrogate::BoostingObjective::Regression;
    const std::vector<float> margins = table.labels;  // nothing is left to learn
    const auto model =
        surrogate::GradientBoosting::train({table.features, columns, table.labels, margins}, parameters, {});
    QVERIFY(model.has_value());
    const auto predicted = model->predict(table.features, margins);
    for (std::size_t i = 0; i < margins.size(); ++i) QVERIFY(std::abs((*predicted)[i] - margins[i]) < 1e-5F);
  }

  void columns_that_tell_rows_apart() {
    // Constant, new, equal to the second, its opposite, constant.
    const std::vector<float> features{1, 5, 5, -5, 0,      //
                                      1, 6, 6, -6, -0.0F,  //
                                      1, 5, 5, -5, 0};
    QCOMPARE(surrogate::informative_columns(features, 5), (std::vector<std::size_t>{1, 3}));
    QCOMPARE(surrogate::select_columns(features, 5, std::vector<std::size_t>{1, 3}),
             (std::vector<float>{5, -5, 6, -6, 5, -5}));
    QCOMPARE(surrogate::informative_columns(std::vector<float>{2, 2, 2, 2}, 2), std::vector<std::size_t>{0});
  }

  void useless_columns_change_nothing() {
    // A constant before, every column twice, and a constant behind.
    base::Random random(printed_seed());
    const Table table = make_table(200, random);
    const Table fresh = make_table(50, random);
    constexpr std::size_t wide = 2 * columns + 2;
    const auto widened = [](const Table& narrow) {
      std::vector<float> features;
      for (std::size_t row = 0; row < narrow.labels.size(); ++row) {
        const auto values = std::span(narrow.features).subspan(row * columns, columns);
        features.push_back(3);
        for (int copy = 0; copy < 2; ++copy) features.insert(features.end(), values.begin(), values.end());
        features.push_back(0);
      }
      return features;
    };
    const auto model = surrogate::GradientBoosting::train(table.data(), {}, {});
    const std::vector<float> features = widened(table);
    const auto wide_model = surrogate::GradientBoosting::train({features, wide, table.labels, {}}, {}, {});
    QVERIFY(model && wide_model);
    QCOMPARE(wide_model->columns(), wide);
    QCOMPARE(wide_model->rounds(), model->rounds());
    QCOMPARE(*wide_model->predict(widened(fresh)), *model->predict(fresh.features));
  }

  void columns_are_scored_by_their_splits() {
    // A constant, a small step, a constant, a large step, the small step again: with two levels every tree
    // splits on the large step, then on the small one on both sides.
    constexpr std::size_t wide = 5;
    constexpr int trees = 6;
    std::vector<float> features;
    std::vector<float> labels;
    for (int row = 0; row < 64; ++row) {
      const float small = row % 2 == 0 ? 3.0F : 8.0F;
      const float large = row % 4 < 2 ? -1.0F : 5.0F;
      features.insert(features.end(), {7, small, 0, large, small});
      labels.push_back((small > 5 ? 1.0F : 0.0F) + (large > 0 ? 4.0F : 0.0F));
    }
    surrogate::BoostingParameters parameters;
    parameters.objective = surrogate::BoostingObjective::Regression;
    parameters.maximum_depth = 2;
    parameters.l2_regularisation = 0;  // or a small step far from 0 gains nothing
    const auto model = surrogate::GradientBoosting::train({features, wide, labels, {}}, parameters,
                                                          {.maximum = trees, .patience = 100});
    QVERIFY(model.has_value());
    QCOMPARE(model->column_scores(surrogate::SplitScore::Count),
             (std::vector<double>{0, 2 * trees, 0, trees, 0}));
    const std::vector<double> gains = model->column_scores(surrogate::SplitScore::Gain);
    QCOMPARE(gains.size(), wide);
    QVERIFY(gains[0] == 0 && gains[2] == 0 && gains[4] == 0);
    QVERIFY(gains[1] > 0 && gains[3] > gains[1]);
  }

  void only_the_column_that_matters_has_a_score() {
    base::Random random(printed_seed());
    std::vector<float> features;
    std::vector<float> labels;
    for (int row = 0; row < 100; ++row) {
      for (std::size_t i = 0; i < columns; ++i) features.push_back(static_cast<float>(random.below(50)));
      labels.push_back(row % 3 == 0 ? 1.0F : 0.0F);
      features[static_cast<std::size_t>(row) * columns + 2] = row % 3 == 0 ? 40.0F : 10.0F;
    }
    surrogate::BoostingParameters parameters;
    parameters.objective = surrogate::BoostingObjective::Regression;
    const auto model = surrogate::GradientBoosting::train({features, columns, labels, {}}, parameters,
                                                          {.maximum = 5, .patience = 100});
    QVERIFY(model.has_value());
    QCOMPARE(model->column_scores(surrogate::SplitScore::Count), (std::vector<double>{0, 0, 5, 0}));
    const std::vector<double> gains = model->column_scores(surrogate::SplitScore::Gain);
    QVERIFY(gains[2] > 0 && gains[0] == 0 && gains[1] == 0 && gains[3] == 0);
  }

  void counts_of_splits_are_whole_and_fit_into_the_trees() {
    base::Random random(printed_seed());
    const Table table = make_table(300, random);
    const auto model = surrogate::GradientBoosting::train(table.data(), {}, {.maximum = 30});
    QVERIFY(model.has_value());
    double splits = 0;
    for (const double count : model->column_scores(surrogate::SplitScore::Count)) {
      QCOMPARE(count, std::floor(count));
      splits += count;
    }
    QVERIFY(splits > 0 && splits <= 7.0 * model->rounds());
  }

  void trees_without_a_split_score_nothing() {
    const std::vector<float> features(columns * 10, 1);
    const std::vector<float> labels(10, 0.5F);
    const auto model =
        surrogate::GradientBoosting::train({features, columns, labels, {}}, {}, {.maximum = 3});
    QVERIFY(model.has_value());
    QCOMPARE(model->column_scores(surrogate::SplitScore::Count), std::vector<double>(columns, 0.0));
    QCOMPARE(model->column_scores(surrogate::SplitScore::Gain), std::vector<double>(columns, 0.0));
  }

  void bad_data_is_an_error() {
    const std::vector<float> features{1, 2, 3, 4};
    const std::vector<float> labels{1};
    QVERIFY(!surrogate::GradientBoosting::train({}, {}, {}));
    QVERIFY(!surrogate::GradientBoosting::train({features, 3, labels, {}}, {}, {}));
    const std::vector<float> bad{std::numeric_limits<float>::infinity()};
    const auto model = surrogate::GradientBoosting::train({features, columns, bad, {}}, {}, {});
    QVERIFY(!model);
    QVERIFY(!model.error().message.empty());
    surrogate::BoostingParameters refused;
    refused.l2_regularisation = -1;
    const auto unfit = surrogate::GradientBoosting::train({features, columns, labels, {}}, refused, {});
    QVERIFY(!unfit);
    QVERIFY(QString::fromStdString(unfit.error().message).contains("XGBoost"));
  }
};

KERNELSCAPE_PLAIN_TEST(SurrogateGradientBoostingTest)

}  // namespace kernelscape::surrogate_gradient_boosting_test
#include "surrogate_gradient_boosting_test.moc"
