#include <QApplication>
#include <QCheckBox>
#include <QClipboard>
#include <QComboBox>
#include <QLabel>
#include <QPushButton>
#include <QSpinBox>
#include <QStandardItemModel>
#include <QTest>
#include <QToolButton>
#include <atomic>
#include <random>

#include "tests/gui/gui_support.h"
#include "tests/test_program.h"
#include "ui/views/runs/adaptive_form.h"
#include "ui/views/runs/target_box.h"
#include "ui/views/tune/setup_form.h"
#include "ui/views/tune/tune_view.h"

namespace kernelscape::tune_targets_test {
namespace {

constexpr int deadline_milliseconds = 20'000;

/** A machine with a CUDA device and without OpenCL. */
workspace::DeviceSurvey one_gpu() {
  workspace::DeviceSurvey survey = gui_tests::no_gpus();
  survey.devices.push_back({.target = gui_tests::scripted_gpu()});
  survey.missing.erase(survey.missing.begin());
  return survey;
}

struct Window {
  explicit Window(workspace::DeviceFinder finder = one_gpu)
      : workspace(database.path(), gui_tests::run_scripted, std::move(finder)),
        view(views::ViewContext{workspace, actions}) {
    view.resize(1280, 800);
    view.show();
  }
  ~Window() { workspace::JobTracker::wait_for_all(); }

  template <typename T>
  T& find(const QString& accessible_name) {
    for (T* widget : view.findChildren<T*>())
      if (widget->accessibleName().startsWith(accessible_name)) return *widget;
    throw std::logic_error("no widget is called " + accessible_name.toStdString());
  }
  views::TargetBox& target() { return *view.findChild<views::TargetBox*>(); }
  QCheckBox& build_only() {
    for (QCheckBox* box : view.findChildren<QCheckBox*>())
      if (box->text() == "Build only") return *box;
    throw std::logic_error("there is no check box to build only");
  }
  QComboBox& architecture() { return find<QComboBox>("Architecture"); }
  views::SetupForm& form() { return view.form(); }
  bool look() {
    workspace.devices().look();
    return QTest::qWaitFor([&] { return workspace.devices().survey() != nullptr; }, deadline_milliseconds);
  }
  bool wait_until_ready() {
    return QTest::qWaitFor([&] { return form().problem().isEmpty(); }, deadline_milliseconds);
  }
  QStringList templates() {
    auto& box = find<QComboBox>("Template");
    QStringList names;
    for (int i = 0; i < box.count(); ++i) names.append(box.itemText(i));
    return names;
  }
  void copy_command_line() { actions.find("run.copy-command")->trigger(); }

  gui_tests::Database database;
  views::ActionRegistry actions;
  workspace::Workspace workspace;
  views::TuneView view;
};

bool is_enabled(const QComboBox& box, int row) {
  return qobject_cast<QStandardItemModel*>(box.model())->item(row)->isEnabled();
}

}  // namespace

class TuneTargetsTest : public QObject {
  Q_OBJECT

 private slots:
  void devices_are_listed_once_they_are_found() {
    Window window;
    QCOMPARE(window.target().target(), std::string("cpu"));
    QVERIFY(window.target().findData("cuda:0") < 0);
    QVERIFY(window.look());
    QTRY_VERIFY(window.target().findData("cuda:0") >= 0);
    QVERIFY(window.target().itemText(window.target().findData("cuda:0")).contains("Test GPU"));
    QCOMPARE(window.target().target(), std::string("cpu"));  // what was chosen stays
    // A platform without a device can't be chosen; it says why, and what to do.
    const int missing = window.target().findText("OpenCL", Qt::MatchStartsWith);
    QVERIFY(missing >= 0 && !is_enabled(window.target(), missing));
    const QString why = window.target().itemData(missing, Qt::ToolTipRole).toString();
    QVERIFY2(why.contains("no platform has a device") && why.contains("install a vendor's driver"),
             qPrintable(why));
    QVERIFY(std::ranges::any_of(window.view.findChildren<QLabel*>(), [](const QLabel* label) {
      return label->isVisible() && label->text().contains("no platform has a device");
    }));
    for (int row = 0; row < window.target().count(); ++row)
      QCOMPARE(is_enabled(window.target(), row), !window.target().itemData(row).toString().isEmpty());
  }

  void looking_again_keeps_a_device_that_went() {
    std::atomic<bool> there{true};
    Window window([&there] { return there ? one_gpu() : gui_tests::no_gpus(); });
    QVERIFY(window.look());
    QTRY_VERIFY(window.target().findData("cuda:0") >= 0);
    window.target().choose("cuda:0", false);
    there = false;
    const auto before = window.workspace.devices().survey();
    window.find<QToolButton>("Search for devices").click();
    QTRY_VERIFY_WITH_TIMEOUT(window.workspace.devices().survey() != before, deadline_milliseconds);
    QTRY_VERIFY(window.target().findText("CUDA: no device") >= 0);
    QCOMPARE(window.target().target(), std::string("cuda:0"));
    // Nobody is moved to another target unasked: it says what is wrong instead.
    QTRY_VERIFY_WITH_TIMEOUT(
        !window.form().problem().isEmpty() && !window.form().problem().startsWith("Looking"),
        deadline_milliseconds);
  }

  void the_templates_follow_the_target() {
    Window window;
    QVERIFY(window.look());
    window.find<QComboBox>("Task").setEditText("matmul 128x128 128x128 f32");
    QVERIFY(window.wait_until_ready());
    const QStringList of_cpu = window.templates();
    window.target().choose("cuda:0", false);
    QTRY_VERIFY_WITH_TIMEOUT(window.form().problem().isEmpty() && window.templates() != of_cpu,
                             deadline_milliseconds);
    for (const QString& name : window.templates())
      QVERIFY2(schedule::find_template(name.toStdString(), schedule::TargetKind::Cuda), qPrintable(name));
    for (const QString& name : of_cpu)
      QVERIFY2(schedule::find_template(name.toStdString(), schedule::TargetKind::Cpu), qPrintable(name));
    const session::TuningRequest request = window.form().request();
    QCOMPARE(request.target, std::string("cuda:0"));
    QVERIFY(request.architecture.empty() && !request.measuring.build_only);
  }

  void a_cpu_has_no_build_only_and_an_architecture_nothing_else() {
    Window window;
    QVERIFY(window.look());
    QVERIFY(!window.build_only().isVisible() && !window.architecture().isVisible());
    window.target().choose("cuda:0", false);
    QVERIFY(window.build_only().isVisible() && window.build_only().isEnabled());
    QVERIFY(!window.build_only().isChecked() && !window.architecture().isVisible());
    window.build_only().click();
    QVERIFY(window.form().request().measuring.build_only);
    // The architecture forces it, and what the user chose before comes back.
    window.target().choose("cuda", true);
    QVERIFY(window.build_only().isChecked() && !window.build_only().isEnabled());
    QVERIFY(window.architecture().isVisible());
    window.build_only().click();
    QVERIFY(window.build_only().isChecked());
    window.target().choose("cuda:0", false);
    QVERIFY(window.build_only().isChecked() && window.build_only().isEnabled());
    window.build_only().click();
    window.target().choose("cuda", true);
    window.target().choose("cuda:0", false);
    QVERIFY(!window.build_only().isChecked());
    window.target().choose("cpu", false);
    QVERIFY(!window.build_only().isVisible());
    QVERIFY(!window.form().request().measuring.build_only);
  }

  void every_architecture_can_be_chosen_and_is_copied() {
    Window window;
    window.target().choose("cuda", true);
    const std::vector<std::string> known = measure::cuda_architectures();
    QCOMPARE(window.architecture().count(), static_cast<int>(known.size()));
    for (const std::string& name : known) {
      window.architecture().setCurrentText(QString::fromStdString(name));
      const session::TuningRequest request = window.form().request();
      QCOMPARE(request.architecture, name);
      QCOMPARE(request.target, std::string("cuda"));
      QVERIFY(request.measuring.build_only);
      window.copy_command_line();
      const QString line = QApplication::clipboard()->text();
      QVERIFY2(line.contains(QString::fromStdString("--target cuda --arch " + name)) &&
                   line.contains("--build-only"),
               qPrintable(line));
    }
  }

  void an_architecture_can_be_started_without_any_gpu() {
    Window window(gui_tests::no_gpus);
    QVERIFY(window.look());
    window.find<QComboBox>("Task").setEditText("matmul 128x128 128x128 f32");
    window.target().choose("cuda", true);
    QTRY_VERIFY2_WITH_TIMEOUT(window.form().problem().isEmpty(), qPrintable(window.form().problem()),
                              deadline_milliseconds);
    QVERIFY(!window.templates().isEmpty());
  }

  void a_device_that_is_not_there_says_so() {
    Window window(gui_tests::no_gpus);
    QVERIFY(window.look());
    session::TuningRequest request;
    request.task = "matmul 128x128 128x128 f32";
    request.target = "cuda:7";
    window.form().set_request(request);
    QCOMPARE(window.form().request().target, std::string("cuda:7"));
    QTRY_VERIFY_WITH_TIMEOUT(
        !window.form().problem().isEmpty() && !window.form().problem().startsWith("Looking"),
        deadline_milliseconds);
    QVERIFY(!window.find<QPushButton>("Start").isEnabled());
  }

  void options_that_do_not_apply_say_why_and_are_left_out() {
    Window window;
    QVERIFY(window.look());
    auto& threads = window.find<QSpinBox>("Threads of the kernel");
    auto& repeats = window.find<QSpinBox>("Timed samples");
    auto& patience = window.find<QSpinBox>("Patience");
    auto* adaptive = window.view.findChild<views::AdaptiveForm*>();
    threads.setValue(3);
    repeats.setValue(11);
    patience.setValue(40);
    QCOMPARE(window.form().request().measuring.threads, 3);
    window.target().choose("cuda:0", false);
    QVERIFY(!threads.isEnabled() && !threads.toolTip().isEmpty());
    QVERIFY(repeats.isEnabled() && patience.isEnabled() && adaptive->isEnabled());
    session::TuningRequest request = window.form().request();
    QCOMPARE(request.measuring.threads, 0);
    QCOMPARE(request.measuring.repeats, 11);
    QCOMPARE(request.budget.patience, 40);
    window.build_only().click();
    for (QWidget* field : std::initializer_list<QWidget*>{&threads, &repeats, &patience, adaptive})
      QVERIFY(!field->isEnabled() && !field->toolTip().isEmpty());
    request = window.form().request();
    QCOMPARE(request.measuring.repeats, trial::MeasureOptions().repeats);
    QCOMPARE(request.budget.patience, 0);
    QVERIFY(trial::check_measure_options(request.measuring));
    // Nothing of it is forgotten.
    window.target().choose("cpu", false);
    for (QWidget* field : std::initializer_list<QWidget*>{&threads, &repeats, &patience, adaptive})
      QVERIFY(field->isEnabled() && field->toolTip().isEmpty());
    request = window.form().request();
    QCOMPARE(request.measuring.threads, 3);
    QCOMPARE(request.measuring.repeats, 11);
    QCOMPARE(request.budget.patience, 40);
  }

  void requests_survive_the_form() {
    const unsigned seed = std::random_device{}();
    qInfo("seed %u", seed);
    std::mt19937 random(seed);
    const std::vector<std::string> architectures = measure::cuda_architectures();
    Window window;
    QVERIFY(window.look());
    for (int repeat = 0; repeat < 40; ++repeat) {
      session::TuningRequest request;
      request.task = "matmul 128x128 128x128 f32";
      request.seed = random();
      request.budget.trials = static_cast<std::int64_t>(random() % 1000);
      const auto kind = random() % 4;
      if (kind == 0) {
        request.measuring.threads = static_cast<int>(random() % 8);
      } else if (kind == 1) {
        request.target = "cuda";
        request.architecture = architectures[random() % architectures.size()];
        request.measuring.build_only = true;
      } else {
        request.target = kind == 2 ? "cuda:0" : "opencl:" + std::to_string(random() % 3);
        request.measuring.build_only = random() % 2 == 0;
      }
      if (!request.measuring.build_only) request.measuring.repeats = 1 + static_cast<int>(random() % 20);
      request.template_name = window.find<QComboBox>("Template").currentText().toStdString();
      window.form().set_request(request);
      QCOMPARE(session::command_line_of(window.form().request()), session::command_line_of(request));
    }
  }

  /** "Duplicate as new run" goes this way. */
  void a_stored_session_fills_the_form() {
    Window window;
    QVERIFY(window.look());
    const store::SessionId id = window.database.add_gpu_session(40, true);
    const store::Store store = *store::Store::open(window.database.path());
    const session::TuningRequest request = session::request_of(store.sessions().get(id)->record).value();
    window.form().set_request(request);
    const session::TuningRequest read = window.form().request();
    QCOMPARE(read.target, std::string("cuda:0"));
    QVERIFY(read.measuring.build_only);
    QVERIFY(window.build_only().isChecked() && window.build_only().isEnabled());
  }
};

KERNELSCAPE_TEST(TuneTargetsTest, QApplication)

}  // namespace kernelscape::tune_targets_test
#include "tune_targets_test.moc"
