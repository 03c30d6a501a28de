/**
 * tour DATABASE FOLDER light|dark WIDTHxHEIGHT: writes a picture of every view and state of the window, with
 * the sessions of DATABASE. tests/gui/tour makes the database by real runs and calls this for every theme and
 * size.
 */
#include <fmt/format.h>

#include <QApplication>
#include <QComboBox>
#include <QDir>
#include <QLineEdit>
#include <QTabWidget>
#include <QTemporaryDir>
#include <QTest>

#include "core/task/data_folder.h"
#include "tests/gui/gui_support.h"
#include "ui/frame/main_window.h"
#include "ui/frame/palette/command_palette.h"
#include "ui/frame/preferences/appearance.h"
#include "ui/views/explore/explore_view.h"
#include "ui/views/library/library_view.h"
#include "ui/views/project/trust_dialog.h"
#include "ui/views/trials/filter_bar.h"
#include "ui/views/trials/trial_detail_pane.h"
#include "ui/views/trials/trial_table_panel.h"
#include "ui/views/tune/setup_form.h"
#include "ui/views/tune/tune_view.h"

using namespace kernelscape;

namespace {

constexpr int settle_milliseconds = 1500;
constexpr int deadline_milliseconds = 60'000;
constexpr int explore_pages = 10;

class Tour {
 public:
  Tour(const std::filesystem::path& database, QString folder, QString suffix, QSize size,
       SessionRunner runner)
      : folder_(std::move(folder)),
        suffix_(std::move(suffix)),
        preferences_(settings_file()),
        workspace_(database, std::move(runner)) {
    preferences_.change([](Preferences& preferences) {
      preferences.first_start_dismissed = true;
      preferences.theme = colours().dark ? ThemeChoice::Dark : ThemeChoice::Light;
    });
    window_ = std::make_unique<MainWindow>(workspace_, preferences_);
    window_->resize(size);
    window_->show();
    QTest::qWait(settle_milliseconds);
  }

  MainWindow& window() { return *window_; }
  Workspace& workspace() { return workspace_; }

  void shot(const QString& name, QWidget* widget = nullptr) {
    QTest::qWait(settle_milliseconds);
    const QString path = QStringLiteral("%1/%2-%3.png").arg(folder_, name, suffix_);
    (widget != nullptr ? widget : window_.get())->grab().save(path);
    fmt::print("{}\n", path.toStdString());
  }

  template <typename T>
  T& view(const QString& name) {
    window_->show_view(name);
    return *window_->findChild<T*>();
  }

  bool open(SessionId session) {
    workspace_.open_session(session);
    return QTest::qWaitFor([&] { return workspace_.source() != nullptr; }, deadline_milliseconds);
  }

  void trigger(const QString& id) {
    if (QAction* action = window_->actions().find(id)) action->trigger();
  }

 private:
  std::filesystem::path settings_file() const {
    return (settings_.path() + "/preferences.json").toStdString();
  }

  QTemporaryDir settings_;
  QString folder_;
  QString suffix_;
  PreferencesFile preferences_;
  Workspace workspace_;
  std::unique_ptr<MainWindow> window_;
};

void tour_tune(Tour& tour) {
  auto& tune = tour.view<TuneView>("Tune");
  tour.shot("tune-nothing");
  if (!tour.open(1)) return;
  tour.workspace().set_current_row(tour.workspace().source()->headline.row);
  tour.shot("tune-finished");
  if (auto* tabs = tune.findChild<QTabWidget*>()) {
    for (int i = 0; i < tabs->count(); ++i) {
      tabs->setCurrentIndex(i);
      tour.shot(QStringLiteral("trial-%1").arg(tabs->tabText(i).toLower().replace(' ', '-').remove('&')),
                tabs);
    }
  }
  tour.workspace().set_pinned({2});
  tour.trigger("run.new");
  tour.shot("tune-set-up");
  tune.form().findChild<QComboBox*>()->setEditText("resnet18/C99");
  tour.shot("tune-wrong-task");
  tune.form().findChild<QComboBox*>()->setEditText("resnet18/C6");
  tune.table().filter_bar().focus_entry();
  (void)tour.workspace().set_filters({"valid", "ms < 2"});
  tour.shot("tune-filtered");
  auto* entry = tune.table().filter_bar().findChild<QLineEdit*>();
  QTest::keyClicks(entry, "gflops > 3 ms");
  QTest::keyClick(entry, Qt::Key_Return);
  tour.shot("tune-filter-mistake");
  entry->clear();
  (void)tour.workspace().set_filters({"ms < 0"});
  tour.shot("tune-filtered-to-nothing");
  (void)tour.workspace().set_filters({});
}

void tour_explore(Tour& tour) {
  auto& explore = tour.view<ExploreView>("Explore");
  for (const SessionId session : {SessionId{1}, SessionId{3}}) {
    if (!tour.open(session)) continue;
    tour.workspace().set_current_row(tour.workspace().source()->headline.row);
    for (int page = 0; page < 8; ++page) {
      explore.show_page(page);
      QTest::qWait(2 * settle_milliseconds);
      tour.shot(QStringLiteral("explore-%1-session-%2").arg(page).arg(session));
    }
  }
}

void tour_library(Tour& tour) {
  auto& library = tour.view<LibraryView>("Library");
  tour.shot("library-sessions");
  if (auto* tabs = library.findChild<QTabWidget*>(QString(), Qt::FindChildrenRecursively)) {
    tabs->setCurrentIndex(1);
    tour.shot("library-kernels");
    tabs->setCurrentIndex(0);
  }
}

void tour_frame(Tour& tour) {
  tour.view<TuneView>("Tune");
  tour.trigger("tools.commands");
  QTest::keyClicks(tour.window().palette_popup().findChild<QLineEdit*>(), "expl");
  tour.shot("command-palette");
  tour.shot("command-palette-alone", &tour.window().palette_popup());
  tour.window().palette_popup().hide();
  for (const QString& id : {QStringLiteral("help.shortcuts"), QStringLiteral("tools.preferences"),
                            QStringLiteral("file.export")}) {
    const QWidgetList before = QApplication::topLevelWidgets();
    tour.trigger(id);
    QTest::qWait(settle_milliseconds);
    for (QWidget* widget : QApplication::topLevelWidgets()) {
      if (widget->isVisible() && widget != &tour.window() && widget->isWindow() && widget->width() > 200) {
        tour.shot(QString(id).replace('.', '-'), widget);
        widget->close();
      }
    }
  }
}

/** A run that never ends, and one whose every trial fails. */
SessionRunner live_runner(bool failing) {
  return [failing](Store& store, const PreparedTuning& tuning, std::optional<SessionId> resumed,
                   SessionObserver& observer, const StopRequest& stop) {
    MeasurementScript script = gui_tests::make_script();
    script.measure = [failing, &stop](const Configuration& configuration) {
      if (stop.level() == 0) QThread::msleep(4);
      Measurement measurement = gui_tests::scripted_measurement(configuration);
      if (failing && measurement.valid()) {
        measurement = {};
        measurement.category = ErrorCategory::CompileHost;
        measurement.message = "kernel.c:1:1: error: this compiler refuses everything";
      }
      return measurement;
    };
    ScriptedMeasurer measurer(script);
    const SessionTools tools{measurer, observer, stop, steady_clock_seconds(), {}};
    SessionSetup setup = tuning.setup;
    setup.real_measurements = false;
    return resumed ? resume_session(store, *resumed, setup, tools) : run_session(store, setup, tools);
  };
}

void tour_running(const QString& folder, const QString& suffix, QSize size, bool failing) {
  const gui_tests::Database database;
  Tour tour(database.path(), folder, suffix, size, live_runner(failing));
  auto& tune = tour.view<TuneView>("Tune");
  TuningRequest request;
  request.task = "resnet18/C6";
  request.budget.trials = 100'000;
  request.seed = 5;
  tour.workspace().queue().start(request);
  request.tuner = "ga";
  tour.workspace().queue().start(request);
  (void)QTest::qWaitFor(
      [&] { return tour.workspace().source() && tour.workspace().source()->trials.size() > 250; },
      deadline_milliseconds);
  (void)tune;
  tour.shot(failing ? "tune-no-valid-trial" : "tune-running");
  tour.workspace().queue().pause_all();
}

/** The stencil that is shipped: opened, asked for, run for real, and its trials looked at. */
void tour_project(const QString& folder, const QString& suffix, QSize size) {
  const gui_tests::Database database;
  const QTemporaryDir nobody_trusts;
  qputenv("XDG_CONFIG_HOME", nobody_trusts.path().toUtf8());
  Tour tour(database.path(), folder, suffix, size, run_on_this_machine);
  auto& tune = tour.view<TuneView>("Tune");
  tune.open_project(QString::fromStdString((data_folder() / "kernels/stencil/stencil.json").string()));
  (void)QTest::qWaitFor([&] { return tune.form().checked() && tune.form().check().project != nullptr; },
                        deadline_milliseconds);
  TuningRequest request = tune.form().request();
  request.budget.trials = 20;
  request.seed = 5;
  tune.form().set_request(request);
  (void)QTest::qWaitFor([&] { return tune.form().checked() && tune.form().problem().isEmpty(); },
                        deadline_milliseconds);
  tour.shot("project-set-up");
  tour.trigger("run.start");
  auto* question = tour.window().findChild<TrustDialog*>();
  if (question == nullptr) return;
  tour.shot("project-trust", question);
  question->trust_and_run();
  const auto& queue = tour.workspace().queue();
  (void)QTest::qWaitFor(
      [&] { return queue.idle() && tour.workspace().source() && !tour.workspace().source()->running(); },
      deadline_milliseconds);
  if (!tour.workspace().source()) return;
  tour.workspace().set_current_row(tour.workspace().source()->headline.row);
  tour.shot("project-finished");
  auto* tabs = tune.findChild<TrialDetailPane*>()->findChild<QTabWidget*>();
  for (int tab = 0; tab < tabs->count(); ++tab) {
    tabs->setCurrentIndex(tab);
    tour.shot(QStringLiteral("project-trial-%1").arg(tabs->tabText(tab).toLower().remove('&')), tabs);
  }
  auto& explore = tour.view<ExploreView>("Explore");
  for (int page = 0; page < explore_pages; ++page) {
    explore.show_page(page);
    QTest::qWait(2 * settle_milliseconds);
    tour.shot(QStringLiteral("project-explore-%1").arg(page));
  }
}

void tour_first_start(const QString& folder, const QString& suffix, QSize size) {
  const gui_tests::Database database;
  QTemporaryDir settings;
  PreferencesFile preferences((settings.path() + "/preferences.json").toStdString());
  preferences.change(
      [](Preferences& changed) { changed.theme = colours().dark ? ThemeChoice::Dark : ThemeChoice::Light; });
  Workspace workspace(database.path());
  MainWindow window(workspace, preferences);
  window.resize(size);
  window.show();
  QTest::qWait(2 * settle_milliseconds);
  window.grab().save(QStringLiteral("%1/first-start-%2.png").arg(folder, suffix));
}

}  // namespace

int main(int argc, char** argv) {
  QApplication application(argc, argv);
  const QStringList arguments = application.arguments();
  if (arguments.size() != 5) {
    fmt::print(stderr, "usage: tour DATABASE FOLDER light|dark WIDTHxHEIGHT\n");
    return 2;
  }
  const QString folder = arguments[2];
  QDir().mkpath(folder);
  const bool dark = arguments[3] == "dark";
  const QStringList sides = arguments[4].split('x');
  const QSize size(sides.value(0).toInt(), sides.value(1).toInt());
  Preferences preferences;
  preferences.theme = dark ? ThemeChoice::Dark : ThemeChoice::Light;
  apply_appearance(preferences);
  const QString suffix = arguments[3] + QLatin1Char('-') + arguments[4];
  tour_first_start(folder, suffix, size);
  {
    Tour tour(arguments[1].toStdString(), folder, suffix, size, run_on_this_machine);
    tour_tune(tour);
    tour_explore(tour);
    tour_library(tour);
    tour_frame(tour);
  }
  tour_running(folder, suffix, size, false);
  tour_running(folder, suffix, size, true);
  tour_project(folder, suffix, size);
  JobTracker::wait_for_all();
  return 0;
}
