#include <QTest>
#include <atomic>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <random>
#include <utility>

#include "core/analysis/landscape/importance.h"
#include "core/analysis/landscape/variance_decomposition.h"
#include "core/base/random.h"
#include "tests/test_program.h"

namespace kernelscape::analysis_importance_test {

namespace {

std::uint64_t printed_seed() {
  const std::uint64_t seed = std::random_device{}();
  qInfo("seed %llu", static_cast<unsigned long long>(seed));
  return seed;
}

/** Some columns by row, and the performance they give. */
struct Table {
  std::vector<std::vector<double>> columns;
  std::vector<std::size_t> knobs;  ///< per column
  std::vector<double> performance;
  std::vector<std::int64_t> rows;

  std::vector<analysis::KnobColumn> knob_columns() const {
    std::vector<analysis::KnobColumn> found;
    for (std::size_t i = 0; i < columns.size(); ++i) found.push_back({knobs[i], columns[i]});
    return found;
  }
  analysis::PerformanceColumn performance_column() const { return {performance}; }
};

/** All combinations of values 0 .. count - 1, each column a knob; performance is 2^speed. */
template <typename Speed>
Table full_grid(const std::vector<std::size_t>& counts, const Speed& speed) {
  Table table;
  table.columns.resize(counts.size());
  table.knobs.resize(counts.size());
  std::iota(table.knobs.begin(), table.knobs.end(), std::size_t{0});
  const std::size_t size = std::accumulate(counts.begin(), counts.end(), std::size_t{1}, std::multiplies{});
  for (std::size_t index = 0; index < size; ++index) {
    std::vector<double> point;
    for (std::size_t rest = index, c = 0; c < counts.size(); rest /= counts[c], ++c) {
      point.push_back(static_cast<double>(rest % counts[c]));
      table.columns[c].push_back(point.back());
    }
    table.performance.push_back(std::exp2(speed(point)));
    table.rows.push_back(static_cast<std::int64_t>(index));
  }
  return table;
}

/** Variance of the means over the groups that rows with equal values of some columns make. */
double reference_group_variance(const Table& table, const std::vector<double>& numbers,
                                const std::vector<std::size_t>& columns) {
  std::map<std::vector<double>, std::vector<double>> groups;
  for (std::size_t row = 0; row < numbers.size(); ++row) {
    std::vector<double> key;
    for (const std::size_t column : columns) key.push_back(table.columns[column][row]);
    groups[key].push_back(numbers[row]);
  }
  const auto count = static_cast<double>(numbers.size());
  const double mean = std::accumulate(numbers.begin(), numbers.end(), 0.0) / count;
  double variance = 0;
  for (const auto& [key, members] : groups) {
    const auto size = static_cast<double>(members.size());
    const double group_mean = std::accumulate(members.begin(), members.end(), 0.0) / size;
    variance += size * (group_mean - mean) * (group_mean - mean) / count;
  }
  return variance;
}

/** Subtracts the means of the same groups. */
double remove_reference_means(const Table& table, std::vector<double>& numbers,
                              const std::vector<std::size_t>& columns) {
  const double variance = reference_group_variance(table, numbers, columns);
  std::map<std::vector<double>, std::pair<double, double>> groups;  // sum and count
  std::vector<std::vector<double>> keys(numbers.size());
  for (std::size_t row = 0; row < numbers.size(); ++row) {
    for (const std::size_t column : columns) keys[row].push_back(table.columns[column][row]);
    groups[keys[row]].first += numbers[row];
    ++groups[keys[row]].second;
  }
  for (std::size_t row = 0; row < numbers.size(); ++row)
    numbers[row] -= groups[keys[row]].first / groups[keys[row]].second;
  return variance;
}

/** Mean over the trees, each predicting all combinations of the factors' values. */
analysis::VarianceShares enumerated_shares(const surrogate::RandomForest& forest,
                                           const std::vector<analysis::VarianceFactor>& factors,
                                           std::size_t columns) {
  std::vector<std::size_t> counts;
  for (const analysis::VarianceFactor& factor : factors) counts.push_back(factor.count());
  const Table grid = full_grid(counts, [](const std::vector<double>&) { return 0.0; });
  const std::size_t n = factors.size();
  analysis::VarianceShares shares{std::vector<double>(n), std::vector<double>(n * n)};
  for (const surrogate::RegressionTree& tree : forest.trees()) {
    std::vector<double> predictions;
    for (std::size_t row = 0; row < grid.rows.size(); ++row) {
      std::vector<float> point(columns);
      for (std::size_t f = 0; f < n; ++f) {
        const std::vector<std::size_t>& of_factor = factors[f].columns;
        for (std::size_t c = 0; c < of_factor.size(); ++c)
          point[of_factor[c]] =
              factors[f].values[static_cast<std::size_t>(grid.columns[f][row]) * of_factor.size() + c];
      }
      predictions.push_back(tree.predict(point));
    }
    std::vector<std::size_t> all(n);
    std::iota(all.begin(), all.end(), std::size_t{0});
    const double total =
        static_cast<double>(forest.trees().size()) * reference_group_variance(grid, predictions, all);
    for (std::size_t i = 0; i < n; ++i) {
      const double first = reference_group_variance(grid, predictions, {i});
      shares.factors[i] += first / total;
      for (std::size_t j = i + 1; j < n; ++j)
        shares.pairs[i * n + j] += (reference_group_variance(grid, predictions, {i, j}) - first -
                                    reference_group_variance(grid, predictions, {j})) /
                                   total;
    }
  }
  return shares;
}

bool near(double a, double b) { return std::fabs(a - b) < 1e-9; }

}  // namespace

class AnalysisImportanceTest : public QObject {
  Q_OBJECT

 private slots:
  void forests_are_split_as_by_enumeration() {
    base::Random random(printed_seed());
    const std::vector<std::size_t> counts{5, 4, 2, 6, 3};  // of the columns
    std::vector<float> features;
    std::vector<double> labels;
    for (int i = 0; i < 300; ++i) {
      std::vector<float> row;
      for (const std::size_t count : counts) row.push_back(static_cast<float>(random.below(count)));
      features.insert(features.end(), row.begin(), row.end());
      labels.push_back(static_cast<double>(3 * row[0] + row[1] * row[3]) + random.normal() + 100);
    }
    const auto forest = surrogate::RandomForest::train(
        {features, counts.size(), labels}, {.trees = 4, .minimum_leaf = 3, .seed = random.bits()});
    std::vector<analysis::VarianceFactor> factors{{{3, 1}, {}}, {{0}, {}}, {{2, 4}, {}}, {{}, {}}};
    for (analysis::VarianceFactor& factor : factors) {
      std::vector<float> value(factor.columns.size());
      for (int i = 0; i < 7 && !value.empty(); ++i) {  // not all values, so that some branches are empty
        for (std::size_t c = 0; c < value.size(); ++c)
          value[c] = static_cast<float>(random.below(counts[factor.columns[c]]));
        factor.values.insert(factor.values.end(), value.begin(), value.end());
      }
    }
    const auto shares = analysis::decompose_variance(*forest, factors, 2, {});
    QVERIFY(shares);
    const analysis::VarianceShares expected = enumerated_shares(*forest, factors, counts.size());
    for (std::size_t i = 0; i < factors.size(); ++i) {
      QVERIFY(near(shares->factors[i], expected.factors[i]));
      for (std::size_t j = i + 1; j < factors.size(); ++j)
        QVERIFY(near(shares->pair(i, j), expected.pair(i, j)));
    }
    QVERIFY(expected.factors[0] > 0.01 && expected.factors[1] > 0.01);
  }

  void a_constant_forest_has_no_shares() {
    const std::vector<float> features{0, 1, 2, 3};
    const auto forest =
        surrogate::RandomForest::train({features, 1, std::vector<double>{7, 7, 7, 7}}, {.trees = 2});
    const std::vector<analysis::VarianceFactor> factors{{{0}, features}};
    QCOMPARE(analysis::decompose_variance(*forest, factors, 1, {})->factors, std::vector<double>{0});
  }

  void groups_are_split_as_by_maps_data() {
    QTest::addColumn<std::uint64_t>("values");
    QTest::newRow("few") << std::uint64_t{6};
    QTest::newRow("more pairs than a table of them holds") << std::uint64_t{4000};
  }

  void groups_are_split_as_by_maps() {
    QFETCH(std::uint64_t, values);
    base::Random random(printed_seed());
    Table table;
    table.columns.resize(3);
    std::vector<double> numbers;
    analysis::GroupedNumbers data{.numbers = {}, .groups = {{}, {}, {}}, .group_counts = {values, values, 5}};
    for (int i = 0; i < 900; ++i) {
      for (std::size_t c = 0; c < 3; ++c) {
        data.groups[c].push_back(static_cast<std::uint32_t>(random.below(data.group_counts[c])));
        table.columns[c].push_back(data.groups[c].back());
      }
      numbers.push_back(5 + random.normal() + table.columns[0].back() * table.columns[2].back());
    }
    data.numbers = numbers;
    const auto shares = analysis::decompose_variance(data, 2, {});
    std::vector<double> ids(numbers.size());
    std::iota(ids.begin(), ids.end(), 0.0);
    table.columns.push_back(ids);
    const double total = reference_group_variance(table, numbers, {3});
    std::vector<double> rest = numbers;
    const double mean = std::accumulate(rest.begin(), rest.end(), 0.0) / static_cast<double>(rest.size());
    for (double& number : rest) number -= mean;
    const auto strongest = [&](const std::vector<std::vector<std::size_t>>& choices) {
      return std::ranges::max(choices, {}, [&](const std::vector<std::size_t>& columns) {
        return reference_group_variance(table, rest, columns);
      });
    };
    std::vector<double> singles(3);
    for (int step = 0; step < 300; ++step) {
      const std::size_t factor = strongest({{0}, {1}, {2}}).front();
      if (step >= 3 && reference_group_variance(table, rest, {factor}) / total < 1e-4) break;
      singles[factor] += remove_reference_means(table, rest, {factor}) / total;
    }
    std::vector<std::vector<std::size_t>> pairs{{0, 1}, {0, 2}, {1, 2}};
    std::ranges::sort(pairs, std::greater(), [&](const std::vector<std::size_t>& pair) {
      return reference_group_variance(table, rest, pair);
    });
    double sum = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      QVERIFY(near(shares->factors[i], singles[i]));
      const double together = remove_reference_means(table, rest, pairs[i]) / total;
      QVERIFY(near(shares->pair(pairs[i][0], pairs[i][1]), together));
      sum += singles[i] + together;
    }
    QVERIFY(sum <= 1 + 1e-9);
  }

  /** Where configurations failed, knobs depend on each other and explain much together. */
  void failures_never_make_more_than_the_whole() {
    Table table = full_grid({9, 9, 3}, [](const std::vector<double>& point) {
      return point[0] + 0.8 * point[1] + 0.1 * point[2];
    });
    Table valid = table;
    valid.rows.clear();
    for (auto& column : valid.columns) column.clear();
    std::vector<double> speeds;
    for (std::size_t row = 0; row < table.rows.size(); ++row) {
      if (std::abs(table.columns[0][row] - table.columns[1][row]) > 3) {
        table.performance[row] = std::nan("");
        continue;
      }
      for (std::size_t c = 0; c < 3; ++c) valid.columns[c].push_back(table.columns[c][row]);
      speeds.push_back(std::log2(table.performance[row]));
    }
    double separate = 0;
    const double total = reference_group_variance(valid, speeds, {0, 1, 2});
    for (std::size_t c = 0; c < 3; ++c) separate += reference_group_variance(valid, speeds, {c}) / total;
    QVERIFY(separate > 1.3);
    const auto importance = analysis::performance_importance(table.knob_columns(), table.performance_column(),
                                                             table.rows, {.complete = true});
    QVERIFY(importance && importance->exact && !importance->independent);
    const double singles = std::accumulate(importance->knobs.begin(), importance->knobs.end(), 0.0);
    // The speed is a sum over the knobs, so that pairs have nothing to explain.
    QVERIFY2(singles > 0.99, qPrintable(QString::number(singles)));
    QVERIFY(singles + importance->all_pairs < 1 + 1e-9);
    QVERIFY(importance->knobs[0] > importance->knobs[1] && importance->knobs[1] > importance->knobs[2]);
  }

  void complete_spaces_by_hand() {
    // Variances on the grid: of a over 0..2: 2/3; times 9: 6. Of (b - 1/2)(c - 1/2) * 4: 1, with no single
    // effect.
    const Table table = full_grid({3, 2, 2}, [](const std::vector<double>& point) {
      return 3 * point[0] + 4 * (point[1] - 0.5) * (point[2] - 0.5);
    });
    Table twice = table;  // twelve rows are too few
    for (auto& column : twice.columns) column.insert(column.end(), column.begin(), column.begin() + 12);
    twice.performance.insert(twice.performance.end(), table.performance.begin(), table.performance.end());
    for (std::int64_t row = 12; row < 24; ++row) twice.rows.push_back(row);
    const auto importance =
        analysis::performance_importance(twice.knob_columns(), twice.performance_column(), twice.rows,
                                         {.complete = true, .strongest_pairs = 2});
    QVERIFY(importance);
    QVERIFY(near(importance->knobs[0], 6.0 / 7));
    QVERIFY(near(importance->knobs[1], 0));
    QCOMPARE(importance->pairs.size(), std::size_t{2});
    QCOMPARE(importance->pairs[0].first, std::size_t{1});
    QCOMPARE(importance->pairs[0].second, std::size_t{2});
    QVERIFY(near(importance->pairs[0].share, 1.0 / 7));
    QVERIFY(near(importance->all_pairs, 1.0 / 7));
    QVERIFY(importance->exact && importance->explains() && !importance->out_of_bag_r2);
    QCOMPARE(importance->sample, std::int64_t{24});
  }

  void columns_of_a_knob_count_together() {
    // The knob's value is a pair; what its two columns only say together is the knob's, not a pair's.
    Table table = full_grid({4, 4, 4}, [](const std::vector<double>& point) {
      return (point[0] < 2) == (point[1] < 2) ? 3.0 : 0.0;
    });
    table.knobs = {0, 0, 1};
    for (const bool complete : {true, false}) {
      const auto importance =
          analysis::performance_importance(table.knob_columns(), table.performance_column(), table.rows,
                                           {.complete = complete, .features_per_split = 1});
      QVERIFY(importance);
      QCOMPARE(importance->knobs.size(), std::size_t{2});
      QCOMPARE(importance->pairs.size(), std::size_t{1});
      QVERIFY2(importance->knobs[0] > (complete ? 1 - 1e-9 : 0.8),
               qPrintable(QString::number(importance->knobs[0])));
      QVERIFY(importance->knobs[1] < 0.1 && importance->all_pairs < 0.2);
    }
  }

  void forests_find_what_decides() {
    base::Random random(printed_seed());
    Table table = full_grid({8, 8, 8, 8}, [](const std::vector<double>& point) {
      return point[1] + (point[2] - 3.5) * (point[3] - 3.5) / 3;
    });
    for (double& performance : table.performance) performance *= std::exp2(0.1 * random.normal());
    for (std::size_t row = 0; row < table.rows.size(); ++row)
      if (table.columns[0][row] >= 6) table.performance[row] = std::nan("");
    const analysis::ImportanceOptions options{.sample = 2000, .seed = random.bits()};
    const auto importance = analysis::performance_importance(table.knob_columns(), table.performance_column(),
                                                             table.rows, options);
    QVERIFY(importance);
    QCOMPARE(importance->rows, std::int64_t{3072});
    QCOMPARE(importance->sample, std::int64_t{2000});
    QVERIFY(importance->explains());
    const auto exact = analysis::performance_importance(table.knob_columns(), table.performance_column(),
                                                        table.rows, {.complete = true});
    for (std::size_t knob = 0; knob < 4; ++knob)
      QVERIFY(std::fabs(importance->knobs[knob] - exact->knobs[knob]) < 0.1);
    QCOMPARE(importance->pairs[0].first, std::size_t{2});
    QCOMPARE(importance->pairs[0].second, std::size_t{3});
    QVERIFY(std::fabs(importance->pairs[0].share - exact->pairs[0].share) < 0.15);
    const auto validity =
        analysis::validity_importance(table.knob_columns(), table.performance_column(), table.rows, options);
    QVERIFY(validity && validity->explains());
    QCOMPARE(validity->rows, std::int64_t{4096});
    QVERIFY(validity->knobs[0] > 0.95);
  }

  void speed_and_time_have_the_same_importance() {
    const Table table =
        full_grid({5, 5, 3}, [](const std::vector<double>& point) { return point[0] * point[1] + point[2]; });
    std::vector<double> seconds;
    for (const double speed : table.performance) seconds.push_back(1 / speed);
    const auto by_speed =
        analysis::performance_importance(table.knob_columns(), table.performance_column(), table.rows, {});
    const auto by_time =
        analysis::performance_importance(table.knob_columns(), {seconds, false}, table.rows, {});
    for (std::size_t knob = 0; knob < 3; ++knob)
      QVERIFY(std::fabs(by_speed->knobs[knob] - by_time->knobs[knob]) < 0.05);
  }

  void noise_is_not_explained() {
    base::Random random(8);
    Table table = full_grid({6, 6, 6}, [&](const std::vector<double>&) { return random.normal(); });
    const auto importance =
        analysis::performance_importance(table.knob_columns(), table.performance_column(), table.rows, {});
    QVERIFY(importance && !importance->explains());
  }

  void threads_and_other_rows_change_nothing() {
    const Table table = full_grid(
        {6, 7, 8}, [](const std::vector<double>& point) { return std::sin(point[0] * point[1]) + point[2]; });
    std::vector<std::int64_t> rows;
    for (const std::int64_t row : table.rows)
      if (row % 3 == 1) rows.push_back(row);
    Table others = table;
    for (std::size_t row = 0; row < others.performance.size(); ++row)
      if (row % 3 != 1) others.performance[row] = 77;
    for (const bool complete : {true, false}) {
      const auto one =
          analysis::performance_importance(table.knob_columns(), table.performance_column(), rows,
                                           {.complete = complete, .sample = 60, .threads = 1});
      const auto four =
          analysis::performance_importance(others.knob_columns(), others.performance_column(), rows,
                                           {.complete = complete, .sample = 60, .threads = 4});
      QCOMPARE(four->knobs, one->knobs);
      QCOMPARE(four->all_pairs, one->all_pairs);
    }
  }

  void can_be_given_up() {
    const Table table = full_grid({6, 7, 8}, [](const std::vector<double>& point) { return point[0]; });
    for (const bool complete : {true, false}) {
      std::atomic<int> asked{0};
      const analysis::ImportanceOptions options{.complete = complete, .threads = 1};
      double last = 0;
      QVERIFY(analysis::performance_importance(table.knob_columns(), table.performance_column(), table.rows,
                                               options, [&](double done) {
                                                 ++asked;
                                                 const bool ascends = done >= last && done <= 1;
                                                 last = done;
                                                 return ascends;
                                               }));
      QVERIFY(last > 0.5);
      for (int most = 0; most < asked; most += complete ? 1 : 9) {
        int left = most;
        const auto stopped =
            analysis::performance_importance(table.knob_columns(), table.performance_column(), table.rows,
                                             options, [&](double) { return left-- > 0; });
        QVERIFY(!stopped);
        QCOMPARE(stopped.error().code, ErrorCode::Refused);
      }
    }
  }

  void says_why_it_cannot() {
    Table table = full_grid({5, 5}, [](const std::vector<double>&) { return 1.0; });
    const auto flat =
        analysis::performance_importance(table.knob_columns(), table.performance_column(), table.rows, {});
    QVERIFY(!flat && flat.error().message.find("25 valid trials are equally fast") != std::string::npos);
    const auto all_valid =
        analysis::validity_importance(table.knob_columns(), table.performance_column(), table.rows, {});
    QVERIFY(!all_valid && all_valid.error().message.find("every one of 25") != std::string::npos);
    const auto few = analysis::performance_importance(table.knob_columns(), table.performance_column(),
                                                      std::span(table.rows).first(19), {});
    QVERIFY(!few && few.error().message.find("19 of 19") != std::string::npos);
    std::ranges::fill(table.performance, std::nan(""));
    QVERIFY(!analysis::validity_importance(table.knob_columns(), table.performance_column(), table.rows, {}));
    table.performance[3] = 1;
    QVERIFY(analysis::validity_importance(table.knob_columns(), table.performance_column(), table.rows, {}));
    table.columns[1][7] = std::nan("");
    const auto hole =
        analysis::validity_importance(table.knob_columns(), table.performance_column(), table.rows, {});
    QVERIFY(!hole && hole.error().code == ErrorCode::Internal);
  }

  void leaves_grow_with_the_sample() {
    QCOMPARE(analysis::importance_minimum_leaf(200), std::size_t{3});
    QCOMPARE(analysis::importance_minimum_leaf(50'000), std::size_t{10});
    QCOMPARE(analysis::importance_minimum_leaf(1'000'000), std::size_t{20});
  }
};

KERNELSCAPE_PLAIN_TEST(AnalysisImportanceTest)

}  // namespace kernelscape::analysis_importance_test
#include "analysis_importance_test.moc"
