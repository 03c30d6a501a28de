#include "ui/views/tune/tune_view.h"

#include <QApplication>
#include <QCheckBox>
#include <QClipboard>
#include <QComboBox>
#include <QDockWidget>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTabBar>
#include <QTest>
#include <QToolButton>
#include <QTreeWidget>
#include <algorithm>
#include <atomic>

#include "core/analysis/filter/filter.h"
#include "tests/gui/gui_support.h"
#include "tests/test_program.h"
#include "ui/charts/bars/error_chart.h"
#include "ui/charts/bars/time_chart.h"
#include "ui/charts/courses/progress_chart.h"
#include "ui/models/session_text.h"
#include "ui/style/theme.h"
#include "ui/views/trials/trial_table_panel.h"
#include "ui/views/trials/trial_table_view.h"
#include "ui/views/tune/adaptive_form.h"
#include "ui/views/tune/headline_bar.h"
#include "ui/views/tune/live_charts.h"
#include "ui/views/tune/series_panel.h"
#include "ui/views/tune/setup_form.h"
#include "ui/views/tune/space_panel.h"
#include "ui/widgets/hyperparameter_form.h"
#include "ui/workspace/session_watch.h"

namespace kernelscape {
namespace {

constexpr int deadline_milliseconds = 20'000;

/** Slow enough that a test can act while it runs; some of them fail in every way. */
SessionRunner slow_runner(const std::atomic<bool>& all_fail) {
  return [&all_fail](Store& store, const PreparedTuning& tuning, std::optional<SessionId> resumed,
                     SessionObserver& observer, const StopRequest& stop) {
    MeasurementScript script = gui_tests::make_script();
    script.measure = [&](const Configuration& configuration) {
      if (stop.level() == 0) QThread::msleep(2);
      Measurement measurement = gui_tests::scripted_measurement(configuration);
      if (all_fail) {
        measurement = {};
        measurement.category = ErrorCategory::CompileHost;
        measurement.message = "this compiler refuses everything";
      }
      return measurement;
    };
    ScriptedMeasurer measurer(script);
    const SessionTools tools{measurer, observer, stop, steady_clock_seconds(), {}};
    SessionSetup setup = tuning.setup;
    setup.real_measurements = false;
    setup.batch_size = 8;
    return resumed ? resume_session(store, *resumed, setup, tools) : run_session(store, setup, tools);
  };
}

struct Window {
  Window() : workspace(database.path(), slow_runner(all_fail)), view(ViewContext{workspace, actions}) {
    view.resize(1280, 800);
    view.show();
  }

  template <typename T>
  T& find(const QString& accessible_name) {
    for (T* widget : view.findChildren<T*>()) {
      if (widget->accessibleName().startsWith(accessible_name)) return *widget;
    }
    throw std::logic_error("no widget is called " + accessible_name.toStdString());
  }
  QComboBox& task() { return find<QComboBox>("Task"); }
  QPushButton& start() { return find<QPushButton>("Start"); }
  bool wait_until_ready() {
    return QTest::qWaitFor([&] { return start().isEnabled(); }, deadline_milliseconds);
  }
  void trigger(const QString& id) { actions.find(id)->trigger(); }

  gui_tests::Database database;
  std::atomic<bool> all_fail{false};
  ActionRegistry actions;
  Workspace workspace;
  TuneView view;
};

}  // namespace

class TuneViewTest : public QObject {
  Q_OBJECT

 private slots:
  void the_form_is_made_from_declarations() {
    Window window;
    QVERIFY(window.wait_until_ready());
    auto& tuner = window.find<QComboBox>("Tuner");
    QCOMPARE(tuner.count(), static_cast<int>(tuner_registry().size()));
    for (const TunerDeclaration& declaration : tuner_registry()) {
      tuner.setCurrentText(QString::fromStdString(declaration.name));
      const TuningRequest request = window.view.form().request();
      QCOMPARE(request.tuner, declaration.name);
      QVERIFY(request.settings.empty());  // the defaults
      auto* form = window.view.findChild<HyperparameterForm*>();
      for (const HyperparameterDeclaration& hyperparameter : declaration.hyperparameters) {
        const auto editors = form->findChildren<QWidget*>();
        QVERIFY2(std::ranges::any_of(editors,
                                     [&](const QWidget* editor) {
                                       return editor->accessibleName() ==
                                              QString::fromStdString(hyperparameter.name);
                                     }),
                 hyperparameter.name.c_str());
      }
    }
  }

  void a_wrong_hyperparameter_is_told_while_typing_and_keeps_it_from_starting() {
    Window window;
    QVERIFY(window.wait_until_ready());
    window.find<QComboBox>("Tuner").setCurrentText("nose");
    QVERIFY(window.wait_until_ready());
    auto* form = window.view.findChild<HyperparameterForm*>();
    auto* line = form->findChildren<QLineEdit*>().front();
    const QString good = line->text();
    line->setText("-7");
    QVERIFY(!window.start().isEnabled());
    QVERIFY(!window.view.form().problem().isEmpty());
    QVERIFY(window.view.form().problem().contains(line->accessibleName()));
    line->setText(good);
    QVERIFY(window.start().isEnabled());
  }

  void a_tuner_that_does_not_fit_the_space_says_what_it_lacks() {
    Window window;
    QVERIFY(window.wait_until_ready());
    window.find<QComboBox>("Tuner").setCurrentText("gbfs");
    QTRY_VERIFY_WITH_TIMEOUT(window.view.form().problem().contains("no factorizations"),
                             deadline_milliseconds);
    QVERIFY(!window.start().isEnabled());
    window.find<QComboBox>("Tuner").setCurrentText("opevo");
    QTRY_VERIFY_WITH_TIMEOUT(window.start().isEnabled(), deadline_milliseconds);
  }

  void a_wrong_task_says_why_and_offers_the_nearest() {
    Window window;
    QVERIFY(window.wait_until_ready());
    window.task().setFocus();
    window.task().lineEdit()->selectAll();
    QTest::keyClicks(window.task().lineEdit(), "resnet18/C99");
    QTRY_VERIFY_WITH_TIMEOUT(window.view.form().problem().contains("resnet18/C9"), deadline_milliseconds);
    QVERIFY(!window.start().isEnabled());
    // It stands once, between its field and the next one.
    const auto top_of = [&](QWidget& widget) { return widget.mapTo(&window.view.form(), QPoint(0, 0)).y(); };
    QList<QLabel*> told;
    for (QLabel* label : window.view.form().findChildren<QLabel*>())
      if (label->isVisible() && label->text().contains("resnet18/C9")) told.append(label);
    QCOMPARE(told.size(), 1);
    QVERIFY(top_of(*told[0]) > top_of(window.task()));
    QVERIFY(top_of(*told[0]) < top_of(window.find<QComboBox>("Template")));
    window.task().setEditText("matmul 64x64 64x64 f32");
    QVERIFY(window.wait_until_ready());
    QCOMPARE(window.find<QComboBox>("Template").currentText(), QString("matmul-packed"));
  }

  void space_and_restrictions_appear_with_the_task() {
    Window window;
    QVERIFY(window.wait_until_ready());
    auto* panel = window.view.findChild<SpacePanel*>();
    auto* tree = panel->findChild<QTreeWidget*>();
    QVERIFY(tree->topLevelItemCount() > 3);
    QTreeWidgetItem* element = tree->topLevelItem(0)->child(0);
    element->child(0)->setCheckState(0, Qt::Unchecked);
    QCOMPARE(panel->restrictions().size(), std::size_t{1});
    QCOMPARE(static_cast<int>(panel->restrictions().front().values.size()), element->childCount() - 1);
    QTRY_VERIFY_WITH_TIMEOUT(panel->findChild<QLabel*>()->text().contains("restrictions"),
                             deadline_milliseconds);
    QVERIFY(window.view.form().request().restrictions == panel->restrictions());
    for (int i = 0; i < element->childCount(); ++i) element->child(i)->setCheckState(0, Qt::Unchecked);
    QTRY_VERIFY_WITH_TIMEOUT(!window.view.form().problem().isEmpty() && !window.start().isEnabled(),
                             deadline_milliseconds);
  }

  void the_set_up_survives_the_form_and_the_command_line() {
    Window window;
    QVERIFY(window.wait_until_ready());
    TuningRequest request;
    request.task = "resnet18/C2";
    request.template_name = "conv2d-packed";
    request.tuner = "ga";
    request.settings = {{"population", "50"}};
    request.budget = {120, 2, 300, 40};
    request.seed = 17;
    request.name = "mine";
    request.measuring.repeats = 3;
    window.view.form().set_request(request);
    QVERIFY(window.wait_until_ready());
    const TuningRequest read = window.view.form().request();
    QCOMPARE(command_line_of(read), command_line_of(request));
    window.trigger("run.copy-command");
    QCOMPARE(QApplication::clipboard()->text().toStdString(), command_line_of(request));
  }

  void the_adaptive_evaluator_chooses_its_samples() {
    Window window;
    QVERIFY(window.wait_until_ready());
    const SetupForm& form = window.view.form();
    auto* adaptive = window.view.findChild<AdaptiveForm*>();
    auto* on = adaptive->findChild<QCheckBox*>();
    QVERIFY(form.request().measuring == MeasureOptions());
    on->click();
    QVERIFY(form.request().measuring == adatune_measuring);
    QVERIFY(window.wait_until_ready());
    // Too few samples are told while they are typed, with the way out.
    window.find<QSpinBox>("Timed samples").setValue(150);
    QTRY_VERIFY_WITH_TIMEOUT(form.problem().contains("more than 150 samples"), deadline_milliseconds);
    QVERIFY(!window.start().isEnabled());
    window.find<QSpinBox>("Samples of a micro-batch").setValue(49);
    QVERIFY(window.wait_until_ready());
    // What the user chose stays; what the evaluator chose goes with it.
    on->click();
    QCOMPARE(form.request().measuring.repeats, 150);
    QCOMPARE(form.request().measuring.adaptive_batch, 0);
    window.find<QSpinBox>("Timed samples").setValue(500);
    on->click();
    on->click();
    QVERIFY(form.request().measuring == MeasureOptions());
  }

  void the_adaptive_evaluator_survives_the_form() {
    Window window;
    QVERIFY(window.wait_until_ready());
    TuningRequest request;
    request.task = "resnet18/C2";
    request.template_name = "conv2d-packed";
    request.measuring = adatune_measuring;
    request.measuring.adaptive_threshold = 0.05;
    request.measuring.adaptive_minimum = 4;
    request.measuring.adaptive_performance = AdaptivePerformance::MicroBatch;
    window.view.form().set_request(request);
    QVERIFY(window.wait_until_ready());
    QVERIFY(window.view.form().request().measuring == request.measuring);
    QCOMPARE(command_line_of(window.view.form().request()), command_line_of(request));
    // A recorded space was measured before.
    request.task.clear();
    request.target = "recorded:1";
    window.view.form().set_request(request);
    QVERIFY(!window.view.findChild<AdaptiveForm*>()->isEnabled());
    QVERIFY(!window.view.form().request().measuring.adaptive());
    // Fewer of its samples can be taken.
    request.measuring = {};
    request.measuring.replay_samples = true;
    request.measuring.repeats = 10;
    request.measuring.give_up_factor = 0;
    request.measuring.adaptive_batch = 50;
    window.view.form().set_request(request);
    QVERIFY(window.view.findChild<AdaptiveForm*>()->isEnabled());
    QVERIFY(window.view.form().request().measuring == request.measuring);
  }

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
    const SessionId session = window.workspace.source()->id();

    window.trigger("run.pause");
    QTRY_COMPARE_WITH_TIMEOUT(window.workspace.source()->status.state, SessionState::Interrupted,
                              deadline_milliseconds);
    const std::int64_t paused_at = window.workspace.source()->trials.size();
    QTRY_VERIFY_WITH_TIMEOUT(window.actions.find("run.resume")->isEnabled(), deadline_milliseconds);
    window.trigger("run.resume");
    QTRY_VERIFY_WITH_TIMEOUT(window.workspace.source()->trials.size() > paused_at, deadline_milliseconds);
    QCOMPARE(window.workspace.source()->id(), session);

    window.trigger("run.stop");
    QTRY_VERIFY_WITH_TIMEOUT(window.workspace.queue().idle(), deadline_milliseconds);
    QTRY_COMPARE_WITH_TIMEOUT(window.workspace.source()->status.state, SessionState::Interrupted,
                              deadline_milliseconds);
    QVERIFY(!window.actions.find("run.stop")->isEnabled());
  }

  void a_second_start_is_queued() {
    Window window;
    QVERIFY(window.wait_until_ready());
    window.find<QSpinBox>("Trials").setValue(50);
    window.trigger("run.start");
    QTRY_VERIFY_WITH_TIMEOUT(window.workspace.source() != nullptr, deadline_milliseconds);
    const SessionId first = window.workspace.source()->id();
    QVERIFY(!window.start().isEnabled());
    window.trigger("run.start");
    QCOMPARE(window.workspace.queue().queued_count(), std::size_t{1});
    QTRY_VERIFY_WITH_TIMEOUT(window.workspace.queue().idle(), deadline_milliseconds);
    QTRY_COMPARE_WITH_TIMEOUT(window.workspace.sessions()->size(), std::size_t{2}, deadline_milliseconds);
    QTRY_VERIFY_WITH_TIMEOUT(window.workspace.source() && window.workspace.source()->id() != first,
                             deadline_milliseconds);
  }

  void a_done_session_goes_on_only_with_a_higher_budget() {
    Window window;
    const SessionId session = window.database.add_session(40);
    QVERIFY(window.wait_until_ready());
    QVERIFY(gui_tests::open_and_wait(window.workspace, session));
    window.find<QSpinBox>("Trials").setValue(40);
    QTRY_VERIFY_WITH_TIMEOUT(!window.actions.find("run.resume")->isEnabled(), deadline_milliseconds);
    QVERIFY(!window.actions.find("run.resume")->toolTip().isEmpty());
    // Even where the form asks for more: there is nothing to pause.
    window.find<QSpinBox>("Trials").setValue(80);
    QTRY_VERIFY_WITH_TIMEOUT(window.actions.find("run.resume")->isEnabled(), deadline_milliseconds);
    QVERIFY(!window.actions.find("run.pause")->isEnabled());
    QVERIFY(!window.actions.find("run.pause")->toolTip().isEmpty());
  }

  void the_current_trial_is_current_everywhere() {
    Window window;
    QVERIFY(gui_tests::open_and_wait(window.workspace, window.database.add_session(120)));
    TrialTableView& table = window.view.table().view();
    QTRY_COMPARE_WITH_TIMEOUT(table.trials().rowCount(), 120, deadline_milliseconds);
    ProgressChart& chart = window.view.charts().progress();
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

  void what_the_tuner_reports_is_drawn_once_there_is_any() {
    Window window;
    const SessionId session = window.database.add_session(60);
    QVERIFY(gui_tests::open_and_wait(window.workspace, session));
    SeriesPanel& panel = window.view.charts().series();
    QTRY_COMPARE_WITH_TIMEOUT(window.view.charts().progress().data().trials.size(), 60,
                              deadline_milliseconds);
    QVERIFY(!panel.isVisible());
    // Values come after the trials they belong to.
    Store store = *Store::open(window.database.path());
    std::vector<StoredSeries> values;
    for (std::int64_t trial = 0; trial < 60; ++trial) values.push_back({trial, "epsilon", 0.25});
    QVERIFY(store.append_series(session, values));
    window.workspace.watch().refresh();
    QTRY_VERIFY_WITH_TIMEOUT(panel.isVisible(), deadline_milliseconds);
    QCOMPARE(panel.picker().count(), 1);
    QVERIFY(panel.chart().position_of(59));
    // A more telling one is shown by itself, until the user chooses.
    for (StoredSeries& value : values) value = {value.trial + 60, "predicted_mean", 1};
    window.database.append_trials(session, 60);
    QVERIFY(store.append_series(session, values));
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
    QCOMPARE(panel.chart().x(), ProgressX::Seconds);
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

  void what_the_model_learns_is_told() {
    Window window;
    const SessionId session = window.database.add_session(12, "gp");
    const std::int64_t learns_from = parse_settings(**find_tuner("gp"), {})->integer("fit_from");
    QVERIFY(gui_tests::open_and_wait(window.workspace, session));
    SeriesPanel& panel = window.view.charts().series();
    QTRY_VERIFY_WITH_TIMEOUT(panel.isVisible(), deadline_milliseconds);
    QVERIFY(panel.prediction().isVisible() && panel.prediction().position_of(11));
    const auto choose = [&](const QString& title) {
      panel.picker().setCurrentText(title);
      emit panel.picker().activated(panel.picker().currentIndex());
    };
    choose(QStringLiteral("What matters so far"));
    QVERIFY(panel.relevance().isVisible());
    const std::int64_t valid = window.workspace.source()->errors.of(ErrorCategory::NoError).trials;
    QCOMPARE(
        panel.relevance().notice(),
        QStringLiteral("All knobs count alike until %1 valid trials: then the model learns which of them "
                       "matter. %2 so far.")
            .arg(learns_from)
            .arg(valid));
    // Many lengthscales are one choice, with a second one for the column.
    const int choices = panel.picker().count();
    window.database.append_trials(session, 30);
    std::vector<StoredSeries> values;
    for (std::int64_t trial = 12; trial < 42; ++trial)
      for (const int column : {0, 1, 2, 3})
        values.push_back({trial, "lengthscale tile_oc[" + std::to_string(column) + "]", 1.0 + column});
    QVERIFY(Store::open(window.database.path())->append_series(session, values));
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
    QTRY_VERIFY_WITH_TIMEOUT(panel.picker().findText(QStringLiteral("What matters so far")) < 0,
                             deadline_milliseconds);
    QVERIFY(panel.picker().findText(QStringLiteral("Predicted against measured")) >= 0);
    QVERIFY(!panel.column_picker().isVisible());
  }

  void saved_samples_stand_in_the_time_split() {
    Window window;
    const SessionId session = window.database.add_session(30);
    Store store = *Store::open(window.database.path());
    SessionStatus status = store.session(session)->status;
    Trial trial = *store.trial(session, 0);
    trial.number = status.trial_count++;
    trial.measurement = {};
    trial.measurement.samples_seconds = {1e-3, 1e-3};
    trial.measurement.samples_saved = 498;
    QVERIFY(store.append_trials(session, std::vector{trial}, status));
    QVERIFY(gui_tests::open_and_wait(window.workspace, session));
    TimeChart& time = window.view.charts().time();
    QTRY_VERIFY_WITH_TIMEOUT(time.summary().contains("498 samples not needed"), deadline_milliseconds);
    QVERIFY(time.saved_part().width() > 0);
    QVERIFY(window.view.charts().series().isVisible());
    QCOMPARE(window.view.charts().series().chart().data().figure.name, std::string(samples_saved_figure));
  }

  void a_category_becomes_a_filter() {
    Window window;
    QVERIFY(gui_tests::open_and_wait(window.workspace, window.database.add_session(200)));
    ErrorChart& errors = window.view.charts().errors();
    QTRY_VERIFY_WITH_TIMEOUT(errors.categories().size() > 2, deadline_milliseconds);
    const ErrorCategory category = errors.categories()[1];
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
    LiveCharts& charts = window.view.charts();
    QTRY_COMPARE_WITH_TIMEOUT(charts.progress().data().trials.size(), 200, deadline_milliseconds);
    QCOMPARE(charts.progress().faint_count(), std::size_t{0});
    QVERIFY(!charts.progress().accessibleName().contains("pass"));

    QVERIFY(window.workspace.set_filters({"valid and batch < 2"}));
    const std::int64_t passing = window.workspace.filtered()->count();
    QVERIFY(passing > 0 && passing < 200);
    const QString told = QStringLiteral("%1 of 200 trials pass the filter").arg(passing);
    const std::int64_t valid = window.workspace.source()->errors.of(ErrorCategory::NoError).trials;
    QCOMPARE(static_cast<std::int64_t>(charts.progress().faint_count()), valid - passing);
    QVERIFY2(charts.progress().accessibleName().contains(told),
             qPrintable(charts.progress().accessibleName()));
    QVERIFY2(charts.errors().accessibleName().contains(told), qPrintable(charts.errors().accessibleName()));
    QCOMPARE(charts.errors().categories(), std::vector{ErrorCategory::NoError});
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
    TuneView& view = window.view;
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
    set_text_scale(1.5);
    QTRY_VERIFY(view.folded());
    set_text_scale(1);
    QTRY_VERIFY(!view.folded());
  }

  void charts_without_room_are_shown_one_at_a_time() {
    Window window;
    QVERIFY(gui_tests::open_and_wait(window.workspace, window.database.add_session(200)));
    LiveCharts& charts = window.view.charts();
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
    ProgressChart& chart = window.view.charts().progress();
    QTRY_VERIFY_WITH_TIMEOUT(chart.data().trials.size() > 60, deadline_milliseconds);
    chart.zoom_to({10, 40}, {chart.y_axis().range.low, chart.y_axis().range.high});
    const Interval zoomed = chart.x_axis().range;
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
    window.find<QSpinBox>("Trials").setValue(32);
    window.trigger("run.start");
    QTRY_VERIFY_WITH_TIMEOUT(window.workspace.source() && window.workspace.source()->trials.size() == 32,
                             deadline_milliseconds);
    QTRY_VERIFY_WITH_TIMEOUT(window.view.charts().progress().notice().contains("COMPILE_HOST"),
                             deadline_milliseconds);
  }

  void a_run_elsewhere_is_watched_read_only() {
    Window window;
    const SessionId session = window.database.add_session(16);
    Store store = *Store::open(window.database.path());
    QVERIFY(store.claim_session(session, Owner{1, Owner::this_process().boot_id, 0}));
    QVERIFY(gui_tests::open_and_wait(window.workspace, session));
    const SourceData& source = *window.workspace.source();
    QVERIFY(!source.ours());
    QVERIFY(!headline_text(source, std::nullopt).state.isEmpty());
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

  void the_headline_says_what_disturbed_it_after_a_restart() {
    Window window;
    const SessionId session = window.database.add_session(30);
    QVERIFY(Store::open(window.database.path())
                ->add_notice(session, {"machine", "the machine was loaded: <b>3.0</b>", 0}));
    QVERIFY(Store::open(window.database.path())->add_notice(session, {"note", "a note", 2}));
    QVERIFY(gui_tests::open_and_wait(window.workspace, session));
    const HeadlineText text = headline_text(*window.workspace.source(), std::nullopt);
    QCOMPARE(text.warning, QString("the machine was loaded: <b>3.0</b>"));
    QVERIFY(text.warning_tip.contains("a note") && text.warning_tip.contains("loaded"));
    // What its run says stands there at once, and once.
    RunView run;
    run.messages = {{MessageKind::Machine, "the machine was loaded: <b>3.0</b>"},
                    {MessageKind::Problem, "trial 3 was not confirmed"},
                    {MessageKind::Step, "looking"}};
    const HeadlineText live = headline_text(*window.workspace.source(), run);
    QCOMPARE(live.warning, QString("the machine was loaded: <b>3.0</b>; trial 3 was not confirmed"));
    const auto labels = window.view.findChildren<QLabel*>();
    QTRY_VERIFY_WITH_TIMEOUT(
        std::ranges::any_of(
            labels, [&](const QLabel* label) { return label->isVisible() && label->text() == text.warning; }),
        deadline_milliseconds);
    QTRY_VERIFY_WITH_TIMEOUT(!window.workspace.sessions()->empty(), deadline_milliseconds);
    QCOMPARE(disturbance_text(window.workspace.sessions()->front().notices), text.warning);
  }

  void the_headline_says_what_it_rests_on() {
    Window window;
    const SessionId session = window.database.add_session(80);
    QVERIFY(gui_tests::open_and_wait(window.workspace, session));
    const HeadlineText first = headline_text(*window.workspace.source(), std::nullopt);
    QVERIFY(first.trust.startsWith("unconfirmed"));
    QVERIFY(first.speed.endsWith("GFLOPS"));
    // Measured again: the number is that of the confirmation.
    Store store = *Store::open(window.database.path());
    const SessionStatus status = store.session(session)->status;
    QVERIFY(store.append_confirmations(session,
                                       {{{status.best_trial, "2026-01-01T00:00:00Z", {1e-3, 2e-3, 3e-3}}}}));
    window.workspace.watch().refresh();
    QTRY_VERIFY_WITH_TIMEOUT(window.workspace.source()->headline.confirmed, deadline_milliseconds);
    const HeadlineText second = headline_text(*window.workspace.source(), std::nullopt);
    QVERIFY(second.trust.startsWith("confirmed"));
    QCOMPARE(second.spread, QString("2 ms (1.5 ms to 2.5 ms)"));
  }
};

}  // namespace kernelscape

KERNELSCAPE_TEST(kernelscape::TuneViewTest, QApplication)
#include "tune_view_test.moc"
