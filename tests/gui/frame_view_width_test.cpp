#include <QAbstractItemView>
#include <QApplication>
#include <QLabel>
#include <QPlainTextEdit>
#include <QScrollArea>
#include <QScrollBar>
#include <QTabBar>
#include <QTest>
#include <memory>

#include "tests/gui/fleet_gui_support.h"
#include "tests/gui/network_view_support.h"
#include "tests/gui/study_gui_support.h"
#include "tests/test_program.h"
#include "ui/frame/main_window.h"
#include "ui/models/predictor_text.h"
#include "ui/style/theme.h"
#include "ui/views/network/network_view.h"
#include "ui/widgets/themed_label.h"
#include "ui/workspace/learning_watch.h"
#include "ui/workspace/study_watch.h"

namespace kernelscape::frame_view_width_test {
namespace {

constexpr QSize small_window(1024, 700);
constexpr QSize usual_window(1440, 920);
constexpr int settle_milliseconds = 150;  // queued layouts of docks and charts
constexpr int deadline_milliseconds = 30'000;
constexpr int layout_milliseconds = 5'000;  // for texts that a job brings, and the layouts they ask for

struct WidthDesk {
  explicit WidthDesk(const gui_tests::Database& database, double scale = 1)
      : preferences(folder.filePath(QStringLiteral("preferences.json")).toStdString()),
        workspace(database.path(), gui_tests::run_scripted, gui_tests::no_gpus, fleet.linker()) {
    preferences.change([&](frame::Preferences& p) {
      p.first_start_dismissed = true;
      p.text_scale = scale;
      // Larger text is tried with the dark theme.
      p.theme = scale > 1 ? style::ThemeChoice::Dark : style::ThemeChoice::Light;
      p.fleet_address = QLatin1String(gui_tests::fleet_address);
    });
    window = std::make_unique<frame::MainWindow>(workspace, preferences);
  }
  ~WidthDesk() {
    workspace::JobTracker::wait_for_all();
    style::set_text_scale(1);
  }

  QTemporaryDir folder;
  frame::PreferencesFile preferences;
  gui_tests::FakeFleet fleet;
  workspace::Workspace workspace;
  std::unique_ptr<frame::MainWindow> window;
};

/** Lists and tables scroll by their nature, and so do sources and messages. */
bool may_scroll_sideways(const QAbstractScrollArea& area) {
  return qobject_cast<const QAbstractItemView*>(&area) != nullptr ||
         qobject_cast<const QPlainTextEdit*>(&area) != nullptr;
}

bool is_seen(const QWidget& widget) { return widget.isVisible() && !widget.visibleRegion().isEmpty(); }

/** Texts whose lines do not fit into their label. */
bool is_cut(const QLabel& label) {
  if (label.text().isEmpty()) return false;
  const QSize room = label.contentsRect().size();
  const auto* themed = qobject_cast<const widgets::ThemedLabel*>(&label);
  if (themed != nullptr && themed->is_elided()) return false;  // its tool tip has all of it
  if (!label.wordWrap()) return label.sizeHint().width() > label.width() + 1;
  const QRect needed =
      label.fontMetrics().boundingRect(QRect(0, 0, room.width(), QWIDGETSIZE_MAX),
                                       static_cast<int>(label.alignment()) | Qt::TextWordWrap, label.text());
  return needed.height() > room.height() + 1 || needed.width() > room.width() + 1;
}

QString described(const QWidget& widget) {
  QStringList parents;
  for (const QWidget* parent = &widget; parent != nullptr && parents.size() < 5;
       parent = parent->parentWidget())
    parents.append(QLatin1String(parent->metaObject()->className()));
  return QStringLiteral("%1 \"%2\", %3 x %4")
      .arg(parents.join(QStringLiteral(" < ")), widget.accessibleName())
      .arg(widget.width())
      .arg(widget.height());
}

QStringList width_faults_now(const QWidget& view) {
  QStringList faults;
  for (const auto* area : view.findChildren<QAbstractScrollArea*>())
    if (is_seen(*area) && !may_scroll_sideways(*area) && area->horizontalScrollBar()->maximum() > 0)
      faults.append(QStringLiteral("%1 scrolls by %2 pixels")
                        .arg(described(*area))
                        .arg(area->horizontalScrollBar()->maximum()));
  for (const auto* label : view.findChildren<QLabel*>())
    if (is_seen(*label) && is_cut(*label))
      faults.append(QStringLiteral("%1 cuts \"%2\"").arg(described(*label), label->text()));
  return faults;
}

/** Returns the faults that stay once the layouts have settled. */
QStringList width_faults(const QWidget& view) {
  QTest::qWait(settle_milliseconds);
  QStringList faults;
  (void)QTest::qWaitFor(
      [&] {
        faults = width_faults_now(view);
        return faults.isEmpty();
      },
      layout_milliseconds);
  return faults;
}

/** The view as it is, and behind each of its tabs. */
QStringList width_faults_of_all_tabs(QWidget& view) {
  QStringList faults = width_faults(view);
  for (QTabBar* tabs : view.findChildren<QTabBar*>()) {
    if (!is_seen(*tabs)) continue;
    for (int tab = 0; tab < tabs->count(); ++tab) {
      tabs->setCurrentIndex(tab);
      for (const QString& fault : width_faults(view))
        faults.append(QStringLiteral("%1: %2").arg(tabs->tabText(tab), fault));
    }
  }
  faults.removeDuplicates();
  return faults;
}

}  // namespace

/** What a view shows is seen without scrolling sideways, and no text is cut. */
class FrameViewWidthTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    session_ = filled_.add_session(120);
    filled_.confirm(session_);
    study_ = gui_tests::add_study(filled_.path(), gui_tests::small_study());
    study::Options options;
    options.runner = gui_tests::run_rounds;
    study::Observer observer;
    store::Store store = *store::Store::open(filled_.path());
    const store::StudyId network = *study::create_study(store, gui_tests::tiny_study(24));
    QVERIFY(study::run_study(filled_.path(), network, options, observer, session::StopRequest()).has_value());
  }

  void views_fit_data() {
    QTest::addColumn<QString>("view");
    QTest::addColumn<bool>("filled");
    QTest::addColumn<double>("scale");
    for (const bool filled : {false, true})
      for (const char* view : {"Tune", "Explore", "Compare", "Network", "Library", "Learn", "Fleet"})
        QTest::addRow("%s %s", filled ? "filled" : "empty", view)
            << QString::fromLatin1(view) << filled << 1.0;
    for (const char* view : {"Compare", "Network", "Learn", "Fleet"})
      QTest::addRow("large filled %s", view) << QString::fromLatin1(view) << true << 1.5;
  }

  void views_fit() {
    QFETCH(const QString, view);
    QFETCH(const bool, filled);
    QFETCH(const double, scale);
    WidthDesk desk(filled ? filled_ : empty_, scale);
    desk.window->show_view(view);
    desk.window->resize(usual_window);
    desk.window->show();
    if (filled) {
      QVERIFY(gui_tests::open_and_wait(desk.workspace, session_));
      desk.workspace.compare(workspace::CompareSource{.study = study_, .sessions = {}});
      desk.workspace.set_current_row(desk.workspace.source()->headline.row);
      if (const auto* network = qobject_cast<views::NetworkView*>(desk.window->current_view()))
        QTRY_VERIFY_WITH_TIMEOUT(network->snapshot() != nullptr, deadline_milliseconds);
    }
    for (const QSize& size : {usual_window, small_window}) {
      desk.window->resize(size);
      QTest::qWait(settle_milliseconds);
      QCOMPARE(desk.window->size(), size);
      const QStringList faults = width_faults_of_all_tabs(*desk.window->current_view());
      QVERIFY2(faults.isEmpty(), qPrintable(QStringLiteral("%1 x %2\n%3")
                                                .arg(size.width())
                                                .arg(size.height())
                                                .arg(faults.join(QLatin1Char('\n')))));
    }
  }

  void a_predictor_fits_data() {
    QTest::addColumn<double>("scale");
    QTest::newRow("usual text") << 1.0;
    QTest::newRow("larger text") << 1.5;
  }

  void a_predictor_fits() {
    QFETCH(const double, scale);
    WidthDesk desk(empty_, scale);
    desk.window->show_view(QStringLiteral("Learn"));
    desk.window->resize(usual_window);
    desk.window->show();
    workspace::LearningListsPointer lists;
    connect(&desk.workspace.learning_watch(), &workspace::LearningWatch::lists_changed, this,
            [&lists](const workspace::LearningListsPointer& read) { lists = read; });
    QTRY_VERIFY_WITH_TIMEOUT(lists != nullptr, deadline_milliseconds);
    QVERIFY(!lists->predictors.empty());
    desk.workspace.open_predictor(models::predictor_key(lists->predictors.front()));
    for (const QSize& size : {usual_window, small_window}) {
      desk.window->resize(size);
      const QStringList faults = width_faults_of_all_tabs(*desk.window->current_view());
      QVERIFY2(faults.isEmpty(), qPrintable(faults.join(QLatin1Char('\n'))));
    }
  }

 private:
  gui_tests::Database empty_;
  gui_tests::Database filled_;
  store::SessionId session_ = 0;
  store::StudyId study_ = 0;
};

KERNELSCAPE_TEST(FrameViewWidthTest, QApplication)

}  // namespace kernelscape::frame_view_width_test
#include "frame_view_width_test.moc"
