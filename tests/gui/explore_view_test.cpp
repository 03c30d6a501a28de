#include "ui/views/explore/explore_view.h"

#include <QComboBox>
#include <QLabel>
#include <QPushButton>
#include <QSignalSpy>
#include <QStackedWidget>
#include <QTabBar>
#include <QTest>
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "core/analysis/filter/filter.h"
#include "tests/gui/explore_view_bench.h"
#include "tests/test_program.h"
#include "ui/charts/bars/effects_chart.h"
#include "ui/charts/bars/importance_chart.h"
#include "ui/charts/chart.h"
#include "ui/charts/landscape/heat_map_chart.h"
#include "ui/figures/knob_statistics.h"
#include "ui/figures/registry.h"
#include "ui/views/explore/column_box.h"
#include "ui/views/explore/knobs_page.h"
#include "ui/workspace/run_queue.h"

namespace kernelscape::explore_view_test {

using namespace explore_view_tests;

class ExploreViewTest : public QObject {
  Q_OBJECT

 private:
  gui_tests::Database database_;
  store::SessionId session_ = 0;

 private slots:
  void initTestCase() { session_ = database_.add_session(trial_count, "random"); }

  void without_a_source_it_says_what_to_do() {
    Bench bench(database_);
    QVERIFY(bench.says(QStringLiteral("No session is open")));
    QSignalSpy wanted(&bench.view, &views::View::view_requested);
    QPushButton* button = bench.button(QStringLiteral("Go to Tune"));
    QVERIFY(button != nullptr);
    QTest::mouseClick(button, Qt::LeftButton);
    QCOMPARE(wanted.size(), 1);
    QCOMPARE(wanted.front()[0].toString(), QStringLiteral("Tune"));
  }

  void its_pages_can_be_reached() {
    Bench bench(database_);
    const auto* tabs = bench.view.findChild<QTabBar*>();
    QVERIFY(tabs != nullptr && tabs->isVisible());
    QVERIFY(tabs->height() >= tabs->fontMetrics().height());
  }

  void a_session_is_chosen_from_the_list() {
    Bench bench(database_);
    auto* box = bench.view.findChild<QComboBox*>();
    QTRY_VERIFY_WITH_TIMEOUT(box->count() > 0, deadline_milliseconds);
    box->setFocus();
    QTest::keyClick(box, Qt::Key_Down);
    QTRY_VERIFY_WITH_TIMEOUT(bench.workspace.source() != nullptr, deadline_milliseconds);
    QVERIFY(bench.says(QString::fromStdString(bench.workspace.source()->coverage_text())));
  }

  void a_box_selects_and_becomes_a_filter() {
    Bench bench(database_);
    QVERIFY(bench.open_knobs(session_));
    auto* effects = bench.view.findChild<charts::EffectsChart*>();
    QTRY_VERIFY_WITH_TIMEOUT(!effects->data().boxes.empty(), deadline_milliseconds);
    const charts::EffectBox box = effects->data().boxes[1];
    Bench::click(effects, 1);
    const analysis::RowSet selected = bench.workspace.selection();
    QCOMPARE(selected.count(), box.count);
    QTRY_COMPARE_WITH_TIMEOUT(effects->data().boxes[1].highlighted, box.count, deadline_milliseconds);
    QTest::mouseClick(bench.button(QStringLiteral("Filter to selection")), Qt::LeftButton);
    QCOMPARE(bench.workspace.filters().size(), 1);
    QVERIFY(bench.workspace.filtered() == selected);
    // Every chart shows only what passes.
    QTRY_COMPARE_WITH_TIMEOUT(effects->data().boxes.size(), std::size_t{1}, deadline_milliseconds);
    QCOMPARE(effects->data().boxes[0].count, box.count);
    QVERIFY(effects->accessibleName().contains(QStringLiteral("pass the filters")));
    QTest::mouseClick(bench.button(QStringLiteral("Clear")), Qt::LeftButton);
    QVERIFY(bench.workspace.selection().none());
  }

  void boxes_are_what_the_trials_say() {
    Bench bench(database_);
    QVERIFY(bench.open_knobs(session_));
    auto* effects = bench.view.findChild<charts::EffectsChart*>();
    views::ColumnBox* box = bench.effects_column();
    const analysis::TrialColumns& columns = bench.workspace.source()->columns();
    QTRY_VERIFY_WITH_TIMEOUT(box->count() > 0, deadline_milliseconds);
    const std::size_t column = columns.default_column(bench.workspace.source()->space().knobs().size() - 1);
    box->set_column(column);
    std::map<double, std::vector<double>> expected;
    for (std::int64_t row = 0; row < trial_count; ++row) {
      std::vector<double>& speeds = expected[bench.value(column, row)];
      const double speed = bench.value(*columns.find("gflops"), row);
      if (!std::isnan(speed)) speeds.push_back(speed);
    }
    const QString name = QString::fromStdString(columns.columns()[column].name);
    QTRY_COMPARE_WITH_TIMEOUT(effects->data().column, name, deadline_milliseconds);
    QCOMPARE(effects->data().boxes.size(), expected.size());
    std::size_t index = 0;
    for (const auto& [value, speeds] : expected) {
      const charts::EffectBox& shown = effects->data().boxes[index++];
      QCOMPARE(shown.valid, std::ssize(speeds));
      const analysis::Quartiles wanted = analysis::quartiles(speeds);
      QVERIFY(std::abs(shown.performance.median - wanted.median) <= 1e-9 * wanted.median);
      QVERIFY(shown.mean_interval.has_value());
    }
  }

  void a_cell_selects_its_trials() {
    Bench bench(database_);
    QVERIFY(bench.open_knobs(session_));
    auto* map = bench.page(Knobs).findChild<charts::HeatMapChart*>();
    QTRY_VERIFY_WITH_TIMEOUT(!map->data().cells.empty(), deadline_milliseconds);
    Bench::click(map, 1);
    const std::size_t x = bench.along()->column();
    const std::size_t y = bench.up()->column();
    QVERIFY(map->data().x_column != map->data().y_column);
    std::set<double> x_values;
    std::set<double> y_values;
    for (std::int64_t row = 0; row < trial_count; ++row) {
      x_values.insert(bench.value(x, row));
      y_values.insert(bench.value(y, row));
    }
    for (std::int64_t row = 0; row < trial_count; ++row)
      QCOMPARE(bench.workspace.selection().test(row), bench.value(x, row) == *std::next(x_values.begin()) &&
                                                          bench.value(y, row) == *y_values.begin());
  }

  void the_page_opens_with_the_knobs_that_decide() {
    MeasurementScript script = gui_tests::make_script();
    const session::Setup setup = last_knobs_decide(script, 3);
    const store::SessionId decided = database_.add_session(setup, script);
    Bench bench(database_);
    QVERIFY(bench.open_knobs(decided));
    QCOMPARE(bench.effects_column()->currentText(), QStringLiteral("unroll"));
    QCOMPARE(bench.along()->currentText(), QStringLiteral("unroll"));
    QCOMPARE(bench.up()->currentText(), QStringLiteral("packed"));
    // What a file shows is chosen alike.
    const workspace::Source session = bench.workspace.source();
    const figures::Shown shown = figures::make_shown(session, {}, std::nullopt, figures::uncontrolled_job());
    const auto learnt = std::make_shared<const figures::FigureOf<charts::ImportanceData>>(
        figures::importance_of(*shown, false, figures::uncontrolled_job()));
    const auto kind =
        std::ranges::find(figures::figure_kinds(), std::string_view("heat map"), &figures::Kind::name);
    const std::vector<figures::Figure> figures = kind->figures(
        {.session = session, .shown = shown, .importance = learnt}, figures::uncontrolled_job());
    QVERIFY(figures.front().text.title.startsWith(QStringLiteral("unroll and packed")));
  }

  void chosen_columns_stay_when_it_is_known_what_decides() {
    MeasurementScript script = gui_tests::make_script();
    const store::SessionId first = database_.add_session(last_knobs_decide(script, 5), script);
    const store::SessionId second = database_.add_session(last_knobs_decide(script, 6), script);
    Bench bench(database_);
    QVERIFY(bench.open_knobs(first));
    const std::size_t column = bench.workspace.source()->columns().default_column(1);
    bench.up()->set_column(column);
    // Another session of the same space: the user's choice is kept, the other chart follows the importance.
    QVERIFY(bench.open_knobs(second));
    QCOMPARE(bench.along()->currentText(), QStringLiteral("unroll"));
    QCOMPARE(bench.up()->column(), column);
    QCOMPARE(bench.effects_column()->currentText(), QStringLiteral("unroll"));
    const auto* importance = bench.view.findChild<charts::ImportanceChart*>();
    QCOMPARE(importance->data().bars[0].label, QStringLiteral("unroll"));
    QCOMPARE(importance->data().bars[1].label, QStringLiteral("packed"));
  }

  void a_knob_of_one_value_comes_last() {
    session::Setup setup = session_tests::make_setup("random", 3, 12, 6);
    setup.space =
        space::SearchSpace::make({*space::Knob::ordinal("alone", {1}), *space::Knob::ordinal("few", {1, 2}),
                                  *space::Knob::ordinal("some", {1, 2, 4, 8, 16, 32})})
            .value();
    Bench bench(database_);
    QVERIFY(bench.open(database_.add_session(setup, all_fail()), Knobs));
    QTRY_COMPARE_WITH_TIMEOUT(bench.along()->currentText(), QStringLiteral("few"), deadline_milliseconds);
    QCOMPARE(bench.up()->currentText(), QStringLiteral("some"));
    QCOMPARE(bench.effects_column()->currentText(), QStringLiteral("few"));
  }

  void cells_that_nobody_measured_are_predicted() {
    Bench bench(database_);
    QVERIFY(bench.open_knobs(session_));
    auto* map = bench.page(Knobs).findChild<charts::HeatMapChart*>();
    QTRY_VERIFY_WITH_TIMEOUT(!map->data().cells.empty(), deadline_milliseconds);
    const std::vector<analysis::HeatCell> measured = map->data().cells;
    bench.heat_measure()->setCurrentText(QStringLiteral("predicted mean"));
    QTRY_VERIFY_WITH_TIMEOUT(map->data().measure == charts::HeatMeasure::Predicted, deadline_milliseconds);
    QVERIFY(map->notice().isEmpty());
    const charts::HeatMapData& data = map->data();
    QCOMPARE(data.beliefs.size(), measured.size());
    std::int64_t valid = 0;
    for (std::size_t cell = 0; cell < measured.size(); ++cell) {
      valid += measured[cell].valid;
      QCOMPARE(data.cells[cell].count, measured[cell].count);
      if (measured[cell].count > 0) QVERIFY(data.beliefs[cell].members > 0);
      if (data.beliefs[cell].members > 0) QVERIFY(data.beliefs[cell].feasibility.has_value());
    }
    // What it was learnt from, and that this was chosen, stand in the title.
    QVERIFY(map->accessibleName().contains(
        QStringLiteral("predicted by a Gaussian process from %1 valid trials").arg(valid)));
    QVERIFY(
        map->accessibleName().contains(QString::fromStdString(bench.workspace.source()->coverage_text())));
    // A click selects, and does not learn anew.
    const std::vector<analysis::BelievedCell> before = data.beliefs;
    const auto filled =
        std::ranges::find_if(measured, [](const analysis::HeatCell& cell) { return cell.count > 0; });
    map->setFocus();
    emit map->cell_activated(static_cast<int>((filled - measured.begin()) % std::ssize(data.x_labels)),
                             static_cast<int>((filled - measured.begin()) / std::ssize(data.x_labels)));
    QCOMPARE(bench.workspace.selection().count(), filled->count);
    const auto highlighted = [&] {
      return std::ranges::any_of(map->data().highlighted, [](std::int64_t count) { return count > 0; });
    };
    QTRY_VERIFY_WITH_TIMEOUT(highlighted(), deadline_milliseconds);
    QVERIFY(map->data().beliefs == before);
    // Back to what was measured.
    bench.heat_measure()->setCurrentText(QStringLiteral("best"));
    QTRY_VERIFY_WITH_TIMEOUT(map->data().measure == charts::HeatMeasure::Best, deadline_milliseconds);
    QVERIFY(!map->accessibleName().contains(QStringLiteral("believed")));
  }

  void predictions_need_knobs_and_valid_trials() {
    Bench bench(database_);
    QVERIFY(bench.open_knobs(session_));
    auto* map = bench.page(Knobs).findChild<charts::HeatMapChart*>();
    QTRY_VERIFY_WITH_TIMEOUT(!map->data().cells.empty(), deadline_milliseconds);
    bench.heat_measure()->setCurrentText(QStringLiteral("predicted mean"));
    const analysis::TrialColumns& columns = bench.workspace.source()->columns();
    views::ColumnBox* x = bench.along();
    const std::size_t knob = x->column();
    x->set_column(*columns.find("build_s"));
    QTRY_VERIFY_WITH_TIMEOUT(map->notice().contains(QStringLiteral("choose two columns of knobs")),
                             deadline_milliseconds);
    x->set_column(knob);
    QTRY_VERIFY_WITH_TIMEOUT(map->notice().isEmpty(), deadline_milliseconds);
    MeasurementScript script = gui_tests::make_script();
    int measured = 0;
    script.measure = [&](const space::Configuration& configuration) {
      return measured++ < 4 ? session_tests::scripted_measurement(configuration)
                            : all_fail().measure(configuration);
    };
    session::Setup setup = session_tests::make_setup("random", 3, 30, 10);
    QVERIFY(gui_tests::open_and_wait(bench.workspace, database_.add_session(setup, script)));
    QTRY_VERIFY_WITH_TIMEOUT(map->notice().contains(QStringLiteral("too few")), deadline_milliseconds);
  }

  void two_columns_of_a_knob_are_predicted() {
    Bench bench(database_);
    QVERIFY(bench.open_knobs(session_));
    auto* map = bench.page(Knobs).findChild<charts::HeatMapChart*>();
    QTRY_VERIFY_WITH_TIMEOUT(!map->data().cells.empty(), deadline_milliseconds);
    const analysis::TrialColumns& columns = bench.workspace.source()->columns();
    bench.along()->set_column(*columns.find("tile_oc[0]"));
    bench.up()->set_column(*columns.find("tile_oc[1]"));
    bench.heat_measure()->setCurrentText(QStringLiteral("predicted mean"));
    const auto believed = [&] {
      return map->data().x_column == "tile_oc[0]" && map->data().y_column == "tile_oc[1]" &&
             !map->data().beliefs.empty();
    };
    QTRY_VERIFY_WITH_TIMEOUT(believed(), deadline_milliseconds);
    for (std::size_t cell = 0; cell < map->data().cells.size(); ++cell)
      if (map->data().cells[cell].count > 0) QVERIFY(map->data().beliefs[cell].members > 0);
  }

  void new_trials_are_learnt_from() {
    const store::SessionId growing = database_.add_session(40, "random");
    Bench bench(database_);
    QVERIFY(bench.open_knobs(growing));
    auto* map = bench.page(Knobs).findChild<charts::HeatMapChart*>();
    QTRY_VERIFY_WITH_TIMEOUT(!map->data().cells.empty(), deadline_milliseconds);
    bench.heat_measure()->setCurrentText(QStringLiteral("predicted mean"));
    QTRY_VERIFY_WITH_TIMEOUT(!map->data().beliefs.empty(), deadline_milliseconds);
    trial::Budget budget;
    budget.trials = 160;
    bench.workspace.queue().resume(growing, budget);
    const auto valid_now = [&] {
      std::int64_t valid = 0;
      for (std::int64_t row = 0; row < bench.workspace.source()->trials.size(); ++row)
        if (bench.workspace.source()->trials.row(row).category == trial::ErrorCategory::NoError) ++valid;
      return QStringLiteral("from %1 valid trials").arg(valid);
    };
    const auto up_to_date = [&] {
      return bench.workspace.source()->trials.size() == 160 && map->accessibleName().contains(valid_now());
    };
    QTRY_VERIFY_WITH_TIMEOUT(up_to_date(), deadline_milliseconds);
    QCOMPARE(map->data().beliefs.size(), map->data().cells.size());
  }

  void importance_leads_to_the_effect_of_a_knob() {
    Bench bench(database_);
    QVERIFY(bench.open_knobs(session_));
    auto* importance = bench.view.findChild<charts::ImportanceChart*>();
    QTRY_VERIFY_WITH_TIMEOUT(!importance->data().bars.empty(), deadline_milliseconds);
    QVERIFY(importance->data().basis.contains(QStringLiteral("R²")));
    if (!importance->notice().isEmpty()) return;
    for (std::size_t bar = 1; bar < importance->data().bars.size(); ++bar)
      if (importance->data().bars[bar].second < 0)
        QVERIFY(importance->data().bars[bar - 1].share >= importance->data().bars[bar].share);
    const auto knob = static_cast<std::size_t>(importance->data().bars[2].first);
    Bench::click(importance, 2);
    QCOMPARE(bench.effects_column()->column(), bench.workspace.source()->columns().default_column(knob));
  }

  void filtered_to_nothing_can_be_undone_with_one_click() {
    Bench bench(database_);
    QVERIFY(bench.open(session_, Distribution));
    QVERIFY(bench.workspace.add_filter(QStringLiteral("gflops > 1e9")).has_value());
    QVERIFY(bench.says(QStringLiteral("None of the 300 trials passes")));
    QPushButton* button = bench.button(QStringLiteral("Remove all filters"));
    QVERIFY(button != nullptr);
    QTest::mouseClick(button, Qt::LeftButton);
    QVERIFY(bench.workspace.filters().isEmpty());
    QTRY_VERIFY_WITH_TIMEOUT(!bench.says(QStringLiteral("None of the")), deadline_milliseconds);
  }

  void without_a_valid_trial_the_messages_are_named() {
    const store::SessionId failed =
        database_.add_session(session_tests::make_setup("random", 3, 50, 10), all_fail());
    Bench bench(database_);
    QVERIFY(bench.open(failed, Distribution));
    const auto reported = [&] {
      for (const charts::Chart* chart : bench.view.findChildren<charts::Chart*>())
        if (chart->isVisible() && chart->notice().contains(QStringLiteral("× the most frequent")))
          return true;
      return false;
    };
    QTRY_VERIFY_WITH_TIMEOUT(reported(), deadline_milliseconds);
    bench.view.show_page(Knobs);
    QTRY_VERIFY_WITH_TIMEOUT(reported(), deadline_milliseconds);
  }

  void a_space_of_one_knob_has_nothing_to_cross() {
    session::Setup setup = session_tests::make_setup("random", 3, 4, 4);
    setup.space = space::SearchSpace::make({space::Knob::factorization("tile", 8, 2).value()}).value();
    Bench bench(database_);
    QVERIFY(bench.open(database_.add_session(setup), Knobs));
    auto* map = bench.page(Knobs).findChild<charts::HeatMapChart*>();
    QTRY_VERIFY_WITH_TIMEOUT(map->notice().contains(QStringLiteral("one knob")), deadline_milliseconds);
    auto* effects = bench.view.findChild<charts::EffectsChart*>();
    QTRY_VERIFY_WITH_TIMEOUT(!effects->data().boxes.empty(), deadline_milliseconds);
    // Every member was measured: the mean is known, and needs no interval.
    for (const charts::EffectBox& box : effects->data().boxes) QVERIFY(!box.mean_interval.has_value());
  }

  void a_space_beyond_64_bits_is_explored() {
    session::Setup setup = session_tests::make_setup("random", 3, 60, 20);
    std::vector<space::Knob> knobs;
    for (int knob = 0; knob < 12; ++knob)
      knobs.push_back(space::Knob::factorization("tile" + std::to_string(knob), 4096, 4).value());
    setup.space = space::SearchSpace::make(std::move(knobs)).value();
    Bench bench(database_);
    QVERIFY(bench.open(database_.add_session(setup), Parallel));
    QVERIFY(bench.workspace.source()->space().size() >
            base::uint128{std::numeric_limits<std::uint64_t>::max()});
    bench.workspace.set_current_row(0);
    for (const Page page : {Parallel, Knobs, Neighbourhood}) {
      bench.view.show_page(page);
      const auto waits = [&] {
        return std::ranges::any_of(bench.view.findChildren<charts::Chart*>(), [](const charts::Chart* chart) {
          return chart->isVisible() && chart->notice().contains(QStringLiteral("..."));
        });
      };
      QTRY_VERIFY_WITH_TIMEOUT(!waits(), deadline_milliseconds);
    }
    QTRY_VERIFY_WITH_TIMEOUT(bench.says(QStringLiteral(" neighbours, ")), deadline_milliseconds);
  }

  void another_session_starts_anew() {
    const store::SessionId other = database_.add_session(session_tests::make_setup("random", 5, 40, 20));
    Bench bench(database_);
    QVERIFY(bench.open_knobs(session_));
    auto* effects = bench.view.findChild<charts::EffectsChart*>();
    QTRY_VERIFY_WITH_TIMEOUT(!effects->data().boxes.empty() && effects->notice().isEmpty(),
                             deadline_milliseconds);
    bench.workspace.set_current_row(5);
    QVERIFY(gui_tests::open_and_wait(bench.workspace, other));
    QVERIFY(!effects->notice().isEmpty());
    // Clicked before its charts are counted.
    bench.workspace.set_current_row(1);
    QTRY_VERIFY_WITH_TIMEOUT(effects->notice().isEmpty(), deadline_milliseconds);
    std::int64_t counted = 0;
    for (const charts::EffectBox& box : effects->data().boxes) counted += box.count;
    QCOMPARE(counted, 40);
  }

  void another_selection_is_filtered_by_trial_numbers() {
    Bench bench(database_);
    QVERIFY(bench.open(session_, Errors));
    analysis::RowSet rows(trial_count);
    for (std::int64_t row = 5; row < trial_count; row += 7) rows.set(row);
    bench.workspace.set_selection(rows);
    QTRY_VERIFY_WITH_TIMEOUT(bench.button(QStringLiteral("Filter to selection"))->isEnabled(),
                             deadline_milliseconds);
    bench.actions.find(QStringLiteral("explore.filter_to_selection"))->trigger();
    QVERIFY(bench.workspace.filtered() == rows);
  }

  void a_double_click_shows_one_chart_alone_and_back() {
    Bench bench(database_);
    QVERIFY(bench.open_knobs(session_));
    auto* effects = bench.view.findChild<charts::EffectsChart*>();
    auto* map = bench.page(Knobs).findChild<charts::HeatMapChart*>();
    QTRY_VERIFY_WITH_TIMEOUT(effects->isVisible() && !effects->data().boxes.empty(), deadline_milliseconds);
    QTest::mouseDClick(effects, Qt::LeftButton, {}, QPoint(40, 8));
    QVERIFY(!map->isVisible());
    QVERIFY(effects->isVisible());
    QTest::mouseDClick(effects, Qt::LeftButton, {}, QPoint(40, 8));
    QVERIFY(map->isVisible());
  }

  void everything_that_takes_the_focus_has_a_name() {
    Bench bench(database_);
    QVERIFY(bench.open(session_, Errors));
    for (int page = 0; page < bench.view.findChild<QTabBar*>()->count(); ++page) {
      bench.view.show_page(page);
      QCOMPARE(bench.view.page(), page);
      for (const QWidget* widget : bench.view.findChildren<QWidget*>()) {
        if (!widget->isVisible() || !(widget->focusPolicy() & Qt::TabFocus)) continue;
        // A button is read by its text, a viewport by its view.
        const auto* button = qobject_cast<const QAbstractButton*>(widget);
        const bool named =
            !widget->accessibleName().isEmpty() || (button != nullptr && !button->text().isEmpty());
        const bool inner = qobject_cast<const QAbstractSpinBox*>(widget->parentWidget()) != nullptr ||
                           widget->objectName().startsWith(QStringLiteral("qt_"));
        QVERIFY2(named || inner, widget->metaObject()->className());
      }
    }
  }

  void cleanupTestCase() { workspace::JobTracker::wait_for_all(); }
};

KERNELSCAPE_TEST(ExploreViewTest, QApplication)

}  // namespace kernelscape::explore_view_test
#include "explore_view_test.moc"
