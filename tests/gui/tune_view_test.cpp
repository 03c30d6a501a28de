#include <QApplication>
#include <QCheckBox>
#include <QComboBox>
#include <QDockWidget>
#include <QLabel>
#include <QSpinBox>
#include <QTabBar>
#include <QTest>
#include <algorithm>

#include "core/analysis/filter/filter.h"
#include "tests/gui/tune_gui_support.h"
#include "tests/test_program.h"
#include "ui/charts/bars/error_chart.h"
#include "ui/charts/bars/time_chart.h"
#include "ui/charts/curves/progress_chart.h"
#include "ui/style/theme.h"
#include "ui/views/trials/trial_table_panel.h"
#include "ui/views/trials/trial_table_view.h"
#include "ui/views/tune/live_charts.h"
#include "ui/views/tune/setup_form.h"
#include "ui/workspace/session_watch.h"

namespace kernelscape::tune_view_test {
namespace {

using Window = gui_tests::TuneWindow;
constexpr int deadline_milliseconds = gui_tests::tune_deadline_milliseconds;

}  // namespace

/** Runs and stored sessions as they are watched. */
class TuneViewTest : public QObject {
  Q_OBJECT

 private slots:
  void start_watch_pause_resume_stop() {
    Window window;
    QVERIFY(window.wait_until_ready());
    window.find<QSpinBox>("Trials").setValue(2000);
    QTest::mouseClick(&window.start(), Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(window.workspace.source() && window.workspace.source()->trials.size() > 20,
                             deadline_milliseconds);
    // The set-up folds away, the charts live.
    QVERIFY(!window.view.form().isVisible());
    QTRY_VERIFY_WITH_TIMEOUT(window.view.charts().progress().data().trials.size() > 20,
                             deadline_milliseconds);
    QVERIFY(!window.actions.find("run.resume")->isEnabled());
    const store::SessionId session = window.workspace.source()->id();

    window.trigger("run.pause");
    QTRY_COMPARE_WITH_TIMEOUT(window.workspace.source()->status.state, store::SessionState::Interrupted,
                              deadline_milliseconds);
    const std::int64_t paused_at = window.workspace.source()->trials.size();
    QTRY_VERIFY_WITH_TIMEOUT(window.actions.find("run.resume")->isEnabled(), deadline_milliseconds);
    window.trigger("run.resume");
    QTRY_VERIFY_WITH_TIMEOUT(window.workspace.source()->trials.size() > paused_at, deadline_milliseconds);
    QCOMPARE(window.workspace.source()->id(), session);

    window.trigger("run.stop");
    QTRY_VERIFY_WITH_TIMEOUT(window.workspace.queue().idle(), deadline_milliseconds);
    QTRY_COMPARE_WITH_TIMEOUT(window.workspace.source()->status.state, store::SessionState::Interrupted,
                              deadline_milliseconds);
    QVERIFY(!window.actions.find("run.stop")->isEnabled());
  }

  void a_second_start_is_queued() {
    Window window;
    QVERIFY(window.wait_until_ready());
    window.find<QSpinBox>("Trials").setValue(50);
    window.trigger("run.start");
    QTRY_VERIFY_WITH_TIMEOUT(window.workspace.source() != nullptr, deadline_milliseconds);
    const store::SessionId first = window.workspace.source()->id();
    QVERIFY(!window.start().isEnabled());
    window.trigger("run.start");
    QCOMPARE(window.workspace.queue().queued_count(), std::size_t{1});
    QTRY_VERIFY_WITH_TIMEOUT(window.workspace.queue().idle(), deadline_milliseconds);
    QTRY_COMPARE_WITH_TIMEOUT(window.workspace.sessions()->size(), std::size_t{2}, deadline_milliseconds);
    QTRY_VERIFY_WITH_TIMEOUT(window.workspace.source() && window.workspace.source()->id() != first,
                             deadline_milliseconds);
  }

  void a_session_of_which_nothing_succeeds_says_why_and_ends() {
    Window window;
    window.all_fail = true;
    QVERIFY(window.wait_until_ready());
    window.find<QSpinBox>("Trials").setValue(40);
    window.trigger("run.start");
    QTRY_VERIFY_WITH_TIMEOUT(window.workspace.source() != nullptr, deadline_milliseconds);
    const auto shown = [&](const QString& text) {
      return std::ranges::any_of(window.view.findChildren<QLabel*>(), [&](const QLabel* label) {
        return label->isVisible() && label->text().contains(text);
      });
    };
    QTRY_VERIFY_WITH_TIMEOUT(shown("does not compile: this compiler refuses everything"),
                             deadline_milliseconds);
    QTRY_VERIFY_WITH_TIMEOUT(window.workspace.queue().idle(), deadline_milliseconds);
    QTRY_VERIFY_WITH_TIMEOUT(shown("done: all trials failed in the same way"), deadline_milliseconds);
    // The session ends between batches, and its tuner chooses how large they are.
    const auto failed = window.workspace.source()->status.trial_count;
    QVERIFY2(failed >= trial::default_identical_failures &&
                 failed < trial::default_identical_failures + gui_tests::tune_batch_size,
             qPrintable(QString::number(failed)));
    QCheckBox* keep_going = nullptr;
    for (auto* box : window.view.form().findChildren<QCheckBox*>())
      if (box->text().startsWith("Keep going")) keep_going = box;
    QVERIFY(keep_going != nullptr && !keep_going->isChecked());
    keep_going->setChecked(true);
    QCOMPARE(window.view.form().request().budget.identical_failures, 0);
    window.view.form().set_request(session::TuningRequest());
    QVERIFY(!keep_going->isChecked());
  }

  void the_current_trial_is_current_everywhere() {
    Window window;
    QVERIFY(gui_tests::open_and_wait(window.workspace, window.database.add_session(120)));
    views::TrialTableView& table = window.view.table().view();
    QTRY_COMPARE_WITH_TIMEOUT(table.trials().rowCount(), 120, deadline_milliseconds);
    charts::ProgressChart& chart = window.view.charts().progress();
    QTRY_COMPARE_WITH_TIMEOUT(chart.data().trials.size(), 120, deadline_milliseconds);
    // From the chart into the table: the best trial, by the mouse.
    const std::int64_t best = window.workspace.source()->headline.row;
    QTest::mouseClick(&chart, Qt::LeftButton, {}, chart.position_of(best)->toPoint());
    QCOMPARE(window.workspace.current_row(), best);
    QCOMPARE(table.trials().row_at(table.currentIndex().row()), best);
    // From the table: the next one, by a key.
    table.setFocus();
    QTest::keyClick(&table, Qt::Key_J);
    QVERIFY(window.workspace.current_row() != best);
    QCOMPARE(table.trials().row_at(table.currentIndex().row()), window.workspace.current_row());
  }

  void a_category_becomes_a_filter() {
    Window window;
    QVERIFY(gui_tests::open_and_wait(window.workspace, window.database.add_session(200)));
    charts::ErrorChart& errors = window.view.charts().errors();
    QTRY_VERIFY_WITH_TIMEOUT(errors.categories().size() > 2, deadline_milliseconds);
    const trial::ErrorCategory category = errors.categories()[1];
    QTest::mouseClick(&errors, Qt::LeftButton, {}, errors.bars_of(1).first.center().toPoint());
    QCOMPARE(window.workspace.filters().size(), 1);
    for (const std::int64_t row : window.workspace.shown_rows())
      QCOMPARE(window.workspace.source()->trials.row(row).category, category);
    QCOMPARE(static_cast<std::int64_t>(window.workspace.shown_rows().size()),
             window.workspace.source()->errors.of(category).trials);
  }

  void a_filter_acts_on_every_chart() {
    Window window;
    QVERIFY(gui_tests::open_and_wait(window.workspace, window.database.add_session(200)));
    views::LiveCharts& charts = window.view.charts();
    QTRY_COMPARE_WITH_TIMEOUT(charts.progress().data().trials.size(), 200, deadline_milliseconds);
    QCOMPARE(charts.progress().faint_count(), std::size_t{0});
    QVERIFY(!charts.progress().accessibleName().contains("pass"));

    QVERIFY(window.workspace.set_filters({"valid and batch < 2"}));
    const std::int64_t passing = window.workspace.filtered()->count();
    QVERIFY(passing > 0 && passing < 200);
    const QString reported = QStringLiteral("%1 of 200 trials pass the filter").arg(passing);
    const std::int64_t valid = window.workspace.source()->errors.of(trial::ErrorCategory::NoError).trials;
    QCOMPARE(static_cast<std::int64_t>(charts.progress().faint_count()), valid - passing);
    QVERIFY2(charts.progress().accessibleName().contains(reported),
             qPrintable(charts.progress().accessibleName()));
    QVERIFY2(charts.errors().accessibleName().contains(reported),
             qPrintable(charts.errors().accessibleName()));
    QCOMPARE(charts.errors().categories(), std::vector{trial::ErrorCategory::NoError});
    QVERIFY(charts.time().accessibleName().contains("whole session"));

    // What is being written filters too; nothing passes, and the charts say so.
    QVERIFY(window.workspace.set_draft_filter("trial < 0"));
    QVERIFY2(charts.progress().notice().contains("0 of 200 trials pass"),
             qPrintable(charts.progress().notice()));
    QVERIFY(charts.errors().notice().contains("0 of 200 trials pass"));

    QVERIFY(window.workspace.set_filters({}));
    QCOMPARE(charts.progress().faint_count(), std::size_t{0});
    QVERIFY(charts.progress().notice().isEmpty());
    QVERIFY(charts.errors().categories().size() > 1);
  }

  void docks_fold_where_there_is_little_room_and_come_back() {
    Window window;
    views::TuneView& view = window.view;
    view.resize(1280, 1200);
    QVERIFY(gui_tests::open_and_wait(window.workspace, window.database.add_session(60)));
    auto* trials = view.findChild<QDockWidget*>(QStringLiteral("Tune.Trials"));
    auto* trial = view.findChild<QDockWidget*>(QStringLiteral("Tune.Trial"));
    QTRY_VERIFY(!view.layout().isEmpty());
    QVERIFY(!view.folded());
    view.resizeDocks({trials}, {360}, Qt::Vertical);
    QTRY_VERIFY(std::abs(trials->height() - 360) < 16);
    const int height = trials->height();
    QTest::qWait(50);
    const QByteArray before = view.layout();

    view.resize(760, 600);
    QTRY_VERIFY(view.folded());
    QCOMPARE(view.dockWidgetArea(trials), Qt::LeftDockWidgetArea);
    QVERIFY(view.tabifiedDockWidgets(trials).contains(trial));
    QCOMPARE(view.layout(), before);
    view.focus_filter();
    QTRY_VERIFY(!trials->visibleRegion().isEmpty());

    view.resize(1280, 1200);
    QTRY_VERIFY(!view.folded());
    QCOMPARE(view.dockWidgetArea(trials), Qt::BottomDockWidgetArea);
    QVERIFY(view.tabifiedDockWidgets(trials).isEmpty());
    QTRY_VERIFY2(std::abs(trials->height() - height) < 16, qPrintable(QString::number(trials->height())));

    // A larger text needs more room.
    style::set_text_scale(1.5);
    QTRY_VERIFY(view.folded());
    style::set_text_scale(1);
    QTRY_VERIFY(!view.folded());
  }

  void charts_without_room_are_shown_one_at_a_time() {
    Window window;
    QVERIFY(gui_tests::open_and_wait(window.workspace, window.database.add_session(200)));
    views::LiveCharts& charts = window.view.charts();
    QTRY_VERIFY_WITH_TIMEOUT(charts.errors().isVisible(), deadline_milliseconds);
    QVERIFY(charts.progress().isVisible() && !charts.tabs().isVisible());
    const QSize all = charts.minimumSizeHint();
    charts.set_compact(true);
    QVERIFY(charts.tabs().isVisible());
    QVERIFY(charts.progress().isVisible() && !charts.errors().isVisible() && !charts.time().isVisible());
    QVERIFY(charts.minimumSizeHint().height() < all.height());
    QVERIFY(charts.progress().minimumHeight() >= 220);
    for (int tab = 0; tab < charts.tabs().count(); ++tab)
      if (charts.tabs().tabText(tab) == QStringLiteral("Errors")) charts.tabs().setCurrentIndex(tab);
    QVERIFY(charts.errors().isVisible() && !charts.progress().isVisible());
    charts.set_compact(false);
    QVERIFY(charts.progress().isVisible() && charts.errors().isVisible() && charts.time().isVisible());
  }

  void a_live_update_keeps_zoom_and_selection() {
    Window window;
    QVERIFY(window.wait_until_ready());
    window.find<QSpinBox>("Trials").setValue(100'000);
    window.trigger("run.start");
    QTRY_VERIFY_WITH_TIMEOUT(window.workspace.source() && window.workspace.source()->trials.size() > 60,
                             deadline_milliseconds);
    charts::ProgressChart& chart = window.view.charts().progress();
    QTRY_VERIFY_WITH_TIMEOUT(chart.data().trials.size() > 60, deadline_milliseconds);
    chart.zoom_to({10, 40}, {chart.y_axis().range.low, chart.y_axis().range.high});
    const charts::Interval zoomed = chart.x_axis().range;
    window.workspace.set_current_row(7);
    const std::int64_t before = chart.data().trials.size();
    QTRY_VERIFY_WITH_TIMEOUT(chart.data().trials.size() > before + 50, deadline_milliseconds);
    QCOMPARE(chart.x_axis().range.low, zoomed.low);
    QCOMPARE(chart.x_axis().range.high, zoomed.high);
    QCOMPARE(window.workspace.current_row(), 7);
    window.trigger("run.stop");
    window.trigger("run.stop");
    QTRY_VERIFY_WITH_TIMEOUT(window.workspace.queue().idle(), deadline_milliseconds);
  }

  void without_a_valid_trial_the_chart_says_what_fails() {
    Window window;
    window.all_fail = true;
    QVERIFY(window.wait_until_ready());
    session::TuningRequest request = window.view.form().request();
    request.budget.trials = 32;
    request.budget.identical_failures = 0;  // the session runs to its end although all trials fail alike
    window.view.form().set_request(request);
    QVERIFY(window.wait_until_ready());
    window.trigger("run.start");
    QTRY_VERIFY_WITH_TIMEOUT(window.workspace.source() && window.workspace.source()->trials.size() == 32,
                             deadline_milliseconds);
    QTRY_VERIFY_WITH_TIMEOUT(window.view.charts().progress().notice().contains("COMPILE_HOST"),
                             deadline_milliseconds);
  }

  void every_widget_that_takes_the_focus_has_a_name() {
    Window window;
    QVERIFY(gui_tests::open_and_wait(window.workspace, window.database.add_session(30)));
    for (const QWidget* widget : window.view.findChildren<QWidget*>()) {
      if (widget->focusPolicy() == Qt::NoFocus || widget->objectName().startsWith("qt_")) continue;
      if (widget->window()->windowType() == Qt::Popup) continue;
      // A field within a field: the outer one is what a reader hears.
      const QWidget* parent = widget->parentWidget();
      if (qobject_cast<const QComboBox*>(parent) || qobject_cast<const QAbstractSpinBox*>(parent)) continue;
      if (qobject_cast<const QLabel*>(widget)) continue;  // speaks for itself
      const QString text = widget->accessibleName() + widget->property("text").toString();
      QVERIFY2(!text.isEmpty(),
               qPrintable(QString::fromLatin1(widget->metaObject()->className()) + " in " +
                          QString::fromLatin1(parent ? parent->metaObject()->className() : "nothing")));
    }
  }
};

KERNELSCAPE_TEST(TuneViewTest, QApplication)

}  // namespace kernelscape::tune_view_test
#include "tune_view_test.moc"
