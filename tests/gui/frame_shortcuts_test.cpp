#include <QKeySequenceEdit>
#include <QLineEdit>
#include <QPushButton>
#include <QTemporaryDir>
#include <QTest>
#include <QTreeWidget>

#include "tests/test_program.h"
#include "ui/frame/palette/shortcut_keeper.h"
#include "ui/frame/palette/shortcut_overview.h"

namespace kernelscape::frame_shortcuts_test {

/** Shortcuts are found, reassigned and kept; two actions never share one. */
class FrameShortcutsTest : public QObject {
  Q_OBJECT

 private slots:
  void searchLeavesWhatFits();
  void anotherShortcutIsAssigned();
  void aClashNamesItsHolder();
  void exchangedShortcutsComeBack();
  void shortcutsOfLaterActionsAreKept();

 private:
  QTemporaryDir folder_;
  std::filesystem::path path() const {
    return folder_.filePath(QStringLiteral("preferences.json")).toStdString();
  }
};

namespace {

const auto ctrl_a = QKeySequence(QStringLiteral("Ctrl+A"));
const auto ctrl_b = QKeySequence(QStringLiteral("Ctrl+B"));

void add(views::ActionRegistry& actions, const QString& id, const QString& text,
         const QKeySequence& shortcut) {
  actions.add({.id = id, .text = text, .menu = QStringLiteral("Tools"), .shortcut = shortcut}, [] {});
}

void add_two(views::ActionRegistry& actions) {
  add(actions, QStringLiteral("a.one"), QStringLiteral("Alpha"), ctrl_a);
  add(actions, QStringLiteral("a.two"), QStringLiteral("Beta"), ctrl_b);
}

QPushButton* button(const QWidget& parent, const QString& text) {
  for (auto* found : parent.findChildren<QPushButton*>()) {
    if (found->text() == text) return found;
  }
  return nullptr;
}

}  // namespace

void FrameShortcutsTest::searchLeavesWhatFits() {
  views::ActionRegistry actions;
  add_two(actions);
  frame::ShortcutOverview overview(actions);
  overview.show();
  const auto shown = [&] {
    QStringList texts;
    for (int row = 0; row < overview.list().topLevelItemCount(); ++row) {
      const QTreeWidgetItem* item = overview.list().topLevelItem(row);
      if (!item->isHidden()) texts.append(item->text(0));
    }
    return texts;
  };
  QCOMPARE(shown().size(), 2);
  QTest::keyClicks(&overview.search(), QStringLiteral("bt"));
  QCOMPARE(shown(), QStringList{QStringLiteral("Beta")});
  overview.search().clear();
  QTest::keyClicks(&overview.search(), QStringLiteral("ctrl+a"));
  QCOMPARE(shown(), QStringList{QStringLiteral("Alpha")});
}

void FrameShortcutsTest::anotherShortcutIsAssigned() {
  views::ActionRegistry actions;
  add_two(actions);
  frame::ShortcutOverview overview(actions);
  overview.show();
  overview.list().setCurrentItem(overview.list().topLevelItem(0));
  QCOMPARE(overview.editor().keySequence(), ctrl_a);
  overview.editor().setFocus();
  QTest::keyClick(&overview.editor(), Qt::Key_J, Qt::ControlModifier | Qt::AltModifier);
  QTest::mouseClick(button(overview, QStringLiteral("Assign")), Qt::LeftButton);
  QCOMPARE(actions.find(QStringLiteral("a.one"))->shortcut(), QKeySequence(QStringLiteral("Ctrl+Alt+J")));
  QVERIFY(overview.message().isEmpty());
  QTest::mouseClick(button(overview, QStringLiteral("No shortcut")), Qt::LeftButton);
  QVERIFY(actions.find(QStringLiteral("a.one"))->shortcut().isEmpty());
  QTest::mouseClick(button(overview, QStringLiteral("Default")), Qt::LeftButton);
  QCOMPARE(actions.find(QStringLiteral("a.one"))->shortcut(), ctrl_a);
}

void FrameShortcutsTest::aClashNamesItsHolder() {
  views::ActionRegistry actions;
  add_two(actions);
  frame::ShortcutOverview overview(actions);
  overview.list().setCurrentItem(overview.list().topLevelItem(0));
  overview.editor().setKeySequence(ctrl_b);
  button(overview, QStringLiteral("Assign"))->click();
  QVERIFY(overview.message().contains(QStringLiteral("Beta")));
  QCOMPARE(actions.find(QStringLiteral("a.one"))->shortcut(), ctrl_a);
}

void FrameShortcutsTest::exchangedShortcutsComeBack() {
  frame::PreferencesFile preferences(path());
  {
    views::ActionRegistry actions;
    add_two(actions);
    frame::ShortcutKeeper keeper(actions, preferences);
    keeper.apply();
    QVERIFY(actions.set_shortcut(QStringLiteral("a.one"), {}).isEmpty());
    QVERIFY(actions.set_shortcut(QStringLiteral("a.two"), ctrl_a).isEmpty());
    QVERIFY(actions.set_shortcut(QStringLiteral("a.one"), ctrl_b).isEmpty());
  }
  views::ActionRegistry actions;
  add_two(actions);
  frame::ShortcutKeeper keeper(actions, preferences);
  keeper.apply();
  QCOMPARE(actions.find(QStringLiteral("a.one"))->shortcut(), ctrl_b);
  QCOMPARE(actions.find(QStringLiteral("a.two"))->shortcut(), ctrl_a);
  actions.reset_shortcuts();
  QVERIFY(preferences.get().shortcuts.isEmpty());
}

void FrameShortcutsTest::shortcutsOfLaterActionsAreKept() {
  frame::PreferencesFile preferences(path());
  const QKeySequence wanted(QStringLiteral("Ctrl+L"));
  preferences.change(
      [&](frame::Preferences& p) { p.shortcuts.insert(QStringLiteral("later.action"), wanted); });
  views::ActionRegistry actions;
  add_two(actions);
  frame::ShortcutKeeper keeper(actions, preferences);
  keeper.apply();
  QVERIFY(actions.set_shortcut(QStringLiteral("a.one"), QKeySequence(QStringLiteral("Ctrl+M"))).isEmpty());
  QCOMPARE(preferences.get().shortcuts.value(QStringLiteral("later.action")), wanted);
  add(actions, QStringLiteral("later.action"), QStringLiteral("Later"), {});
  keeper.apply();
  QCOMPARE(actions.find(QStringLiteral("later.action"))->shortcut(), wanted);
}

KERNELSCAPE_TEST(FrameShortcutsTest, QApplication)

}  // namespace kernelscape::frame_shortcuts_test
#include "frame_shortcuts_test.moc"
