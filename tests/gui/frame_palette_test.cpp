#include <QLineEdit>
#include <QListView>
#include <QRandomGenerator>
#include <QTest>
#include <QVBoxLayout>

#include "tests/test_program.h"
#include "ui/frame/palette/command_palette.h"
#include "ui/frame/palette/fuzzy_match.h"
#include "ui/frame/palette/palette_model.h"

namespace kernelscape::frame_palette_test {

/** The palette finds what was meant and needs no mouse. */
class FramePaletteTest : public QObject {
  Q_OBJECT

 private slots:
  void theBestPlacesAreFound();
  void everyWordHasToBeThere();
  void wordsBeatScatteredLetters();
  void theKeyboardIsEnough();
  void whatIsTypedNarrowsTheList();
  void aNumberIsTheSessionWithIt();
  void aCommandMayOpenThePaletteAgain();
  void enterAloneRepeatsTheLastCommandOrDoesNothing();
  void quittingIsNeverFirst();
  void namesComeBeforeActions();
};

namespace {

/** All ways to place a word's letters, with the score of each: what the table of fuzzy_match() stands for. */
void try_places(const QString& word, const QString& text, qsizetype letter, qsizetype from, qsizetype before,
                int score, std::optional<int>& best) {
  if (letter == word.size()) {
    best = std::max(best.value_or(score), score);
    return;
  }
  for (qsizetype place = from; place < text.size(); ++place) {
    if (text[place] != word[letter]) continue;
    const bool starts = place == 0 || !text[place - 1].isLetterOrNumber();
    const bool follows = letter > 0 && place == before + 1;
    try_places(word, text, letter + 1, place + 1, place, score + 1 + (starts ? 8 : 0) + (follows ? 10 : 0),
               best);
  }
}

QString random_text(QRandomGenerator& random, qsizetype longest) {
  static const QString letters = QStringLiteral("ab/ c");
  QString text;
  for (qsizetype i = 0; i < 1 + random.bounded(static_cast<int>(longest)); ++i)
    text.append(letters[random.bounded(static_cast<int>(letters.size()))]);
  return text;
}

/** A window with a palette over it. */
struct Window {
  Window() {
    widget.resize(900, 600);
    auto* column = new QVBoxLayout(&widget);
    field = new QLineEdit(&widget);
    column->addWidget(field);
    palette = new frame::CommandPalette(&widget);
    widget.show();
  }

  void open(const QStringList& texts) {
    std::vector<frame::PaletteCommand> commands;
    for (const QString& text : texts)
      commands.push_back({text, {}, {}, {}, 0, [this, text] { run.append(text); }});
    palette->open_with(std::move(commands));
  }

  QWidget widget;
  QLineEdit* field = nullptr;
  frame::CommandPalette* palette = nullptr;
  QStringList run;
};

}  // namespace

void FramePaletteTest::theBestPlacesAreFound() {
  const quint32 seed = QRandomGenerator::global()->generate();
  qInfo("seed %u", seed);
  QRandomGenerator random(seed);
  int found = 0;
  for (int round = 0; round < 2000; ++round) {
    const QString text = random_text(random, 14);
    QString word = random_text(random, 4);
    word.remove(QLatin1Char(' '));
    if (word.isEmpty()) continue;
    std::optional<int> best;
    try_places(word, text, 0, 0, -1, 0, best);
    const auto match = frame::fuzzy_match(word, text);
    QCOMPARE(match.has_value(), best.has_value());
    if (!match) continue;
    ++found;
    QCOMPARE(match->score + static_cast<int>(text.size() / 8), *best);
    QCOMPARE(match->positions.size(), static_cast<std::size_t>(word.size()));
    for (qsizetype letter = 0; letter < word.size(); ++letter)
      QCOMPARE(text[match->positions[static_cast<std::size_t>(letter)]], word[letter]);
  }
  QVERIFY(found > 100);
}

void FramePaletteTest::everyWordHasToBeThere() {
  QVERIFY(frame::fuzzy_match(QStringLiteral("tune c6"), QStringLiteral("Tune resnet18/C6")));
  QVERIFY(frame::fuzzy_match(QStringLiteral("c6 tune"), QStringLiteral("Tune resnet18/C6")));
  QVERIFY(!frame::fuzzy_match(QStringLiteral("tune c7"), QStringLiteral("Tune resnet18/C6")));
  QVERIFY(frame::fuzzy_match(QString(), QStringLiteral("anything")));
}

void FramePaletteTest::wordsBeatScatteredLetters() {
  const auto score = [](const char* text) {
    return frame::fuzzy_match(QStringLiteral("log"), QLatin1String(text))->score;
  };
  QVERIFY(score("Log") > score("Larger font, good"));
  QVERIFY(score("Show log") > score("Catalogue"));
}

void FramePaletteTest::theKeyboardIsEnough() {
  Window window;
  window.field->setFocus();
  window.open({QStringLiteral("one"), QStringLiteral("two"), QStringLiteral("three")});
  QVERIFY(window.palette->isVisible());
  QLineEdit& entry = window.palette->entry();
  for (int i = 0; i < 3; ++i) QTest::keyClick(&entry, Qt::Key_Down);
  QCOMPARE(window.palette->list().currentIndex().row(), 2);
  QTest::keyClick(&entry, Qt::Key_Down);
  QCOMPARE(window.palette->list().currentIndex().row(), 0);
  QTest::keyClick(&entry, Qt::Key_Up);
  QTest::keyClick(&entry, Qt::Key_Return);
  QCOMPARE(window.run, QStringList{QStringLiteral("three")});
  QVERIFY(!window.palette->isVisible());
  window.open({QStringLiteral("one")});
  QTest::keyClick(&entry, Qt::Key_Escape);
  QVERIFY(!window.palette->isVisible());
  QCOMPARE(window.run.size(), 1);
  QCOMPARE(window.widget.focusWidget(), window.field);
}

void FramePaletteTest::whatIsTypedNarrowsTheList() {
  Window window;
  window.open({QStringLiteral("Reset layout"), QStringLiteral("Tune resnet18/C6"),
               QStringLiteral("Tune resnet18/C12")});
  QTest::keyClicks(&window.palette->entry(), QStringLiteral("tc12"));
  QCOMPARE(window.palette->list().model()->rowCount(), 1);
  QTest::keyClick(&window.palette->entry(), Qt::Key_Return);
  QCOMPARE(window.run, QStringList{QStringLiteral("Tune resnet18/C12")});
  window.open({});
  QCOMPARE(window.palette->list().model()->rowCount(), 0);
  QTest::keyClick(&window.palette->entry(), Qt::Key_Return);
  QCOMPARE(window.run.size(), 1);
}

void FramePaletteTest::aNumberIsTheSessionWithIt() {
  Window window;
  for (const int wanted : {1, 3, 13, 31}) {
    std::vector<frame::PaletteCommand> commands;
    for (const int id : {131, 31, 13, 3, 1}) {
      // Others have the number in their names.
      const QString text = QStringLiteral("Open session %1: run 1, 3, 13 and 31").arg(id);
      commands.push_back({text, {}, {}, {}, 0, [&window, id] { window.run = {QString::number(id)}; }});
      commands.back().number = QString::number(id);
    }
    window.palette->open_with(std::move(commands));
    window.palette->entry().clear();
    QTest::keyClicks(&window.palette->entry(), QStringLiteral("session %1").arg(wanted));
    QTest::keyClick(&window.palette->entry(), Qt::Key_Return);
    QCOMPARE(window.run, QStringList{QString::number(wanted)});
  }
}

void FramePaletteTest::aCommandMayOpenThePaletteAgain() {
  Window window;
  std::vector<frame::PaletteCommand> commands(1);
  commands[0].text = QStringLiteral("again");
  commands[0].run = [&window] { window.open({QStringLiteral("second")}); };
  window.palette->open_with(commands);
  QTest::keyClick(&window.palette->entry(), Qt::Key_Down);
  QTest::keyClick(&window.palette->entry(), Qt::Key_Return);
  QVERIFY(window.palette->isVisible());
  QTest::keyClick(&window.palette->entry(), Qt::Key_Down);
  QTest::keyClick(&window.palette->entry(), Qt::Key_Return);
  QCOMPARE(window.run, QStringList{QStringLiteral("second")});
}

void FramePaletteTest::enterAloneRepeatsTheLastCommandOrDoesNothing() {
  Window window;
  const QStringList texts{QStringLiteral("a rather long first command"), QStringLiteral("two"),
                          QStringLiteral("Stop")};
  QLineEdit& entry = window.palette->entry();
  window.open(texts);
  QVERIFY(!window.palette->list().currentIndex().isValid());
  QCOMPARE(window.palette->list().model()->index(0, 0).data().toString(), texts.front());
  QTest::keyClick(&entry, Qt::Key_Return);
  QVERIFY(window.run.isEmpty());
  QTest::keyClicks(&entry, QStringLiteral("two"));
  QTest::keyClick(&entry, Qt::Key_Return);
  QCOMPARE(window.run, QStringList{QStringLiteral("two")});
  window.open(texts);
  QVERIFY(entry.text().isEmpty());
  QCOMPARE(window.palette->list().currentIndex().data().toString(), QStringLiteral("two"));
  QTest::keyClick(&entry, Qt::Key_Return);
  QCOMPARE(window.run, (QStringList{QStringLiteral("two"), QStringLiteral("two")}));
  // A command that is not available any more is not replaced by another one.
  window.open({QStringLiteral("another")});
  QVERIFY(!window.palette->list().currentIndex().isValid());
}

void FramePaletteTest::quittingIsNeverFirst() {
  Window window;
  const auto open = [&] {
    std::vector<frame::PaletteCommand> commands;
    for (const char* text : {"Quit", "Queue the run", "Equip the fleet"}) {
      const QString name = QLatin1String(text);
      commands.push_back({name, {}, {}, {}, 20, [&window, name] { window.run.append(name); }});
      commands.back().last = name == QStringLiteral("Quit");
    }
    window.palette->open_with(std::move(commands));
  };
  const auto first = [&] { return window.palette->list().model()->index(0, 0).data().toString(); };
  open();
  QCOMPARE(first(), QStringLiteral("Queue the run"));
  QLineEdit& entry = window.palette->entry();
  QTest::keyClicks(&entry, QStringLiteral("qui"));
  QCOMPARE(first(), QStringLiteral("Equip the fleet"));
  QTest::keyClicks(&entry, QStringLiteral("t"));
  QCOMPARE(first(), QStringLiteral("Quit"));
  QTest::keyClick(&entry, Qt::Key_Return);
  QCOMPARE(window.run, QStringList{QStringLiteral("Quit")});
  // Not even as the command that was used last, after the question was cancelled.
  open();
  QVERIFY(!window.palette->list().currentIndex().isValid());
}

void FramePaletteTest::namesComeBeforeActions() {
  Window window;
  std::vector<frame::PaletteCommand> commands;
  const auto add = [&](const QString& text, const QString& subject, int rank) {
    commands.push_back({text, {}, {}, {}, rank, [] {}});
    commands.back().subject = subject;
  };
  add(QStringLiteral("Open resnet.db"), {}, 20);
  add(QStringLiteral("Reset network"), {}, 20);
  add(QStringLiteral("Network"), {}, 20);
  add(QStringLiteral("Tune network resnet-18"), QStringLiteral("resnet-18"), 15);
  add(QStringLiteral("Tune resnet18/C6"), QStringLiteral("resnet18/C6"), 10);
  window.palette->open_with(std::move(commands));
  const auto listed = [&](const char* search) {
    window.palette->entry().setText(QLatin1String(search));
    QStringList texts;
    const QAbstractItemModel* model = window.palette->list().model();
    for (int row = 0; row < model->rowCount(); ++row) texts.append(model->index(row, 0).data().toString());
    return texts;
  };
  const QStringList found = listed("resnet");
  QCOMPARE(found.mid(0, 3),
           (QStringList{QStringLiteral("Tune network resnet-18"), QStringLiteral("Tune resnet18/C6"),
                        QStringLiteral("Open resnet.db")}));
  QCOMPARE(listed("network").front(), QStringLiteral("Network"));
}

KERNELSCAPE_TEST(FramePaletteTest, QApplication)

}  // namespace kernelscape::frame_palette_test
#include "frame_palette_test.moc"
