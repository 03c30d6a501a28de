#include <QApplication>
#include <QLabel>
#include <QTest>
#include <QToolButton>
#include <algorithm>
#include <atomic>
#include <thread>

#include "tests/gui/frame_gui_support.h"
#include "tests/gui/network_view_support.h"
#include "tests/store/child_process.h"
#include "tests/test_program.h"
#include "ui/frame/status_line.h"
#include "ui/views/network/network_view.h"
#include "ui/views/runs/headline_bar.h"
#include "ui/workspace/study_runner.h"

namespace kernelscape::network_device_test {
namespace {

constexpr int patience_milliseconds = gui_tests::frame_deadline_milliseconds;

void wait_for(const std::atomic<bool>& gate, const session::StopRequest& stop) {
  while (!gate && stop.level() == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

/** Waits for a device that another process uses, then measures; both end when the test says so. */
struct Device {
  std::atomic<bool> free{false};
  std::atomic<bool> measured{false};

  session::Runner runner() {
    return [this](store::Store& store, const session::PreparedTuning& tuning,
                  std::optional<store::SessionId> resumed, session::Observer& observer,
                  const session::StopRequest& stop) {
      if (!free) observer.message({session::MessageKind::Waiting, "waiting for cpu: it is used by a test"});
      wait_for(free, stop);
      MeasurementScript script = gui_tests::make_script();
      script.measure = [this, &stop](const space::Configuration& configuration) {
        wait_for(measured, stop);
        return gui_tests::scripted_measurement(configuration);
      };
      ScriptedMeasurer measurer(script);
      session::Confirmer confirmer;
      if (!tuning.setup.continues) confirmer = session_tests::confirm_by_script;
      const session::Tools tools{measurer, observer, stop, [&measurer] { return measurer.clock()->seconds; },
                                 std::move(confirmer)};
      return resumed ? session::resume_session(store, *resumed, tuning.setup, tools)
                     : session::run_session(store, tuning.setup, tools);
    };
  }
};

}  // namespace

/** The header of a network and the status bar say who uses the device. */
class NetworkDeviceTest : public QObject {
  Q_OBJECT

 private slots:
  void waiting_and_measuring_are_shown() {
    const gui_tests::Database database;
    Device device;
    workspace::Workspace workspace(database.path(), device.runner(), gui_tests::no_gpus);
    views::ActionRegistry actions;
    views::NetworkView view{{workspace, actions}};
    view.resize(1300, 800);
    view.show();
    const frame::StatusLine line(workspace);
    const auto status = [&] {
      QStringList texts{line.findChild<QToolButton*>()->text()};
      for (const QLabel* label : line.findChildren<QLabel*>())
        if (!label->isHidden()) texts.append(label->text());
      return texts.join(QLatin1Char(' '));
    };
    const auto header = [&] { return view.findChild<views::HeadlineBar*>()->accessibleName(); };

    workspace.study_runner().start(gui_tests::tiny_study(6));
    QTRY_VERIFY2_WITH_TIMEOUT(header().contains("waiting for cpu: it is used by a test; 0 of 6 trials"),
                              qPrintable(header()), patience_milliseconds);
    QTRY_VERIFY2_WITH_TIMEOUT(status().contains("waiting for the device"), qPrintable(status()),
                              patience_milliseconds);
    QVERIFY2(status().contains("cpu used by another process"), qPrintable(status()));

    device.free = true;
    QTRY_VERIFY2_WITH_TIMEOUT(status().contains("cpu measuring"), qPrintable(status()),
                              patience_milliseconds);
    QVERIFY(!status().contains("waiting"));
    QTRY_VERIFY2_WITH_TIMEOUT(header().contains("running"), qPrintable(header()), patience_milliseconds);

    device.measured = true;
    QTRY_VERIFY_WITH_TIMEOUT(workspace.study_runner().idle(), patience_milliseconds);
    QTRY_VERIFY2_WITH_TIMEOUT(status().contains("no device used"), qPrintable(status()),
                              patience_milliseconds);
    workspace::JobTracker::wait_for_all();
  }

  void the_device_that_another_process_uses_is_named() {
    const gui_tests::Database database;
    session::Setup setup = session_tests::make_setup("random", 5, 8, 8);
    setup.target = gui_tests::scripted_gpu("cuda:0");
    setup.real_measurements = true;
    const store::SessionId session = database.add_session(setup);
    // A replay uses no device.
    const store::SessionId replay = database.add_session(8);
    store_test::ChildProcess other([&](int pipe) {
      auto store = store::Store::open(database.path());
      const store::Owner self = store::Owner::this_process();
      if (!store || !store->sessions().claim(session, self) || !store->sessions().claim(replay, self))
        return 1;
      if (write(pipe, "1", 1) != 1) return 1;
      while (true) pause();
    });
    QVERIFY(other.read_byte());
    workspace::Workspace workspace(database.path(), gui_tests::run_scripted, gui_tests::no_gpus);
    const frame::StatusLine line(workspace);
    const auto shows = [&](const char* text) {
      return std::ranges::any_of(line.findChildren<QLabel*>(), [&](const QLabel* label) {
        return !label->isHidden() && label->text() == QLatin1String(text);
      });
    };
    QTRY_VERIFY_WITH_TIMEOUT(shows("cuda:0 used by another process"), patience_milliseconds);
    workspace::JobTracker::wait_for_all();
  }

  void measurements_at_the_end_wait_visibly_too() {
    const gui_tests::Database database;
    std::atomic<bool> free{false};
    std::atomic<bool> measured{false};
    const auto measure = [&](store::Store&, store::StudyId, const session::StopRequest& stop,
                             const study::PassDevice& device) -> Status {
      device.awaited("waiting for cpu: it is used by a test");
      wait_for(free, stop);
      device.used();
      wait_for(measured, stop);
      return fail(ErrorCode::Refused, "the test measures nothing");
    };
    workspace::StudyRunner runner(database.path(), gui_tests::run_rounds,
                                  {{.name = "a pass", .models_only = false, .measure = measure}});
    runner.start(gui_tests::tiny_study(6));
    const auto awaited = [&] { return runner.active() ? runner.active()->awaited : std::string(); };
    QTRY_COMPARE_WITH_TIMEOUT(awaited(), std::string("waiting for cpu: it is used by a test"),
                              patience_milliseconds);
    QVERIFY(!runner.active()->measuring);
    free = true;
    QTRY_VERIFY_WITH_TIMEOUT(runner.active()->measuring, patience_milliseconds);
    QCOMPARE(awaited(), std::string());
    measured = true;
    QTRY_VERIFY_WITH_TIMEOUT(runner.idle(), patience_milliseconds);
  }
};

KERNELSCAPE_TEST(NetworkDeviceTest, QApplication)

}  // namespace kernelscape::network_device_test
#include "network_device_test.moc"
