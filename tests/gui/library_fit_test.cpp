#include <QAction>
#include <QApplication>
#include <QLabel>
#include <QScrollArea>
#include <QTest>
#include <QToolButton>
#include <algorithm>

#include "core/trial/session_notice.h"
#include "tests/gui/frame_gui_support.h"
#include "tests/test_program.h"
#include "ui/frame/main_window.h"
#include "ui/models/session_model.h"
#include "ui/views/library/session_panel.h"
#include "ui/views/view.h"
#include "ui/widgets/library_table.h"

namespace kernelscape::library_fit_test {
namespace {

constexpr QSize small_window(1024, 700);
constexpr QSize usual_window(1600, 1000);
constexpr int deadline_milliseconds = 30'000;

/** Returns the texts of a panel that need more room than their labels have. */
QStringList cut_texts(const QWidget& panel) {
  QStringList cut;
  for (const auto* label : panel.findChildren<QLabel*>()) {
    if (!label->isVisible() || label->text().isEmpty()) continue;
    if (!label->wordWrap()) {
      if (label->sizeHint().width() > label->width() + 1) cut.append(label->text());
      continue;
    }
    const QSize room = label->contentsRect().size();
    const QRect needed = label->fontMetrics().boundingRect(
        QRect(0, 0, room.width(), QWIDGETSIZE_MAX), static_cast<int>(label->alignment()) | Qt::TextWordWrap,
        label->text());
    if (needed.height() > room.height() + 1 || needed.width() > room.width() + 1) cut.append(label->text());
  }
  return cut;
}

/** Returns true if the whole button lies in the visible part of its window. */
bool is_whole(const QToolButton& button) {
  return button.isVisible() && button.visibleRegion().contains(button.rect()) &&
         button.width() >= button.sizeHint().width();
}

}  // namespace

/** All that the library can do, and all that it knows of a session, is seen in small and large windows. */
class LibraryFitTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    plain_ = database_.add_session(20);
    disturbed_ = database_.add_session(30);
    store::Store store = *store::Store::open(database_.path());
    for (const char* text :
         {"the machine was loaded: load average 2.0 on 2 processors, which is as many as it has",
          "timings were unsteady: the same work took up to 9 % longer than usual",
          "the machine ran at 0.28 of its usual speed for 38 s, so that the trials of that time were "
          "repeated"})
      QVERIFY(store.notices().add(disturbed_, {std::string(trial::machine_notice), text, 3}));
  }

  void actions_and_details_are_whole_data() {
    QTest::addColumn<QSize>("size");
    QTest::newRow("small window") << small_window;
    QTest::newRow("usual window") << usual_window;
  }

  void actions_and_details_are_whole() {
    QFETCH(const QSize, size);
    gui_tests::Desk desk(database_);
    desk.window->resize(size);
    desk.window->show_view(QStringLiteral("Library"));
    QVERIFY(desk.wait_for_list());
    QWidget& view = *desk.window->current_view();
    auto* panel = view.findChild<views::SessionPanel*>();
    widgets::LibraryTable* table = nullptr;
    for (auto* found : view.findChildren<widgets::LibraryTable*>())
      if (found->accessibleName() == QStringLiteral("Sessions")) table = found;
    QVERIFY(panel != nullptr && table != nullptr);
    QTRY_COMPARE_WITH_TIMEOUT(table->model()->rowCount(), 2, deadline_milliseconds);
    for (const char* id : {"library.open", "library.resume", "library.export", "library.delete"}) {
      const QAction* action = desk.window->actions().find(QLatin1String(id));
      const auto is_button = [&](const QToolButton* button) {
        return button->defaultAction() == action && is_whole(*button);
      };
      QTRY_VERIFY2_WITH_TIMEOUT(std::ranges::any_of(view.findChildren<QToolButton*>(), is_button), id,
                                deadline_milliseconds);
    }
    // A text that grows while the panel is shown gets the lines that it needs.
    for (const store::SessionId id : {plain_, disturbed_, plain_, disturbed_}) {
      for (int row = 0; row < table->model()->rowCount(); ++row)
        if (table->model()->index(row, 0).data(models::SessionModel::SessionIdRole).toLongLong() == id)
          table->selectRow(row);
      QStringList cut;
      QTRY_VERIFY2_WITH_TIMEOUT((cut = cut_texts(*panel)).isEmpty(), qPrintable(cut.join(QLatin1Char('\n'))),
                                deadline_milliseconds);
      const auto* scroll = panel->findChild<QScrollArea*>();
      QVERIFY(scroll->isVisible());
      QVERIFY(scroll->widget()->width() <= scroll->viewport()->width());
    }
  }

 private:
  gui_tests::Database database_;
  store::SessionId plain_ = 0;
  store::SessionId disturbed_ = 0;
};

KERNELSCAPE_TEST(LibraryFitTest, QApplication)

}  // namespace kernelscape::library_fit_test
#include "library_fit_test.moc"
