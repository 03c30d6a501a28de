#include "ui/views/fleet/fleet_view.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QLineEdit>
#include <QMessageBox>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>
#include <random>
#include <set>

#include "tests/fleet/scripted_fleet.h"
#include "tests/gui/fleet_gui_support.h"
#include "tests/gui/frame_gui_support.h"
#include "tests/test_program.h"
#include "ui/manual/page.h"
#include "ui/style/numbers.h"
#include "ui/views/fleet/fleet_tables.h"
#include "ui/views/fleet/fleet_text.h"
#include "ui/views/runs/headline_bar.h"
#include "ui/views/runs/target_box.h"
#include "ui/views/tune/setup_form.h"
#include "ui/views/tune/tune_view.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/library_table.h"
#include "ui/workspace/notices.h"

namespace kernelscape::fleet_view_test {
namespace {

constexpr int deadline_milliseconds = 30'000;

const Error no_answer{ErrorCode::Environment, "no Redis responds at redis://lab.example:6379/0",
                      "start redis-server there"};

struct FleetBench {
  explicit FleetBench(workspace::FleetLinker linker)
      : workspace(database.path(), gui_tests::run_scripted, gui_tests::no_gpus, std::move(linker)) {
    view.resize(1100, 700);
    view.show();
  }
  ~FleetBench() { workspace::JobTracker::wait_for_all(); }

  template <typename Widget>
  Widget& named(const QString& name) {
    for (Widget* widget : view.findChildren<Widget*>())
      if (widget->accessibleName().startsWith(name)) return *widget;
    throw std::logic_error("no widget is called " + name.toStdString());
  }
  widgets::EmptyState& empty() { return *view.findChild<widgets::EmptyState*>(); }
  QString shown_instead() { return empty().isVisible() ? empty().headline() : QString(); }
  QString headline() { return view.findChild<views::HeadlineBar*>()->accessibleName(); }
  QAction* action(const char* id) { return actions.find(QLatin1String(id)); }
  views::FleetTables& tables() { return view.tables(); }
  const models::FleetWorkerModel& workers() { return view.tables().workers(); }

  void look_at(const std::string& address, const std::string& password_file = {}) {
    named<QLineEdit>(QStringLiteral("Address")).setText(QString::fromStdString(address));
    named<QLineEdit>(QStringLiteral("File that holds")).setText(QString::fromStdString(password_file));
    named<QPushButton>(QStringLiteral("Connect")).click();
  }
  bool wait_for_workers(const fleet::State& state) {
    return QTest::qWaitFor(
        [&] { return workers().rowCount() == static_cast<int>(models::fleet_rows(state).size()); },
        deadline_milliseconds);
  }
  /** The row of a worker; of a class's heading where there is none. */
  int row_of(const std::string& worker, const std::string& device_class = {}) {
    for (int row = 0; row < workers().rowCount(); ++row) {
      const models::FleetRow& shown = workers().row(row);
      if (worker.empty() ? shown.heading && shown.device_class == device_class
                         : !shown.heading && shown.worker.identity.id == worker)
        return row;
    }
    return -1;
  }
  QString cell(int row, int column) { return workers().index(row, column).data().toString(); }
  void answer(const QString& text) {
    auto* question = view.findChild<QMessageBox*>();
    QVERIFY(question != nullptr);
    for (QAbstractButton* button : question->buttons())
      if (button->text().remove(QLatin1Char('&')) == text) return button->click();
    QFAIL("the question has no such answer");
  }

  gui_tests::Database database;
  workspace::Workspace workspace;
  views::ActionRegistry actions;
  views::FleetView view{{workspace, actions}};
};

/** Workers in random states, of random classes. */
fleet::State random_fleet(std::mt19937& random) {
  const auto draw = [&](unsigned below) { return static_cast<int>(random() % below); };
  constexpr std::array states{"idle", "building", "running", "draining", "left"};
  fleet::State state;
  state.address = gui_tests::fleet_address;
  const int classes = 1 + draw(5);
  const int workers = 1 + draw(30);
  for (int i = 0; i < workers; ++i) {
    const int kind = draw(static_cast<unsigned>(classes) + 1);
    fleet::WorkerState worker = gui_tests::fleet_worker(
        "host" + std::to_string(i) + "-cpu", kind == classes ? "" : "class-" + std::to_string(kind),
        states[static_cast<std::size_t>(draw(unsigned{states.size()}))]);
    worker.temperature_celsius = draw(2) == 0 ? 0 : 20 + draw(70);
    worker.load = draw(101) / 100.0;
    state.workers.push_back(worker);
  }
  return state;
}

}  // namespace

class FleetViewTest : public QObject {
  Q_OBJECT

 private slots:
  void without_an_address_it_says_how_to_make_a_fleet() {
    gui_tests::FakeFleet fleet;
    FleetBench bench(fleet.linker());
    QCOMPARE(bench.shown_instead(), QStringLiteral("No fleet yet"));
    for (const char* id : {"fleet.tune", "fleet.drain", "fleet.copy_join"}) {
      QVERIFY2(!bench.action(id)->isEnabled(), id);
      QVERIFY2(!bench.action(id)->toolTip().isEmpty(), id);
    }
    QSignalSpy pages(&bench.view, &views::View::manual_requested);
    bench.empty().findChild<QPushButton*>()->click();
    QCOMPARE(pages.count(), 1);
    QVERIFY(manual::manual_page(pages.front().front().toString()) != nullptr);
    // Nobody is asked before an address is named.
    bench.named<QPushButton>(QStringLiteral("Connect")).click();
    QVERIFY(bench.named<QLineEdit>(QStringLiteral("Address")).hasFocus() || !bench.view.isActiveWindow());
    QVERIFY(fleet.places().empty());
  }

  void workers_stand_below_the_class_of_their_device() {
    gui_tests::FakeFleet fleet;
    FleetBench bench(fleet.linker());
    bench.look_at(gui_tests::fleet_address, "/home/me/password");
    QVERIFY(bench.wait_for_workers(gui_tests::small_fleet()));
    QCOMPARE(fleet.places().front(), (workspace::FleetPlace{gui_tests::fleet_address, "/home/me/password"}));
    QCOMPARE(bench.shown_instead(), QString());
    const int heading = bench.row_of({}, "epyc-avx512-64-0a1b2c3d");
    QVERIFY2(bench.cell(heading, 0).contains("1 of 2 workers serve") && bench.cell(heading, 0).contains("12"),
             qPrintable(bench.cell(heading, 0)));
    QCOMPARE(bench.tables().worker_table().columnSpan(heading, 0),
             int{models::FleetWorkerModel::column_count});
    const int running = bench.row_of("alder-cpu-1");
    const int gone = bench.row_of("birch-cpu-2");
    QVERIFY(heading < running && running < gone);
    QCOMPARE(bench.cell(running, models::FleetWorkerModel::StateColumn), QStringLiteral("running"));
    QCOMPARE(bench.cell(running, models::FleetWorkerModel::LoadColumn), QStringLiteral("25 %"));
    QCOMPARE(bench.cell(running, models::FleetWorkerModel::TemperatureColumn), style::no_number());
    QCOMPARE(bench.cell(running, models::FleetWorkerModel::DoneColumn), QStringLiteral("1,200"));
    QCOMPARE(bench.cell(running, models::FleetWorkerModel::DeliveriesColumn), QStringLiteral("1,203"));
    QCOMPARE(bench.cell(gone, models::FleetWorkerModel::SaysColumn),
             QStringLiteral("no space left on device"));
    const int gpu = bench.row_of("cedar-cuda-3");
    QCOMPARE(bench.cell(gpu, models::FleetWorkerModel::TemperatureColumn), QStringLiteral("61 °C"));
    QVERIFY(bench.row_of("dogwood-none-4") > bench.row_of({}, {}));
    QCOMPARE(bench.row_of({}, {}), bench.workers().rowCount() - 2);  // builders come last
    QCOMPARE(bench.tables().queues().rowCount(), 3);
    QCOMPARE(bench.tables().letters().rowCount(), 1);
    QCOMPARE(bench.tables().letters().index(0, models::DeadLetterModel::ReasonColumn).data().toString(),
             QStringLiteral("three workers were lost with it"));
    for (const char* part : {"3 of 4 workers serve", "12 MiB of 64 MiB", "1 task was given up"})
      QVERIFY2(bench.headline().contains(QLatin1String(part)), qPrintable(bench.headline()));
  }

  void every_worker_stands_once_below_its_class() {
    const auto seed = std::random_device()();
    std::mt19937 random(seed);
    qInfo("seed %u", seed);
    gui_tests::FakeFleet fleet;
    for (int round = 0; round < 200; ++round) {
      const fleet::State state = random_fleet(random);
      std::set<std::string> seen;
      std::string current = "none yet";
      bool served = true;
      for (const models::FleetRow& row : models::fleet_rows(state)) {
        if (row.heading) {
          QVERIFY(row.device_class != current);
          current = row.device_class;
          served = true;
          continue;
        }
        QCOMPARE(row.device_class, current);
        QVERIFY(seen.insert(row.worker.identity.id).second);
        QVERIFY2(served || !row.worker.serves(), "one that serves stands below one that left");
        served = row.worker.serves();
      }
      QCOMPARE(seen.size(), state.workers.size());
    }
  }

  void no_worker_is_said_with_the_command_that_joins() {
    fleet::State state;
    state.address = gui_tests::fleet_address;
    gui_tests::FakeFleet fleet(state);
    FleetBench bench(fleet.linker());
    bench.look_at(gui_tests::fleet_address, "/home/me/my password");
    QTRY_COMPARE_WITH_TIMEOUT(bench.shown_instead(), QStringLiteral("No worker has joined"),
                              deadline_milliseconds);
    QVERIFY(bench.action("fleet.copy_join")->isEnabled());
    bench.empty().findChild<QPushButton*>()->click();
    QCOMPARE(QGuiApplication::clipboard()->text(),
             QStringLiteral("kernelscape-worker --join redis://lab.example:6379/0 --password-file "
                            "'/home/me/my password'"));
    fleet.set(gui_tests::small_fleet());
    QVERIFY(bench.wait_for_workers(gui_tests::small_fleet()));
    QCOMPARE(bench.shown_instead(), QString());
  }

  void what_was_known_stays_where_the_fleet_does_not_answer() {
    gui_tests::FakeFleet fleet;
    fleet.fail_with(no_answer);
    FleetBench bench(fleet.linker());
    bench.look_at(gui_tests::fleet_address);
    QTRY_COMPARE_WITH_TIMEOUT(bench.shown_instead(), QStringLiteral("The fleet can't be read"),
                              deadline_milliseconds);
    // It is asked again by itself.
    fleet.fail_with(std::nullopt);
    QVERIFY(bench.wait_for_workers(gui_tests::small_fleet()));
    QCOMPARE(bench.view.problem(), QString());
    fleet.fail_with(no_answer);
    QTRY_VERIFY_WITH_TIMEOUT(!bench.view.problem().isEmpty(), deadline_milliseconds);
    QVERIFY2(bench.view.problem().contains("no Redis responds") &&
                 bench.view.problem().contains("start redis-server") && bench.view.problem().contains("old"),
             qPrintable(bench.view.problem()));
    QCOMPARE(bench.shown_instead(), QString());
    QVERIFY(bench.row_of("alder-cpu-1") >= 0);
    fleet.fail_with(std::nullopt);
    QTRY_COMPARE_WITH_TIMEOUT(bench.view.problem(), QString(), deadline_milliseconds);
  }

  void what_is_selected_stays_so_while_workers_come_and_go() {
    gui_tests::FakeFleet fleet;
    FleetBench bench(fleet.linker());
    bench.look_at(gui_tests::fleet_address);
    QVERIFY(bench.wait_for_workers(gui_tests::small_fleet()));
    bench.tables().worker_table().selectRow(bench.row_of("cedar-cuda-3"));
    fleet::State more = gui_tests::small_fleet();
    more.workers.insert(more.workers.begin(), gui_tests::fleet_worker("aspen-cpu-0", "a-new-class"));
    more.workers.erase(more.workers.begin() + 2);
    fleet.set(more);
    QTRY_VERIFY_WITH_TIMEOUT(bench.row_of("aspen-cpu-0") >= 0, deadline_milliseconds);
    QCOMPARE(bench.tables().selected_workers().size(), std::size_t{1});
    QCOMPARE(bench.tables().selected_workers().front().identity.id, std::string("cedar-cuda-3"));
    QCOMPARE(bench.tables().selected_class(), std::optional<std::string>("h100-sm-90a-132-4e5f6071"));
    for (int row = 0; row < bench.workers().rowCount(); ++row)
      QCOMPARE(bench.tables().worker_table().columnSpan(row, 0) > 1, bench.workers().row(row).heading);
  }

  void workers_are_drained_once_the_user_says_so() {
    gui_tests::FakeFleet fleet;
    FleetBench bench(fleet.linker());
    bench.look_at(gui_tests::fleet_address);
    QVERIFY(bench.wait_for_workers(gui_tests::small_fleet()));
    bench.tables().worker_table().selectRow(bench.row_of("birch-cpu-2"));
    QVERIFY(!bench.action("fleet.drain")->isEnabled());  // it left already
    bench.tables().worker_table().selectRow(bench.row_of("alder-cpu-1"));
    QVERIFY(bench.action("fleet.drain")->isEnabled());
    bench.action("fleet.drain")->trigger();
    bench.answer(QStringLiteral("Cancel"));
    QTRY_VERIFY(bench.view.findChild<QMessageBox*>() == nullptr);
    QSignalSpy reported(&bench.view, &views::View::notified);
    bench.action("fleet.drain")->trigger();
    bench.answer(QStringLiteral("Drain"));
    QTRY_COMPARE_WITH_TIMEOUT(fleet.drained(), std::vector<std::string>{"alder-cpu-1"},
                              deadline_milliseconds);
    QTRY_VERIFY_WITH_TIMEOUT(reported.count() == 1, deadline_milliseconds);
    QVERIFY(reported.front().front().toString().contains("alder-cpu-1"));
    QTRY_COMPARE_WITH_TIMEOUT(bench.cell(bench.row_of("alder-cpu-1"), models::FleetWorkerModel::StateColumn),
                              QStringLiteral("draining"), deadline_milliseconds);
    QTRY_VERIFY(!bench.action("fleet.drain")->isEnabled());
  }

  void a_drain_that_is_refused_says_why() {
    gui_tests::FakeFleet fleet;
    fleet.refuse_drains({ErrorCode::NotFound, "the fleet has no worker of that name", "look again"});
    FleetBench bench(fleet.linker());
    bench.look_at(gui_tests::fleet_address);
    QVERIFY(bench.wait_for_workers(gui_tests::small_fleet()));
    bench.tables().worker_table().selectRow(bench.row_of("dogwood-none-4"));
    bench.action("fleet.drain")->trigger();
    bench.answer(QStringLiteral("Drain"));
    QTRY_VERIFY_WITH_TIMEOUT(std::ranges::any_of(bench.workspace.notices().all(),
                                                 [](const workspace::Notice& notice) {
                                                   return notice.text.contains("no worker of that name");
                                                 }),
                             deadline_milliseconds);
  }

  void nobody_is_asked_while_the_view_is_hidden() {
    gui_tests::FakeFleet fleet;
    FleetBench bench(fleet.linker());
    bench.look_at(gui_tests::fleet_address);
    QVERIFY(bench.wait_for_workers(gui_tests::small_fleet()));
    bench.view.hide();
    const int reads = fleet.reads();
    for (int round = 0; round < 100; ++round) {
      bench.workspace.fleet_watch().refresh();
      QTest::qWait(1);
    }
    QVERIFY(fleet.reads() <= reads + 1);  // one may have been under way
    bench.view.show();
    QTRY_VERIFY_WITH_TIMEOUT(fleet.reads() > reads, deadline_milliseconds);
  }

  void tune_here_keeps_the_form_and_takes_the_class() {
    gui_tests::FakeFleet fleet;
    const gui_tests::Database database;
    QTemporaryDir folder;
    frame::PreferencesFile preferences(folder.filePath(QStringLiteral("preferences.json")).toStdString());
    preferences.change([&](frame::Preferences& p) {
      p.first_start_dismissed = true;
      p.fleet_address = QLatin1String(gui_tests::fleet_address);
    });
    workspace::Workspace workspace(database.path(), gui_tests::run_scripted, gui_tests::no_gpus,
                                   fleet.linker());
    frame::MainWindow window(workspace, preferences);
    window.resize(gui_tests::roomy_window);
    window.show();
    auto* tune = window.findChild<views::TuneView*>();
    session::TuningRequest request = tune->form().request();
    request.task = "matmul 64x64 64x64 f32";
    request.budget.trials = 77;
    tune->form().set_request(request);
    auto* targets = tune->findChild<views::TargetBox*>();
    QVERIFY(targets->findText(QStringLiteral("Fleet: not read yet")) >= 0);
    window.show_view(QStringLiteral("Fleet"));
    auto* view = window.findChild<views::FleetView*>();
    views::FleetTables& tables = view->tables();
    QTRY_VERIFY_WITH_TIMEOUT(tables.workers().rowCount() > 0, deadline_milliseconds);
    // Its classes are among the targets of the forms.
    const QString target = QStringLiteral("fleet:redis://lab.example:6379/0#h100-sm-90a-132-4e5f6071");
    QTRY_VERIFY_WITH_TIMEOUT(targets->findData(target) >= 0, deadline_milliseconds);
    QCOMPARE(targets->itemText(targets->findData(target)), QStringLiteral("fleet: h100-sm-90a-132-4e5f6071"));
    for (int row = 0; row < tables.workers().rowCount(); ++row)
      if (tables.workers().row(row).worker.identity.id == "cedar-cuda-3")
        tables.worker_table().selectRow(row);
    window.actions().find(QStringLiteral("fleet.tune"))->trigger();
    QCOMPARE(window.current_view()->name(), QStringLiteral("Tune"));
    QCOMPARE(tune->form().request().target, target.toStdString());
    QCOMPARE(tune->form().request().task, request.task);
    QCOMPARE(tune->form().request().budget.trials, std::int64_t{77});
    workspace::JobTracker::wait_for_all();
  }

  /** The address and the path of a file are; what stands in that file nowhere. */
  void the_fleet_is_kept_for_the_next_window_and_no_secret_is() {
    gui_tests::FakeFleet fleet;
    const gui_tests::Database database;
    QTemporaryDir folder;
    const std::filesystem::path file = folder.filePath(QStringLiteral("preferences.json")).toStdString();
    {
      frame::PreferencesFile preferences(file);
      preferences.change([](frame::Preferences& p) { p.first_start_dismissed = true; });
      workspace::Workspace workspace(database.path(), gui_tests::run_scripted, gui_tests::no_gpus,
                                     fleet.linker());
      frame::MainWindow window(workspace, preferences);
      window.show();
      window.show_view(QStringLiteral("Fleet"));
      window.findChild<views::FleetView*>()->offer({gui_tests::fleet_address, "/home/me/password"});
      QSignalSpy left(&window, &frame::MainWindow::left);
      window.close();
      QTRY_VERIFY_WITH_TIMEOUT(left.count() > 0, deadline_milliseconds);
      QVERIFY(preferences.flush());
      workspace::JobTracker::wait_for_all();
    }
    frame::PreferencesFile preferences(file);
    QVERIFY(preferences.load());
    QCOMPARE(preferences.get().fleet_address, QLatin1String(gui_tests::fleet_address));
    QCOMPARE(preferences.get().fleet_password_file, QStringLiteral("/home/me/password"));
  }

  void a_password_in_an_address_is_refused_where_it_stands() {
    FleetBench bench(workspace::link_to_redis);
    bench.look_at("redis://me:secret@lab.example");
    QTRY_COMPARE_WITH_TIMEOUT(bench.shown_instead(), QStringLiteral("The fleet can't be read"),
                              deadline_milliseconds);
    QCOMPARE(bench.view.offered().address, std::string());  // nor is it kept
  }

  void a_real_redis_shows_its_workers_and_drains_one() {
    NEEDS_REDIS();
    const fleet_tests::RedisServer redis;
    const QString password = QString::fromStdString(redis.folder()) + QStringLiteral("/password");
    QFile file(password);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(QByteArray::fromStdString(redis.password()) + '\n');
    file.close();
    QVERIFY(file.setPermissions(QFile::ReadOwner | QFile::WriteOwner));
    fleet_tests::ThreadWorker first(fleet_tests::worker_setup(redis.fleet(), "one", 1, true));
    fleet_tests::ThreadWorker second(fleet_tests::worker_setup(redis.fleet(), "two", 2, true));
    FleetBench bench(workspace::link_to_redis);
    bench.look_at(redis.address().text(), password.toStdString());
    QTRY_VERIFY2_WITH_TIMEOUT(bench.row_of("one") > 0 && bench.row_of("two") > 0,
                              qPrintable(bench.shown_instead()), deadline_milliseconds);
    QVERIFY(bench.headline().contains("2 workers"));
    bench.tables().worker_table().selectRow(bench.row_of("two"));
    bench.action("fleet.drain")->trigger();
    bench.answer(QStringLiteral("Drain"));
    QTRY_COMPARE_WITH_TIMEOUT(bench.cell(bench.row_of("two"), models::FleetWorkerModel::StateColumn),
                              QStringLiteral("left"), deadline_milliseconds);
    QCOMPARE(bench.cell(bench.row_of("one"), models::FleetWorkerModel::StateColumn), QStringLiteral("idle"));
  }
};

KERNELSCAPE_TEST(FleetViewTest, QApplication)

}  // namespace kernelscape::fleet_view_test
#include "fleet_view_test.moc"
