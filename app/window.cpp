#include "app/window.h"

#include <QApplication>
#include <QSessionManager>
#include <clocale>
#include <memory>

#include "app/command_line/console.h"
#include "app/display.h"
#include "core/session/version.h"
#include "ui/frame/guarded_application.h"
#include "ui/frame/main_window.h"
#include "ui/frame/preferences/appearance.h"
#include "ui/frame/quit_signals.h"
#include "ui/style/icons.h"
#include "ui/workspace/notices.h"

namespace kernelscape::app {
namespace {

/** The window and what it shows: both are made anew for another database. */
class Workbench {
 public:
  Workbench(frame::PreferencesFile& preferences, std::optional<Error> problem)
      : preferences_(preferences), problem_(std::move(problem)) {}

  void open(const std::filesystem::path& database) {
    // Not at the same time: both would write the preferences.
    window_.reset();
    workspace_.reset();
    workspace_ = std::make_unique<workspace::Workspace>(database);
    window_ = std::make_unique<frame::MainWindow>(*workspace_, preferences_);
    // After the event in which the window left: it can't be destroyed in its own.
    QObject::connect(
        window_.get(), &frame::MainWindow::left, qApp, [this](const QString& next) { keep_going(next); },
        Qt::QueuedConnection);
    window_->show();
    if (problem_) workspace_->notices().fail(*std::exchange(problem_, std::nullopt));
  }

  /** Handles an exception in an event of the window: its runs continue, and their measurements are stored. */
  void report(const Error& error) {
    command_line::print_error(error);
    if (workspace_) workspace_->notices().fail(error);
  }

  void leave_pausing() {
    if (window_) window_->leave_pausing();
  }

 private:
  void keep_going(const QString& next_database) {
    if (next_database.isEmpty()) {
      QCoreApplication::quit();
    } else {
      open(next_database.toStdString());
    }
  }

  frame::PreferencesFile& preferences_;
  std::optional<Error> problem_;
  std::unique_ptr<workspace::Workspace> workspace_;
  std::unique_ptr<frame::MainWindow> window_;
};

std::filesystem::path choose_database(const std::string& named, const frame::Preferences& preferences) {
  if (!named.empty()) return named;
  if (!preferences.database.isEmpty()) return preferences.database.toStdString();
  return store::Store::default_path();
}

}  // namespace

Result<int> run_window(int& argc, char** argv, const std::string& database) {
  TRY(find_display());
  frame::PreferencesFile preferences(frame::PreferencesFile::default_path());
  const Status loaded = preferences.load();
  // Before there are threads: they read the environment.
  if (!preferences.get().compiler.isEmpty()) qputenv("CC", preferences.get().compiler.toLocal8Bit());
  frame::GuardedApplication application(argc, argv);
  // Qt takes the locale of the environment, whose decimal comma would end numbers that are read.
  std::setlocale(LC_NUMERIC, "C");
  QApplication::setApplicationName(QStringLiteral("kernelscape"));
  QApplication::setApplicationDisplayName(QStringLiteral("Kernelscape"));
  QApplication::setApplicationVersion(
      QString::fromUtf8(session::program_version.data(), session::program_version.size()));
  QApplication::setDesktopFileName(QStringLiteral("org.kernelscape.Kernelscape"));
  QApplication::setWindowIcon(style::application_icon());
  // The window goes when its runs have ended, not when it is hidden.
  QApplication::setQuitOnLastWindowClosed(false);
  frame::apply_appearance(preferences.get());

  Workbench workbench(preferences, loaded ? std::nullopt : std::optional(loaded.error()));
  QObject::connect(&application, &frame::GuardedApplication::failed, &application,
                   [&](const Error& error) { workbench.report(error); });
  frame::QuitSignals signals_of_system;
  QObject::connect(&signals_of_system, &frame::QuitSignals::quit_requested,
                   [&] { workbench.leave_pausing(); });
  QObject::connect(
      &application, &QGuiApplication::commitDataRequest, &application, [&] { workbench.leave_pausing(); },
      Qt::DirectConnection);
  workbench.open(choose_database(database, preferences.get()));
  const int code = QApplication::exec();
  workspace::JobTracker::wait_for_all();
  TRY(preferences.flush());
  return code;
}

}  // namespace kernelscape::app
