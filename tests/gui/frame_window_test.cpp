#include <QHeaderView>
#include <QLineEdit>
#include <QListView>
#include <QTest>
#include <QToolButton>
#include <algorithm>

#include "core/task/data_folder.h"
#include "tests/gui/frame_gui_support.h"
#include "tests/test_program.h"
#include "ui/frame/first_start_page.h"
#include "ui/frame/menus.h"
#include "ui/frame/navigation_bar.h"
#include "ui/frame/notices/notice_bar.h"
#include "ui/frame/palette/command_palette.h"
#include "ui/frame/palette/palette_model.h"
#include "ui/frame/view_registry.h"
#include "ui/manual/glossary.h"
#include "ui/manual/window.h"
#include "ui/views/compare/compare_view.h"
#include "ui/views/tune/setup_form.h"
#include "ui/views/tune/tune_view.h"
#include "ui/workspace/notices.h"
#include "ui/workspace/source.h"

namespace kernelscape::frame_window_test {

/** The window as a user meets it: started, and reached in all its parts. */
class FrameWindowTest : public QObject {
  Q_OBJECT

 private slots:
  void aNewDatabaseIsGreetedOnce();
  void theFirstCardTunes_data();
  void theFirstCardTunes();
  void viewsAreReachedByKeyboard();
  void everyActionHasAMenuAndIsInThePalette();
  void whatTakesTheFocusHasAName();
  void everyHeaderIsExplained();
  void theManualOpensAtTheView();
  void preferredThreadsAreInTheForm();
  void aTaskOfTheCatalogueFillsTheForm();
  void thePaletteFindsNamesBeforeActions();
  void noticesAreCountedAndKept();
};

namespace {

using gui_tests::button;
using gui_tests::Desk;
constexpr int deadline_milliseconds = gui_tests::frame_deadline_milliseconds;

}  // namespace

void FrameWindowTest::aNewDatabaseIsGreetedOnce() {
  const gui_tests::Database database;
  {
    Desk desk(database, false);
    QTRY_VERIFY_WITH_TIMEOUT(desk.window->shows_first_start(), deadline_milliseconds);
    QCOMPARE(desk.window->current_view(), nullptr);
    QAbstractButton* first =
        button(desk.part<frame::FirstStartPage>(), QStringLiteral("Tune a layer on this CPU now"));
    QVERIFY(first != nullptr);
    QCOMPARE(desk.window->focusWidget(), first);
    // Offered where the recorded space that comes with the program is there.
    QCOMPARE(
        button(desk.part<frame::FirstStartPage>(), QStringLiteral("Explore a recorded space"))->isVisible(),
        std::filesystem::exists(task::data_folder() / "recorded/resnet18-C12-conv2d-packed.ksrec"));
    QTest::mouseClick(button(desk.part<frame::FirstStartPage>(), QStringLiteral("Not now")), Qt::LeftButton);
    QVERIFY(!desk.window->shows_first_start());
    QVERIFY(desk.preferences.get().first_start_dismissed);
  }
  Desk again(database, true);
  QTRY_VERIFY_WITH_TIMEOUT(!again.list_read.empty(), deadline_milliseconds);
  QVERIFY(!again.window->shows_first_start());
  again.window->actions().find(QStringLiteral("help.first-start"))->trigger();
  QVERIFY(again.window->shows_first_start());
}

void FrameWindowTest::theFirstCardTunes_data() {
  QTest::addColumn<Qt::Key>("key");
  QTest::newRow("space") << Qt::Key_Space;
  QTest::newRow("return") << Qt::Key_Return;
}

void FrameWindowTest::theFirstCardTunes() {
  QFETCH(const Qt::Key, key);
  const gui_tests::Database database;
  Desk desk(database, false);
  QTRY_VERIFY_WITH_TIMEOUT(desk.window->shows_first_start(), deadline_milliseconds);
  QTest::keyClick(desk.window->focusWidget(), key);
  QCOMPARE(desk.window->current_view()->name(), QStringLiteral("Tune"));
  QCOMPARE(desk.workspace.queue().runs().size(), std::size_t{1});
  QCOMPARE(desk.workspace.queue().runs().front().budget.minutes, 1.0);
  QTRY_VERIFY_WITH_TIMEOUT(desk.workspace.source() != nullptr, deadline_milliseconds);
  QCOMPARE(desk.workspace.source()->task().name, std::string("resnet18/C6"));
  QVERIFY(desk.preferences.get().first_start_dismissed);
}

void FrameWindowTest::viewsAreReachedByKeyboard() {
  const gui_tests::Database database;
  Desk desk(database);
  QVERIFY(QTest::qWaitForWindowActive(desk.window.get()));
  QCOMPARE(desk.window->current_view()->name(), QStringLiteral("Tune"));
  QTest::keyClick(desk.window.get(), Qt::Key_3, Qt::ControlModifier);
  QCOMPARE(desk.window->current_view()->name(), QStringLiteral("Compare"));
  QTest::keyClick(desk.window.get(), Qt::Key_4, Qt::ControlModifier);
  QCOMPARE(desk.window->current_view()->name(), QStringLiteral("Network"));
  QTest::keyClick(desk.window.get(), Qt::Key_2, Qt::ControlModifier);
  QCOMPARE(desk.window->current_view()->name(), QStringLiteral("Explore"));
  QVERIFY(desk.window->actions().find(QStringLiteral("go.Explore"))->isChecked());
  QVERIFY(!desk.window->actions().find(QStringLiteral("go.Library"))->isChecked());
  QCOMPARE(desk.preferences.get().view, QStringLiteral("Explore"));
  // The focus of a button in the navigation bar follows.
  const auto view_button = [&](const char* name) {
    for (auto* found : desk.part<frame::NavigationBar>().findChildren<QToolButton*>())
      if (found->text() == QLatin1String(name)) return found;
    return static_cast<QToolButton*>(nullptr);
  };
  QVERIFY(view_button("Explore") != nullptr && view_button("Compare") != nullptr);
  view_button("Explore")->setFocus();
  QTest::keyClick(view_button("Explore"), Qt::Key_3, Qt::ControlModifier);
  QVERIFY(view_button("Compare")->hasFocus());
}

void FrameWindowTest::everyActionHasAMenuAndIsInThePalette() {
  const gui_tests::Database database;
  Desk desk(database);
  QTRY_VERIFY_WITH_TIMEOUT(
      desk.window->findChildren<views::View*>().size() == std::ssize(frame::view_registrations()),
      deadline_milliseconds);
  desk.window->actions().find(QStringLiteral("tools.commands"))->trigger();
  frame::CommandPalette& palette = desk.window->palette_popup();
  auto* model = qobject_cast<frame::PaletteModel*>(palette.list().model());
  auto& menus = desk.part<frame::Menus>();
  QVERIFY(desk.window->actions().entries().size() > 20);
  for (const views::ActionRegistry::Entry& entry : desk.window->actions().entries()) {
    const QString text = entry.declaration.text;
    QVERIFY2(menus.menu(entry.declaration.menu) != nullptr, qPrintable(entry.declaration.id));
    const bool seen = entry.declaration.scope == nullptr || entry.declaration.scope->isVisible();
    QCOMPARE(menus.actions_of(entry.declaration.menu).contains(entry.action), seen);
    palette.entry().setText(text);
    bool listed = false;
    for (int row = 0; row < model->rowCount(); ++row) listed |= model->command(row).text == text;
    QVERIFY2(listed || !frame::is_reachable(entry), qPrintable(text));
  }
}

void FrameWindowTest::whatTakesTheFocusHasAName() {
  const gui_tests::Database database;
  database.add_session(20);
  Desk desk(database);
  QTRY_VERIFY_WITH_TIMEOUT(
      desk.window->findChildren<views::View*>().size() == std::ssize(frame::view_registrations()),
      deadline_milliseconds);
  QVERIFY(desk.wait_for_list());
  desk.window->actions().find(QStringLiteral("show.log"))->trigger();
  desk.window->actions().find(QStringLiteral("tools.preferences"))->trigger();
  desk.window->actions().find(QStringLiteral("help.shortcuts"))->trigger();
  int named = 0;
  for (const QWidget* widget : desk.window->findChildren<QWidget*>()) {
    if ((widget->focusPolicy() & Qt::TabFocus) == 0 ||
        qobject_cast<const views::View*>(widget->parentWidget()) != nullptr)
      continue;
    const bool inside_another = widget->objectName().startsWith(QStringLiteral("qt_"));
    if (inside_another || !widget->isVisibleTo(desk.window.get()) || widget->focusProxy() != nullptr)
      continue;
    const auto* text_button = qobject_cast<const QAbstractButton*>(widget);
    const bool has_name =
        !widget->accessibleName().isEmpty() || (text_button != nullptr && !text_button->text().isEmpty());
    QVERIFY2(has_name,
             qPrintable(QStringLiteral("%1 in %2")
                            .arg(QLatin1String(widget->metaObject()->className()),
                                 QLatin1String(widget->parentWidget()->metaObject()->className()))));
    ++named;
  }
  QVERIFY(named > 10);
}

void FrameWindowTest::everyHeaderIsExplained() {
  const gui_tests::Database database;
  Desk desk(database);
  QTRY_VERIFY_WITH_TIMEOUT(
      desk.window->findChildren<views::View*>().size() == std::ssize(frame::view_registrations()),
      deadline_milliseconds);
  desk.window->actions().find(QStringLiteral("show.log"))->trigger();
  desk.part<views::CompareView>().new_study();
  QStringList unexplained;
  int titled = 0;
  for (const QHeaderView* header : desk.window->findChildren<QHeaderView*>()) {
    if (header->orientation() != Qt::Horizontal || header->model() == nullptr) continue;
    for (int section = 0; section < header->count(); ++section) {
      const QString title = header->model()->headerData(section, Qt::Horizontal).toString();
      // Columns that nobody has named yet are numbered.
      if (title.trimmed().isEmpty() || title.toInt() != 0) continue;
      ++titled;
      if (manual::explained(title) == nullptr) unexplained.append(title);
    }
  }
  QVERIFY(titled > 40);
  QCOMPARE(unexplained.join(QStringLiteral(", ")), QString());
}

void FrameWindowTest::theManualOpensAtTheView() {
  const gui_tests::Database database;
  Desk desk(database);
  for (const frame::ViewRegistration& view : frame::view_registrations()) {
    desk.window->actions().find(QStringLiteral("go.") + view.name)->trigger();
    desk.window->actions().find(QStringLiteral("help.manual"))->trigger();
    const manual::Place place = desk.part<manual::Window>().place();
    const manual::Page* page = manual::manual_page(place.path);
    QVERIFY2(page != nullptr, qPrintable(view.name));
    const auto section = std::ranges::find(page->sections, place.anchor, &manual::Section::anchor);
    QVERIFY2(section != page->sections.end(), qPrintable(view.name));
    QCOMPARE(section->heading, view.name);
  }
}

void FrameWindowTest::preferredThreadsAreInTheForm() {
  const gui_tests::Database database;
  Desk desk(database);
  desk.preferences.change([](frame::Preferences& p) { p.threads = 3; });
  frame::MainWindow window(desk.workspace, desk.preferences);
  QCOMPARE(window.findChild<views::TuneView*>()->form().request().measuring.threads, 3);
}

void FrameWindowTest::aTaskOfTheCatalogueFillsTheForm() {
  const gui_tests::Database database;
  Desk desk(database);
  frame::CommandPalette& palette = desk.window->palette_popup();
  const auto open = [&] {
    palette.hide();
    desk.window->actions().find(QStringLiteral("tools.commands"))->trigger();
    palette.entry().setText(QStringLiteral("tune resnet18/C6"));
    return palette.list().model()->rowCount() > 0 &&
           palette.list().currentIndex().data().toString() == QStringLiteral("Tune resnet18/C6");
  };
  QVERIFY(QTest::qWaitFor(open, deadline_milliseconds));
  desk.window->show_view(QStringLiteral("Library"));
  QVERIFY(open());
  QTest::keyClick(&palette.entry(), Qt::Key_Return);
  QCOMPARE(desk.window->current_view()->name(), QStringLiteral("Tune"));
  QCOMPARE(desk.part<views::TuneView>().form().request().task, std::string("resnet18/C6"));
}

void FrameWindowTest::thePaletteFindsNamesBeforeActions() {
  const gui_tests::Database database;
  Desk desk(database);
  QVERIFY(QTest::qWaitForWindowActive(desk.window.get()));
  frame::CommandPalette& palette = desk.window->palette_popup();
  const auto open = [&] {
    palette.hide();
    QTest::keyClick(desk.window.get(), Qt::Key_K, Qt::ControlModifier);
    palette.entry().setText(QStringLiteral("resnet"));
    const QAbstractItemModel* model = palette.list().model();
    QStringList texts;
    for (int row = 0; row < model->rowCount(); ++row) texts.append(model->index(row, 0).data().toString());
    const auto first_action = std::ranges::find_if(
        texts, [](const QString& text) { return !text.contains(QStringLiteral("resnet")); });
    const QStringList names = texts.mid(0, first_action - texts.begin());
    return names.contains(QStringLiteral("Tune resnet18/C6")) &&
           names.contains(QStringLiteral("Tune network resnet-18"));
  };
  QVERIFY(QTest::qWaitFor(open, deadline_milliseconds));
  palette.entry().setText(QStringLiteral("tune network resnet-18"));
  QTest::keyClick(&palette.entry(), Qt::Key_Return);
  QCOMPARE(desk.window->current_view()->name(), QStringLiteral("Network"));
  // Enter alone never quits.
  QSignalSpy left(desk.window.get(), &frame::MainWindow::left);
  QTest::keyClick(desk.window.get(), Qt::Key_K, Qt::ControlModifier);
  QCOMPARE(palette.list().currentIndex().data().toString(), QStringLiteral("Tune network resnet-18"));
  QTest::keyClick(&palette.entry(), Qt::Key_Return);
  QVERIFY(desk.window->isVisible());
  QCOMPARE(left.size(), 0);
}

void FrameWindowTest::noticesAreCountedAndKept() {
  const gui_tests::Database database;
  QVERIFY(store::Store::open(database.path()));
  Desk desk(database);
  auto& bar = desk.part<frame::NoticeBar>();
  QVERIFY(!bar.isVisible());
  const Error error{ErrorCode::Environment, "the disk is full", "make room"};
  for (int i = 0; i < 1000; ++i) desk.workspace.notices().fail(error);
  QVERIFY(bar.isVisible());
  QVERIFY(bar.text().contains(QStringLiteral("1,000")));
  QCOMPARE(bar.hint(), QStringLiteral("make room"));
  desk.workspace.notices().inform(QStringLiteral("all is well"));
  QVERIFY(bar.text().contains(QStringLiteral("the disk is full")));
  emit bar.dismissed();
  QVERIFY(!bar.isVisible());
  QCOMPARE(desk.workspace.notices().all().size(), std::size_t{2});
  desk.workspace.notices().inform(QStringLiteral("all is well"));
  QVERIFY(bar.isVisible());
}

KERNELSCAPE_TEST(FrameWindowTest, QApplication)

}  // namespace kernelscape::frame_window_test
#include "frame_window_test.moc"
