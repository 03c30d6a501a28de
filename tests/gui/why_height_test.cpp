#include <QApplication>
#include <QDockWidget>
#include <QTabWidget>
#include <QTest>

#include "tests/gui/frame_gui_support.h"
#include "tests/test_program.h"
#include "ui/frame/main_window.h"
#include "ui/views/trials/code_panel.h"
#include "ui/views/trials/trial_detail_pane.h"
#include "ui/views/trials/why_panel.h"
#include "ui/views/tune/live_charts.h"
#include "ui/views/tune/tune_view.h"

namespace kernelscape::why_height_test {
namespace {

constexpr QSize usual_window(1600, 1000);
constexpr int min_lines = 15;
constexpr int deadline_milliseconds = 60'000;

/** Returns how many whole lines the view has room for. */
int visible_lines(const widgets::CodeView& view) {
  return static_cast<int>(view.viewport()->height() / QFontMetricsF(view.font()).lineSpacing());
}

}  // namespace

/** The kernel of a trial can be read where Tune shows it, without a change of the docks by hand. */
class WhyHeightTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() { session_ = database_.add_session(60); }

  void why_has_room_for_its_source() {
    gui_tests::Desk desk(database_);
    desk.window->resize(usual_window);
    desk.window->show_view(QStringLiteral("Tune"));
    QVERIFY(gui_tests::open_and_wait(desk.workspace, session_));
    desk.workspace.set_current_row(desk.workspace.source()->headline.row);
    auto& view = *desk.window->findChild<views::TuneView*>();
    auto* dock = view.findChild<QDockWidget*>(QStringLiteral("Tune.Trial"));
    auto* pane = dock->findChild<views::TrialDetailPane*>();
    QTRY_VERIFY_WITH_TIMEOUT(pane->details() != nullptr, deadline_milliseconds);
    const int usual_height = dock->height();
    const bool compact = view.charts().compact();
    auto* why = pane->findChild<views::WhyPanel*>();
    QTabWidget& tabs = pane->tabs();
    tabs.setCurrentWidget(why);
    QTRY_VERIFY2_WITH_TIMEOUT(why->insight() != nullptr, qPrintable(why->state()), deadline_milliseconds);
    why->tabs().setCurrentIndex(why->tabs().indexOf(&why->source()));
    QTRY_VERIFY_WITH_TIMEOUT(why->source().view().isVisible(), deadline_milliseconds);
    int lines = 0;
    QTRY_VERIFY2_WITH_TIMEOUT((lines = visible_lines(why->source().view())) >= min_lines,
                              qPrintable(QStringLiteral("%1 lines").arg(lines)), deadline_milliseconds);
    const int grown_height = dock->height();
    QVERIFY(grown_height > usual_height);
    QCOMPARE(desk.window->size(), usual_window);
    // Another tab has its usual height again, and the charts stand as before.
    tabs.setCurrentIndex(0);
    QTRY_VERIFY_WITH_TIMEOUT(dock->height() < grown_height, deadline_milliseconds);
    QTRY_COMPARE_WITH_TIMEOUT(view.charts().compact(), compact, deadline_milliseconds);
    tabs.setCurrentWidget(why);
    QTRY_VERIFY_WITH_TIMEOUT(visible_lines(why->source().view()) >= min_lines, deadline_milliseconds);
    // A user who makes the dock lower is not overruled, neither by another trial.
    view.resizeDocks({dock}, {usual_height}, Qt::Vertical);
    QTRY_VERIFY_WITH_TIMEOUT(visible_lines(why->source().view()) < min_lines, deadline_milliseconds);
    const int lower = dock->height();
    const auto before = why->insight();
    why->show_insight(before, {});
    QCoreApplication::processEvents();
    QCOMPARE(dock->height(), lower);
  }

 private:
  gui_tests::Database database_;
  store::SessionId session_ = 0;
};

KERNELSCAPE_TEST(WhyHeightTest, QApplication)

}  // namespace kernelscape::why_height_test
#include "why_height_test.moc"
