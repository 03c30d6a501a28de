#include <QAbstractItemModelTester>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QPushButton>
#include <QSlider>
#include <QStackedWidget>
#include <QTableView>
#include <QTest>
#include <cmath>
#include <map>
#include <random>

#include "core/analysis/landscape/neighbourhood.h"
#include "core/analysis/landscape/random_walk.h"
#include "tests/gui/explore_bench.h"
#include "tests/test_program.h"
#include "ui/charts/curves/walk_distance_chart.h"
#include "ui/charts/landscape/topology_chart.h"
#include "ui/views/explore/neighbourhood_page.h"
#include "ui/views/explore/topology_page.h"
#include "ui/views/explore/walk_rate.h"

namespace kernelscape::explore_pages_test {

using namespace explore_tests;

class ExplorePagesTest : public QObject {
  Q_OBJECT

 private:
  gui_tests::Database database_;
  store::SessionId session_ = 0;
  std::mt19937 random_;

 private slots:
  void initTestCase() {
    const unsigned seed = std::random_device{}();
    qInfo("seed %u", seed);
    random_.seed(seed);
    session_ = database_.add_session(trial_count, "random");
  }

  void neighbours_are_those_of_the_space() {
    Bench bench(database_);
    QVERIFY(bench.open(session_));
    views::WalkRate rate;
    views::NeighbourhoodPage page(bench.workspace, rate);
    bench.show(page);
    auto* model = page.findChild<views::NeighbourModel*>();
    const QAbstractItemModelTester tester(model);
    auto* stack = page.findChild<QStackedWidget*>();
    QCOMPARE(stack->currentIndex(), 0);
    const std::int64_t row = static_cast<std::int64_t>(random_() % trial_count);
    bench.workspace.set_current_row(row);
    QTRY_COMPARE_WITH_TIMEOUT(stack->currentIndex(), 1, deadline_milliseconds);
    auto* q = page.findChild<QDoubleSpinBox*>();
    q->setValue(0.3);
    const space::SearchSpace& space = bench.workspace.source()->space();
    const space::Configuration centre = bench.trials().configuration(row);
    const auto walk = analysis::MutationDistribution::make(space, centre, 0.3).value();
    const auto find = [&](const space::Configuration& to) -> std::optional<std::int64_t> {
      for (std::int64_t other = 0; other < trial_count; ++other)
        if (bench.trials().configuration(other) == to) return other;
      return std::nullopt;
    };
    const std::vector<analysis::NeighbourMove> expected = analysis::neighbour_moves(space, centre, find);
    const auto same = [&] {
      if (model->neighbours().size() != expected.size()) return false;
      for (std::size_t index = 0; index < expected.size(); ++index) {
        const views::NeighbourRow& neighbour = model->neighbours()[index];
        if (neighbour.row != expected[index].row.value_or(analysis::no_row) ||
            neighbour.full.toStdString() != space.describe(expected[index].configuration) ||
            std::abs(neighbour.probability - walk.probability(expected[index].configuration)) > 1e-12)
          return false;
      }
      return true;
    };
    QTRY_VERIFY_WITH_TIMEOUT(same(), deadline_milliseconds);
  }

  void a_measured_neighbour_becomes_the_current_trial() {
    Bench bench(database_);
    QVERIFY(bench.open(database_.add_session(trial_count, "sa")));
    const space::SearchSpace& space = bench.workspace.source()->space();
    std::map<space::Configuration, std::int64_t> rows;
    for (std::int64_t row = 0; row < trial_count; ++row) rows[bench.trials().configuration(row)] = row;
    const auto find = [&](const space::Configuration& to) {
      const auto found = rows.find(to);
      return found == rows.end() ? std::nullopt : std::optional(found->second);
    };
    std::int64_t centre = analysis::no_row;
    for (std::int64_t row = 0; row < trial_count && centre == analysis::no_row; ++row)
      for (const analysis::NeighbourMove& move :
           analysis::neighbour_moves(space, bench.trials().configuration(row), find))
        if (move.row) centre = row;
    QVERIFY(centre != analysis::no_row);
    views::WalkRate rate;
    views::NeighbourhoodPage page(bench.workspace, rate);
    bench.show(page);
    auto* model = page.findChild<views::NeighbourModel*>();
    auto* table = page.findChild<QTableView*>();
    bench.workspace.set_current_row(centre);
    QTRY_VERIFY_WITH_TIMEOUT(model->rowCount() > 0, deadline_milliseconds);
    table->sortByColumn(views::NeighbourModel::Trial, Qt::AscendingOrder);
    const std::int64_t expected = model->neighbours().front().row;
    QVERIFY(expected != analysis::no_row);
    const QPoint at = table->visualRect(model->index(0, 0)).center();
    QTest::mouseClick(table->viewport(), Qt::LeftButton, {}, at);
    QTest::mouseDClick(table->viewport(), Qt::LeftButton, {}, at);
    QCOMPARE(bench.workspace.current_row(), expected);
  }

  void the_neighbourhood_of_the_best_is_one_click_away() {
    Bench bench(database_);
    QVERIFY(bench.open(session_));
    bench.workspace.set_current_row(analysis::no_row);
    views::WalkRate rate;
    views::NeighbourhoodPage page(bench.workspace, rate);
    bench.show(page);
    auto* best = page.findChild<QPushButton*>();
    QTRY_VERIFY_WITH_TIMEOUT(best->isVisible(), deadline_milliseconds);
    QTest::mouseClick(best, Qt::LeftButton);
    QCOMPARE(bench.workspace.current_row(), bench.workspace.source()->headline.row);
    auto* model = page.findChild<views::NeighbourModel*>();
    QTRY_VERIFY_WITH_TIMEOUT(model->rowCount() > 0, deadline_milliseconds);
  }

  void a_topology_shows_the_walk_of_the_current_trials_value() {
    Bench bench(database_);
    QVERIFY(bench.open(session_));
    views::WalkRate rate;
    views::TopologyPage page(bench.workspace, rate);
    bench.show(page);
    auto* chart = page.findChild<charts::TopologyChart*>();
    auto* bars = page.findChild<charts::WalkDistanceChart*>();
    auto* box = page.findChild<QComboBox*>();
    const std::vector<space::Knob>& knobs = bench.workspace.source()->space().knobs();
    QCOMPARE(box->count(), static_cast<int>(knobs.size()));
    const auto row = static_cast<std::int64_t>(random_() % trial_count);
    bench.workspace.set_current_row(row);
    for (std::size_t index = 0; index < knobs.size(); ++index) {
      const space::Knob& knob = knobs[index];
      box->setCurrentIndex(static_cast<int>(index));
      if (knob.count() == 1) continue;
      const std::uint32_t start = bench.trials().knob_index(row, index);
      const auto there = [&] {
        return chart->data().knob.toStdString() == knob.name() && chart->data().graph.nodes[0].value == start;
      };
      QTRY_VERIFY_WITH_TIMEOUT(there(), deadline_milliseconds);
      const std::vector<double> walk = analysis::walk_distribution(knob, start, rate.q()).value();
      const charts::TopologyData& shown = chart->data();
      QCOMPARE(shown.current, std::optional<std::size_t>(0));
      double drawn = 0;
      for (std::size_t node = 0; node < shown.values.size(); ++node) {
        QCOMPARE(shown.values[node].probability, walk[shown.graph.nodes[node].value]);
        drawn += shown.values[node].probability;
      }
      QVERIFY(std::abs(drawn + shown.further_probability - 1) < 1e-9);
      double summed = 0;
      for (const charts::StackedBar* bar : bars->shown()) summed += bar->values[0] + bar->values[1];
      QVERIFY(std::abs(summed - 100) < 1e-9);
    }
  }

  void a_topology_knows_what_was_measured_of_each_value() {
    Bench bench(database_);
    QVERIFY(bench.open(session_));
    views::WalkRate rate;
    views::TopologyPage page(bench.workspace, rate);
    analysis::RowSet selected(trial_count);
    for (std::int64_t row = 0; row < trial_count; ++row)
      if (random_() % 3 == 0) selected.set(row);
    bench.workspace.set_selection(selected);
    bench.show(page);
    auto* chart = page.findChild<charts::TopologyChart*>();
    QTRY_VERIFY_WITH_TIMEOUT(!chart->data().values.empty(), deadline_milliseconds);
    // Without a current trial the best one is shown.
    const std::int64_t best_row = bench.workspace.source()->headline.row;
    QCOMPARE(chart->data().graph.nodes[0].value, bench.trials().knob_index(best_row, 0));
    QVERIFY(!chart->data().current);
    for (std::size_t node = 0; node < chart->data().values.size(); ++node) {
      const charts::TopologyValue& value = chart->data().values[node];
      std::vector<double> speeds;
      std::int64_t trials = 0;
      std::int64_t marked = 0;
      for (std::int64_t row = 0; row < trial_count; ++row) {
        if (bench.trials().knob_index(row, 0) != chart->data().graph.nodes[node].value) continue;
        ++trials;
        marked += selected.test(row) ? 1 : 0;
        if (!std::isnan(bench.value("gflops", row))) speeds.push_back(bench.value("gflops", row));
      }
      std::ranges::sort(speeds);
      QCOMPARE(value.trials, trials);
      QCOMPARE(value.selected, marked);
      QCOMPARE(value.valid, std::ssize(speeds));
      if (speeds.empty()) continue;
      QCOMPARE(value.best, speeds.back());
      const double middle = (speeds[(speeds.size() - 1) / 2] + speeds[speeds.size() / 2]) / 2;
      QVERIFY(std::abs(value.median - middle) < 1e-9 * middle);
    }
  }

  void a_topology_starts_where_it_is_clicked_and_comes_back() {
    Bench bench(database_);
    QVERIFY(bench.open(session_));
    views::WalkRate rate;
    views::TopologyPage page(bench.workspace, rate);
    const auto row = static_cast<std::int64_t>(random_() % trial_count);
    bench.workspace.set_current_row(row);
    bench.show(page);
    auto* chart = page.findChild<charts::TopologyChart*>();
    QTRY_VERIFY_WITH_TIMEOUT(!chart->data().values.empty(), deadline_milliseconds);
    auto* back = page.findChild<QPushButton*>();
    QVERIFY(!back->isEnabled());
    const std::uint32_t before = chart->data().graph.nodes[0].value;
    const std::uint32_t chosen = chart->data().graph.nodes.back().value;
    QTest::mouseClick(chart, Qt::LeftButton, {},
                      chart->position_of(chart->data().values.size() - 1).toPoint());
    const auto start = [&] { return chart->data().graph.nodes[0].value; };
    QTRY_COMPARE_WITH_TIMEOUT(start(), chosen, deadline_milliseconds);
    // The current trial's value is marked where it is now, and another trial does not move the start.
    QCOMPARE(chart->data().graph.nodes[chart->data().current.value()].value, before);
    std::int64_t other = 0;
    while (bench.trials().knob_index(other, 0) == before) ++other;
    bench.workspace.set_current_row(other);
    const std::uint32_t its = bench.trials().knob_index(other, 0);
    const auto current = [&] { return chart->data().graph.nodes[chart->data().current.value()].value; };
    QTRY_COMPARE_WITH_TIMEOUT(current(), its, deadline_milliseconds);
    QCOMPARE(start(), chosen);
    QVERIFY(back->isEnabled());
    QTest::mouseClick(back, Qt::LeftButton);
    QTRY_COMPARE_WITH_TIMEOUT(start(), its, deadline_milliseconds);
    QVERIFY(!back->isEnabled());
  }

  void values_of_no_member_are_distinguished() {
    // Explicit members: half of all configurations.
    session::Setup setup = session_tests::make_setup("random", 3, 12, 6);
    const std::vector<space::Knob> knobs = {*space::Knob::factorization("tile", 16, 3),
                                            *space::Knob::categorical("flag", {1, 2, 3})};
    const space::SearchSpace all = space::SearchSpace::make(knobs).value();
    std::vector<space::Configuration> members;
    for (std::uint64_t index = 0; index < 45; ++index)
      if (index % 3 == 0 || random_() % 2 == 0) members.push_back(all.at(index));
    setup.space = space::SearchSpace::make_explicit(knobs, members).value();
    Bench bench(database_);
    QVERIFY(bench.open(database_.add_session(setup)));
    bench.workspace.set_current_row(5);
    views::WalkRate rate;
    views::TopologyPage page(bench.workspace, rate);
    bench.show(page);
    auto* chart = page.findChild<charts::TopologyChart*>();
    QTRY_VERIFY_WITH_TIMEOUT(!chart->data().values.empty(), deadline_milliseconds);
    space::Configuration beside = bench.trials().configuration(5);
    double of_members = 0;
    for (std::size_t node = 0; node < chart->data().values.size(); ++node) {
      const charts::TopologyValue& value = chart->data().values[node];
      beside.indices[0] = chart->data().graph.nodes[node].value;
      const bool expected = std::ranges::find(members, beside) != members.end();
      QCOMPARE(value.member, expected);
      if (expected) of_members += value.probability;
    }
    QVERIFY(chart->data().values[0].member);
    double drawn = 0;
    for (const charts::StackedBar* bar : page.findChild<charts::WalkDistanceChart*>()->shown())
      drawn += bar->values[0];
    QVERIFY(std::abs(drawn - 100 * of_members) < 1e-9);
  }

  void knobs_without_a_topology_say_why() {
    session::Setup setup = session_tests::make_setup("random", 3, 12, 6);
    setup.space = space::SearchSpace::make(
                      {*space::Knob::ordinal("alone", {1}),
                       *space::Knob::permutation("order", {"a", "b", "c", "d", "e", "f", "g", "h"}),
                       *space::Knob::ordinal("step", {1, 2, 4})})
                      .value();
    Bench bench(database_);
    QVERIFY(bench.open(database_.add_session(setup)));
    views::WalkRate rate;
    views::TopologyPage page(bench.workspace, rate);
    bench.show(page);
    auto* box = page.findChild<QComboBox*>();
    for (charts::Chart* chart : page.findChildren<charts::Chart*>()) {
      box->setCurrentIndex(0);
      QVERIFY(chart->notice().contains(QStringLiteral("alone has only one value")));
      box->setCurrentIndex(1);
      QVERIFY(chart->notice().contains(QStringLiteral("order has 40,320 values")));
      QVERIFY(chart->notice().contains(QStringLiteral("restrict")));
      box->setCurrentIndex(2);
      QTRY_VERIFY_WITH_TIMEOUT(chart->notice().isEmpty(), deadline_milliseconds);
    }
  }

  void one_rate_stands_in_all_pages() {
    Bench bench(database_);
    QVERIFY(bench.open(session_));
    views::WalkRate rate;
    views::TopologyPage topology(bench.workspace, rate);
    views::NeighbourhoodPage neighbourhood(bench.workspace, rate);
    bench.show(topology);
    auto* chart = topology.findChild<charts::TopologyChart*>();
    QTRY_VERIFY_WITH_TIMEOUT(!chart->data().values.empty(), deadline_milliseconds);
    QCOMPARE(rate.q(), 0.5);
    auto* slider = topology.findChild<QSlider*>();
    // As a hand drags it: many values at once, of which the last one counts.
    for (int value = 50; value <= 99; ++value) slider->setValue(value);
    QCOMPARE(rate.q(), 0.99);
    QCOMPARE(neighbourhood.findChild<QSlider*>()->value(), 99);
    QCOMPARE(neighbourhood.findChild<QDoubleSpinBox*>()->value(), 0.99);
    QTRY_COMPARE_WITH_TIMEOUT(chart->data().q, 0.99, deadline_milliseconds);
    neighbourhood.findChild<QDoubleSpinBox*>()->setValue(0);
    QTRY_COMPARE_WITH_TIMEOUT(chart->data().q, 0.0, deadline_milliseconds);
    QCOMPARE(slider->value(), 0);
    QCOMPARE(chart->data().values[0].probability, 1.0);
  }

  void what_is_not_known_comes_last_in_both_orders() {
    views::NeighbourModel model;
    const QAbstractItemModelTester tester(&model);
    std::vector<views::NeighbourRow> neighbours;
    for (int index = 0; index < 60; ++index) {
      views::NeighbourRow neighbour;
      neighbour.knob = QString::number(random_() % 5);
      neighbour.probability = static_cast<double>(random_() % 100) / 100;
      if (random_() % 2 == 0) {
        neighbour.row = index;
        neighbour.trial = index;
        neighbour.performance = static_cast<double>(random_() % 50);
      }
      neighbours.push_back(neighbour);
    }
    model.set_neighbours(neighbours, QStringLiteral("GFLOPS"));
    for (const Qt::SortOrder order : {Qt::AscendingOrder, Qt::DescendingOrder}) {
      model.sort(views::NeighbourModel::Performance, order);
      const std::vector<views::NeighbourRow>& sorted = model.neighbours();
      for (std::size_t index = 1; index < sorted.size(); ++index) {
        const double before = sorted[index - 1].performance;
        const double after = sorted[index].performance;
        QVERIFY(before > 0 || after == 0);
        if (before > 0 && after > 0) QVERIFY(order == Qt::AscendingOrder ? before <= after : before >= after);
        if (before == after) QVERIFY(sorted[index - 1].order < sorted[index].order);
      }
    }
  }

  void cleanupTestCase() { workspace::JobTracker::wait_for_all(); }
};

KERNELSCAPE_TEST(ExplorePagesTest, QApplication)

}  // namespace kernelscape::explore_pages_test
#include "explore_pages_test.moc"
