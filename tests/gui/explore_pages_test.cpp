#include <QAbstractItemModelTester>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QSlider>
#include <QStackedWidget>
#include <QTableView>
#include <QTest>
#include <QToolButton>
#include <cmath>
#include <map>
#include <random>
#include <set>

#include "core/analysis/filter/filter.h"
#include "core/analysis/landscape/neighbourhood.h"
#include "core/analysis/landscape/random_walk.h"
#include "tests/gui/gui_support.h"
#include "tests/test_program.h"
#include "ui/charts/bars/distribution_chart.h"
#include "ui/charts/bars/error_chart.h"
#include "ui/charts/courses/cumulative_chart.h"
#include "ui/charts/courses/walk_distance_chart.h"
#include "ui/charts/landscape/parallel_chart.h"
#include "ui/charts/landscape/topology_chart.h"
#include "ui/views/explore/distribution_page.h"
#include "ui/views/explore/errors_page.h"
#include "ui/views/explore/message_model.h"
#include "ui/views/explore/neighbourhood_page.h"
#include "ui/views/explore/parallel_page.h"
#include "ui/views/explore/shown_watch.h"
#include "ui/views/explore/topology_page.h"
#include "ui/views/explore/walk_rate.h"
#include "ui/workspace/run_queue.h"

namespace kernelscape {
namespace {

constexpr std::int64_t trial_count = 300;
constexpr int deadline_milliseconds = 30'000;

/** A workspace with an open session and what passes its filters. */
struct Bench {
  explicit Bench(const gui_tests::Database& database) : workspace(database.path(), gui_tests::run_scripted) {
    watch.set_active(true);
  }

  bool open(SessionId session) {
    workspace.open_session(session);
    return QTest::qWaitFor([&] { return watch.shown() != nullptr; }, deadline_milliseconds);
  }
  const TrialSnapshot& trials() const { return workspace.source()->trials; }
  double value(const char* column, std::int64_t row) const {
    const TrialColumns& columns = workspace.source()->columns();
    return columns.value(trials(), row, *columns.find(column));
  }
  /** Shows a page; what it picks becomes the selection, as the view does it. */
  void show(ExplorePage& page) {
    QObject::connect(&page, &ExplorePage::rows_picked, &workspace,
                     [this](const RowSet& rows, const QStringList& said) {
                       filters = said;
                       workspace.set_selection(rows);
                     });
    QObject::connect(&workspace, &Workspace::selection_changed, &page, &ExplorePage::follow_selection);
    QObject::connect(&workspace, &Workspace::current_row_changed, &page, &ExplorePage::follow_current);
    page.resize(1000, 700);
    page.show();
    page.set_shown(watch.shown());
  }
  /** The rows that the filters of the last pick pass. */
  RowSet passing() const {
    std::vector<std::string> texts;
    for (const QString& filter : filters) texts.push_back(filter.toStdString());
    const TrialColumns& columns = workspace.source()->columns();
    return Filter::parse(conjunction(texts), columns).value().evaluate(trials(), columns);
  }

  Workspace workspace;
  ShownWatch watch{workspace};
  QStringList filters;
};

}  // namespace

class ExplorePagesTest : public QObject {
  Q_OBJECT

 private:
  gui_tests::Database database_;
  SessionId session_ = 0;
  std::mt19937 random_;

 private slots:
  void initTestCase() {
    const unsigned seed = std::random_device{}();
    qInfo("seed %u", seed);
    random_.seed(seed);
    session_ = database_.add_session(trial_count, "random");
  }

  void messages_are_counted_and_lead_to_their_first_trial() {
    Bench bench(database_);
    QVERIFY(bench.open(session_));
    std::map<std::pair<std::int64_t, ErrorCategory>, std::pair<std::int64_t, std::int64_t>> expected;
    for (std::int64_t row = 0; row < bench.trials().size(); ++row) {
      const TrialRow trial = bench.trials().row(row);
      if (trial.category == ErrorCategory::NoError) continue;
      auto& [count, first] = expected.try_emplace({trial.message, trial.category}, 0, row).first->second;
      ++count;
    }
    ErrorsPage page(bench.workspace);
    bench.show(page);
    auto* model = page.findChild<MessageModel*>();
    const QAbstractItemModelTester tester(model);
    QTRY_COMPARE_WITH_TIMEOUT(model->rowCount(), static_cast<int>(expected.size()), deadline_milliseconds);
    auto* table = page.findChild<QTableView*>();
    for (int row = 0; row < model->rowCount(); ++row) {
      const FrequentMessage& message = model->message(row);
      const auto [count, first] = expected.at({message.id, message.category});
      QCOMPARE(message.count, count);
      QVERIFY(row == 0 || model->message(row - 1).count >= message.count);
      table->scrollTo(model->index(row, 0));
      QTest::mouseClick(table->viewport(), Qt::LeftButton, {},
                        table->visualRect(model->index(row, MessageModel::Count)).center());
      QCOMPARE(bench.workspace.current_row(), first);
      const Trial trial = Store::open(database_.path()).value().trial(session_, message.first_trial).value();
      QCOMPARE(page.findChild<QPlainTextEdit*>()->toPlainText().toStdString(), trial.measurement.message);
    }
  }

  void a_category_is_selected_from_its_bar() {
    Bench bench(database_);
    QVERIFY(bench.open(session_));
    ErrorsPage page(bench.workspace);
    bench.show(page);
    auto* chart = page.findChild<ErrorChart*>();
    QTRY_VERIFY_WITH_TIMEOUT(chart->notice().isEmpty(), deadline_milliseconds);
    for (std::size_t row = 0; row < chart->categories().size(); ++row) {
      QTest::mouseClick(chart, Qt::LeftButton, {}, chart->bars_of(row).first.center().toPoint());
      for (std::int64_t trial = 0; trial < bench.trials().size(); ++trial)
        QCOMPARE(bench.workspace.selection().test(trial),
                 bench.trials().row(trial).category == chart->categories()[row]);
      QVERIFY(bench.passing() == bench.workspace.selection());
    }
  }

  void a_bar_of_the_distribution_selects_its_trials() {
    Bench bench(database_);
    QVERIFY(bench.open(session_));
    DistributionPage page(bench.workspace);
    bench.show(page);
    auto* chart = page.findChild<DistributionChart*>();
    QTRY_VERIFY_WITH_TIMEOUT(!chart->data().histogram.counts.empty(), deadline_milliseconds);
    const Histogram histogram = chart->data().histogram;
    const PlotFrame frame = chart->frame();
    for (std::size_t bin = 0; bin < histogram.counts.size(); ++bin) {
      const double x = (frame.map_x(histogram.edges[bin]) + frame.map_x(histogram.edges[bin + 1])) / 2;
      QTest::mouseClick(chart, Qt::LeftButton, {}, QPoint(static_cast<int>(x), 300));
      QCOMPARE(bench.workspace.selection().count(), histogram.counts[bin]);
      QVERIFY(bench.passing() == bench.workspace.selection());
      const auto marked = [&] {
        return bin < chart->data().highlighted.size() &&
               chart->data().highlighted[bin] == histogram.counts[bin];
      };
      QTRY_VERIFY_WITH_TIMEOUT(marked(), deadline_milliseconds);
    }
  }

  void the_share_near_the_best_counts_failures_too() {
    Bench bench(database_);
    QVERIFY(bench.open(session_));
    DistributionPage page(bench.workspace);
    bench.show(page);
    auto* chart = page.findChild<CumulativeChart*>();
    QTRY_VERIFY_WITH_TIMEOUT(!chart->data().points.empty(), deadline_milliseconds);
    const PlotFrame frame = chart->frame();
    const double x = frame.map_x(20);
    QTest::mouseClick(chart, Qt::LeftButton, {}, QPoint(static_cast<int>(x), 300));
    const double below = frame.x_at(static_cast<int>(x)) / 100;
    double best = 0;
    for (std::int64_t row = 0; row < trial_count; ++row)
      best = std::max(best, std::isnan(bench.value("gflops", row)) ? 0 : bench.value("gflops", row));
    std::int64_t expected = 0;
    for (std::int64_t row = 0; row < trial_count; ++row)
      expected += bench.value("gflops", row) >= best * (1 - below) ? 1 : 0;
    QCOMPARE(bench.workspace.selection().count(), expected);
    QCOMPARE(chart->data().trials, trial_count);
    // A random sample says something of the space.
    QVERIFY(chart->data().points.front().interval.has_value());
  }

  void a_filtered_sample_is_not_the_space() {
    Bench bench(database_);
    QVERIFY(bench.open(session_));
    DistributionPage page(bench.workspace);
    bench.show(page);
    auto* chart = page.findChild<CumulativeChart*>();
    QTRY_COMPARE_WITH_TIMEOUT(chart->data().of_what, QStringLiteral("configurations"), deadline_milliseconds);
    QVERIFY(bench.workspace.set_filters({QStringLiteral("trial < 200")}));
    QTRY_COMPARE_WITH_TIMEOUT(bench.watch.shown()->filters.size(), 1, deadline_milliseconds);
    page.set_shown(bench.watch.shown());
    QTRY_COMPARE_WITH_TIMEOUT(chart->data().trials, std::int64_t{200}, deadline_milliseconds);
    QCOMPARE(chart->data().of_what, QStringLiteral("trials"));
    for (const CumulativePoint& point : chart->data().points) QVERIFY(!point.interval.has_value());
  }

  void a_tuner_makes_no_statement_about_the_space() {
    const SessionId chosen = database_.add_session(60, "nose");
    Bench bench(database_);
    QVERIFY(bench.open(chosen));
    DistributionPage page(bench.workspace);
    bench.show(page);
    auto* chart = page.findChild<CumulativeChart*>();
    QTRY_VERIFY_WITH_TIMEOUT(!chart->data().points.empty(), deadline_milliseconds);
    for (const CumulativePoint& point : chart->data().points) QVERIFY(!point.interval.has_value());
    QVERIFY(chart->accessibleName().contains(QStringLiteral("chosen by nose, not at random")));
  }

  void brushes_select_what_passes_all_of_them() {
    Bench bench(database_);
    QVERIFY(bench.open(session_));
    ParallelPage page(bench.workspace);
    bench.show(page);
    auto* chart = page.findChild<ParallelChart*>();
    QTRY_VERIFY_WITH_TIMEOUT(!chart->data().axes.empty(), deadline_milliseconds);
    const std::size_t last = page.axes().size() - 1;
    const ParallelAxis& speeds = chart->data().coordinates.axes[last];
    const QPoint from = chart->position_of(last, speeds.bins.count() / 2).toPoint();
    const QPoint to = chart->position_of(last, speeds.bins.count() - 1).toPoint();
    QTest::mousePress(chart, Qt::LeftButton, {}, from);
    QTest::mouseMove(chart, to);
    QTest::mouseRelease(chart, Qt::LeftButton, {}, to);
    QTRY_VERIFY_WITH_TIMEOUT(!bench.workspace.selection().none(), deadline_milliseconds);
    QTest::mouseClick(chart, Qt::LeftButton, {}, chart->position_of(0, 1).toPoint());
    QTRY_COMPARE_WITH_TIMEOUT(bench.filters.size(), 2, deadline_milliseconds);
    const Brush speed = chart->brushes()[last].value();
    const Brush value = chart->brushes()[0].value();
    const TrialColumns& columns = bench.workspace.source()->columns();
    const auto inside = [&](std::int64_t row, std::size_t column, const Brush& brush) {
      const double at = columns.value(bench.trials(), row, column);
      return at >= brush.low && at <= brush.high;
    };
    for (std::int64_t row = 0; row < trial_count; ++row)
      QCOMPARE(bench.workspace.selection().test(row),
               inside(row, page.axes()[0], value) && inside(row, page.axes()[last], speed));
    QVERIFY(bench.passing() == bench.workspace.selection());
    // A selection from elsewhere is not what the brushes say.
    bench.workspace.set_selection(RowSet(trial_count, true));
    QTRY_VERIFY_WITH_TIMEOUT(!chart->brushes()[0].has_value(), deadline_milliseconds);
    QVERIFY(bench.workspace.selection().all());
  }

  void axes_are_reordered_by_dragging_a_title() {
    Bench bench(database_);
    QVERIFY(bench.open(session_));
    ParallelPage page(bench.workspace);
    bench.show(page);
    auto* chart = page.findChild<ParallelChart*>();
    QTRY_VERIFY_WITH_TIMEOUT(!chart->data().axes.empty(), deadline_milliseconds);
    std::vector<std::size_t> expected = page.axes();
    std::rotate(expected.begin(), expected.begin() + 2, expected.begin() + 3);
    const QString moved = chart->data().axes[2].title;
    QTest::mousePress(chart, Qt::LeftButton, {}, chart->title_position(2).toPoint());
    QTest::mouseRelease(chart, Qt::LeftButton, {}, chart->title_position(0).toPoint());
    QCOMPARE(page.axes(), expected);
    QTRY_COMPARE_WITH_TIMEOUT(chart->data().axes[0].title, moved, deadline_milliseconds);
  }

  void neighbours_are_those_of_the_space() {
    Bench bench(database_);
    QVERIFY(bench.open(session_));
    WalkRate rate;
    NeighbourhoodPage page(bench.workspace, rate);
    bench.show(page);
    auto* model = page.findChild<NeighbourModel*>();
    const QAbstractItemModelTester tester(model);
    auto* stack = page.findChild<QStackedWidget*>();
    QCOMPARE(stack->currentIndex(), 0);
    const std::int64_t row = static_cast<std::int64_t>(random_() % trial_count);
    bench.workspace.set_current_row(row);
    QTRY_COMPARE_WITH_TIMEOUT(stack->currentIndex(), 1, deadline_milliseconds);
    auto* q = page.findChild<QDoubleSpinBox*>();
    q->setValue(0.3);
    const SearchSpace& space = bench.workspace.source()->space();
    const Configuration centre = bench.trials().configuration(row);
    const auto walk = MutationDistribution::make(space, centre, 0.3).value();
    const auto find = [&](const Configuration& to) -> std::optional<std::int64_t> {
      for (std::int64_t other = 0; other < trial_count; ++other)
        if (bench.trials().configuration(other) == to) return other;
      return std::nullopt;
    };
    const std::vector<NeighbourMove> expected = neighbour_moves(space, centre, find);
    const auto same = [&] {
      if (model->neighbours().size() != expected.size()) return false;
      for (std::size_t index = 0; index < expected.size(); ++index) {
        const NeighbourRow& neighbour = model->neighbours()[index];
        if (neighbour.row != expected[index].row.value_or(no_row) ||
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
    const SearchSpace& space = bench.workspace.source()->space();
    std::map<Configuration, std::int64_t> rows;
    for (std::int64_t row = 0; row < trial_count; ++row) rows[bench.trials().configuration(row)] = row;
    const auto find = [&](const Configuration& to) {
      const auto found = rows.find(to);
      return found == rows.end() ? std::nullopt : std::optional(found->second);
    };
    std::int64_t centre = no_row;
    for (std::int64_t row = 0; row < trial_count && centre == no_row; ++row)
      for (const NeighbourMove& move : neighbour_moves(space, bench.trials().configuration(row), find))
        if (move.row) centre = row;
    QVERIFY(centre != no_row);
    WalkRate rate;
    NeighbourhoodPage page(bench.workspace, rate);
    bench.show(page);
    auto* model = page.findChild<NeighbourModel*>();
    auto* table = page.findChild<QTableView*>();
    bench.workspace.set_current_row(centre);
    QTRY_VERIFY_WITH_TIMEOUT(model->rowCount() > 0, deadline_milliseconds);
    table->sortByColumn(NeighbourModel::Trial, Qt::AscendingOrder);
    const std::int64_t expected = model->neighbours().front().row;
    QVERIFY(expected != no_row);
    const QPoint at = table->visualRect(model->index(0, 0)).center();
    QTest::mouseClick(table->viewport(), Qt::LeftButton, {}, at);
    QTest::mouseDClick(table->viewport(), Qt::LeftButton, {}, at);
    QCOMPARE(bench.workspace.current_row(), expected);
  }

  void the_neighbourhood_of_the_best_is_one_click_away() {
    Bench bench(database_);
    QVERIFY(bench.open(session_));
    bench.workspace.set_current_row(no_row);
    WalkRate rate;
    NeighbourhoodPage page(bench.workspace, rate);
    bench.show(page);
    auto* best = page.findChild<QPushButton*>();
    QTRY_VERIFY_WITH_TIMEOUT(best->isVisible(), deadline_milliseconds);
    QTest::mouseClick(best, Qt::LeftButton);
    QCOMPARE(bench.workspace.current_row(), bench.workspace.source()->headline.row);
    auto* model = page.findChild<NeighbourModel*>();
    QTRY_VERIFY_WITH_TIMEOUT(model->rowCount() > 0, deadline_milliseconds);
  }

  void a_topology_shows_the_walk_of_the_current_trials_value() {
    Bench bench(database_);
    QVERIFY(bench.open(session_));
    WalkRate rate;
    TopologyPage page(bench.workspace, rate);
    bench.show(page);
    auto* chart = page.findChild<TopologyChart*>();
    auto* bars = page.findChild<WalkDistanceChart*>();
    auto* box = page.findChild<QComboBox*>();
    const std::vector<Knob>& knobs = bench.workspace.source()->space().knobs();
    QCOMPARE(box->count(), static_cast<int>(knobs.size()));
    const auto row = static_cast<std::int64_t>(random_() % trial_count);
    bench.workspace.set_current_row(row);
    for (std::size_t index = 0; index < knobs.size(); ++index) {
      const Knob& knob = knobs[index];
      box->setCurrentIndex(static_cast<int>(index));
      if (knob.count() == 1) continue;
      const std::uint32_t start = bench.trials().knob_index(row, index);
      const auto there = [&] {
        return chart->data().knob.toStdString() == knob.name() && chart->data().graph.nodes[0].value == start;
      };
      QTRY_VERIFY_WITH_TIMEOUT(there(), deadline_milliseconds);
      const std::vector<double> walk = walk_distribution(knob, start, rate.q()).value();
      const TopologyData& shown = chart->data();
      QCOMPARE(shown.current, std::optional<std::size_t>(0));
      double drawn = 0;
      for (std::size_t node = 0; node < shown.values.size(); ++node) {
        QCOMPARE(shown.values[node].probability, walk[shown.graph.nodes[node].value]);
        drawn += shown.values[node].probability;
      }
      QVERIFY(std::abs(drawn + shown.further_probability - 1) < 1e-9);
      double summed = 0;
      for (const StackedBar* bar : bars->shown()) summed += bar->values[0] + bar->values[1];
      QVERIFY(std::abs(summed - 100) < 1e-9);
    }
  }

  void a_topology_knows_what_was_measured_of_each_value() {
    Bench bench(database_);
    QVERIFY(bench.open(session_));
    WalkRate rate;
    TopologyPage page(bench.workspace, rate);
    RowSet selected(trial_count);
    for (std::int64_t row = 0; row < trial_count; ++row)
      if (random_() % 3 == 0) selected.set(row);
    bench.workspace.set_selection(selected);
    bench.show(page);
    auto* chart = page.findChild<TopologyChart*>();
    QTRY_VERIFY_WITH_TIMEOUT(!chart->data().values.empty(), deadline_milliseconds);
    // Without a current trial the best one is shown.
    const std::int64_t best_row = bench.workspace.source()->headline.row;
    QCOMPARE(chart->data().graph.nodes[0].value, bench.trials().knob_index(best_row, 0));
    QVERIFY(!chart->data().current);
    for (std::size_t node = 0; node < chart->data().values.size(); ++node) {
      const TopologyValue& value = chart->data().values[node];
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
    WalkRate rate;
    TopologyPage page(bench.workspace, rate);
    const auto row = static_cast<std::int64_t>(random_() % trial_count);
    bench.workspace.set_current_row(row);
    bench.show(page);
    auto* chart = page.findChild<TopologyChart*>();
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

  void values_of_no_member_are_told_apart() {
    // Explicit members: half of all configurations.
    SessionSetup setup = session_tests::make_setup("random", 3, 12, 6);
    const std::vector<Knob> knobs = {*Knob::factorization("tile", 16, 3),
                                     *Knob::categorical("flag", {1, 2, 3})};
    const SearchSpace all = SearchSpace::make(knobs).value();
    std::vector<Configuration> members;
    for (std::uint64_t index = 0; index < 45; ++index)
      if (index % 3 == 0 || random_() % 2 == 0) members.push_back(all.at(index));
    setup.space = SearchSpace::make_explicit(knobs, members).value();
    Bench bench(database_);
    QVERIFY(bench.open(database_.add_session(setup)));
    bench.workspace.set_current_row(5);
    WalkRate rate;
    TopologyPage page(bench.workspace, rate);
    bench.show(page);
    auto* chart = page.findChild<TopologyChart*>();
    QTRY_VERIFY_WITH_TIMEOUT(!chart->data().values.empty(), deadline_milliseconds);
    Configuration beside = bench.trials().configuration(5);
    double of_members = 0;
    for (std::size_t node = 0; node < chart->data().values.size(); ++node) {
      const TopologyValue& value = chart->data().values[node];
      beside.indices[0] = chart->data().graph.nodes[node].value;
      const bool expected = std::ranges::find(members, beside) != members.end();
      QCOMPARE(value.member, expected);
      if (expected) of_members += value.probability;
    }
    QVERIFY(chart->data().values[0].member);
    double drawn = 0;
    for (const StackedBar* bar : page.findChild<WalkDistanceChart*>()->shown()) drawn += bar->values[0];
    QVERIFY(std::abs(drawn - 100 * of_members) < 1e-9);
  }

  void knobs_without_a_topology_say_why() {
    SessionSetup setup = session_tests::make_setup("random", 3, 12, 6);
    setup.space = SearchSpace::make({*Knob::ordinal("alone", {1}),
                                     *Knob::permutation("order", {"a", "b", "c", "d", "e", "f", "g", "h"}),
                                     *Knob::ordinal("step", {1, 2, 4})})
                      .value();
    Bench bench(database_);
    QVERIFY(bench.open(database_.add_session(setup)));
    WalkRate rate;
    TopologyPage page(bench.workspace, rate);
    bench.show(page);
    auto* box = page.findChild<QComboBox*>();
    for (Chart* chart : page.findChildren<Chart*>()) {
      box->setCurrentIndex(0);
      QVERIFY(chart->notice().contains(QStringLiteral("alone has one value")));
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
    WalkRate rate;
    TopologyPage topology(bench.workspace, rate);
    NeighbourhoodPage neighbourhood(bench.workspace, rate);
    bench.show(topology);
    auto* chart = topology.findChild<TopologyChart*>();
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

  void new_trials_keep_the_zoom_and_the_selection() {
    Bench bench(database_);
    const SessionId growing = database_.add_session(40, "random");
    QVERIFY(bench.open(growing));
    DistributionPage page(bench.workspace);
    bench.show(page);
    connect(&bench.watch, &ShownWatch::changed, &page, [&] { page.set_shown(bench.watch.shown()); });
    auto* chart = page.findChild<DistributionChart*>();
    QTRY_VERIFY_WITH_TIMEOUT(!chart->data().histogram.counts.empty(), deadline_milliseconds);
    const Axis x = chart->x_axis();
    const double third = x.range.span() / 3;
    chart->zoom_to({x.range.low + third, x.range.high - third}, chart->y_axis().range);
    const Axis zoomed = chart->x_axis();
    const RowSet selected = RowSet::of(40, std::vector<std::int64_t>{3, 7, 8});
    bench.workspace.set_selection(selected);
    Budget budget;
    budget.trials = 200;
    bench.workspace.queue().resume(growing, budget);
    QTRY_COMPARE_WITH_TIMEOUT(chart->data().histogram.valid + chart->data().histogram.invalid, 200,
                              deadline_milliseconds);
    QCOMPARE(chart->x_axis().range, zoomed.range);
    QVERIFY(bench.workspace.selection() == selected);
  }

  void what_is_not_known_comes_last_in_both_orders() {
    NeighbourModel model;
    const QAbstractItemModelTester tester(&model);
    std::vector<NeighbourRow> neighbours;
    for (int index = 0; index < 60; ++index) {
      NeighbourRow neighbour;
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
      model.sort(NeighbourModel::Performance, order);
      const std::vector<NeighbourRow>& sorted = model.neighbours();
      for (std::size_t index = 1; index < sorted.size(); ++index) {
        const double before = sorted[index - 1].performance;
        const double after = sorted[index].performance;
        QVERIFY(before > 0 || after == 0);
        if (before > 0 && after > 0) QVERIFY(order == Qt::AscendingOrder ? before <= after : before >= after);
        if (before == after) QVERIFY(sorted[index - 1].order < sorted[index].order);
      }
    }
  }

  void cleanupTestCase() { JobTracker::wait_for_all(); }
};

}  // namespace kernelscape

KERNELSCAPE_TEST(kernelscape::ExplorePagesTest, QApplication)
#include "explore_pages_test.moc"
