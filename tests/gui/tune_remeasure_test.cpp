#include <QApplication>
#include <QPushButton>
#include <QTest>
#include <atomic>
#include <memory>

#include "tests/gui/tune_gui_support.h"
#include "tests/test_program.h"
#include "ui/models/session_text.h"
#include "ui/style/numbers.h"
#include "ui/views/trials/trial_detail_pane.h"
#include "ui/views/trials/trial_headline.h"
#include "ui/views/trials/trial_table_panel.h"
#include "ui/views/tune/remeasure_dialog.h"
#include "ui/workspace/notices.h"
#include "ui/workspace/session_watch.h"

namespace kernelscape::tune_remeasure_test {
namespace {

constexpr int patience_milliseconds = gui_tests::tune_deadline_milliseconds;
constexpr double slow_down = 3;  ///< how much slower a trial is when it is measured again

/** Tune with a session of which trials are measured again by a function of the test. */
struct Bench {
  Bench() {
    view.resize(1280, 800);
    view.show();
  }

  workspace::Remeasure remeasure() {
    return [this](store::Store& store, store::SessionId id, std::optional<std::int64_t> trial,
                  const session::StopRequest& stop) -> Result<measure::Confirmations> {
      while (!go && stop.level() == 0) QThread::msleep(1);
      if (stop.level() > 0) return fail(ErrorCode::Refused, "stopped by the test");
      const double seconds = TRY(store.trials().get(id, *trial)).measurement.median_seconds() * slow_down;
      TRY(store.confirmations().append(
          id, std::vector<trial::Confirmation>{{*trial, "2027-01-02T03:04:05Z", {seconds, seconds}}}));
      return measure::Confirmations();
    };
  }
  std::int64_t row_of(bool valid) const {
    std::int64_t row = 0;
    while ((workspace.source()->trials.row(row).category == trial::ErrorCategory::NoError) != valid) ++row;
    return row;
  }
  views::RemeasureDialog* ask(std::int64_t row) {
    emit view.table().measure_requested(row);
    return view.findChild<views::RemeasureDialog*>();
  }
  static QPushButton* button(const QWidget& dialog, const QString& text) {
    for (QPushButton* found : dialog.findChildren<QPushButton*>())
      if (found->text() == text) return found;
    return nullptr;
  }

  gui_tests::Database database;
  store::SessionId session = database.add_session(30);
  std::atomic<bool> go{false};
  views::ActionRegistry actions;
  workspace::Workspace workspace{database.path(), gui_tests::run_scripted};
  views::TuneView view{views::ViewContext{workspace, actions}, remeasure()};
};

}  // namespace

/** One trial is measured again from the table's menu. */
class TuneRemeasureTest : public QObject {
  Q_OBJECT

 private slots:
  void the_dialog_and_the_trial_say_what_was_found() {
    Bench bench;
    QVERIFY(gui_tests::open_and_wait(bench.workspace, bench.session));
    const std::int64_t row = bench.row_of(true);
    const std::int64_t number = bench.workspace.source()->trials.row(row).number;
    const views::RemeasureDialog* dialog = bench.ask(row);
    QVERIFY(dialog != nullptr && dialog->isVisible());
    QVERIFY(dialog->windowTitle().contains(QString::number(number)));
    QCOMPARE(bench.workspace.current_row(), row);
    auto* pane = bench.view.findChild<views::TrialDetailPane*>();
    QTRY_VERIFY_WITH_TIMEOUT(pane->details() != nullptr, patience_milliseconds);
    const double before = pane->details()->trial.measurement.median_seconds();
    QVERIFY(pane->headline().text().contains(views::speed_text(*bench.workspace.source(), before)));

    QTest::mouseClick(Bench::button(*dialog, "Measure"), Qt::LeftButton);
    QVERIFY(dialog->message().startsWith("Measuring trial"));
    QVERIFY(Bench::button(*dialog, "Stop") != nullptr);
    bench.go = true;
    const QString found = QStringLiteral("Trial %1 takes").arg(number);
    QTRY_VERIFY2_WITH_TIMEOUT(dialog->message().startsWith(found), qPrintable(dialog->message()),
                              patience_milliseconds);
    const QString speed = views::speed_text(*bench.workspace.source(), before * slow_down);
    QTRY_VERIFY2_WITH_TIMEOUT(pane->headline().text().startsWith(speed), qPrintable(pane->headline().text()),
                              patience_milliseconds);
    QVERIFY(pane->headline().text().contains("measured again"));
    QVERIFY(pane->headline().text().contains("its own samples"));
  }

  void a_measurement_can_be_stopped() {
    Bench bench;
    QVERIFY(gui_tests::open_and_wait(bench.workspace, bench.session));
    const views::RemeasureDialog* dialog = bench.ask(bench.row_of(true));
    QTest::mouseClick(Bench::button(*dialog, "Measure"), Qt::LeftButton);
    QTest::mouseClick(Bench::button(*dialog, "Stop"), Qt::LeftButton);
    QTRY_VERIFY2_WITH_TIMEOUT(dialog->message().startsWith("Stopped"), qPrintable(dialog->message()),
                              patience_milliseconds);
    QVERIFY(Bench::button(*dialog, "Measure")->isEnabled());
    QVERIFY(store::Store::open(bench.database.path())->confirmations().of(bench.session)->empty());
    for (const workspace::Notice& notice : bench.workspace.notices().all())
      QVERIFY2(notice.kind != workspace::Notice::Kind::Failure, qPrintable(notice.text));
  }

  /** Another process may begin or end a run of the session while the dialog is open. */
  void the_dialog_follows_the_state_of_the_session() {
    Bench bench;
    QVERIFY(gui_tests::open_and_wait(bench.workspace, bench.session));
    const views::RemeasureDialog* dialog = bench.ask(bench.row_of(true));
    QPushButton* measure = Bench::button(*dialog, "Measure");
    QVERIFY(measure->isEnabled());
    store::Store store = store::Store::open(bench.database.path()).value();
    QVERIFY(store.sessions().claim(bench.session, store::Owner::this_process()));
    store::SessionStatus status = store.sessions().get(bench.session).value().status;
    status.state = store::SessionState::Running;
    QVERIFY(store.sessions().update_status(bench.session, status));
    bench.workspace.watch().refresh();
    QTRY_VERIFY_WITH_TIMEOUT(!measure->isEnabled(), patience_milliseconds);
    QVERIFY2(dialog->message().contains("is running"), qPrintable(dialog->message()));
    status.state = store::SessionState::Done;
    QVERIFY(store.sessions().update_status(bench.session, status));
    QVERIFY(store.sessions().release(bench.session, store::Owner::this_process()));
    bench.workspace.watch().refresh();
    QTRY_VERIFY_WITH_TIMEOUT(measure->isEnabled(), patience_milliseconds);
    QVERIFY2(dialog->message().isEmpty(), qPrintable(dialog->message()));
  }

  /** A result stays while the session or another measurement changes. */
  void a_result_stays_during_another_measurement() {
    Bench bench;
    QVERIFY(gui_tests::open_and_wait(bench.workspace, bench.session));
    const views::RemeasureDialog* dialog = bench.ask(bench.row_of(true));
    bench.go = true;
    QTest::mouseClick(Bench::button(*dialog, "Measure"), Qt::LeftButton);
    QTRY_VERIFY2_WITH_TIMEOUT(dialog->message().contains(" takes "), qPrintable(dialog->message()),
                              patience_milliseconds);
    const QString found = dialog->message();
    bench.go = false;
    views::RemeasureDialog* other = bench.ask(bench.row_of(true));
    for (auto* open : bench.view.findChildren<views::RemeasureDialog*>())
      if (open != dialog) other = open;
    QVERIFY(other != dialog);
    QTest::mouseClick(Bench::button(*other, "Measure"), Qt::LeftButton);
    QVERIFY2(dialog->message().startsWith(found), qPrintable(dialog->message()));
    QVERIFY2(dialog->message().contains("Another measurement"), qPrintable(dialog->message()));
    bench.go = true;
    QTRY_COMPARE_WITH_TIMEOUT(dialog->message(), found, patience_milliseconds);
  }

  void a_failed_trial_is_not_measured() {
    Bench bench;
    QVERIFY(gui_tests::open_and_wait(bench.workspace, bench.session));
    const views::RemeasureDialog* dialog = bench.ask(bench.row_of(false));
    QVERIFY2(dialog->message().contains("failed"), qPrintable(dialog->message()));
    QVERIFY(!Bench::button(*dialog, "Measure")->isEnabled());
  }
};

KERNELSCAPE_TEST(TuneRemeasureTest, QApplication)

}  // namespace kernelscape::tune_remeasure_test
#include "tune_remeasure_test.moc"
