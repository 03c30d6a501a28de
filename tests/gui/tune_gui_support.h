#pragma once

#include <QComboBox>
#include <QPushButton>
#include <atomic>
#include <stdexcept>

#include "tests/gui/gui_support.h"
#include "ui/views/tune/tune_view.h"

namespace kernelscape::gui_tests {

inline constexpr int tune_deadline_milliseconds = 20'000;
inline constexpr int tune_batch_size = 8;

/** Slow enough that a test can act while it runs; some of its trials fail in every way, or all by the
 * compiler. */
inline session::Runner slow_runner(const std::atomic<bool>& all_fail) {
  return [&all_fail](store::Store& store, const session::PreparedTuning& tuning,
                     std::optional<store::SessionId> resumed, session::Observer& observer,
                     const session::StopRequest& stop) {
    MeasurementScript script = make_script();
    script.measure = [&](const space::Configuration& configuration) {
      if (stop.level() == 0) QThread::msleep(2);
      trial::Measurement measurement = scripted_measurement(configuration);
      if (all_fail) {
        measurement = {};
        measurement.category = trial::ErrorCategory::CompileHost;
        measurement.message = "this compiler refuses everything";
      }
      return measurement;
    };
    ScriptedMeasurer measurer(script);
    const session::Tools tools{measurer, observer, stop, session::steady_clock_seconds(), {}};
    session::Setup setup = tuning.setup;
    setup.real_measurements = false;
    setup.batch_size = tune_batch_size;
    return resumed ? session::resume_session(store, *resumed, setup, tools)
                   : session::run_session(store, setup, tools);
  };
}

/** Tune alone, on a database of its own. */
struct TuneWindow {
  TuneWindow()
      : workspace(database.path(), slow_runner(all_fail)), view(views::ViewContext{workspace, actions}) {
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
    return QTest::qWaitFor([&] { return start().isEnabled(); }, tune_deadline_milliseconds);
  }
  void trigger(const QString& id) { actions.find(id)->trigger(); }

  Database database;
  std::atomic<bool> all_fail{false};
  views::ActionRegistry actions;
  workspace::Workspace workspace;
  views::TuneView view;
};

}  // namespace kernelscape::gui_tests
