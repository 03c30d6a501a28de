#include <QAbstractItemView>
#include <QCompleter>
#include <QLabel>
#include <QLineEdit>
#include <QToolButton>

#include "tests/gui/gui_support.h"
#include "tests/test_program.h"
#include "ui/style/numbers.h"
#include "ui/style/theme.h"
#include "ui/views/trials/filter_bar.h"
#include "ui/views/trials/filter_chip.h"
#include "ui/views/trials/filter_entry.h"
#include "ui/workspace/session_watch.h"

namespace kernelscape::trials_filter_bar_test {

namespace {

/** Of all its labels that are shown. */
QString texts_of(const QWidget& widget) {
  QStringList texts;
  for (const QLabel* label : widget.findChildren<QLabel*>())
    if (!label->isHidden()) texts.append(label->text());
  return texts.join(QLatin1Char('\n'));
}

/** Pixels of about this colour. */
int pixels_of(QWidget& widget, const QColor& colour) {
  const QImage image = widget.grab().toImage();
  int count = 0;
  for (int y = 0; y < image.height(); ++y)
    for (int x = 0; x < image.width(); ++x) {
      const QColor pixel = image.pixelColor(x, y);
      const int distance = std::abs(pixel.red() - colour.red()) + std::abs(pixel.green() - colour.green()) +
                           std::abs(pixel.blue() - colour.blue());
      count += distance < 60 ? 1 : 0;
    }
  return count;
}

}  // namespace

class TrialsFilterBarTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    style::apply_theme(*qApp, style::ThemeChoice::Light);
    session_ = database_.add_session(120);
  }

  void init() {
    workspace_ = std::make_unique<workspace::Workspace>(database_.path());
    bar_ = std::make_unique<views::FilterBar>(*workspace_);
    bar_->resize(800, 60);
    bar_->show();
    QVERIFY(QTest::qWaitForWindowExposed(bar_.get()));
    QVERIFY(!bar_->isEnabled());
    QVERIFY(gui_tests::open_and_wait(*workspace_, session_));
    QVERIFY(bar_->isEnabled());
    entry_ = bar_->findChild<views::FilterEntry*>();
    bar_->focus_entry();
    QVERIFY(entry_->hasFocus());
  }

  void cleanup() {
    bar_.reset();
    workspace_.reset();
  }

  void enter_makes_a_chip_and_backspace_takes_it_back() {
    QTest::keyClicks(entry_, "valid");
    QTest::keyClick(entry_, Qt::Key_Return);
    QTest::keyClicks(entry_, "batch < 2");
    QTest::keyClick(entry_, Qt::Key_Return);
    QCOMPARE(workspace_->filters(), (QStringList{"valid", "batch < 2"}));
    QTRY_COMPARE(bar_->findChildren<views::FilterChip*>().size(), 2);
    QVERIFY(entry_->text().isEmpty());
    const QString passing = style::format_count(workspace_->filtered()->count());
    QVERIFY2(texts_of(*bar_).contains(passing + " of 120 trials pass"), qPrintable(texts_of(*bar_)));

    QTest::keyClick(entry_, Qt::Key_Backspace);
    QCOMPARE(workspace_->filters(), QStringList{"valid"});
    QCOMPARE(entry_->text(), QString("batch < 2"));
    QTest::keyClick(entry_, Qt::Key_Backspace);
    QCOMPARE(entry_->text(), QString("batch < "));
    QCOMPARE(workspace_->filters(), QStringList{"valid"});
  }

  void a_chip_is_removed_by_its_button_and_by_delete() {
    QVERIFY(workspace_->set_filters({"valid", "batch < 3", "run_s > 0"}));
    auto chips = [&] {
      QList<views::FilterChip*> shown;
      for (views::FilterChip* chip : bar_->findChildren<views::FilterChip*>())
        if (chip->isVisible()) shown.append(chip);
      std::ranges::sort(shown, {}, [](views::FilterChip* chip) { return chip->x(); });
      return shown;
    };
    QTRY_COMPARE(chips().size(), 3);
    QTRY_VERIFY(chips()[0]->x() < chips()[1]->x());
    QTest::mouseClick(&chips()[1]->close_button(), Qt::LeftButton);
    QCOMPARE(workspace_->filters(), (QStringList{"valid", "run_s > 0"}));
    QTRY_COMPARE(chips().size(), 2);
    QTest::keyClick(chips()[0], Qt::Key_Delete);
    QCOMPARE(workspace_->filters(), QStringList{"run_s > 0"});
    QTRY_COMPARE(chips().size(), 1);
    QTest::mouseDClick(chips()[0], Qt::LeftButton);
    QVERIFY(workspace_->filters().isEmpty());
    QCOMPARE(entry_->text(), QString("run_s > 0"));
    QVERIFY(texts_of(*bar_).contains("120 trials"));
  }

  void a_wrong_text_stays_and_says_why() {
    const int before = pixels_of(*entry_, style::colours().warning);
    QTest::keyClicks(entry_, "gflopz > 3 and valid");
    QTest::keyClick(entry_, Qt::Key_Return);
    QVERIFY(workspace_->filters().isEmpty());
    QCOMPARE(entry_->text(), QString("gflopz > 3 and valid"));
    QVERIFY2(texts_of(*bar_).contains("gflops"), qPrintable(texts_of(*bar_)));
    QVERIFY(pixels_of(*entry_, style::colours().warning) > before + 10);
    // Written right, the complaint goes at once.
    entry_->setCursorPosition(6);
    QTest::keyClick(entry_, Qt::Key_Backspace);
    QTest::keyClicks(entry_, "s");
    QVERIFY(!texts_of(*bar_).contains("gflopz"));
    QTest::keyClick(entry_, Qt::Key_Return);
    QCOMPARE(workspace_->filters(), QStringList{"gflops > 3 and valid"});
  }

  void what_can_be_applied_says_how() {
    QTest::keyClicks(entry_, "run_s > 0");
    QVERIFY2(texts_of(*bar_).contains("Applied when typing stops"), qPrintable(texts_of(*bar_)));
    QVERIFY(workspace_->filters().isEmpty());
    QTest::keyClick(entry_, Qt::Key_Return);
    QCOMPARE(workspace_->filters(), QStringList{"run_s > 0"});
    QVERIFY(workspace_->draft_filter().isEmpty());
    QVERIFY(!texts_of(*bar_).contains("Enter keeps it"));
  }

  void what_is_written_holds_once_typing_has_stopped() {
    QVERIFY(workspace_->add_filter("valid"));
    const std::int64_t valid = workspace_->filtered()->count();
    QTest::keyClicks(entry_, "batch < 1");
    QCOMPARE(workspace_->filtered()->count(), valid);
    QTRY_COMPARE(workspace_->draft_filter(), QString("batch < 1"));
    QCOMPARE(workspace_->filters(), QStringList{"valid"});
    QCOMPARE(workspace_->active_filters(), (QStringList{"valid", "batch < 1"}));
    const std::int64_t both = workspace_->filtered()->count();
    QVERIFY(both < valid);
    QVERIFY2(texts_of(*bar_).contains("Enter keeps it"), qPrintable(texts_of(*bar_)));
    QVERIFY(texts_of(*bar_).contains(style::format_count(both) + " of 120 trials"));
    // Unfinished, it holds as it was; nobody sees it, it does not; nothing is written, nothing holds.
    QTest::keyClicks(entry_, " and");
    QTest::qWait(2 * views::FilterBar::settle_milliseconds);
    QCOMPARE(workspace_->draft_filter(), QString("batch < 1"));
    bar_->hide();
    QVERIFY(workspace_->draft_filter().isEmpty());
    QCOMPARE(workspace_->filtered()->count(), valid);
    bar_->show();
    entry_->setText("batch < 1");
    QTRY_COMPARE(workspace_->draft_filter(), QString("batch < 1"));
    entry_->clear();
    QTRY_VERIFY(workspace_->draft_filter().isEmpty());
    QCOMPARE(workspace_->filtered()->count(), valid);
    // Taken away elsewhere, it is no longer written here.
    entry_->setText("batch < 1");
    QTRY_COMPARE(workspace_->draft_filter(), QString("batch < 1"));
    QVERIFY(workspace_->set_filters({}));
    QVERIFY(entry_->text().isEmpty());
  }

  void a_wrong_draft_changes_nothing() {
    QVERIFY(workspace_->set_draft_filter("batch < 1"));
    const std::int64_t passing = workspace_->filtered()->count();
    QVERIFY(!workspace_->set_draft_filter("batch < nothing"));
    QCOMPARE(workspace_->draft_filter(), QString("batch < 1"));
    QCOMPARE(workspace_->filtered()->count(), passing);
    QVERIFY(workspace_->set_filters({}));
    QVERIFY(workspace_->draft_filter().isEmpty());
    QVERIFY(!workspace_->filtered());
  }

  void chips_show_numbers_with_few_digits() {
    QCOMPARE(views::FilterChip::shown_text("gflops <= 278.6691171243707"), QString("gflops <= 278.7"));
    QCOMPARE(views::FilterChip::shown_text("gflops in (1.25..278.6691171243707)"),
             QString("gflops in (1.25..278.7)"));
    QCOMPARE(views::FilterChip::shown_text("tile_oc[3] = 16 and step = 123456"),
             QString("tile_oc[3] = 16 and step = 123456"));
    QCOMPARE(views::FilterChip::shown_text("layout = \"1.23456789\""), QString("layout = \"1.23456789\""));
    // The filter itself is exact.
    QVERIFY(workspace_->set_filters({"ms > 0.00000123456789"}));
    QCOMPARE(workspace_->filters(), QStringList{"ms > 0.00000123456789"});
  }

  void what_is_unfinished_is_not_complained_about_until_enter() {
    const QString calm = texts_of(*bar_);
    for (const char key : {'g', 'f', 'l', 'o', 'p', 's', ' ', '>', ' '}) {
      QTest::keyClick(entry_, key);
      QCOMPARE(texts_of(*bar_), calm);
    }
    QTest::keyClick(entry_, Qt::Key_Return);
    QVERIFY(texts_of(*bar_) != calm);
    QVERIFY(workspace_->filters().isEmpty());
  }

  void completion_replaces_the_word_at_the_cursor() {
    QTest::keyClicks(entry_, "valid and buil");
    auto* completer = entry_->findChild<QCompleter*>();
    QVERIFY(completer->popup()->isVisible());
    QTest::keyClick(completer->popup(), Qt::Key_Down);
    QTest::keyClick(completer->popup(), Qt::Key_Return);
    QCOMPARE(entry_->text(), QString("valid and build_s"));
    entry_->setText("valid and build_s > 0 and run");
    QTest::keyClick(entry_, Qt::Key_Space, Qt::ControlModifier);
    QVERIFY(completer->popup()->isVisible());
    QTest::keyClick(completer->popup(), Qt::Key_Tab);
    QCOMPARE(entry_->text(), QString("valid and build_s > 0 and run_s"));
    QVERIFY(!completer->popup()->isVisible());
    QTest::keyClicks(entry_, " > 0");
    QTest::keyClick(entry_, Qt::Key_Return);
    QCOMPARE(workspace_->filters(), QStringList{"valid and build_s > 0 and run_s > 0"});
  }

  void counts_follow_a_growing_session() {
    gui_tests::Database database;
    const store::SessionId growing = database.add_session(30);
    workspace::Workspace workspace(database.path());
    const views::FilterBar bar(workspace);
    QVERIFY(gui_tests::open_and_wait(workspace, growing));
    QVERIFY(workspace.add_filter("valid"));
    database.append_trials(growing, 20);
    workspace.watch().refresh();
    QTRY_COMPARE_WITH_TIMEOUT(workspace.source()->trials.size(), 50, 20'000);
    QVERIFY(
        texts_of(bar).contains(style::format_count(workspace.filtered()->count()) + " of 50 trials pass"));
  }

  void every_chip_and_button_has_a_name() {
    QVERIFY(workspace_->set_filters({"valid"}));
    for (const QWidget* widget : bar_->findChildren<QWidget*>())
      if ((widget->focusPolicy() & Qt::TabFocus) != 0)
        QVERIFY2(!widget->accessibleName().isEmpty(), widget->metaObject()->className());
  }

 private:
  gui_tests::Database database_;
  store::SessionId session_ = 0;
  std::unique_ptr<workspace::Workspace> workspace_;
  std::unique_ptr<views::FilterBar> bar_;
  views::FilterEntry* entry_ = nullptr;
};

KERNELSCAPE_TEST(TrialsFilterBarTest, QApplication)

}  // namespace kernelscape::trials_filter_bar_test
#include "trials_filter_bar_test.moc"
