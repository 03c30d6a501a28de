#include <QApplication>
#include <QComboBox>
#include <QTest>
#include <QToolButton>

#include "tests/gui/tune_gui_support.h"
#include "tests/test_program.h"
#include "ui/charts/bars/error_chart.h"
#include "ui/charts/bars/time_chart.h"
#include "ui/charts/curves/progress_chart.h"
#include "ui/views/tune/live_charts.h"
#include "ui/views/tune/series_panel.h"
#include "ui/workspace/session_watch.h"

namespace kernelscape::tune_series_test {
namespace {

using Window = gui_tests::TuneWindow;
constexpr int deadline_milliseconds = gui_tests::tune_deadline_milliseconds;

}  // namespace

/** What tuners report of themselves, and where it is drawn. */
class TuneSeriesTest : public QObject {
  Q_OBJECT

 private slots:
  void what_the_tuner_reports_is_drawn_once_there_is_any() {
    Window window;
    const store::SessionId session = window.database.add_session(60);
    QVERIFY(gui_tests::open_and_wait(window.workspace, session));
    views::SeriesPanel& panel = window.view.charts().series();
    QTRY_COMPARE_WITH_TIMEOUT(window.view.charts().progress().data().trials.size(), 60,
                              deadline_milliseconds);
    QVERIFY(!panel.isVisible());
    // Values come after the trials they belong to.
    store::Store store = *store::Store::open(window.database.path());
    std::vector<store::StoredSeries> values;
    for (std::int64_t trial = 0; trial < 60; ++trial) values.push_back({trial, "epsilon", 0.25});
    QVERIFY(store.series().append(session, values));
    window.workspace.watch().refresh();
    QTRY_VERIFY_WITH_TIMEOUT(panel.isVisible(), deadline_milliseconds);
    QCOMPARE(panel.picker().count(), 1);
    QVERIFY(panel.chart().position_of(59));
    // A more telling one is shown by itself, until the user chooses.
    for (store::StoredSeries& value : values) value = {value.trial + 60, "predicted_mean", 1};
    window.database.append_trials(session, 60);
    QVERIFY(store.series().append(session, values));
    window.workspace.watch().refresh();
    QTRY_COMPARE_WITH_TIMEOUT(panel.picker().count(), 3, deadline_milliseconds);
    QVERIFY(panel.prediction().isVisible() && !panel.chart().isVisible());
    QCOMPARE(panel.prediction().data().figure.name, std::string("predicted_mean"));
    panel.picker().setFocus();
    QTest::keyClick(&panel.picker(), Qt::Key_Down);
    QCOMPARE(panel.chart().data().figure.name, std::string("predicted_mean"));
    QTest::keyClick(&panel.picker(), Qt::Key_Down);
    QCOMPARE(panel.chart().data().figure.name, std::string("epsilon"));
    QVERIFY(panel.chart().isVisible() && !panel.prediction().isVisible());
    // Linked with the rest.
    QTest::mouseClick(&panel.chart(), Qt::LeftButton, {}, panel.chart().position_of(20)->toPoint());
    QCOMPARE(window.workspace.current_row(), 20);
    window.find<QToolButton>("Best so far against session time").click();
    QCOMPARE(panel.chart().x(), charts::ProgressX::Seconds);
    // One chart fills the place of all, and gives it back.
    QTest::keyClick(&panel.chart(), Qt::Key_Escape);
    emit panel.chart().maximise_requested();
    QVERIFY(panel.isVisible() && !window.view.charts().progress().isVisible());
    QVERIFY(!window.view.charts().errors().isVisible());
    // Another session reports nothing: the panel is gone, the others are back.
    QVERIFY(gui_tests::open_and_wait(window.workspace, window.database.add_session(20)));
    QTRY_VERIFY_WITH_TIMEOUT(!panel.isVisible() && window.view.charts().progress().isVisible(),
                             deadline_milliseconds);
    QVERIFY(window.view.charts().errors().isVisible());
  }

  void what_the_model_learns_is_reported() {
    Window window;
    const store::SessionId session = window.database.add_session(12, "gp");
    const std::int64_t learns_from =
        std::get<std::int64_t>(tuner::parse_settings(**tuner::find_tuner("gp"), {})->at("fit_from"));
    QVERIFY(gui_tests::open_and_wait(window.workspace, session));
    views::SeriesPanel& panel = window.view.charts().series();
    QTRY_VERIFY_WITH_TIMEOUT(panel.isVisible(), deadline_milliseconds);
    QVERIFY(panel.prediction().isVisible() && panel.prediction().position_of(11));
    const auto choose = [&](const QString& title) {
      panel.picker().setCurrentText(title);
      emit panel.picker().activated(panel.picker().currentIndex());
    };
    choose(QStringLiteral("Relevance of columns so far"));
    QVERIFY(panel.relevance().isVisible());
    const std::int64_t valid = window.workspace.source()->errors.of(trial::ErrorCategory::NoError).trials;
    QCOMPARE(panel.relevance().notice(), QStringLiteral("All knobs have equal relevance until there are %1 "
                                                        "valid trials: then the model learns which of them "
                                                        "matter. %2 so far.")
                                             .arg(learns_from)
                                             .arg(valid));
    // Many lengthscales are one choice, with a second one for the column.
    const int choices = panel.picker().count();
    window.database.append_trials(session, 30);
    std::vector<store::StoredSeries> values;
    for (std::int64_t trial = 12; trial < 42; ++trial)
      for (const int column : {0, 1, 2, 3})
        values.push_back({trial, "lengthscale tile_oc[" + std::to_string(column) + "]", 1.0 + column});
    QVERIFY(store::Store::open(window.database.path())->series().append(session, values));
    window.workspace.watch().refresh();
    QTRY_COMPARE_WITH_TIMEOUT(panel.picker().count(), choices + 1, deadline_milliseconds);
    QVERIFY(panel.relevance().isVisible() && panel.relevance().notice().isEmpty());
    QCOMPARE(panel.relevance().data().columns.size(), std::size_t{4});
    QCOMPARE(panel.relevance().data().columns[0].column, std::string("tile_oc[0]"));
    QVERIFY(!panel.column_picker().isVisible());
    // From a bar to its course, by keys, and on to another column.
    panel.relevance().setFocus();
    for (const Qt::Key key : {Qt::Key_Down, Qt::Key_Down, Qt::Key_Return})
      QTest::keyClick(&panel.relevance(), key);
    QVERIFY(panel.chart().isVisible() && panel.column_picker().isVisible());
    QCOMPARE(panel.chart().data().figure.name, std::string("lengthscale tile_oc[1]"));
    panel.column_picker().setFocus();
    QTest::keyClick(&panel.column_picker(), Qt::Key_Down);
    QCOMPARE(panel.chart().data().figure.name, std::string("lengthscale tile_oc[2]"));
    // The choice survives what comes later; a tuner that learns no such thing doesn't offer it.
    window.database.append_trials(session, 1);
    window.workspace.watch().refresh();
    QTRY_COMPARE_WITH_TIMEOUT(panel.chart().data().trials.size(), 43, deadline_milliseconds);
    QCOMPARE(panel.column_picker().currentText(), QStringLiteral("tile_oc[2]"));
    QVERIFY(gui_tests::open_and_wait(window.workspace, window.database.add_session(80, "adatune")));
    QTRY_VERIFY_WITH_TIMEOUT(panel.picker().findText(QStringLiteral("Relevance of columns so far")) < 0,
                             deadline_milliseconds);
    QVERIFY(panel.picker().findText(QStringLiteral("Predicted against measured")) >= 0);
    QVERIFY(!panel.column_picker().isVisible());
  }

  void saved_samples_stand_in_the_time_split() {
    Window window;
    const store::SessionId session = window.database.add_session(30);
    store::Store store = *store::Store::open(window.database.path());
    store::SessionStatus status = store.sessions().get(session)->status;
    trial::Trial trial = *store.trials().get(session, 0);
    trial.number = status.trial_count++;
    trial.measurement = {};
    trial.measurement.samples_seconds = {1e-3, 1e-3};
    trial.measurement.samples_saved = 498;
    QVERIFY(store.trials().append(session, std::vector{trial}, status));
    QVERIFY(gui_tests::open_and_wait(window.workspace, session));
    charts::TimeChart& time = window.view.charts().time();
    QTRY_VERIFY_WITH_TIMEOUT(time.summary().contains("498 samples not needed"), deadline_milliseconds);
    QVERIFY(time.saved_part().width() > 0);
    QVERIFY(window.view.charts().series().isVisible());
    QCOMPARE(window.view.charts().series().chart().data().figure.name,
             std::string(analysis::saved_samples_figure));
  }
};

KERNELSCAPE_TEST(TuneSeriesTest, QApplication)

}  // namespace kernelscape::tune_series_test
#include "tune_series_test.moc"
