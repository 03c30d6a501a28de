#pragma once

#include <QAbstractButton>
#include <QSignalSpy>
#include <QTest>
#include <atomic>
#include <chrono>
#include <memory>
#include <thread>

#include "tests/gui/gui_support.h"
#include "ui/frame/main_window.h"
#include "ui/workspace/session_watch.h"

namespace kernelscape::gui_tests {

inline constexpr int frame_deadline_milliseconds = 30'000;
inline constexpr QSize roomy_window(1500, 1200);  // nothing folds; the offscreen platform's screen is smaller

/** Measures nothing until it is opened or the run is stopped. */
struct Gate {
  std::atomic<bool> open{false};

  session::Runner runner() {
    return [this](store::Store& store, const session::PreparedTuning& tuning,
                  std::optional<store::SessionId> resumed, session::Observer& observer,
                  const session::StopRequest& stop) {
      MeasurementScript script = make_script();
      script.measure = [this, &stop](const space::Configuration& configuration) {
        while (!open && stop.level() == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        return scripted_measurement(configuration);
      };
      ScriptedMeasurer measurer(script);
      const session::Tools tools{measurer, observer, stop, [&] { return measurer.clock()->seconds; }, {}};
      session::Setup setup = tuning.setup;
      setup.real_measurements = false;
      setup.batch_size = 4;
      return resumed ? session::resume_session(store, *resumed, setup, tools)
                     : session::run_session(store, setup, tools);
    };
  }
};

/** A workspace and its window. */
struct Desk {
  explicit Desk(const Database& database, bool greeted = true, session::Runner runner = run_scripted)
      : Desk(database.path(), greeted, std::move(runner)) {}
  explicit Desk(const std::filesystem::path& database, bool greeted = true,
                session::Runner runner = run_scripted)
      : preferences(folder.filePath(QStringLiteral("preferences.json")).toStdString()),
        workspace(database, std::move(runner), no_gpus) {
    preferences.change([&](frame::Preferences& p) { p.first_start_dismissed = greeted; });
    window = std::make_unique<frame::MainWindow>(workspace, preferences);
    window->resize(roomy_window);
    window->show();
  }
  ~Desk() { workspace::JobTracker::wait_for_all(); }

  bool wait_for_list() {
    return QTest::qWaitFor([&] { return !workspace.sessions()->empty(); }, frame_deadline_milliseconds);
  }
  template <typename Widget>
  Widget& part() {
    return *window->findChild<Widget*>();
  }
  workspace::RunId start(std::int64_t trials) {
    session::TuningRequest request;
    request.task = "matmul 64x64 64x64 f32";
    request.tuner = "random";
    request.seed = 3;
    request.budget.trials = trials;
    return workspace.queue().start(request);
  }
  bool wait_for_state(workspace::RunId run, workspace::RunState state) {
    return QTest::qWaitFor([&] { return workspace.queue().run(run)->state == state; },
                           frame_deadline_milliseconds);
  }

  QTemporaryDir folder;
  frame::PreferencesFile preferences;
  workspace::Workspace workspace;
  QSignalSpy list_read{&workspace, &workspace::Workspace::sessions_changed};
  std::unique_ptr<frame::MainWindow> window;
};

/** The one with this text; null: there is none. */
inline QAbstractButton* button(const QWidget& parent, const QString& text) {
  for (auto* found : parent.findChildren<QAbstractButton*>()) {
    if (found->text() == text) return found;
  }
  return nullptr;
}

}  // namespace kernelscape::gui_tests
