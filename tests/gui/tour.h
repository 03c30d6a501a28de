#pragma once

#include <QAction>
#include <QApplication>
#include <QImage>
#include <QTemporaryDir>
#include <QTest>
#include <filesystem>
#include <memory>

#include "core/session/local_run.h"
#include "ui/frame/main_window.h"
#include "ui/frame/preferences/appearance.h"
#include "ui/frame/preferences/preferences.h"
#include "ui/style/theme.h"
#include "ui/workspace/jobs.h"
#include "ui/workspace/source.h"
#include "ui/workspace/workspace.h"

namespace kernelscape::gui_tests {

inline constexpr int settle_milliseconds = 1500;
inline constexpr int deadline_milliseconds = 60'000;

/** What is shown from now on has this theme. */
inline void apply_theme(style::ThemeChoice theme) {
  frame::Preferences preferences;
  preferences.theme = theme;
  frame::apply_appearance(preferences);
}

/** A window on a database that is brought from state to state, to take pictures of it. It has the theme that
 * the application has, and preferences of its own. */
class Tour {
 public:
  Tour(const std::filesystem::path& database, QSize size, session::Runner runner)
      : preferences_((settings_.path() + "/preferences.json").toStdString()),
        workspace_(database, std::move(runner)) {
    preferences_.change([](frame::Preferences& preferences) {
      preferences.first_start_dismissed = true;
      preferences.theme = style::colours().dark ? style::ThemeChoice::Dark : style::ThemeChoice::Light;
    });
    window_ = std::make_unique<frame::MainWindow>(workspace_, preferences_);
    window_->resize(size);
    window_->show();
    QTest::qWait(settle_milliseconds);
  }

  frame::MainWindow& window() { return *window_; }
  workspace::Workspace& workspace() { return workspace_; }

  /** Shows the view of that name, which is made where it was not shown before. */
  template <typename T>
  T& view(const QString& name) {
    window_->show_view(name);
    return *window_->findChild<T*>();
  }

  /** Makes a session the current source. @return false: it can't be read */
  bool open(store::SessionId session) {
    workspace_.open_session(session);
    const auto is_open = [&] { return workspace_.source() && workspace_.source()->id() == session; };
    return QTest::qWaitFor(is_open, deadline_milliseconds);
  }

  void trigger(const QString& id) {
    if (QAction* action = window_->actions().find(id)) action->trigger();
  }

  /** The window, or one of its widgets, once the jobs that fill it have ended and what they found is painted.
   */
  QImage picture(QWidget* widget = nullptr) {
    QTest::qWait(settle_milliseconds);
    workspace::JobTracker::wait_for_all();
    QTest::qWait(settle_milliseconds);
    return (widget != nullptr ? widget : window_.get())->grab().toImage();
  }

 private:
  QTemporaryDir settings_;
  frame::PreferencesFile preferences_;
  workspace::Workspace workspace_;
  std::unique_ptr<frame::MainWindow> window_;
};

}  // namespace kernelscape::gui_tests
