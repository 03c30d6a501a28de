#include "ui/views/network/network_view.h"

#include <QComboBox>
#include <QDropEvent>
#include <QLabel>
#include <QLineEdit>
#include <QMimeData>
#include <QPushButton>
#include <QScrollBar>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTest>
#include <QUrl>

#include "tests/gui/frame_gui_support.h"
#include "tests/gui/network_view_support.h"
#include "tests/test_program.h"
#include "ui/charts/bars/layer_time_chart.h"
#include "ui/views/network/network_charts.h"
#include "ui/views/network/network_form.h"
#include "ui/views/network/network_tables.h"
#include "ui/views/runs/headline_bar.h"
#include "ui/widgets/action_bar.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/library_table.h"

namespace kernelscape::network_view_test {
namespace {

constexpr int deadline_milliseconds = 60'000;

/** Measures nothing until it is opened: a network can be stopped before its end. */
struct RoundGate {
  std::atomic<bool> open{false};

  session::Runner runner() {
    return [this](store::Store& store, const session::PreparedTuning& tuning,
                  std::optional<store::SessionId> resumed, session::Observer& observer,
                  const session::StopRequest& stop) {
      while (!open && stop.level() == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      return gui_tests::run_rounds(store, tuning, resumed, observer, stop);
    };
  }
};

struct NetworkBench {
  explicit NetworkBench(const gui_tests::Database& database, session::Runner runner = gui_tests::run_rounds)
      : workspace(database.path(), std::move(runner), gui_tests::no_gpus) {
    view.resize(1300, 800);
    view.show();
  }
  ~NetworkBench() { workspace::JobTracker::wait_for_all(); }

  template <typename Widget>
  Widget* one() {
    return view.findChild<Widget*>();
  }
  template <typename Widget>
  Widget* named(const QString& name) {
    for (Widget* widget : view.findChildren<Widget*>())
      if (widget->accessibleName().startsWith(name)) return widget;
    return nullptr;
  }
  QString headline() {
    return one<widgets::EmptyState>()->isVisible() ? one<widgets::EmptyState>()->headline() : QString();
  }
  const models::NetworkLayerModel& layers() { return view.tables().layers(); }
  bool wait_for_layers(int count) {
    return QTest::qWaitFor(
        [&] {
          return layers().rowCount() == count && view.form().problem().isEmpty() && headline().isEmpty();
        },
        deadline_milliseconds);
  }
  bool wait_for_snapshot() {
    return QTest::qWaitFor([&] { return view.snapshot() != nullptr; }, deadline_milliseconds);
  }
  QAction* action(const char* id) { return actions.find(QLatin1String(id)); }

  workspace::Workspace workspace;
  views::ActionRegistry actions;
  views::NetworkView view{{workspace, actions}};
};

/** Stores a study of the tiny network as a command line would, and runs it to its end. */
store::StudyId add_network(const gui_tests::Database& database, std::int64_t trials) {
  store::Store store = *store::Store::open(database.path());
  const Result<store::StudyId> id = study::create_study(store, gui_tests::tiny_study(trials));
  if (!id) qFatal("%s", describe(id.error()).c_str());
  study::Options options;
  options.runner = gui_tests::run_rounds;
  study::Observer observer;
  if (!study::run_study(database.path(), *id, options, observer, session::StopRequest()))
    qFatal("the network can't be run");
  return *id;
}

}  // namespace

class NetworkViewTest : public QObject {
  Q_OBJECT

 private slots:
  void without_a_network_it_says_what_to_do() {
    const gui_tests::Database database;
    NetworkBench bench(database);
    QTRY_COMPARE_WITH_TIMEOUT(bench.headline(), QStringLiteral("No network yet"), deadline_milliseconds);
    QVERIFY(!bench.named<QPushButton>(QStringLiteral("Start tuning"))->isEnabled());
    for (const char* id : {"network.start", "network.stop_or_resume", "network.export", "network.report",
                           "network.delete", "network.undo_delete", "network.layer_tune"}) {
      QVERIFY2(!bench.action(id)->isEnabled(), id);
      QVERIFY2(!bench.action(id)->toolTip().isEmpty(), id);
    }
    QSignalSpy reports(&bench.view, &views::View::report_requested);
    bench.view.export_current();
    QVERIFY(bench.view.report_current());
    QCOMPARE(reports.count(), 0);
  }

  void a_network_of_the_catalogue_shows_its_layers() {
    const gui_tests::Database database;
    NetworkBench bench(database);
    bench.view.open_network(QStringLiteral("resnet18"));
    const task::WholeNetwork network =
        *task::find_whole_network(*task::Catalogue::load_default(), "resnet-18");
    QVERIFY(bench.wait_for_layers(static_cast<int>(network.layers.size())));
    QVERIFY(bench.named<QPushButton>(QStringLiteral("Start tuning"))->isEnabled());
    const widgets::LibraryTable& table = bench.view.tables().layer_table();
    QVERIFY(table.isColumnHidden(models::NetworkLayerModel::TimeColumn));
    QVERIFY(!table.isColumnHidden(models::NetworkLayerModel::TemplateColumn));
    QVERIFY(bench.one<views::HeadlineBar>()->accessibleName().contains(QStringLiteral("not run")));
    bench.view.open_network(QStringLiteral("resnet-81"));
    QTRY_VERIFY_WITH_TIMEOUT(bench.view.form().problem().contains(QStringLiteral("resnet-18")),
                             deadline_milliseconds);
    QCOMPARE(bench.headline(), QStringLiteral("The network can't be read yet"));
    QVERIFY(!bench.action("network.start")->isEnabled());
  }

  void open_dimensions_of_a_model_are_asked_for() {
    const gui_tests::Database database;
    const gui_tests::ModelFolder folder;
    NetworkBench bench(database);
    const QString path = folder.write(QStringLiteral("my model.onnx"), gui_tests::open_model().bytes());
    bench.view.open_network(path);
    const auto length = [&] { return bench.named<QSpinBox>(QStringLiteral("Length of batch")); };
    QTRY_VERIFY_WITH_TIMEOUT(length() != nullptr, deadline_milliseconds);
    QVERIFY(length()->isVisibleTo(&bench.view));
    QTRY_VERIFY_WITH_TIMEOUT(bench.view.form().problem().contains(QStringLiteral("leaves open")),
                             deadline_milliseconds);
    length()->setValue(2);
    QVERIFY(bench.wait_for_layers(2));
    QCOMPARE(bench.layers().layer(0).multiplicity, std::int64_t{2});
    QVERIFY(bench.layers().layer(0).text.startsWith(QStringLiteral("conv2d 2x8x6x6")));
    QCOMPARE(bench.view.tables().others().rowCount(), 1);
    QVERIFY(QString::fromStdString(views::network_command_line(bench.view.form().setup()))
                .contains(QStringLiteral("--dim batch=2")));
    // The field stays: another length is another network.
    length()->setValue(1);
    QTRY_VERIFY_WITH_TIMEOUT(bench.layers().layer(0).text.startsWith(QStringLiteral("conv2d 1x8x6x6")),
                             deadline_milliseconds);
    QCOMPARE(bench.view.form().recent(), QStringList(path));
    // Another network asks for other lengths.
    bench.view.open_network(QStringLiteral("resnet-18"));
    QVERIFY(bench.wait_for_layers(static_cast<int>(
        task::find_whole_network(*task::Catalogue::load_default(), "resnet-18")->layers.size())));
    QVERIFY(bench.view.form().setup().dimensions.empty());
  }

  void what_can_not_be_tuned_is_reported_at_the_field() {
    const gui_tests::Database database;
    const gui_tests::ModelFolder folder;
    NetworkBench bench(database);
    testing::ModelBuilder without;
    without.input("x", {1, 4}).node("Relu", {"x"}, {"y"});
    bench.view.open_network(folder.write(QStringLiteral("without.onnx"), without.bytes()));
    QTRY_VERIFY_WITH_TIMEOUT(
        bench.view.form().problem().contains(QStringLiteral("no layer that can be tuned")),
        deadline_milliseconds);
    bench.view.open_network(folder.write(QStringLiteral("broken.onnx"), "no model"));
    QTRY_VERIFY_WITH_TIMEOUT(bench.view.form().problem().contains(QStringLiteral("not an ONNX model")),
                             deadline_milliseconds);
    bench.view.open_network(QStringLiteral("/no/such/file.onnx"));
    QTRY_VERIFY_WITH_TIMEOUT(bench.view.form().problem().contains(QStringLiteral("/no/such/file.onnx")),
                             deadline_milliseconds);
    QVERIFY(bench.view.form().recent().isEmpty());
    QVERIFY(!bench.action("network.start")->isEnabled());
  }

  void a_budget_below_a_trial_of_each_layer_is_warned_of() {
    const gui_tests::Database database;
    NetworkBench bench(database);
    bench.view.open_network(QStringLiteral("resnet-18"));
    QVERIFY(QTest::qWaitFor([&] { return bench.view.form().problem().isEmpty(); }, deadline_milliseconds));
    QVERIFY(bench.view.form().warning().isEmpty());
    bench.named<QSpinBox>(QStringLiteral("Trials"))->setValue(2);
    QTRY_VERIFY_WITH_TIMEOUT(bench.view.form().warning().contains(QStringLiteral("2 trials are fewer")),
                             deadline_milliseconds);
    bench.named<QSpinBox>(QStringLiteral("Trials"))->setValue(0);
    QTRY_VERIFY_WITH_TIMEOUT(bench.view.form().problem().contains(QStringLiteral("budget")),
                             deadline_milliseconds);
  }

  void a_network_is_started_stopped_and_resumed() {
    const gui_tests::Database database;
    RoundGate gate;
    NetworkBench bench(database, gate.runner());
    bench.view.open_network(QStringLiteral("resnet-18"));
    QVERIFY(QTest::qWaitFor([&] { return bench.view.form().problem().isEmpty(); }, deadline_milliseconds));
    bench.named<QSpinBox>(QStringLiteral("Trials"))->setValue(60);
    bench.named<QLineEdit>(QStringLiteral("Seed"))->setText(QStringLiteral("5"));
    bench.named<QComboBox>(QStringLiteral("Tuner"))->setCurrentText(QStringLiteral("random"));
    QTRY_VERIFY_WITH_TIMEOUT(bench.action("network.start")->isEnabled(), deadline_milliseconds);
    bench.action("network.start")->trigger();
    QTRY_VERIFY_WITH_TIMEOUT(bench.view.study().has_value(), deadline_milliseconds);
    QVERIFY(bench.wait_for_snapshot());
    QTRY_COMPARE_WITH_TIMEOUT(bench.action("network.stop_or_resume")->text(),
                              QStringLiteral("Stop the network"), deadline_milliseconds);
    QVERIFY(!bench.action("network.delete")->isEnabled());
    QVERIFY(!bench.action("network.export")->isEnabled());
    bench.action("network.stop_or_resume")->trigger();
    QTRY_VERIFY_WITH_TIMEOUT(bench.workspace.study_runner().idle(), deadline_milliseconds);
    QTRY_VERIFY_WITH_TIMEOUT(
        bench.one<views::HeadlineBar>()->accessibleName().contains(QStringLiteral("stopped")),
        deadline_milliseconds);
    gate.open = true;
    QTRY_VERIFY_WITH_TIMEOUT(bench.action("network.stop_or_resume")->isEnabled(), deadline_milliseconds);
    QCOMPARE(bench.action("network.stop_or_resume")->text(), QStringLiteral("Resume the network"));
    bench.action("network.stop_or_resume")->trigger();
    QTRY_COMPARE_WITH_TIMEOUT(bench.view.snapshot()->progress->trials, std::int64_t{60},
                              deadline_milliseconds);
    QTRY_VERIFY_WITH_TIMEOUT(
        bench.one<views::HeadlineBar>()->accessibleName().contains(QStringLiteral("ended, 60 of 60 trials")),
        deadline_milliseconds);
    QTRY_VERIFY_WITH_TIMEOUT(!bench.action("network.stop_or_resume")->isEnabled(), deadline_milliseconds);
    QVERIFY(bench.action("network.export")->isEnabled());
    QCOMPARE(bench.view.snapshot()->progress->definition.seed, [&] {
      return study::stored_study(*store::Store::open(database.path()), *bench.view.study())->seed;
    }());
  }

  void a_stored_study_opens_and_leads_to_its_layers() {
    const gui_tests::Database database;
    const store::StudyId id = add_network(database, 24);
    NetworkBench bench(database);
    bench.workspace.open_network(id);
    QVERIFY(bench.wait_for_snapshot());
    QCOMPARE(bench.layers().rowCount(), 3);
    const study::NetworkOutcome outcome = *study::network_outcome(*store::Store::open(database.path()), id);
    for (int row = 0; row < 3; ++row) {
      const models::NetworkLayerRow& layer = bench.layers().layer(row);
      QCOMPARE(layer.outcome->seconds, outcome.layers[static_cast<std::size_t>(row)].seconds);
      QVERIFY(!layer.nodes.isEmpty());  // of the model, as it was stored
    }
    QVERIFY(!bench.view.tables().layer_table().isColumnHidden(models::NetworkLayerModel::TimeColumn));
    QCOMPARE(bench.view.tables().others().rowCount(), 1);
    QVERIFY(bench.view.tables().notices().contains(QStringLiteral("weights")));
    QSignalSpy wanted(&bench.view, &views::View::view_requested);
    // A bar leads to Tune, by its place in the study.
    charts::LayerTimeChart* bars = bench.one<charts::LayerTimeChart>();
    QVERIFY(bars != nullptr);
    QTRY_COMPARE_WITH_TIMEOUT(bars->data().layers.size(), std::size_t{3}, deadline_milliseconds);
    emit bars->layer_activated(1);
    QCOMPARE(wanted.takeLast()[0].toString(), QStringLiteral("Tune"));
    QCOMPARE(*bench.workspace.opened(), *outcome.layers[1].session);
    QCOMPARE(bench.view.tables().selected()->layer, std::optional<std::size_t>(1));
    // A row leads there with Enter, and to Explore from its menu.
    widgets::LibraryTable& table = bench.view.tables().layer_table();
    table.selectRow(2);
    QTest::keyClick(&table, Qt::Key_Return);
    QCOMPARE(wanted.takeLast()[0].toString(), QStringLiteral("Tune"));
    QCOMPARE(*bench.workspace.opened(), *outcome.layers[2].session);
    table.selectRow(0);
    bench.action("network.layer_explore")->trigger();
    QCOMPARE(wanted.takeLast()[0].toString(), QStringLiteral("Explore"));
    QCOMPARE(*bench.workspace.opened(), *outcome.layers[0].session);
    QSignalSpy reports(&bench.view, &views::View::report_requested);
    QVERIFY(bench.view.report_current());
    QCOMPARE(reports[0][0].toLongLong(), id);
  }

  void the_latest_study_is_opened_until_something_else_is_asked_for() {
    const gui_tests::Database database;
    store::Store store = *store::Store::open(database.path());
    const store::StudyId first = *study::create_study(store, gui_tests::tiny_study(24));
    {
      NetworkBench bench(database);
      QTRY_COMPARE_WITH_TIMEOUT(bench.view.study(), std::optional(first), deadline_milliseconds);
      QVERIFY(bench.wait_for_snapshot());
      QCOMPARE(bench.headline(), QString());
      auto* box = bench.named<QComboBox>(QStringLiteral("Study of a network"));
      QCOMPARE(box->currentIndex(), 1);
      // One that is stored meanwhile does not take its place.
      const store::StudyId later = *study::create_study(store, gui_tests::tiny_study(24));
      bench.workspace.network_watch().refresh();
      QTRY_COMPARE_WITH_TIMEOUT(box->count(), 3, deadline_milliseconds);
      QCOMPARE(bench.view.study(), std::optional(first));
      QVERIFY(later > first);
    }
    const store::StudyId latest = *study::create_study(store, gui_tests::tiny_study(24));
    {
      NetworkBench bench(database);
      QTRY_COMPARE_WITH_TIMEOUT(bench.view.study(), std::optional(latest), deadline_milliseconds);
      QVERIFY(bench.wait_for_snapshot());
      // Whoever closes it by the set-up, or deletes it, has the set-up.
      auto* box = bench.named<QComboBox>(QStringLiteral("Study of a network"));
      box->setCurrentIndex(0);
      emit box->activated(0);
      QVERIFY(!bench.view.study());
      QCOMPARE(bench.headline(), QStringLiteral("No network yet"));
      bench.view.open_study(latest);
      QVERIFY(bench.wait_for_snapshot());
      bench.action("network.delete")->trigger();
      QTRY_COMPARE_WITH_TIMEOUT(box->count(), 3, deadline_milliseconds);
      QVERIFY(!bench.view.study());
    }
    {
      NetworkBench bench(database);
      bench.workspace.open_network(first);
      bench.workspace.network_watch().refresh();
      QVERIFY(bench.wait_for_snapshot());
      QCOMPARE(bench.view.study(), std::optional(first));
    }
    {
      NetworkBench bench(database);
      bench.view.open_network(QStringLiteral("resnet18"));
      auto* box = bench.named<QComboBox>(QStringLiteral("Study of a network"));
      QTRY_COMPARE_WITH_TIMEOUT(box->count(), 3, deadline_milliseconds);
      QVERIFY(!bench.view.study());
    }
  }

  /** The window makes its views before they are shown, and offers the networks of earlier runs. */
  void the_window_opens_the_latest_study_when_the_view_is_first_shown() {
    const gui_tests::Database database;
    const gui_tests::ModelFolder folder;
    (void)add_network(database, 24);
    gui_tests::Desk desk(database);
    desk.preferences.change([&](frame::Preferences& changed) {
      changed.recent_networks = {
          folder.write(QStringLiteral("recent.onnx"), gui_tests::open_model().bytes())};
    });
    desk.window->show_view(QStringLiteral("Tune"));
    // Stored by a command line while the window is open.
    const store::StudyId latest = add_network(database, 24);
    desk.window->show_view(QStringLiteral("Network"));
    auto* view = qobject_cast<views::NetworkView*>(desk.window->current_view());
    QVERIFY(view != nullptr);
    QTRY_VERIFY_WITH_TIMEOUT(view->snapshot() != nullptr, deadline_milliseconds);
    QCOMPARE(view->study(), std::optional(latest));
    QVERIFY(view->form().setup().network.empty());
  }

  /** A name that only stands in the form is no choice of its user. */
  void a_network_in_the_form_does_not_hide_the_latest_study() {
    const gui_tests::Database database;
    const store::StudyId latest = add_network(database, 24);
    NetworkBench bench(database);
    {
      auto* networks = bench.named<QComboBox>(QStringLiteral("Network: "));
      const QSignalBlocker quiet(networks);
      networks->setEditText(QStringLiteral("resnet-18"));
    }
    QTRY_COMPARE_WITH_TIMEOUT(bench.view.study(), std::optional(latest), deadline_milliseconds);
    QVERIFY(bench.wait_for_snapshot());
    QCOMPARE(bench.headline(), QString());
  }

  void live_updates_keep_what_is_selected() {
    const gui_tests::Database database;
    const store::StudyId id = add_network(database, 24);
    NetworkBench bench(database);
    bench.view.open_study(id);
    QVERIFY(bench.wait_for_snapshot());
    widgets::LibraryTable& table = bench.view.tables().layer_table();
    table.sortByColumn(models::NetworkLayerModel::AllTimeColumn, Qt::DescendingOrder);
    bench.view.tables().select(1);
    const workspace::NetworkSnapshotPointer before = bench.view.snapshot();
    database.append_trials(*before->progress->outcome.layers[0].session, 8);
    bench.workspace.network_watch().refresh();
    QTRY_VERIFY_WITH_TIMEOUT(bench.view.snapshot() != before, deadline_milliseconds);
    QCOMPARE(bench.view.tables().selected()->layer, std::optional<std::size_t>(1));
    QCOMPARE(bench.view.snapshot()->progress->outcome.layers[0].trials,
             before->progress->outcome.layers[0].trials + 8);
  }

  void a_study_is_deleted_and_brought_back() {
    const gui_tests::Database database;
    const store::StudyId id = add_network(database, 24);
    NetworkBench bench(database);
    bench.view.open_study(id);
    QVERIFY(bench.wait_for_snapshot());
    QTRY_VERIFY_WITH_TIMEOUT(bench.action("network.delete")->isEnabled(), deadline_milliseconds);
    bench.action("network.delete")->trigger();
    QVERIFY(!bench.view.study());
    QVERIFY(bench.one<widgets::ActionBar>()->isVisible());
    auto* box = bench.named<QComboBox>(QStringLiteral("Study of a network"));
    QTRY_COMPARE_WITH_TIMEOUT(box->count(), 1, deadline_milliseconds);
    bench.action("network.undo_delete")->trigger();
    QCOMPARE(bench.view.study(), std::optional(id));
    QTRY_COMPARE_WITH_TIMEOUT(box->count(), 2, deadline_milliseconds);
    QCOMPARE(box->currentIndex(), 1);
    QVERIFY(bench.wait_for_snapshot());
  }

  void every_widget_has_a_name_and_fits_a_small_window() {
    const gui_tests::Database database;
    const store::StudyId id = add_network(database, 24);
    NetworkBench bench(database);
    bench.view.open_study(id);
    QVERIFY(bench.wait_for_snapshot());
    for (const QWidget* widget : bench.view.findChildren<QWidget*>()) {
      const bool counts = widget->focusPolicy() != Qt::NoFocus && widget->isVisibleTo(&bench.view) &&
                          (qobject_cast<const QComboBox*>(widget) != nullptr ||
                           qobject_cast<const QAbstractButton*>(widget) != nullptr ||
                           qobject_cast<const QAbstractItemView*>(widget) != nullptr ||
                           qobject_cast<const QAbstractSpinBox*>(widget) != nullptr);
      const auto* button = qobject_cast<const QAbstractButton*>(widget);
      const bool said =
          !widget->accessibleName().isEmpty() || (button != nullptr && !button->text().isEmpty());
      QVERIFY2(!counts || said, widget->metaObject()->className());
    }
    bench.view.resize(600, 420);
    QTRY_VERIFY(bench.view.folded());
    QTRY_VERIFY(bench.view.charts().width() <= bench.view.width());
  }

  void a_model_that_is_dropped_opens_the_view() {
    const gui_tests::Database database;
    const gui_tests::ModelFolder folder;
    gui_tests::Desk desk(database);
    const QString path = folder.write(QStringLiteral("dropped.onnx"), gui_tests::open_model().bytes());
    QMimeData data;
    data.setUrls({QUrl::fromLocalFile(path)});
    QDropEvent drop(QPointF(200, 200), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    // Sent by the application it would go where the mouse's own drag is: nowhere.
    static_cast<QObject&>(*desk.window).event(&drop);
    auto* view = qobject_cast<views::NetworkView*>(desk.window->current_view());
    QVERIFY(view != nullptr);
    QCOMPARE(view->form().setup().network, path.toStdString());
    QTRY_VERIFY_WITH_TIMEOUT(view->form().problem().contains(QStringLiteral("leaves open")),
                             deadline_milliseconds);
    const QString saved =
        folder.write(QStringLiteral("saved.json"), task::whole_network_to_json(gui_tests::tiny_network()));
    data.setUrls({QUrl::fromLocalFile(saved)});
    QDropEvent second(QPointF(200, 200), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    static_cast<QObject&>(*desk.window).event(&second);
    QTRY_COMPARE_WITH_TIMEOUT(view->tables().layers().rowCount(), 3, deadline_milliseconds);
  }
};

KERNELSCAPE_TEST(NetworkViewTest, QApplication)

}  // namespace kernelscape::network_view_test
#include "network_view_test.moc"
