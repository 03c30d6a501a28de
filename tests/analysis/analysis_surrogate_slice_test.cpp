#include <QTest>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/analysis/landscape/surrogate_slice.h"
#include "tests/analysis/believed_reference.h"
#include "tests/analysis/random_trials.h"
#include "tests/test_program.h"

namespace kernelscape::analysis_surrogate_slice_test {
namespace {

constexpr double flops = 2e8;
/** Below 20 valid trials nothing is fitted, so that the reference can compute the same. */
constexpr std::int64_t few_trials = 19;
constexpr std::int64_t exponential_from = 20;

std::vector<space::KnobValue> powers_of_two(int count) {
  std::vector<space::KnobValue> values;
  for (int i = 0; i < count; ++i) values.emplace_back(std::int64_t{1} << i);
  return values;
}

/** The product of the first two knobs is at most 16; every level occurs. */
space::SearchSpace constrained_space() {
  std::vector<space::Knob> knobs{*space::Knob::ordinal("a", powers_of_two(4)),
                                 *space::Knob::ordinal("b", powers_of_two(4)),
                                 *space::Knob::ordinal("c", powers_of_two(3))};
  space::ConstraintSystem constraints;
  const space::VariableId a = constraints.add_element("a", 0, 0);
  const space::VariableId b = constraints.add_element("b", 1, 0);
  const space::VariableId product = constraints.add_derived("product");
  const space::VariableId limit = constraints.add_constant("limit", 16);
  constraints.add({space::ProdConstraint{product, {a, b}}, "product"});
  constraints.add({space::LeConstraint{product, limit}, "limit"});
  return *space::SearchSpace::make(std::move(knobs), std::move(constraints));
}

/** Speeds by row, NaN for failed trials, as tables of trials have them. */
struct Trials {
  Trials(base::Random& random, const space::SearchSpace& space, std::int64_t count, double failing)
      : table(space.knobs().size()) {
    for (std::int64_t number = 0; number < count; ++number) {
      trial::Row row;
      row.number = number;
      if (random.chance(failing)) {
        row.category = trial::ErrorCategory::CompileHost;
      } else {
        row.sample_count = 1;
        row.median_seconds = 1e-3 * (1 + random.uniform());
      }
      table.append(row, *space.random_member(random));
      speeds.push_back(row.median_seconds > 0 ? flops / row.median_seconds / 1e9 : std::nan(""));
      rows.push_back(number);
    }
  }
  analysis::PerformanceColumn performance() const { return {speeds, true}; }

  trial::Table table;
  std::vector<double> speeds;
  std::vector<std::int64_t> rows;
};

bool near(double a, double b) { return std::abs(a - b) <= 1e-6 * std::max(std::abs(a), std::abs(b)); }

bool always() { return true; }

/** Compares each configuration of a slice with the reference, the constraints and the trials. */
void compare(const analysis::SurrogateSlice& slice, const analysis::SliceKnobs& knobs,
             const space::SearchSpace& space, const Trials& trials) {
  const trial::Snapshot snapshot = trials.table.snapshot();
  const testing::ReferenceModel reference(space, snapshot, flops, exponential_from);
  QCOMPARE(slice.predictions.size(), slice.x_indices.size() * slice.y_indices.size());
  for (std::size_t cell = 0; cell < slice.predictions.size(); ++cell) {
    space::Configuration configuration = knobs.base;
    configuration.indices[knobs.y] = slice.y_indices[cell / slice.x_indices.size()];
    configuration.indices[knobs.x] = slice.x_indices[cell % slice.x_indices.size()];
    const analysis::BelievedCell& found = slice.predictions[cell];
    QCOMPARE(found.members, space.contains(configuration) ? 1 : 0);
    if (found.members > 0) {
      const auto expected = reference.predict(configuration);
      QVERIFY(near(found.performance, expected.fitness));
      QVERIFY(near(found.deviation, expected.deviation));
      if (found.feasibility) QVERIFY(near(*found.feasibility, expected.feasibility));
    }
    std::int64_t count = 0;
    double best = 0;
    for (const std::int64_t row : trials.rows) {
      if (snapshot.configuration(row) != configuration) continue;
      ++count;
      const double speed = trials.speeds[static_cast<std::size_t>(row)];
      if (speed > best) best = speed;
    }
    QCOMPARE(slice.measured[cell].count, count);
    QCOMPARE(slice.measured[cell].best, best);
    if (best > 0) QCOMPARE(trials.speeds[static_cast<std::size_t>(slice.measured[cell].best_row)], best);
  }
}

}  // namespace

class AnalysisSurrogateSliceTest : public QObject {
  Q_OBJECT

 private slots:
  void slices_are_predictions_of_their_configurations() {
    base::Random random = printed_random();
    const space::SearchSpace space = constrained_space();
    for (int round = 0; round < 8; ++round) {
      const Trials trials(random, space, few_trials, 0.2);
      const auto model = analysis::SliceModel::learn(space, trials.table.snapshot(), flops, always);
      if (!model) continue;  // too few of the random trials are valid
      analysis::SliceKnobs knobs{.base = *space.random_member(random)};
      for (knobs.x = 0; knobs.x < 3; ++knobs.x)
        for (knobs.y = 0; knobs.y < 3; ++knobs.y) {
          const auto slice =
              model->slice(knobs, trials.table.snapshot(), trials.performance(), trials.rows, always);
          QVERIFY(slice.has_value());
          QCOMPARE(slice->x_indices.size(), std::size_t{space.knobs()[knobs.x].count()});
          compare(*slice, knobs, space, trials);
        }
    }
  }

  void of_many_values_some_are_shown_and_the_own_one() {
    base::Random random = printed_random();
    const space::SearchSpace space = *space::SearchSpace::make(
        {*space::Knob::factorization("tile", 1 << 12, 4), *space::Knob::ordinal("step", powers_of_two(40))});
    const Trials trials(random, space, 12, 0);
    const auto model = analysis::SliceModel::learn(space, trials.table.snapshot(), flops, always).value();
    for (int round = 0; round < 20; ++round) {
      const space::Configuration base = *space.random_member(random);
      const auto line =
          model.slice({base, 0, 0}, trials.table.snapshot(), trials.performance(), trials.rows, always)
              .value();
      QCOMPARE(line.x_indices.size(), analysis::SliceModel::max_values);
      QCOMPARE(line.y_indices, std::vector<std::uint32_t>{base.indices[0]});
      const auto plane =
          model.slice({base, 1, 0}, trials.table.snapshot(), trials.performance(), trials.rows, always)
              .value();
      QCOMPARE(plane.x_indices.size(), analysis::SliceModel::max_plane_values);
      QCOMPARE(plane.y_indices.size(), analysis::SliceModel::max_plane_values);
      for (const auto& [indices, own] :
           {std::pair(line.x_indices, base.indices[0]), std::pair(plane.x_indices, base.indices[1]),
            std::pair(plane.y_indices, base.indices[0])}) {
        QVERIFY(std::ranges::adjacent_find(indices, std::greater_equal<>()) == indices.end());
        QVERIFY(std::ranges::binary_search(indices, own));
      }
    }
  }

  /** The model is not trained again for few trials more, one of which may be the base of the slice. */
  void trials_after_the_training_are_compared() {
    base::Random random = printed_random();
    const space::SearchSpace space = constrained_space();
    Trials trials(random, space, 10, 0);
    const auto model = analysis::SliceModel::learn(space, trials.table.snapshot(), flops, always).value();
    const space::Configuration base = *space.random_member(random);
    trial::Row fastest;
    fastest.number = 10;
    fastest.sample_count = 1;
    fastest.median_seconds = 1e-6;
    trials.table.append(fastest, base);
    trials.speeds.push_back(flops / fastest.median_seconds / 1e9);
    trials.rows.push_back(10);
    const auto slice =
        model.slice({base, 0, 1}, trials.table.snapshot(), trials.performance(), trials.rows, always);
    QVERIFY(slice.has_value());
    // All values of both knobs are in the slice.
    const std::size_t cell = base.indices[1] * slice->x_indices.size() + base.indices[0];
    QCOMPARE(slice->measured[cell].best_row, 10);
    QCOMPARE(slice->measured[cell].best, trials.speeds.back());
  }

  void too_few_trials_and_cancelled_jobs_are_refused() {
    base::Random random = printed_random();
    const space::SearchSpace space = constrained_space();
    const Trials few(random, space, 4, 0);
    const auto refused = analysis::SliceModel::learn(space, few.table.snapshot(), flops, always);
    QVERIFY(!refused && refused.error().code == ErrorCode::Refused);
    QVERIFY(refused.error().message.find("4 valid trials") != std::string::npos);
    const Trials trials(random, space, 10, 0);
    const auto never = [] { return false; };
    QVERIFY(!analysis::SliceModel::learn(space, trials.table.snapshot(), flops, never));
    const auto model = analysis::SliceModel::learn(space, trials.table.snapshot(), flops, always).value();
    QVERIFY(!model.slice({*space.random_member(random), 0, 1}, trials.table.snapshot(), trials.performance(),
                         trials.rows, never));
    QCOMPARE(model.valid(), 10);
    QCOMPARE(model.learnt_from(), 10);
  }
};

KERNELSCAPE_PLAIN_TEST(AnalysisSurrogateSliceTest)

}  // namespace kernelscape::analysis_surrogate_slice_test
#include "analysis_surrogate_slice_test.moc"
