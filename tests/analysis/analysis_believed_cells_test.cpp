#include <QtTest>
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "core/analysis/landscape/believed_cells.h"
#include "core/analysis/landscape/heat_map.h"
#include "tests/analysis/believed_reference.h"
#include "tests/analysis/random_trials.h"
#include "tests/space/chi_squared.h"
#include "tests/test_program.h"

namespace kernelscape::analysis_believed_cells_test {
using namespace kernelscape::testing;

namespace {

constexpr double flops = 2e8;
constexpr std::int64_t exponential_from = 40;

std::vector<space::KnobValue> powers_of_two(int count) {
  std::vector<space::KnobValue> values;
  for (int i = 0; i < count; ++i) values.emplace_back(std::int64_t{1} << i);
  return values;
}

/** 4 x 3 x 2 members, at most six in a cell of two knobs: all of them are taken. */
space::SearchSpace tiny_space() {
  return *space::SearchSpace::make(
      {*space::Knob::factorization("tile", 8, 2), *space::Knob::ordinal("step", powers_of_two(3)),
       *space::Knob::categorical("unroll", {space::KnobValue(false), space::KnobValue(true)})});
}

/** 36 to 10th members; the last factors of the first two knobs are at most 16 together. */
space::SearchSpace vast_space() {
  std::vector<space::Knob> knobs;
  for (int knob = 0; knob < 10; ++knob)
    knobs.push_back(*space::Knob::factorization("tile" + std::to_string(knob), 128, 3));
  space::ConstraintSystem constraints;
  const space::VariableId a = constraints.add_element("tile0[2]", 0, 2);
  const space::VariableId b = constraints.add_element("tile1[2]", 1, 2);
  const space::VariableId product = constraints.add_derived("product");
  const space::VariableId most = constraints.add_constant("most", 16);
  constraints.add({space::ProdConstraint{product, {a, b}}, "product"});
  constraints.add({space::LeConstraint{product, most}, "most"});
  return *space::SearchSpace::make(std::move(knobs), std::move(constraints));
}

/** All but one choice of the ten ordinals is forbidden: no draw finds it. */
space::SearchSpace needle_space(const space::Knob& first) {
  std::vector<space::Knob> knobs{first};
  space::ConstraintSystem constraints;
  space::SumConstraint sum{constraints.add_derived("sum"), {}};
  for (std::uint32_t knob = 1; knob <= 10; ++knob) {
    knobs.push_back(*space::Knob::ordinal("step" + std::to_string(knob), powers_of_two(8)));
    sum.terms.push_back(constraints.add_element("step" + std::to_string(knob), knob, 0));
  }
  const space::VariableId least = constraints.add_constant("least", 10);
  constraints.add({sum, "sum"});
  constraints.add({space::LeConstraint{sum.result, least}, "least"});
  return *space::SearchSpace::make(std::move(knobs), std::move(constraints));
}

double smooth_seconds(const space::SearchSpace& space, const space::Configuration& configuration) {
  double score = 1;
  for (std::size_t knob = 0; knob < space.knobs().size(); ++knob)
    score += std::abs(static_cast<double>(configuration.indices[knob]) - 2) * 0.3;
  return score * 1e-3;
}

/** One sample each, so that no spread is known. @param failing share of them */
trial::Table trials_of(base::Random& random, const space::SearchSpace& space, std::int64_t valid,
                       double failing) {
  trial::Table table(space.knobs().size());
  std::int64_t number = 0;
  for (std::int64_t done = 0; done < valid; ++number) {
    const space::Configuration member = *space.random_member(random);
    trial::Row row;
    row.number = number;
    if (random.chance(failing)) {
      row.category = trial::ErrorCategory::CompileHost;
    } else {
      ++done;
      row.sample_count = 1;
      row.median_seconds = smooth_seconds(space, member) * (1 + 0.2 * random.uniform());
    }
    table.append(row, member);
  }
  return table;
}

struct Axes {
  analysis::CellAxis x;
  analysis::CellAxis y;
  analysis::ValueBins x_bins;
  analysis::ValueBins y_bins;
  std::size_t x_column = 0;
  std::size_t y_column = 0;
};

/** As the heat map of these columns has them. */
Axes axes_of(const space::SearchSpace& space, const trial::Snapshot& trials, const char* x, const char* y) {
  const analysis::TrialColumns columns(space, flops);
  const std::size_t x_column = columns.find(x).value();
  const std::size_t y_column = columns.find(y).value();
  std::vector<std::int64_t> rows;
  for (std::int64_t row = 0; row < trials.size(); ++row) rows.push_back(row);
  const auto bins = [&](std::size_t column) {
    return analysis::ValueBins::by_rank(columns.values(trials, 0, trials.size(), column), rows,
                                        analysis::HeatMap::max_values);
  };
  const analysis::ValueBins x_bins = bins(x_column);
  const analysis::ValueBins y_bins = bins(y_column);
  return {analysis::cell_axis(space, columns, x_column, x_bins),
          analysis::cell_axis(space, columns, y_column, y_bins),
          x_bins,
          y_bins,
          x_column,
          y_column};
}

/** Whether a configuration has both values, by the columns that tables show. */
bool is_in_cell(const space::SearchSpace& space, const Axes& axes, std::size_t cell,
                const space::Configuration& configuration) {
  const analysis::TrialColumns columns(space, flops);
  const auto inside = [&](std::size_t column, const analysis::ValueBins& bins, std::size_t bin) {
    const std::size_t knob = *columns.columns()[column].knob;
    const double value = columns.value_of_index(column, configuration.indices[knob]);
    return value >= bins.low(bin) && value <= bins.high(bin);
  };
  return inside(axes.x_column, axes.x_bins, cell % axes.x.bins) &&
         inside(axes.y_column, axes.y_bins, cell / axes.x.bins);
}

bool near(double a, double b) { return std::abs(a - b) <= 1e-6 * std::max(std::abs(a), std::abs(b)); }

bool always() { return true; }

void check_against_reference(const space::SearchSpace& space, const trial::Snapshot& trials,
                             double task_flops, const Axes& axes) {
  analysis::BeliefOptions options;
  options.model.exponential_from = exponential_from;
  options.model.fit_from = trials.size() + 1;
  const Result<analysis::BelievedCells> believed =
      analysis::believed_cells(space, trials, task_flops, axes.x, axes.y, options);
  QVERIFY(believed.has_value());
  const ReferenceModel reference(space, trials, task_flops, exponential_from);
  QCOMPARE(believed->cells.size(), axes.x.bins * axes.y.bins);
  for (std::size_t cell = 0; cell < believed->cells.size(); ++cell) {
    double performance = 0;
    double deviation = 0;
    double feasibility = 0;
    std::int64_t members = 0;
    for (base::uint128 index = 0; index < space.size(); ++index) {
      const space::Configuration member = space.at(index);
      if (!space.contains(member) || !is_in_cell(space, axes, cell, member)) continue;
      ++members;
      const auto prediction = reference.predict(member);
      const double value = task_flops > 0 ? prediction.fitness : 1e3 / prediction.fitness;
      performance += value;
      deviation += value * prediction.deviation / prediction.fitness;
      feasibility += prediction.feasibility;
    }
    const analysis::BelievedCell& found = believed->cells[cell];
    QCOMPARE(found.members, members);
    if (members == 0) continue;
    const auto count = static_cast<double>(members);
    QVERIFY(near(found.performance, performance / count));
    QVERIFY(near(found.deviation, deviation / count));
    QVERIFY(near(found.feasibility.value_or(1), feasibility / count));
  }
}

}  // namespace

/** What a model believes of a heat map's cells, and which members stand for them. */
class AnalysisBelievedCellsTest : public QObject {
  Q_OBJECT

 private slots:
  void cells_are_means_of_the_process_over_their_members_data() {
    QTest::addColumn<int>("valid");
    QTest::addColumn<double>("failing");
    QTest::addColumn<double>("task_flops");
    QTest::addRow("five") << 5 << 0.3 << flops;
    QTest::addRow("twenty") << 20 << 0.3 << flops;
    QTest::addRow("sixty, exponential") << 60 << 0.2 << flops;
    QTest::addRow("none failed") << 20 << 0.0 << flops;
    QTest::addRow("milliseconds") << 20 << 0.3 << 0.0;
  }

  void cells_are_means_of_the_process_over_their_members() {
    QFETCH(int, valid);
    QFETCH(double, failing);
    QFETCH(double, task_flops);
    base::Random random = printed_random();
    const space::SearchSpace space = tiny_space();
    const trial::Table table = trials_of(random, space, valid, failing);
    const trial::Snapshot trials = table.snapshot();
    for (const auto& [x, y] : std::vector<std::pair<const char*, const char*>>{
             {"tile[1]", "step"}, {"unroll", "tile[0]"}, {"tile[0]", "tile[1]"}, {"tile", "tile[1]"}})
      check_against_reference(space, trials, task_flops, axes_of(space, trials, x, y));
  }

  void without_a_failure_nothing_is_said_of_validity() {
    base::Random random = printed_random();
    const space::SearchSpace space = tiny_space();
    for (const double failing : {0.0, 0.5}) {
      const trial::Table table = trials_of(random, space, 30, failing);
      const Axes axes = axes_of(space, table.snapshot(), "tile[1]", "step");
      const auto believed = analysis::believed_cells(space, table.snapshot(), flops, axes.x, axes.y, {});
      QVERIFY(believed.has_value());
      for (const analysis::BelievedCell& cell : believed->cells)
        QCOMPARE(cell.feasibility.has_value(), failing > 0);
    }
  }

  void two_columns_of_a_knob_leave_cells_without_members() {
    base::Random random = printed_random();
    const space::SearchSpace space = vast_space();
    const trial::Table table = trials_of(random, space, 60, 0.1);
    const Axes axes = axes_of(space, table.snapshot(), "tile3[0]", "tile3[2]");
    const auto believed = analysis::believed_cells(space, table.snapshot(), flops, axes.x, axes.y, {});
    QVERIFY(believed.has_value());
    std::set<bool> reached;
    for (std::size_t cell = 0; cell < believed->cells.size(); ++cell) {
      const double product = axes.x_bins.low(cell % axes.x.bins) * axes.y_bins.low(cell / axes.x.bins);
      QCOMPARE(believed->cells[cell].members > 0, product <= 128);
      reached.insert(product <= 128);
    }
    QVERIFY(reached.contains(true));
  }

  void cells_that_constraints_forbid_have_no_members() {
    base::Random random = printed_random();
    const space::SearchSpace space = vast_space();
    const trial::Table table = trials_of(random, space, 200, 0.1);
    const Axes axes = axes_of(space, table.snapshot(), "tile0[2]", "tile1[2]");
    const auto members = analysis::drawn_cell_members(space, axes.x, axes.y, 32, random, always);
    std::size_t forbidden = 0;
    for (std::size_t cell = 0; cell < members.size(); ++cell) {
      const bool allowed = axes.x_bins.low(cell % axes.x.bins) * axes.y_bins.low(cell / axes.x.bins) <= 16;
      forbidden += allowed ? 0U : 1U;
      QCOMPARE(members[cell].size(), std::size_t{allowed ? 32U : 0U});
      for (const space::Configuration& member : members[cell])
        QVERIFY(space.contains(member) && is_in_cell(space, axes, cell, member));
      const std::set<space::Configuration> different(members[cell].begin(), members[cell].end());
      QCOMPARE(different.size(), members[cell].size());
    }
    QVERIFY(forbidden > 0);
  }

  void members_that_no_draw_finds_are_solved_for() {
    base::Random random = printed_random();
    const space::SearchSpace space = needle_space(*space::Knob::ordinal("first", powers_of_two(3)));
    const trial::Table table = trials_of(random, space, 30, 0.1);
    const Axes axes = axes_of(space, table.snapshot(), "first", "step1");
    QCOMPARE(axes.x.bins, std::size_t{3});
    for (const auto& of_cell : analysis::drawn_cell_members(space, axes.x, axes.y, 32, random, always)) {
      QCOMPARE(of_cell.size(), std::size_t{1});
      QVERIFY(space.contains(of_cell.front()));
    }
  }

  void trials_stand_in_where_no_member_is_found() {
    base::Random random = printed_random();
    // Texts cannot be told to the solver.
    const space::SearchSpace space = needle_space(*space::Knob::categorical(
        "first", {space::KnobValue("a"), space::KnobValue("b"), space::KnobValue("c")}));
    const trial::Table table = trials_of(random, space, 30, 0.1);
    const Axes axes = axes_of(space, table.snapshot(), "first", "step1");
    const auto believed = analysis::believed_cells(space, table.snapshot(), flops, axes.x, axes.y, {});
    QVERIFY(believed.has_value());
    for (const analysis::BelievedCell& cell : believed->cells)
      QVERIFY(cell.members > 0 && cell.performance > 0);
  }

  void every_listed_member_of_a_cell_is_as_likely() {
    base::Random random = printed_random();
    const space::SearchSpace space = *space::SearchSpace::make(
        {*space::Knob::ordinal("a", powers_of_two(2)), *space::Knob::ordinal("b", powers_of_two(20))});
    std::vector<space::Configuration> all;
    for (base::uint128 index = 0; index < space.size(); ++index) all.push_back(space.at(index));
    // One line of two cells: all of b is in one bin.
    const analysis::CellAxis x{0, 2, {0, 1}};
    const analysis::CellAxis y{1, 1, std::vector<std::int32_t>(20, 0)};
    std::vector<std::int64_t> counts(20, 0);
    for (int round = 0; round < 2000; ++round) {
      const auto cells = analysis::listed_cell_members(all, x, y, 4, base::Random(random.bits()), always);
      QCOMPARE(cells.size(), std::size_t{2});
      for (const space::Configuration& member : cells[1]) {
        QCOMPARE(member.indices[0], 1U);
        ++counts[member.indices[1]];
      }
      QCOMPARE(cells[1].size(), std::size_t{4});
    }
    QVERIFY(chi_squared_p(counts, std::vector<double>(20, 0.05)) > min_p);
  }

  void values_between_bins_are_in_no_cell() {
    const space::SearchSpace space =
        *space::SearchSpace::make({*space::Knob::ordinal("a", powers_of_two(8))});
    const analysis::TrialColumns columns(space, flops);
    std::vector<double> measured{1, 2, 16, 64};
    const std::vector<std::int64_t> rows{0, 1, 2, 3};
    const std::size_t column = columns.find("a").value();
    const analysis::CellAxis exact =
        analysis::cell_axis(space, columns, column, analysis::ValueBins::by_rank(measured, rows, 64));
    QCOMPARE(exact.bin_of_index, (std::vector<std::int32_t>{0, 1, -1, -1, 2, -1, 3, -1}));
    const analysis::CellAxis ranges =
        analysis::cell_axis(space, columns, column, analysis::ValueBins::by_rank(measured, rows, 2));
    QCOMPARE(ranges.bin_of_index, (std::vector<std::int32_t>{0, 0, -1, -1, 1, 1, 1, -1}));
  }

  void the_seed_decides() {
    base::Random random = printed_random();
    const space::SearchSpace space = vast_space();
    const trial::Table table = trials_of(random, space, 150, 0.2);
    const Axes axes = axes_of(space, table.snapshot(), "tile0[2]", "tile2[1]");
    const auto believe = [&](std::uint64_t seed) {
      return analysis::believed_cells(space, table.snapshot(), flops, axes.x, axes.y, {.seed = seed}).value();
    };
    const std::uint64_t seed = random.bits();
    const analysis::BelievedCells first = believe(seed);
    QVERIFY(first == believe(seed));
    QVERIFY(!(first == believe(seed + 1)));
  }

  void of_many_trials_some_are_learnt_from() {
    base::Random random = printed_random();
    const space::SearchSpace space = *space::SearchSpace::make(
        {*space::Knob::factorization("tile", 64, 3), *space::Knob::ordinal("step", powers_of_two(6)),
         *space::Knob::ordinal("unroll", powers_of_two(6))});
    const trial::Table table = trials_of(random, space, 1300, 0.2);
    const Axes axes = axes_of(space, table.snapshot(), "tile[2]", "step");
    const auto believed = analysis::believed_cells(space, table.snapshot(), flops, axes.x, axes.y, {});
    QVERIFY(believed.has_value());
    QCOMPARE(believed->valid, 1300);
    QVERIFY(believed->learnt_from >= 900 && believed->learnt_from < 1300);
  }

  void given_up_it_says_so() {
    base::Random random = printed_random();
    const space::SearchSpace space = random.chance(0.5) ? tiny_space() : vast_space();
    const char* y = space.knobs().size() == 3 ? "step" : "tile1[2]";
    const trial::Table table = trials_of(random, space, 30, 0.1);
    const Axes axes = axes_of(space, table.snapshot(), space.knobs().size() == 3 ? "tile[1]" : "tile0[2]", y);
    std::int64_t asked = 0;
    double last = 0;
    const auto whole =
        analysis::believed_cells(space, table.snapshot(), flops, axes.x, axes.y, {}, [&](double done) {
          ++asked;
          return done >= std::exchange(last, done) && done <= 1;
        });
    QVERIFY(whole.has_value());
    QVERIFY(asked > 3);
    for (std::int64_t allowed = 0; allowed < asked; ++allowed) {
      std::int64_t left = allowed;
      const auto stopped = analysis::believed_cells(space, table.snapshot(), flops, axes.x, axes.y, {},
                                                    [&](double) { return left-- > 0; });
      QVERIFY(!stopped.has_value());
      QCOMPARE(stopped.error().code, ErrorCode::Refused);
    }
  }

  void too_few_valid_trials_are_refused() {
    base::Random random = printed_random();
    const space::SearchSpace space = tiny_space();
    for (int valid = 0; valid <= 6; ++valid) {
      trial::Table table = trials_of(random, space, valid, 0.5);
      trial::Row failed;
      failed.number = table.size();
      failed.category = trial::ErrorCategory::RunTimeout;
      table.append(failed, *space.random_member(random));
      // Built and never run: worth nothing here.
      trial::Row built;
      built.number = table.size();
      table.append(built, *space.random_member(random));
      const Axes axes = axes_of(space, table.snapshot(), "tile[1]", "step");
      const auto believed = analysis::believed_cells(space, table.snapshot(), flops, axes.x, axes.y, {});
      QCOMPARE(believed.has_value(), valid >= 5);
      if (believed) {
        QCOMPARE(believed->valid, valid);
        QCOMPARE(believed->learnt_from, valid);
      } else {
        QCOMPARE(believed.error().code, ErrorCode::Refused);
        QVERIFY(QString::fromStdString(describe(believed.error())).contains(QString::number(valid)));
      }
    }
  }
};

KERNELSCAPE_PLAIN_TEST(AnalysisBelievedCellsTest)

}  // namespace kernelscape::analysis_believed_cells_test
#include "analysis_believed_cells_test.moc"
