#include <QTest>
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "core/analysis/comparison/rank_correlation.h"
#include "core/analysis/tuner_series.h"
#include "core/base/random.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/test_program.h"

namespace kernelscape::analysis_tuner_series_test {

namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN();

using Values = std::map<std::pair<std::string, std::int64_t>, double>;

/** Every value and every gap of a snapshot against a map. */
bool holds(const analysis::SeriesSnapshot& snapshot, const Values& expected, std::int64_t trials) {
  std::set<std::string> names;
  for (const auto& [key, value] : expected) names.insert(key.first);
  if (names.size() != snapshot.columns().size()) return false;
  std::int64_t end = 0;
  for (const std::string& name : names) {
    const analysis::SeriesColumn* column = snapshot.find(name);
    if (column == nullptr) return false;
    std::int64_t count = 0;
    for (std::int64_t trial = -1; trial <= trials; ++trial) {
      const auto found = expected.find({name, trial});
      const double value = column->at(trial);
      if (found == expected.end() ? !std::isnan(value) : value != found->second) return false;
      if (found == expected.end()) continue;
      ++count;
      end = std::max(end, trial + 1);
    }
    if (column->count() != count) return false;
  }
  return snapshot.end() == end && snapshot.value_count() == std::ssize(expected);
}

/** By its definition: all pairs of pairs. */
std::optional<double> slow_tau_b(const std::vector<double>& a, const std::vector<double>& b) {
  double score = 0;
  double ordered_a = 0;
  double ordered_b = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const int sign_a = (a[i] > a[j]) - (a[i] < a[j]);
      const int sign_b = (b[i] > b[j]) - (b[i] < b[j]);
      score += sign_a * sign_b;
      ordered_a += sign_a != 0 ? 1 : 0;
      ordered_b += sign_b != 0 ? 1 : 0;
    }
  }
  if (ordered_a == 0 || ordered_b == 0) return std::nullopt;
  return score / std::sqrt(ordered_a * ordered_b);
}

analysis::SeriesSnapshot snapshot_of(std::initializer_list<std::string_view> names) {
  analysis::SeriesTable table;
  for (const std::string_view name : names) table.set(3, name, 0.5);
  return table.snapshot();
}

std::vector<std::string> names_of(const std::vector<analysis::SeriesFigure>& figures) {
  std::vector<std::string> names;
  for (const analysis::SeriesFigure& figure : figures) names.push_back(figure.name);
  return names;
}

using Names = std::vector<std::string>;

/** As two tuners could describe theirs. */
const std::vector<trial::SeriesDescription> described{
    {.name = "predicted_mean",
     .title = "Predicted performance",
     .unit = trial::SeriesUnit::Fitness,
     .relation = trial::SeriesRelation::Estimate,
     .deviation = "predicted_deviation",
     .meaning = "What was expected",
     .maker = "one's forest, other's process"},
    {.name = "predicted_deviation", .title = "Deviation", .unit = trial::SeriesUnit::Fitness},
    {.name = "predicted_score", .title = "Score", .relation = trial::SeriesRelation::Ranking},
    {.name = "epsilon",
     .title = "Epsilon",
     .unit = trial::SeriesUnit::Share,
     .steps = true,
     .meaning = "Chance."},
    {.name = "lengthscale {}",
     .title = "Lengthscale of {}",
     .unit = trial::SeriesUnit::ColumnRange,
     .steps = true,
     .meaning = "How far it sees along {}.",
     .group = "Lengthscales"},
};

std::vector<analysis::SeriesFigure> figures_of(const analysis::SeriesSnapshot& series, bool samples_saved,
                                               double flops) {
  return analysis::series_figures(described, series, samples_saved, flops);
}

}  // namespace

class AnalysisTunerSeriesTest : public QObject {
  Q_OBJECT

 private slots:
  void tables_hold_what_was_set_and_snapshots_never_change() {
    base::Random random(testing::random_seed());
    for (int round = 0; round < 20; ++round) {
      analysis::SeriesTable table;
      Values values;
      std::vector<std::pair<analysis::SeriesSnapshot, Values>> kept;
      const std::int64_t trials = 1 + static_cast<std::int64_t>(random.below(5000));
      const bool in_order = random.chance(0.5);
      std::int64_t trial = 0;
      for (int step = 0; step < 600; ++step) {
        trial = in_order ? std::min(trials - 1, trial + static_cast<std::int64_t>(random.below(20)))
                         : static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(trials)));
        const std::string name = random.chance(0.6) ? "epsilon" : random.chance(0.5) ? "a" : "predicted_mean";
        const double value = random.chance(0.1) ? HUGE_VAL : random.uniform() - 0.5;
        table.set(trial, name, value);
        values[{name, trial}] = value;
        if (random.chance(0.02)) kept.emplace_back(table.snapshot(), values);
      }
      kept.emplace_back(table.snapshot(), values);
      for (const auto& [snapshot, expected] : kept) QVERIFY(holds(snapshot, expected, trials));
    }
  }

  void what_is_no_value_is_left_out() {
    analysis::SeriesTable table;
    QVERIFY(table.snapshot().empty());
    QVERIFY(analysis::SeriesSnapshot().find("epsilon") == nullptr);
    table.set(0, "epsilon", none);
    table.set(-1, "epsilon", 1);
    QCOMPARE(table.snapshot().value_count(), 0);
    table.set(std::int64_t{1} << 40, "epsilon", 0.5);  // a stray number costs no more than itself
    QCOMPARE(table.snapshot().find("epsilon")->at(std::int64_t{1} << 40), 0.5);
    QVERIFY(std::isnan(table.snapshot().find("epsilon")->at(7)));
    for (std::size_t name = 0; name < 3 * analysis::SeriesTable::max_columns; ++name)
      table.set(1, "series " + std::to_string(name), 1);
    QCOMPARE(table.snapshot().columns().size(), analysis::SeriesTable::max_columns);
  }

  void figures_group_what_belongs_together() {
    QVERIFY(figures_of({}, false, 1e9).empty());
    const auto figures = figures_of(
        snapshot_of({"epsilon", "predicted_mean", "predicted_deviation", "predicted_score"}), true, 1e9);
    QCOMPARE(names_of(figures), Names({"predicted_mean", "predicted_score", "epsilon", "samples saved"}));
    QCOMPARE(figures[0].deviation, std::string("predicted_deviation"));
    QCOMPARE(figures[0].unit, std::string("GFLOPS"));
    QCOMPARE(figures[0].meaning, std::string("What was expected: one's forest, other's process."));
    QVERIFY(figures[0].relation == trial::SeriesRelation::Estimate);
    QVERIFY(figures[2].share && figures[2].steps && figures[2].unit.empty());
    QCOMPARE(figures[2].meaning, std::string("Chance."));
    QVERIFY(figures[3].from_trials);
    // A deviation alone, and no FLOPs.
    const auto alone = figures_of(snapshot_of({"predicted_deviation"}), false, 0);
    QCOMPARE(names_of(alone), Names({"predicted_deviation"}));
    QCOMPARE(alone[0].unit, std::string("calls/s"));
    QVERIFY(figures_of(snapshot_of({"predicted_score"}), false, 1)[0].relation ==
            trial::SeriesRelation::Ranking);
  }

  void members_of_a_family_are_figures_of_one_group() {
    const auto figures = figures_of(
        snapshot_of({"zeal", "lengthscale unroll", "lengthscale tile[1]", "lengthscale tile[0]", "epsilon"}),
        false, 1e9);
    QCOMPARE(names_of(figures),
             Names({"epsilon", "lengthscale tile[0]", "lengthscale tile[1]", "lengthscale unroll", "zeal"}));
    QCOMPARE(figures[1].title, std::string("Lengthscale of tile[0]"));
    QCOMPARE(figures[1].meaning, std::string("How far it sees along tile[0]."));
    QCOMPARE(figures[1].unit, std::string("ranges"));
    QCOMPARE(figures[1].member, std::string("tile[0]"));
    QVERIFY(figures[1].steps && !figures[1].share);
    for (const analysis::SeriesFigure& figure : figures)
      QCOMPARE(figure.group, std::string(figure.member.empty() ? "" : "Lengthscales"));
    // A family has no member without a name.
    QVERIFY(figures_of(snapshot_of({"lengthscale "}), false, 1)[0].group.empty());
  }

  void a_name_that_nobody_knows_is_a_figure_too() {
    const auto figures = figures_of(snapshot_of({"zeal", "learning_rate", "epsilon"}), false, 1e9);
    QCOMPARE(names_of(figures), Names({"epsilon", "learning_rate", "zeal"}));
    QCOMPARE(figures[1].title, std::string("Learning rate"));
    QVERIFY(figures[1].unit.empty() && figures[1].meaning.empty());
    QVERIFY(figures[1].relation == trial::SeriesRelation::None);
    // A tuner's own "samples_saved" is not taken for that of the trials.
    const auto both = figures_of(snapshot_of({"samples_saved"}), true, 1e9);
    QCOMPARE(names_of(both), Names({"samples_saved", "samples saved"}));
    QVERIFY(!both[0].from_trials && both[1].from_trials);
  }

  void values_come_from_the_series_or_from_the_trial() {
    const analysis::SeriesSnapshot series = snapshot_of({"epsilon"});
    const analysis::SeriesFigure epsilon = figures_of(series, true, 1)[0];
    const analysis::SeriesFigure saved = figures_of(series, true, 1)[1];
    trial::Row trial;
    trial.number = 3;
    trial.sample_count = 50;
    trial.samples_saved = 450;
    QCOMPARE(analysis::figure_value(epsilon, series.find("epsilon"), trial), 0.5);
    QVERIFY(std::isnan(analysis::figure_value(epsilon, nullptr, trial)));
    QCOMPARE(analysis::figure_value(saved, nullptr, trial), 450.0);
    trial.number = 4;
    trial.sample_count = 0;  // it failed: nothing was measured, so nothing was saved
    QVERIFY(std::isnan(analysis::figure_value(epsilon, series.find("epsilon"), trial)));
    QVERIFY(std::isnan(analysis::figure_value(saved, nullptr, trial)));
  }

  void rank_correlation_is_that_of_all_pairs() {
    base::Random random(testing::random_seed());
    for (int round = 0; round < 500; ++round) {
      const std::size_t size = random.below(40);
      const std::uint64_t distinct = random.chance(0.5) ? 4 : 1'000'000;
      std::vector<double> a(size);
      std::vector<double> b(size);
      for (std::size_t index = 0; index < size; ++index) {
        a[index] = static_cast<double>(random.below(distinct));
        b[index] = random.chance(0.5) ? a[index] : static_cast<double>(random.below(distinct));
      }
      const auto fast = analysis::kendall_tau_b(a, b);
      const auto slow = slow_tau_b(a, b);
      QCOMPARE(fast.has_value(), slow.has_value());
      if (fast) QVERIFY(std::abs(*fast - *slow) < 1e-12);
    }
    QVERIFY(!analysis::kendall_tau_b(std::vector{1.0, none}, std::vector{1.0, 2.0}));
    QCOMPARE(*analysis::kendall_tau_b(std::vector{1.0, 2.0, 3.0}, std::vector{30.0, 20.0, 10.0}), -1.0);
  }

  void quality_rests_on_the_latest_pairs() {
    analysis::PredictionPairs pairs;
    for (int pair = 0; pair < 9; ++pair) pairs.add(pair, pair);
    pairs.add(none, 5);
    pairs.add(5, HUGE_VAL);
    QVERIFY(!pairs.quality());
    pairs.add(9, 9);
    QVERIFY(pairs.quality() == (analysis::PredictionQuality{1, 10, true}));
    // So many in reverse that nothing else is left.
    for (std::size_t pair = 0; pair < 5 * analysis::PredictionPairs::max_pairs; ++pair)
      pairs.add(static_cast<double>(pair), -static_cast<double>(pair));
    const auto latest = pairs.quality();
    QVERIFY(latest);
    QCOMPARE(latest->tau, -1.0);
    QCOMPARE(latest->trials, static_cast<std::int64_t>(analysis::PredictionPairs::max_pairs));
    QVERIFY(!latest->all);
    analysis::PredictionPairs equal;
    for (int pair = 0; pair < 100; ++pair) equal.add(1, pair);
    QVERIFY(!equal.quality());
  }
};

KERNELSCAPE_PLAIN_TEST(AnalysisTunerSeriesTest)

}  // namespace kernelscape::analysis_tuner_series_test
#include "analysis_tuner_series_test.moc"
