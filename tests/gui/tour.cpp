/**
 * tour DATABASE FOLDER light|dark WIDTHxHEIGHT: writes a picture of every view and state of the window, with
 * the sessions of DATABASE. tests/gui/tour makes the database by real runs and calls this for every theme and
 * size.
 *
 * tour --documents DATABASE FOLDER PICTURE...: writes these pictures of the documents, and prints their
 * names.
 */
#include "tests/gui/tour.h"

#include <fmt/format.h>

#include <QComboBox>
#include <QDir>
#include <QLineEdit>
#include <QTabWidget>

#include "core/task/data_folder.h"
#include "tests/gui/document_pictures.h"
#include "tests/gui/gui_support.h"
#include "ui/frame/palette/command_palette.h"
#include "ui/views/explore/explore_view.h"
#include "ui/views/library/library_view.h"
#include "ui/views/project/trust_dialog.h"
#include "ui/views/trials/filter_bar.h"
#include "ui/views/trials/trial_detail_pane.h"
#include "ui/views/trials/trial_table_panel.h"
#include "ui/views/tune/setup_form.h"
#include "ui/views/tune/tune_view.h"

using namespace kernelscape;
using namespace kernelscape::gui_tests;

namespace {

constexpr int explore_pages = 13;

/** A tour that writes its pictures into a folder. */
class FolderTour : public Tour {
 public:
  /** @param suffix of the files' names: theme and size */
  FolderTour(const std::filesystem::path& database, QString folder, QString suffix, QSize size,
             session::Runner runner)
      : Tour(database, size, std::move(runner)), folder_(std::move(folder)), suffix_(std::move(suffix)) {}

  void shot(const QString& name, QWidget* widget = nullptr) {
    const QString path = QStringLiteral("%1/%2-%3.png").arg(folder_, name, suffix_);
    picture(widget).save(path);
    fmt::print("{}\n", path.toStdString());
  }

 private:
  QString folder_;
  QString suffix_;
};

void tour_tune(FolderTour& tour) {
  auto& tune = tour.view<views::TuneView>("Tune");
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

void tour_explore(FolderTour& tour) {
  auto& explore = tour.view<views::ExploreView>("Explore");
  for (const store::SessionId session : {store::SessionId{1}, store::SessionId{3}}) {
    if (!tour.open(session)) continue;
    tour.workspace().set_current_row(tour.workspace().source()->headline.row);
    for (int page = 0; page < explore_pages; ++page) {
      explore.show_page(page);
      QTest::qWait(2 * settle_milliseconds);
      tour.shot(QStringLiteral("explore-%1-session-%2").arg(page).arg(session));
    }
  }
}

void tour_library(FolderTour& tour) {
  auto& library = tour.view<views::LibraryView>("Library");
  tour.shot("library-sessions");
  if (auto* tabs = library.findChild<QTabWidget*>(QString(), Qt::FindChildrenRecursively)) {
    tabs->setCurrentIndex(1);
    tour.shot("library-kernels");
    tabs->setCurrentIndex(0);
  }
}

/** Views of what the database has nothing of. */
void tour_empty_views(FolderTour& tour) {
  for (const char* name : {"Compare", "Network", "Learn", "Fleet"}) {
    tour.window().show_view(QLatin1String(name));
    tour.shot(QLatin1String(name).toString().toLower() + QStringLiteral("-nothing"));
  }
}

void tour_frame(FolderTour& tour) {
  tour.view<views::TuneView>("Tune");
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
session::Runner live_runner(bool failing) {
  return [failing](store::Store& store, const session::PreparedTuning& tuning,
                   std::optional<store::SessionId> resumed, session::Observer& observer,
                   const session::StopRequest& stop) {
    MeasurementScript script = make_script();
    script.measure = [failing, &stop](const space::Configuration& configuration) {
      if (stop.level() == 0) QThread::msleep(4);
      trial::Measurement measurement = scripted_measurement(configuration);
      if (failing && measurement.valid()) {
        measurement = {};
        measurement.category = trial::ErrorCategory::CompileHost;
        measurement.message = "kernel.c:1:1: error: this compiler refuses everything";
      }
      return measurement;
    };
    ScriptedMeasurer measurer(script);
    const session::Tools tools{measurer, observer, stop, session::steady_clock_seconds(), {}};
    session::Setup setup = tuning.setup;
    setup.real_measurements = false;
    return resumed ? session::resume_session(store, *resumed, setup, tools)
                   : session::run_session(store, setup, tools);
  };
}

void tour_running(const QString& folder, const QString& suffix, QSize size, bool failing) {
  const gui_tests::Database database;
  FolderTour tour(database.path(), folder, suffix, size, live_runner(failing));
  auto& tune = tour.view<views::TuneView>("Tune");
  session::TuningRequest request;
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

/** The stencil that is built in: opened, asked for, run for real, and its trials looked at. */
void tour_project(const QString& folder, const QString& suffix, QSize size) {
  const gui_tests::Database database;
  const QTemporaryDir nobody_trusts;
  qputenv("XDG_CONFIG_HOME", nobody_trusts.path().toUtf8());
  FolderTour tour(database.path(), folder, suffix, size, session::run_on_this_machine);
  auto& tune = tour.view<views::TuneView>("Tune");
  tune.open_project(QString::fromStdString((task::data_folder() / "kernels/stencil/stencil.json").string()));
  (void)QTest::qWaitFor([&] { return tune.form().checked() && tune.form().check().project != nullptr; },
                        deadline_milliseconds);
  session::TuningRequest request = tune.form().request();
  request.budget.trials = 20;
  request.seed = 5;
  tune.form().set_request(request);
  (void)QTest::qWaitFor([&] { return tune.form().checked() && tune.form().problem().isEmpty(); },
                        deadline_milliseconds);
  tour.shot("project-set-up");
  tour.trigger("run.start");
  auto* question = tour.window().findChild<views::TrustDialog*>();
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
  auto* tabs = tune.findChild<views::TrialDetailPane*>()->findChild<QTabWidget*>();
  for (int tab = 0; tab < tabs->count(); ++tab) {
    tabs->setCurrentIndex(tab);
    tour.shot(QStringLiteral("project-trial-%1").arg(tabs->tabText(tab).toLower().remove('&')), tabs);
  }
  auto& explore = tour.view<views::ExploreView>("Explore");
  for (int page = 0; page < explore_pages; ++page) {
    explore.show_page(page);
    QTest::qWait(2 * settle_milliseconds);
    tour.shot(QStringLiteral("project-explore-%1").arg(page));
  }
}

void tour_first_start(const QString& folder, const QString& suffix, QSize size) {
  const gui_tests::Database database;
  QTemporaryDir settings;
  frame::PreferencesFile preferences((settings.path() + "/preferences.json").toStdString());
  preferences.change([](frame::Preferences& changed) {
    changed.theme = style::colours().dark ? style::ThemeChoice::Dark : style::ThemeChoice::Light;
  });
  workspace::Workspace workspace(database.path());
  frame::MainWindow window(workspace, preferences);
  window.resize(size);
  window.show();
  QTest::qWait(2 * settle_milliseconds);
  window.grab().save(QStringLiteral("%1/first-start-%2.png").arg(folder, suffix));
}

/** @param theme "light" or "dark" @param pixels "1280x800" */
void tour_everything(const std::filesystem::path& database, const QString& folder, const QString& theme,
                     const QString& pixels) {
  QDir().mkpath(folder);
  const QStringList sides = pixels.split('x');
  const QSize size(sides.value(0).toInt(), sides.value(1).toInt());
  apply_theme(theme == "dark" ? style::ThemeChoice::Dark : style::ThemeChoice::Light);
  const QString suffix = theme + QLatin1Char('-') + pixels;
  tour_first_start(folder, suffix, size);
  {
    FolderTour tour(database, folder, suffix, size, session::run_on_this_machine);
    tour_tune(tour);
    tour_explore(tour);
    tour_library(tour);
    tour_empty_views(tour);
    tour_frame(tour);
  }
  tour_running(folder, suffix, size, false);
  tour_running(folder, suffix, size, true);
  tour_project(folder, suffix, size);
}

}  // namespace

int main(int argc, char** argv) {
  QApplication application(argc, argv);
  const QStringList arguments = application.arguments().mid(1);
  int code = 0;
  if (arguments.size() > 3 && arguments.front() == "--documents") {
    code = take_document_pictures(arguments[1].toStdString(), arguments[2], arguments.mid(3));
  } else if (arguments.size() == 4) {
    tour_everything(arguments[0].toStdString(), arguments[1], arguments[2], arguments[3]);
  } else {
    fmt::print(stderr,
               "usage: tour DATABASE FOLDER light|dark WIDTHxHEIGHT\n"
               "       tour --documents DATABASE FOLDER PICTURE...\n");
    code = 2;
  }
  workspace::JobTracker::wait_for_all();
  return code;
}
