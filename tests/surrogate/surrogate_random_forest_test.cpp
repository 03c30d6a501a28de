#include <QTest>
#include <atomic>
#include <cmath>
#include <map>
#include <numeric>
#include <random>
#include <set>

#include "core/base/random.h"
#include "core/surrogate/random_forest.h"
#include "tests/test_program.h"

namespace kernelscape::surrogate_random_forest_test {

namespace {

struct Sample {
  std::vector<float> features;
  std::vector<double> labels;
  std::size_t columns = 0;

  surrogate::ForestData data() const { return {features, columns, labels}; }
  std::span<const float> row(std::size_t number) const {
    return std::span(features).subspan(number * columns, columns);
  }
};

/** Labels are multiples of 1/8, so that sums are exact and splits tie often. */
Sample random_sample(base::Random& random, std::size_t rows, std::size_t columns, std::uint64_t values) {
  Sample sample;
  sample.columns = columns;
  for (std::size_t i = 0; i < rows; ++i) {
    double label = static_cast<double>(random.below(20)) / 8 - 1;
    for (std::size_t c = 0; c < columns; ++c) {
      const auto value = static_cast<float>(random.below(values)) * (c % 2 == 0 ? 1.0F : 0.3F);
      sample.features.push_back(value);
      if (c < 2) label += std::floor(value);
    }
    sample.labels.push_back(label);
  }
  return sample;
}

struct NaiveSplit {
  double gain = 0;
  std::size_t column = 0;
  float threshold = 0;
};

/** The best split of a list of rows (one may be in it several times) on one column. */
void consider(const Sample& sample, const std::vector<std::size_t>& rows, std::size_t column,
              std::size_t minimum_leaf, NaiveSplit& best) {
  std::set<float> values;
  for (const std::size_t row : rows) values.insert(sample.row(row)[column]);
  for (auto value = values.begin(); std::next(value) != values.end(); ++value) {
    double below = 0;
    double sum_below = 0;
    double sum = 0;
    for (const std::size_t row : rows) {
      sum += sample.labels[row];
      if (sample.row(row)[column] > *value) continue;
      ++below;
      sum_below += sample.labels[row];
    }
    const auto count = static_cast<double>(rows.size());
    if (below < static_cast<double>(minimum_leaf) || count - below < static_cast<double>(minimum_leaf))
      continue;
    const double gain = std::pow(sum_below * count - sum * below, 2) / (below * (count - below));
    if (gain > best.gain) best = {gain, column, std::midpoint(*value, *std::next(value))};
  }
}

/** Compares a tree with one grown naively: the best column too, unless columns are drawn. Empty: none. */
QString difference(const Sample& sample, const std::vector<std::size_t>& rows,
                   const surrogate::RegressionTree& tree, std::size_t node_number,
                   const surrogate::ForestOptions& options, int depth) {
  const surrogate::TreeNode& node = tree.nodes()[node_number];
  double sum = 0;
  for (const std::size_t row : rows) sum += sample.labels[row];
  if (node.value != sum / static_cast<double>(rows.size()))
    return QString("value of node %1").arg(node_number);
  const bool all_columns = options.features_per_split == 1;
  NaiveSplit best;
  for (std::size_t column = 0; column < sample.columns; ++column) {
    if (all_columns || node.column == static_cast<int>(column))
      consider(sample, rows, column, options.minimum_leaf, best);
  }
  if (depth == options.maximum_depth && options.maximum_depth > 0) best = {};
  if (node.is_leaf()) return best.gain > 0 ? QString("node %1 is not split").arg(node_number) : QString();
  if (best.gain <= 0) return QString("node %1 is split").arg(node_number);
  if (node.column != static_cast<int>(best.column) || node.threshold != best.threshold)
    return QString("node %1 splits %2 at %3, not %4 at %5")
        .arg(node_number)
        .arg(node.column)
        .arg(static_cast<double>(node.threshold))
        .arg(best.column)
        .arg(static_cast<double>(best.threshold));
  std::vector<std::size_t> below;
  std::vector<std::size_t> above;
  for (const std::size_t row : rows) {
    if (sample.row(row)[best.column] <= best.threshold)
      below.push_back(row);
    else
      above.push_back(row);
  }
  const QString left = difference(sample, below, tree, node.below, options, depth + 1);
  return left.isEmpty() ? difference(sample, above, tree, node.below + 1, options, depth + 1) : left;
}

/** A node's column and threshold; a leaf has the column -1. */
using Question = std::pair<int, float>;

/** All of a tree's, below before above. */
void list_questions(const surrogate::RegressionTree& tree, std::size_t number,
                    std::vector<Question>& questions) {
  const surrogate::TreeNode& node = tree.nodes()[number];
  if (node.is_leaf()) {
    questions.emplace_back(-1, 0.0F);
    return;
  }
  questions.emplace_back(node.column, node.threshold);
  list_questions(tree, node.below, questions);
  list_questions(tree, node.below + 1, questions);
}

/** Draws columns as scikit-learn's splitter does: constant ones count, until one that differs was drawn. */
class CountedDraws {
 public:
  CountedDraws(const Sample& sample, std::size_t per_split, base::Random random)
      : sample_(sample), per_split_(per_split), random_(std::move(random)), order_(sample.columns) {
    std::iota(order_.begin(), order_.end(), std::size_t{0});
  }

  void grow(const std::vector<std::size_t>& rows, std::vector<Question>& questions) {
    const NaiveSplit best = split_of(rows);
    if (best.gain <= 0) {
      questions.emplace_back(-1, 0.0F);
      return;
    }
    questions.emplace_back(static_cast<int>(best.column), best.threshold);
    std::vector<std::size_t> below;
    std::vector<std::size_t> above;
    for (const std::size_t row : rows)
      (sample_.row(row)[best.column] <= best.threshold ? below : above).push_back(row);
    grow(below, questions);
    grow(above, questions);
  }

 private:
  NaiveSplit split_of(const std::vector<std::size_t>& rows) {
    std::set<double> labels;
    for (const std::size_t row : rows) labels.insert(sample_.labels[row]);
    NaiveSplit best;
    if (labels.size() < 2) return best;
    std::set<std::size_t> drawn;
    bool one_differs = false;
    for (std::size_t i = 0; i < order_.size() && (i < per_split_ || !one_differs); ++i) {
      std::swap(order_[i], order_[i + random_.below(order_.size() - i)]);
      drawn.insert(order_[i]);
      std::set<float> values;
      for (const std::size_t row : rows) values.insert(sample_.row(row)[order_[i]]);
      one_differs = one_differs || values.size() > 1;
    }
    for (const std::size_t column : drawn) consider(sample_, rows, column, 1, best);
    return best;
  }

  const Sample& sample_;
  std::size_t per_split_;
  base::Random random_;
  std::vector<std::size_t> order_;
};

std::vector<std::size_t> drawn_rows(const surrogate::ForestOptions& options, int tree, std::size_t rows) {
  std::vector<std::size_t> drawn;
  const std::vector<std::uint32_t> counts = surrogate::bootstrap_counts(options, tree, rows);
  for (std::size_t row = 0; row < rows; ++row) drawn.insert(drawn.end(), counts[row], row);
  return drawn;
}

std::uint64_t printed_seed() {
  const std::uint64_t seed = std::random_device{}();
  qInfo("seed %llu", static_cast<unsigned long long>(seed));
  return seed;
}

bool same_trees(const surrogate::RandomForest& a, const surrogate::RandomForest& b) {
  for (std::size_t i = 0; i < a.trees().size(); ++i)
    if (a.trees()[i].nodes() != b.trees()[i].nodes()) return false;
  return a.trees().size() == b.trees().size() && a.out_of_bag_r2() == b.out_of_bag_r2();
}

}  // namespace

class SurrogateRandomForestTest : public QObject {
  Q_OBJECT

 private slots:
  void tree_by_hand() {
    // The labels fall into 0..1 and 10..11 at 2.5; within the halves the second column says the rest.
    const Sample sample{{1, 0, 2, 1, 3, 0, 4, 1}, {0, 1, 10, 11}, 2};
    surrogate::ForestOptions options{.trees = 1, .bootstrap_share = 0};
    const auto forest = surrogate::RandomForest::train(sample.data(), options);
    QVERIFY(forest);
    const auto& nodes = forest->trees()[0].nodes();
    QCOMPARE(nodes.size(), std::size_t{7});
    QCOMPARE(nodes[0].column, 0);
    QCOMPARE(nodes[0].threshold, 2.5F);
    QCOMPARE(nodes[1].column, 0);  // ties with the second column: the lowest counts
    QCOMPARE(nodes[1].threshold, 1.5F);
    QCOMPARE(forest->predict(std::vector<float>{9, 0}), 11.0);
    QVERIFY(!forest->out_of_bag_r2());
    options.maximum_depth = 1;
    const auto stump = surrogate::RandomForest::train(sample.data(), options);
    QCOMPARE(stump->predict(std::vector<float>{9, 0}), 10.5);
    options.maximum_depth = 0;
    options.minimum_leaf = 3;
    QCOMPARE(surrogate::RandomForest::train(sample.data(), options)->predict(std::vector<float>{9, 0}), 5.5);
  }

  void equals_naive_cart_data() {
    QTest::addColumn<std::size_t>("rows");
    QTest::addColumn<std::size_t>("columns");
    QTest::addColumn<std::uint64_t>("values");
    QTest::addColumn<std::size_t>("minimum_leaf");
    QTest::addColumn<int>("maximum_depth");
    QTest::addColumn<double>("features_per_split");
    QTest::addColumn<double>("bootstrap_share");
    const auto add = [](const char* name, std::size_t rows, std::size_t columns, std::uint64_t values,
                        std::size_t leaf, int depth, double features, double bootstrap) {
      QTest::newRow(name) << rows << columns << values << leaf << depth << features << bootstrap;
    };
    add("two values: most splits tie", 120, 6, 2, 1, 0, 1.0, 0.0);
    add("like knobs", 300, 5, 6, 1, 0, 1.0, 0.0);
    add("bootstrap", 300, 5, 6, 3, 0, 1.0, 1.0);
    add("a third of the rows, shallow", 300, 3, 9, 2, 3, 1.0, 0.3);
    add("nearly all values differ", 150, 3, 1'000'000, 1, 0, 1.0, 1.0);
    add("one of four columns per split", 200, 4, 5, 2, 0, 0.25, 1.0);
    add("one row", 1, 2, 5, 1, 0, 1.0, 1.0);
    add("one column, one value", 40, 1, 1, 1, 0, 1.0, 1.0);
  }

  void equals_naive_cart() {
    QFETCH(std::size_t, rows);
    QFETCH(std::size_t, columns);
    QFETCH(std::uint64_t, values);
    QFETCH(double, bootstrap_share);
    QFETCH(double, features_per_split);
    QFETCH(int, maximum_depth);
    QFETCH(std::size_t, minimum_leaf);
    base::Random random(printed_seed());
    const Sample sample = random_sample(random, rows, columns, values);
    surrogate::ForestOptions options{.trees = 6, .seed = random.bits(), .threads = 2};
    options.minimum_leaf = minimum_leaf;
    options.maximum_depth = maximum_depth;
    options.features_per_split = features_per_split;
    options.bootstrap_share = bootstrap_share;
    const auto forest = surrogate::RandomForest::train(sample.data(), options);
    QVERIFY(forest);
    for (int tree = 0; tree < options.trees; ++tree) {
      const QString found = difference(sample, drawn_rows(options, tree, rows),
                                       forest->trees()[static_cast<std::size_t>(tree)], 0, options, 0);
      QVERIFY2(found.isEmpty(), qPrintable(found));
    }
  }

  /** Most columns are the same nearly everywhere, as most features of a loop nest are. */
  void constant_columns_count_as_drawn() {
    base::Random random(printed_seed());
    Sample sample = random_sample(random, 80, 12, 5);
    for (std::size_t row = 0; row < sample.labels.size(); ++row)
      for (std::size_t column = 3; column < 12; ++column)
        sample.features[row * 12 + column] = random.below(16) == 0 ? 1.0F : 0.0F;
    surrogate::ForestOptions options{.trees = 6, .features_per_split = 0.25, .seed = random.bits()};
    options.constant_columns = surrogate::ConstantColumns::Counted;
    const auto forest = surrogate::RandomForest::train(sample.data(), options);
    QVERIFY(forest);
    for (int tree = 0; tree < options.trees; ++tree) {
      std::vector<Question> grown;
      list_questions(forest->trees()[static_cast<std::size_t>(tree)], 0, grown);
      std::vector<Question> expected;
      CountedDraws(sample, 3, base::Random(options.seed).fork("tree " + std::to_string(tree) + " columns"))
          .grow(drawn_rows(options, tree, sample.labels.size()), expected);
      QVERIFY(grown == expected);
    }
    options.constant_columns = surrogate::ConstantColumns::Skipped;
    QVERIFY(!same_trees(*forest, *surrogate::RandomForest::train(sample.data(), options)));
  }

  /** Among constant columns alone none could be split. */
  void the_only_column_that_differs_is_found() {
    Sample sample{.features = {}, .labels = {1, 2, 3, 4}, .columns = 10};
    for (int row = 0; row < 4; ++row)
      for (int column = 0; column < 10; ++column)
        sample.features.push_back(column == 6 ? static_cast<float>(row) : 5.0F);
    surrogate::ForestOptions options{.trees = 8, .features_per_split = 0.1, .bootstrap_share = 0};
    options.constant_columns = surrogate::ConstantColumns::Counted;
    const auto forest = surrogate::RandomForest::train(sample.data(), options);
    QVERIFY(forest);
    for (std::size_t row = 0; row < 4; ++row) QCOMPARE(forest->predict(sample.row(row)), sample.labels[row]);
  }

  void estimates_are_those_of_the_trees() {
    base::Random random(printed_seed());
    const Sample sample = random_sample(random, 400, 4, 7);
    const auto forest = surrogate::RandomForest::train(sample.data(), {.trees = 9, .seed = random.bits()});
    const std::vector<surrogate::ForestEstimate> estimates = forest->estimates(sample.features, 2);
    QCOMPARE(estimates.size(), sample.labels.size());
    bool trees_differ = false;
    for (std::size_t row = 0; row < sample.labels.size(); ++row) {
      const std::vector<double> trees = forest->tree_predictions(sample.row(row));
      QCOMPARE(trees.size(), std::size_t{9});
      const double mean = std::accumulate(trees.begin(), trees.end(), 0.0) / 9;
      double variance = 0;
      for (const double tree : trees) variance += (tree - mean) * (tree - mean) / 9;
      QCOMPARE(forest->predict(sample.row(row)), mean);
      QCOMPARE(estimates[row].mean, mean);
      QVERIFY(std::fabs(estimates[row].deviation - std::sqrt(variance)) < 1e-12);
      trees_differ = trees_differ || variance > 0;
    }
    QVERIFY(trees_differ);
  }

  void out_of_bag_r2_is_that_of_unseen_rows() {
    base::Random random(printed_seed());
    const Sample sample = random_sample(random, 300, 4, 7);
    const surrogate::ForestOptions options{
        .trees = 5, .minimum_leaf = 2, .bootstrap_share = 0.6, .seed = random.bits()};
    const auto forest = surrogate::RandomForest::train(sample.data(), options);
    std::map<std::size_t, std::vector<double>> votes;
    for (int tree = 0; tree < options.trees; ++tree) {
      const std::vector<std::uint32_t> counts =
          surrogate::bootstrap_counts(options, tree, sample.labels.size());
      QCOMPARE(std::accumulate(counts.begin(), counts.end(), 0U), 180U);
      for (std::size_t row = 0; row < counts.size(); ++row) {
        if (counts[row] == 0)
          votes[row].push_back(forest->trees()[static_cast<std::size_t>(tree)].predict(sample.row(row)));
      }
    }
    double mean = 0;
    for (const auto& [row, unused] : votes) mean += sample.labels[row] / static_cast<double>(votes.size());
    double error = 0;
    double deviation = 0;
    for (const auto& [row, values] : votes) {
      const double vote =
          std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
      error += std::pow(sample.labels[row] - vote, 2);
      deviation += std::pow(sample.labels[row] - mean, 2);
    }
    QVERIFY(std::fabs(*forest->out_of_bag_r2() - (1 - error / deviation)) < 1e-9);
    QVERIFY(*forest->out_of_bag_r2() > 0.5);  // two columns say nearly all
  }

  void noise_is_not_explained() {
    base::Random random(5);
    Sample sample = random_sample(random, 500, 3, 8);
    for (double& label : sample.labels) label = random.normal();
    QVERIFY(
        *surrogate::RandomForest::train(sample.data(), {.trees = 30, .minimum_leaf = 3})->out_of_bag_r2() <
        0.2);
  }

  void threads_change_nothing_and_seeds_do() {
    base::Random random(printed_seed());
    const Sample sample = random_sample(random, 6000, 5, 9);
    surrogate::ForestOptions options{.trees = 7, .minimum_leaf = 4, .features_per_split = 0.4, .seed = 11};
    const auto one = surrogate::RandomForest::train(sample.data(), options);
    options.threads = 4;
    QVERIFY(same_trees(*one, *surrogate::RandomForest::train(sample.data(), options)));
    options.seed = 12;
    QVERIFY(!same_trees(*one, *surrogate::RandomForest::train(sample.data(), options)));
  }

  void bins_are_places_among_the_sorted_values() {
    base::Random random(printed_seed());
    constexpr std::size_t rows = 700;
    const std::vector<float> special{0.0F, -0.0F, 1e-40F, -1e-40F, 3e38F, -3e38F, 1.0F, -1.0F};
    std::vector<float> column;
    for (std::size_t row = 0; row < rows; ++row) {
      const double number = std::exp(160 * random.uniform() - 80) * (random.chance(0.5) ? 1 : -1);
      const bool usual = random.chance(0.5);
      column.push_back(usual ? static_cast<float>(number) : special[random.below(special.size())]);
    }
    const std::set<float> distinct(column.begin(), column.end());
    const std::vector<float> sorted(distinct.begin(), distinct.end());
    for (const std::size_t bins : {std::size_t{1}, std::size_t{2}, std::size_t{7}, std::size_t{65'536}}) {
      const surrogate::BinnedFeatures binned(column, 1, bins);
      const std::size_t count = std::min(bins, sorted.size());
      QCOMPARE(binned.bins(0), count);
      for (std::size_t row = 0; row < rows; ++row) {
        const auto rank =
            static_cast<std::size_t>(std::ranges::lower_bound(sorted, column[row]) - sorted.begin());
        const std::size_t bin = binned.codes(0)[row];
        QVERIFY(bin * sorted.size() / count <= rank && rank < (bin + 1) * sorted.size() / count);
        if (bin > 0) QVERIFY(column[row] > binned.threshold(0, bin - 1, bin));
        if (bin + 1 < count) QVERIFY(column[row] <= binned.threshold(0, bin, bin + 1));
      }
    }
  }

  void constant_columns_are_no_questions() {
    // Only one of 40 columns says anything: it is found however few columns a split examines.
    base::Random random(printed_seed());
    Sample sample;
    sample.columns = 40;
    for (std::size_t row = 0; row < 300; ++row) {
      const auto value = static_cast<float>(random.below(9));
      for (std::size_t column = 0; column < 40; ++column)
        sample.features.push_back(column == 23 ? value : static_cast<float>(column));
      sample.labels.push_back(value * value);
    }
    const auto forest =
        surrogate::RandomForest::train(sample.data(), {.features_per_split = 0.025, .seed = random.bits()});
    for (const surrogate::RegressionTree& tree : forest->trees()) {
      for (const surrogate::TreeNode& node : tree.nodes()) QVERIFY(node.is_leaf() || node.column == 23);
    }
    for (std::size_t row = 0; row < 300; ++row) {
      const surrogate::ForestEstimate estimate = forest->estimate(sample.row(row));
      QVERIFY(std::fabs(estimate.mean - sample.labels[row]) < 1e-9 && estimate.deviation < 1e-9);
    }
  }

  void bins_join_neighbouring_values() {
    base::Random random(printed_seed());
    const Sample sample = random_sample(random, 500, 2, 1'000'000);
    const auto forest =
        surrogate::RandomForest::train(sample.data(), {.trees = 3, .bootstrap_share = 0, .max_bins = 4});
    std::set<std::pair<int, float>> questions;
    for (const surrogate::TreeNode& node : forest->trees()[0].nodes())
      if (!node.is_leaf()) questions.insert({node.column, node.threshold});
    QVERIFY(!questions.empty());
    QVERIFY(questions.size() <= 6 * 3);  // thresholds between two bins that need not be neighbours
    for (const auto& [column, threshold] : questions) {
      std::size_t below = 0;
      for (std::size_t row = 0; row < 500; ++row)
        below += sample.row(row)[static_cast<std::size_t>(column)] <= threshold ? 1U : 0U;
      QVERIFY2(below % 125 <= 2 || below % 125 >= 123, qPrintable(QString::number(below)));
    }
  }

  void can_be_given_up() {
    base::Random random(3);
    const Sample sample = random_sample(random, 5000, 3, 50);
    for (const int threads : {1, 3}) {
      std::atomic<int> asked{0};
      const auto stopped = surrogate::RandomForest::train(sample.data(), {.trees = 40, .threads = threads},
                                                          [&](double) { return ++asked < 10; });
      QVERIFY(!stopped);
      QCOMPARE(stopped.error().code, ErrorCode::Refused);
      QVERIFY(asked < 10 + threads);
    }
    double last = 0;
    QVERIFY(surrogate::RandomForest::train(sample.data(), {.trees = 4}, [&](double done) {
      const bool ascends = done >= last && done <= 1;
      last = done;
      return ascends;
    }));
    QCOMPARE(last, 0.75);  // asked before the fourth tree
  }

  void refuses_what_it_cannot_learn_from() {
    const Sample sample{{1, 2, 3, 4}, {5, 6}, 2};
    QVERIFY(surrogate::RandomForest::train(sample.data(), {}));
    for (const surrogate::ForestOptions& options :
         {surrogate::ForestOptions{.trees = 0}, surrogate::ForestOptions{.minimum_leaf = 0},
          surrogate::ForestOptions{.maximum_depth = -1}, surrogate::ForestOptions{.features_per_split = 0},
          surrogate::ForestOptions{.features_per_split = 1.5},
          surrogate::ForestOptions{.bootstrap_share = -1}, surrogate::ForestOptions{.max_bins = 70'000}}) {
      const auto refused = surrogate::RandomForest::train(sample.data(), options);
      QVERIFY(!refused && refused.error().code == ErrorCode::InvalidArgument);
    }
    QVERIFY(!surrogate::RandomForest::train({}, {}));
    QVERIFY(!surrogate::RandomForest::train({sample.features, 3, sample.labels}, {}));
    const Sample infinite{{1, 2, 3, 4}, {5, INFINITY}, 2};
    QVERIFY(!surrogate::RandomForest::train(infinite.data(), {}));
    const Sample far{{1, 2, 3, 4}, {-1.5e308, 1.5e308}, 2};
    QVERIFY(!surrogate::RandomForest::train(far.data(), {}));
    const Sample near{{1, 2, 3, 4}, {1e-300, 2e-300}, 2};
    QCOMPARE(surrogate::RandomForest::train(near.data(), {.bootstrap_share = 0})
                 ->predict(std::vector<float>{9, 9}),
             2e-300);
  }
};

KERNELSCAPE_PLAIN_TEST(SurrogateRandomForestTest)

}  // namespace kernelscape::surrogate_random_forest_test
#include "surrogate_random_forest_test.moc"
