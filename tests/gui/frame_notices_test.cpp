#include <QApplication>
#include <QLayout>
#include <QTest>
#include <QTimer>
#include <QToolButton>
#include <map>
#include <utility>

#include "tests/gui/frame_gui_support.h"
#include "tests/test_program.h"
#include "ui/frame/notices/deletion_bar.h"
#include "ui/frame/notices/notice_bar.h"
#include "ui/frame/view_stack.h"
#include "ui/workspace/notices.h"

namespace kernelscape::frame_notices_test {
using gui_tests::Desk;

namespace {

constexpr int settle_milliseconds = 100;  // queued layouts end

using Places = std::map<const QWidget*, QRect>;

/** Returns the places of all visible widgets of the views, in the window's coordinates. */
Places places_of(Desk& desk) {
  Places places;
  for (const QWidget* widget : desk.part<frame::ViewStack>().findChildren<QWidget*>()) {
    if (widget->isVisible())
      places[widget] = QRect(widget->mapTo(desk.window.get(), QPoint(0, 0)), widget->size());
  }
  return places;
}

/** Waits until the places stay the same: views that were just created are still laid out. */
Places settled_places_of(Desk& desk) {
  Places places;
  const bool settled = QTest::qWaitFor(
      [&] {
        const Places before = std::exchange(places, places_of(desk));
        QTest::qWait(settle_milliseconds);
        return before == places && places == places_of(desk);
      },
      gui_tests::frame_deadline_milliseconds);
  return settled ? places : Places();
}

QRect place_in(const Desk& desk, const QWidget& widget) {
  return {widget.mapTo(desk.window.get(), QPoint(0, 0)), widget.size()};
}

QToolButton& close_button(frame::InformationBar& bar) { return *bar.findChild<QToolButton*>(); }

const QString long_text =
    QStringLiteral("the kernel could not be written because the disk is full; ").repeated(6);

}  // namespace

/** Notices cover the bottom of the views, and nothing moves when one appears or disappears. */
class FrameNoticesTest : public QObject {
  Q_OBJECT

 private slots:
  void no_control_moves_when_a_notice_comes_or_goes() {
    const gui_tests::Database database;
    database.add_session(6);
    Desk desk(database);
    QVERIFY(desk.wait_for_list());
    auto& bar = desk.part<frame::NoticeBar>();
    const Places before = settled_places_of(desk);
    QVERIFY(before.size() > 20);
    desk.workspace.notices().fail({ErrorCode::Environment, "the disk is full", "make room"});
    QVERIFY(bar.isVisible());
    QTRY_VERIFY(places_of(desk) == before);
    QTest::mouseClick(&close_button(bar), Qt::LeftButton);
    QVERIFY(!bar.isVisible());
    QTRY_VERIFY(places_of(desk) == before);
  }

  void a_notice_lies_within_the_window_and_over_the_views() {
    const gui_tests::Database database;
    Desk desk(database);
    auto& bar = desk.part<frame::NoticeBar>();
    desk.workspace.notices().warn(long_text);
    for (const QSize size : {QSize(1024, 700), QSize(1500, 1200)}) {
      desk.window->resize(size);
      QTest::qWait(settle_milliseconds);
      QVERIFY(desk.part<frame::ViewStack>().geometry().contains(bar.geometry()));
      QVERIFY(bar.height() >= bar.layout()->totalHeightForWidth(bar.width()));
      QWidget* hit = bar.parentWidget()->childAt(bar.geometry().center());
      QVERIFY(hit == &bar || bar.isAncestorOf(hit));
    }
  }

  void a_longer_message_leaves_the_buttons_where_they_are() {
    const gui_tests::Database database;
    Desk desk(database);
    auto& bar = desk.part<frame::NoticeBar>();
    desk.workspace.notices().fail({ErrorCode::Environment, "the disk is full", {}});
    QTest::qWait(settle_milliseconds);
    const QRect close = place_in(desk, close_button(bar));
    const int height = bar.height();
    desk.workspace.notices().fail({ErrorCode::Environment, long_text.toStdString(), "make room"});
    QTRY_VERIFY(bar.height() > height);
    QCOMPARE(place_in(desk, close_button(bar)), close);
  }

  void closing_one_notice_does_not_move_another() {
    const gui_tests::Database database;
    Desk desk(database);
    auto& notice = desk.part<frame::NoticeBar>();
    auto& deletion = desk.part<frame::DeletionBar>();
    desk.workspace.notices().fail({ErrorCode::Environment, "the disk is full", {}});
    deletion.set_message(workspace::Notice::Kind::Information, QStringLiteral("A session was deleted."), {});
    deletion.show();
    QTest::qWait(settle_milliseconds);
    QVERIFY(notice.isVisible() && deletion.isVisible());
    QVERIFY(!notice.geometry().intersects(deletion.geometry()));
    const QRect other = deletion.geometry();
    QTest::mouseClick(&close_button(notice), Qt::LeftButton);
    QTest::qWait(settle_milliseconds);
    QCOMPARE(deletion.geometry(), other);
  }

  void a_notice_under_the_pointer_stays() {
    const gui_tests::Database database;
    QVERIFY(store::Store::open(database.path()));  // nothing is reported about it
    Desk desk(database);
    auto& bar = desk.part<frame::NoticeBar>();
    desk.workspace.notices().inform(QStringLiteral("all is well"));
    QVERIFY(bar.isVisible());
    auto* leave = bar.findChild<QTimer*>();
    QVERIFY(leave != nullptr && leave->isActive());
    bar.setAttribute(Qt::WA_UnderMouse, true);
    QVERIFY(QMetaObject::invokeMethod(leave, "timeout"));
    QVERIFY(bar.isVisible());
    bar.setAttribute(Qt::WA_UnderMouse, false);
    QVERIFY(QMetaObject::invokeMethod(leave, "timeout"));
    QVERIFY(!bar.isVisible());
  }
};

KERNELSCAPE_TEST(FrameNoticesTest, QApplication)

}  // namespace kernelscape::frame_notices_test
#include "frame_notices_test.moc"
