#include <QAbstractButton>
#include <QAbstractItemModelTester>
#include <QSignalSpy>
#include <QTableView>
#include <QTableWidget>
#include <QTest>
#include <atomic>
#include <random>
#include <semaphore>

#include "tests/gui/gui_support.h"
#include "tests/test_program.h"
#include "ui/frame/devices_dialog.h"
#include "ui/models/device_text.h"

namespace kernelscape::frame_devices_test {
namespace {

constexpr int deadline_milliseconds = 20'000;

QStringList texts_of(const QAbstractItemModel& model) {
  QStringList texts;
  for (int row = 0; row < model.rowCount(); ++row)
    for (int column = 0; column < model.columnCount(); ++column)
      texts.append(model.index(row, column).data().toString());
  return texts;
}

QAbstractButton& look_button(const frame::DevicesDialog& dialog) {
  for (QAbstractButton* button : dialog.findChildren<QAbstractButton*>())
    if (button->accessibleName().startsWith("Search")) return *button;
  throw std::logic_error("there is no button to search again");
}

}  // namespace

class FrameDevicesTest : public QObject {
  Q_OBJECT

 private:
  gui_tests::Database database_;

 private slots:
  void cleanup() { workspace::JobTracker::wait_for_all(); }

  void one_look_at_a_time_and_never_on_the_windows_thread() {
    std::binary_semaphore go(0);
    std::atomic<int> looks{0};
    std::atomic<bool> elsewhere{true};
    workspace::Devices devices([&] {
      elsewhere = elsewhere && QThread::currentThread() != qApp->thread();
      ++looks;
      go.acquire();
      return gui_tests::no_gpus();
    });
    QSignalSpy changed(&devices, &workspace::Devices::changed);
    QVERIFY(devices.survey() == nullptr && !devices.looking());
    devices.look_once();
    devices.look_once();
    devices.look();
    QVERIFY(devices.looking() && devices.survey() == nullptr);
    go.release();
    QTRY_VERIFY_WITH_TIMEOUT(!devices.looking(), deadline_milliseconds);
    QTRY_VERIFY(devices.survey() != nullptr);
    QCOMPARE(looks.load(), 1);
    QVERIFY(elsewhere);
    QVERIFY(changed.count() >= 2);
    devices.look_once();
    QVERIFY(!devices.looking());
    go.release();
    devices.look();
    QTRY_COMPARE_WITH_TIMEOUT(looks.load(), 2, deadline_milliseconds);
  }

  void a_device_is_found_by_its_name() {
    workspace::DeviceSurvey survey = gui_tests::no_gpus();
    survey.devices.push_back({.target = gui_tests::scripted_gpu("cuda:1")});
    QCOMPARE(survey.find("cuda:1"), &survey.devices.back());
    QCOMPARE(survey.find("cpu"), &survey.devices.front());
    QVERIFY(survey.find("cuda:0") == nullptr && survey.find("") == nullptr && survey.find("cuda") == nullptr);
  }

  void what_is_not_known_is_not_reported() {
    const unsigned seed = std::random_device{}();
    qInfo("seed %u", seed);
    std::mt19937 random(seed);
    for (int repeat = 0; repeat < 50; ++repeat) {
      workspace::FoundDevice device{.target =
                                        gui_tests::scripted_gpu(random() % 2 == 0 ? "cuda:0" : "opencl:0")};
      schedule::TargetDescription& target = device.target;
      for (std::int64_t schedule::TargetDescription::* member :
           {&schedule::TargetDescription::registers_per_thread, &schedule::TargetDescription::shared_bytes,
            &schedule::TargetDescription::memory_bytes, &schedule::TargetDescription::threads_per_block,
            &schedule::TargetDescription::warp_threads})
        target.*member = random() % 2 == 0 ? 0 : 1 + static_cast<std::int64_t>(random() % 100'000);
      device.free_memory_bytes = target.memory_bytes / 3;
      if (random() % 2 == 0) device.holder = "somebody's session";
      const auto facts = models::device_facts(device);
      const auto has = [&](const char* what) {
        return std::ranges::any_of(facts, [&](const auto& fact) { return fact.first == QString(what); });
      };
      QCOMPARE(has("maximum registers per thread"), target.registers_per_thread > 0);
      QCOMPARE(has("maximum shared memory per block"), target.shared_bytes > 0);
      QCOMPARE(has("maximum threads per block"), target.threads_per_block > 0);
      QCOMPARE(has("threads per warp"), target.warp_threads > 0);
      QCOMPARE(has("memory"), target.memory_bytes > 0);
      QCOMPARE(models::device_state_text(device).contains("somebody's session"), !device.holder.empty());
      for (const auto& [what, how_much] : facts)
        QVERIFY2(!what.isEmpty() && !how_much.isEmpty() && how_much != "0", qPrintable(what));
    }
  }

  void the_dialog_lists_devices_and_says_why_a_platform_has_none() {
    workspace::DeviceSurvey survey = gui_tests::no_gpus();
    survey.devices.push_back({.target = gui_tests::scripted_gpu(), .free_memory_bytes = 10LL << 30});
    survey.devices.back().holder = "resnet18/C2 with tuner nose, process 4711";
    survey.missing.erase(survey.missing.begin());
    workspace::Workspace workspace(database_.path(), gui_tests::run_scripted, [&survey] { return survey; });
    frame::DevicesDialog dialog(workspace);
    const QAbstractItemModelTester tester(dialog.table().model());
    QCOMPARE(dialog.table().model()->rowCount(), 0);
    dialog.show();
    QTRY_COMPARE_WITH_TIMEOUT(dialog.table().model()->rowCount(), 3, deadline_milliseconds);
    const QStringList texts = texts_of(*dialog.table().model());
    QVERIFY(texts.contains("cuda:0") && texts.contains("Test GPU") && texts.contains("580.1"));
    QVERIFY(texts.contains("10 GiB free of 40 GiB"));
    QVERIFY(texts.contains("free") && texts.contains("used by resnet18/C2 with tuner nose, process 4711"));
    QVERIFY(texts.contains("OpenCL") && texts.contains("no platform has a device"));
    // The facts are those of the row that is chosen.
    QVERIFY(texts_of(*dialog.facts().model()).contains("Test CPU"));
    dialog.table().setCurrentIndex(dialog.table().model()->index(1, 0));
    QVERIFY(texts_of(*dialog.facts().model()).contains("1,024 × 1,024 × 64"));
    dialog.table().setCurrentIndex(dialog.table().model()->index(2, 0));
    QVERIFY(texts_of(*dialog.facts().model()).contains("install a vendor's driver"));
  }

  void looking_again_shows_what_came_and_keeps_the_choice() {
    std::atomic<bool> plugged{false};
    workspace::Workspace workspace(database_.path(), gui_tests::run_scripted, [&plugged] {
      workspace::DeviceSurvey survey = gui_tests::no_gpus();
      if (plugged) {
        survey.devices.push_back({.target = gui_tests::scripted_gpu()});
        survey.missing.erase(survey.missing.begin());
      }
      return survey;
    });
    frame::DevicesDialog dialog(workspace);
    dialog.show();
    QTRY_COMPARE_WITH_TIMEOUT(dialog.table().model()->rowCount(), 3, deadline_milliseconds);
    dialog.table().setCurrentIndex(dialog.table().model()->index(1, 0));
    plugged = true;
    QTRY_VERIFY(look_button(dialog).isEnabled());
    look_button(dialog).click();
    QVERIFY(!look_button(dialog).isEnabled());
    QTRY_VERIFY_WITH_TIMEOUT(texts_of(*dialog.table().model()).contains("Test GPU"), deadline_milliseconds);
    QCOMPARE(dialog.table().currentIndex().row(), 1);
    QVERIFY(texts_of(*dialog.facts().model()).contains("Test GPU"));
    QTRY_VERIFY(look_button(dialog).isEnabled());
  }

  void every_widget_that_takes_the_focus_has_a_name() {
    workspace::Workspace workspace(database_.path(), gui_tests::run_scripted, gui_tests::no_gpus);
    const frame::DevicesDialog dialog(workspace);
    for (const QWidget* widget : dialog.findChildren<QWidget*>()) {
      if ((widget->focusPolicy() & Qt::TabFocus) == 0 || widget->objectName().startsWith("qt_")) continue;
      if (widget->inherits("QHeaderView") || widget->inherits("QScrollBar")) continue;
      const QString text = widget->accessibleName() + widget->property("text").toString();
      QVERIFY2(!text.isEmpty(), widget->metaObject()->className());
    }
  }
};

KERNELSCAPE_TEST(FrameDevicesTest, QApplication)

}  // namespace kernelscape::frame_devices_test
#include "frame_devices_test.moc"
