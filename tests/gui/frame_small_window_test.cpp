#include <QAbstractButton>
#include <QAbstractItemView>
#include <QAbstractSpinBox>
#include <QApplication>
#include <QComboBox>
#include <QDockWidget>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTabBar>
#include <QTest>
#include <algorithm>
#include <vector>

#include "tests/gui/fleet_gui_support.h"
#include "tests/gui/gui_support.h"
#include "tests/test_program.h"
#include "ui/charts/curves/progress_chart.h"
#include "ui/frame/main_window.h"
#include "ui/frame/sessions/session_dock.h"
#include "ui/style/theme.h"
#include "ui/views/fleet/fleet_tables.h"
#include "ui/views/learn/learn_view.h"
#include "ui/views/learn/learning_panel.h"
#include "ui/views/trials/filter_bar.h"
#include "ui/views/trials/trial_table_panel.h"
#include "ui/views/trials/trial_table_view.h"
#include "ui/views/tune/live_charts.h"
#include "ui/views/tune/tune_view.h"
#include "ui/views/view.h"
#include "ui/widgets/library_table.h"

namespace kernelscape::frame_small_window_test {

namespace {

constexpr QSize small_window(1024, 700);
constexpr QSize large_window(1800, 1300);
constexpr int min_progress_pixels = 220;
constexpr int settle_milliseconds = 100;      // queued layouts of docks and charts begin
constexpr int settled_milliseconds = 10'000;  // and end, also where the machine is busy
constexpr int read_deadline_milliseconds = 30'000;

/** A window with one session on a small screen. */
struct SmallDesk {
  explicit SmallDesk(const gui_tests::Database& database, double scale, QSize size = small_window)
      : preferences(folder.filePath(QStringLiteral("preferences.json")).toStdString()),
        workspace(database.path(), gui_tests::run_scripted, gui_tests::no_gpus, fleet.linker()) {
    preferences.change([&](frame::Preferences& p) {
      p.first_start_dismissed = true;
      p.text_scale = scale;
      p.fleet_address = QLatin1String(gui_tests::fleet_address);
    });
    window = std::make_unique<frame::MainWindow>(workspace, preferences);
    window->resize(size);
    window->show();
  }
  ~SmallDesk() {
    workspace::JobTracker::wait_for_all();
    style::set_text_scale(1);
  }

  QTemporaryDir folder;
  frame::PreferencesFile preferences;
  gui_tests::FakeFleet fleet;
  workspace::Workspace workspace;
  std::unique_ptr<frame::MainWindow> window;
};

bool is_control(const QWidget& widget) {
  return qobject_cast<const QAbstractButton*>(&widget) != nullptr ||
         qobject_cast<const QComboBox*>(&widget) != nullptr ||
         qobject_cast<const QLineEdit*>(&widget) != nullptr ||
         qobject_cast<const QAbstractSpinBox*>(&widget) != nullptr ||
         qobject_cast<const QAbstractItemView*>(&widget) != nullptr ||
         qobject_cast<const QPlainTextEdit*>(&widget) != nullptr ||
         qobject_cast<const QTabBar*>(&widget) != nullptr ||
         qobject_cast<const charts::Chart*>(&widget) != nullptr;
}

/** Parts of a control, such as the arrows of a box, are its own affair. */
bool is_part_of_a_control(const QWidget& widget) {
  for (const QWidget* parent = widget.parentWidget(); parent != nullptr; parent = parent->parentWidget())
    if (is_control(*parent)) return true;
  return false;
}

/** Those that a user sees at least a part of. */
std::vector<QWidget*> seen_controls(const QWidget& window) {
  std::vector<QWidget*> controls;
  for (QWidget* widget : window.findChildren<QWidget*>()) {
    if (widget->isVisible() && !widget->visibleRegion().isEmpty() && is_control(*widget) &&
        !is_part_of_a_control(*widget))
      controls.push_back(widget);
  }
  return controls;
}

QString described(const QWidget& widget) {
  const QRect at = widget.geometry();
  return QStringLiteral("%1 \"%2\" at %3, %4, %5 x %6")
      .arg(QLatin1String(widget.metaObject()->className()), widget.accessibleName())
      .arg(at.x())
      .arg(at.y())
      .arg(at.width())
      .arg(at.height());
}

/** What is cut by its parent, and what stands on another; empty: nothing. */
QStringList faults_of(const QWidget& window) {
  QStringList faults;
  const std::vector<QWidget*> controls = seen_controls(window);
  for (std::size_t index = 0; index < controls.size(); ++index) {
    const QWidget* control = controls[index];
    const QRect room = control->parentWidget()->rect().adjusted(-1, -1, 1, 1);
    if (!room.contains(control->geometry()))
      faults.append(described(*control) +
                    QStringLiteral(" leaves its parent, %1").arg(described(*control->parentWidget())));
    for (std::size_t other = 0; other < index; ++other) {
      if (controls[other]->parentWidget() != control->parentWidget()) continue;
      const QRect common = controls[other]->geometry() & control->geometry();
      if (common.width() > 1 && common.height() > 1)
        faults.append(described(*control) + QStringLiteral(" covers ") + described(*controls[other]));
    }
  }
  return faults;
}

}  // namespace

/** A laptop's screen, and the same with larger text. */
class FrameSmallWindowTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() { session_ = database_.add_session(120); }

  void everyViewFits_data() {
    QTest::addColumn<QString>("view");
    QTest::addColumn<double>("scale");
    for (const double scale : {1.0, 1.5}) {
      for (const char* view : {"Tune", "Explore", "Compare", "Network", "Library", "Learn", "Fleet"})
        QTest::addRow("%s at %g", view, scale) << QString::fromLatin1(view) << scale;
    }
  }

  /** Nothing is cut and nothing covers anything; charts are high enough to be read. */
  void everyViewFits() {
    QFETCH(const QString, view);
    QFETCH(const double, scale);
    SmallDesk desk(database_, scale);
    QVERIFY(gui_tests::open_and_wait(desk.workspace, session_));
    desk.window->show_view(view);
    if (const auto* tables = desk.window->current_view()->findChild<views::FleetTables*>())
      QTRY_VERIFY_WITH_TIMEOUT(tables->workers().rowCount() > 0, read_deadline_milliseconds);
    QTest::qWait(settle_milliseconds);
    QCOMPARE(desk.window->size(), small_window);
    QStringList faults;
    QTRY_VERIFY2_WITH_TIMEOUT((faults = faults_of(*desk.window->current_view())).isEmpty(),
                              qPrintable(faults.join(QLatin1Char('\n'))), settled_milliseconds);
    for (const auto* chart : desk.window->current_view()->findChildren<charts::ProgressChart*>())
      if (chart->isVisible()) QVERIFY2(chart->height() >= min_progress_pixels, qPrintable(described(*chart)));
  }

  void learnListsFit_data() {
    QTest::addColumn<double>("scale");
    QTest::addColumn<QSize>("size");
    for (const double scale : {1.0, 1.5})
      for (const QSize size : {small_window, large_window})
        QTest::addRow("%d pixels wide at %g", size.width(), scale) << scale << size;
  }

  /** Its lists are narrow; all of their columns are seen without scrolling sideways. */
  void learnListsFit() {
    QFETCH(const double, scale);
    QFETCH(const QSize, size);
    SmallDesk desk(database_, scale, size);
    desk.window->show_view(QStringLiteral("Learn"));
    auto* view = desk.window->findChild<views::LearnView*>();
    const auto filled_tables = [view] {
      std::vector<widgets::LibraryTable*> tables;
      for (const auto* panel : view->findChildren<views::LearningPanel*>())
        if (auto* table = panel->findChild<widgets::LibraryTable*>(); table->isVisible())
          tables.push_back(table);
      return tables;
    };
    // At least the bundled predictors.
    QTRY_VERIFY_WITH_TIMEOUT(!filled_tables().empty(), read_deadline_milliseconds);
    QTest::qWait(settle_milliseconds);
    for (const widgets::LibraryTable* table : filled_tables()) {
      QTRY_COMPARE_WITH_TIMEOUT(table->horizontalScrollBar()->maximum(), 0, settled_milliseconds);
      QTRY_VERIFY_WITH_TIMEOUT(table->columnWidth(0) >= qRound(40 * scale), settled_milliseconds);
    }
  }

  void tableAndTrialAreReachable_data() {
    QTest::addColumn<double>("scale");
    QTest::newRow("usual text") << 1.0;
    QTest::newRow("larger text") << 1.5;
  }

  void tableAndTrialAreReachable() {
    QFETCH(const double, scale);
    SmallDesk desk(database_, scale);
    QVERIFY(gui_tests::open_and_wait(desk.workspace, session_));
    desk.window->show_view(QStringLiteral("Tune"));
    auto* view = desk.window->findChild<views::TuneView*>();
    QTRY_VERIFY(view->folded());
    for (const char* name : {"Tune.Trials", "Tune.Trial", "Tune.Set-up"}) {
      auto* dock = view->findChild<QDockWidget*>(QLatin1String(name));
      QVERIFY2(dock != nullptr, name);
      dock->show();
      dock->raise();
      QTest::qWait(settle_milliseconds);
      QTRY_VERIFY2_WITH_TIMEOUT(!dock->visibleRegion().isEmpty(), name, settled_milliseconds);
      QTRY_VERIFY2_WITH_TIMEOUT(dock->widget()->height() >= 200, name, settled_milliseconds);
      QStringList faults;
      QTRY_VERIFY2_WITH_TIMEOUT((faults = faults_of(*dock)).isEmpty(),
                                qPrintable(faults.join(QLatin1Char('\n'))), settled_milliseconds);
    }
    view->focus_filter();
    QTest::qWait(settle_milliseconds);
    QTRY_VERIFY_WITH_TIMEOUT(!view->table().filter_bar().visibleRegion().isEmpty(), settled_milliseconds);
    QTRY_VERIFY_WITH_TIMEOUT(view->table().view().height() >= 48, settled_milliseconds);
  }

  /** They are folded on a small screen; a larger one has them again, and so has what is stored. */
  void sessionsFoldAndComeBack() {
    SmallDesk desk(database_, 1, large_window);
    auto* sessions = desk.window->findChild<frame::SessionDock*>();
    QTRY_VERIFY(sessions->isVisible());
    desk.window->resize(small_window);
    QTRY_VERIFY(!sessions->isVisible());
    desk.window->resize(large_window);
    QTRY_VERIFY(sessions->isVisible());
    // Opened by hand they stay.
    desk.window->resize(small_window);
    QTRY_VERIFY(!sessions->isVisible());
    desk.window->actions().find(QStringLiteral("show.sessions"))->trigger();
    QVERIFY(sessions->isVisible());
    desk.window->resize(small_window - QSize(8, 8));
    QTest::qWait(settle_milliseconds);
    QVERIFY(sessions->isVisible());
    // Closed by hand they don't come back by themselves.
    desk.window->actions().find(QStringLiteral("show.sessions"))->trigger();
    desk.window->resize(large_window);
    QTest::qWait(settle_milliseconds);
    QVERIFY(!sessions->isVisible());
  }

  void aSmallScreenDoesNotChangeTheStoredLayout() {
    SmallDesk desk(database_, 1, small_window);
    auto* view = desk.window->findChild<views::TuneView*>();
    QTRY_VERIFY(view->folded());
    QSignalSpy left(desk.window.get(), &frame::MainWindow::left);
    desk.window->close();
    QTRY_COMPARE_WITH_TIMEOUT(left.size(), 1, read_deadline_milliseconds);
    frame::MainWindow again(desk.workspace, desk.preferences);
    again.resize(large_window);
    again.show();
    QTRY_VERIFY(again.findChild<frame::SessionDock*>()->isVisible());
    auto* trials = again.findChild<QDockWidget*>(QStringLiteral("Tune.Trials"));
    auto* tune = again.findChild<views::TuneView*>();
    QTest::qWait(settle_milliseconds);
    QVERIFY(!tune->folded());
    QCOMPARE(tune->dockWidgetArea(trials), Qt::BottomDockWidgetArea);
    QVERIFY(tune->tabifiedDockWidgets(trials).isEmpty());
    QVERIFY(trials->height() > 160);
  }

 private:
  gui_tests::Database database_;
  store::SessionId session_ = 0;
};

KERNELSCAPE_TEST(FrameSmallWindowTest, QApplication)

}  // namespace kernelscape::frame_small_window_test
#include "frame_small_window_test.moc"
