#include <QApplication>
#include <QLabel>
#include <QTest>
#include <algorithm>

#include "tests/gui/tune_gui_support.h"
#include "tests/test_program.h"
#include "ui/models/session_text.h"
#include "ui/views/runs/headline_bar.h"
#include "ui/workspace/session_watch.h"

namespace kernelscape::tune_headline_test {
namespace {

using Window = gui_tests::TuneWindow;
constexpr int deadline_milliseconds = gui_tests::tune_deadline_milliseconds;

}  // namespace

/** What stands above the charts. */
class TuneHeadlineTest : public QObject {
  Q_OBJECT

 private slots:
  void a_run_elsewhere_is_watched_read_only() {
    Window window;
    const SessionId session = window.database.add_session(16);
    Store store = *Store::open(window.database.path());
    QVERIFY(store.claim_session(session, Owner{1, Owner::this_process().boot_id, 0}));
    QVERIFY(gui_tests::open_and_wait(window.workspace, session));
    const SourceData& source = *window.workspace.source();
    QVERIFY(!source.ours());
    QVERIFY(!headline_text(source, std::nullopt).state.isEmpty());
  }

  void the_headline_says_what_disturbed_it_after_a_restart() {
    Window window;
    const SessionId session = window.database.add_session(30);
    QVERIFY(Store::open(window.database.path())
                ->add_notice(session, {"machine", "the machine was loaded: <b>3.0</b>", 0}));
    QVERIFY(Store::open(window.database.path())->add_notice(session, {"note", "a note", 2}));
    QVERIFY(gui_tests::open_and_wait(window.workspace, session));
    const HeadlineText text = headline_text(*window.workspace.source(), std::nullopt);
    QCOMPARE(text.warning, QString("the machine was loaded: <b>3.0</b>"));
    QVERIFY(text.warning_tip.contains("a note") && text.warning_tip.contains("loaded"));
    // What its run says stands there at once, and once.
    RunView run;
    run.messages = {{MessageKind::Machine, "the machine was loaded: <b>3.0</b>"},
                    {MessageKind::Problem, "trial 3 was not confirmed"},
                    {MessageKind::Step, "looking"}};
    const HeadlineText live = headline_text(*window.workspace.source(), run);
    QCOMPARE(live.warning, QString("the machine was loaded: <b>3.0</b>; trial 3 was not confirmed"));
    const auto labels = window.view.findChildren<QLabel*>();
    QTRY_VERIFY_WITH_TIMEOUT(
        std::ranges::any_of(
            labels, [&](const QLabel* label) { return label->isVisible() && label->text() == text.warning; }),
        deadline_milliseconds);
    QTRY_VERIFY_WITH_TIMEOUT(!window.workspace.sessions()->empty(), deadline_milliseconds);
    QCOMPARE(disturbance_text(window.workspace.sessions()->front().notices), text.warning);
  }

  void the_headline_says_what_it_rests_on() {
    Window window;
    const SessionId session = window.database.add_session(80);
    QVERIFY(gui_tests::open_and_wait(window.workspace, session));
    const HeadlineText first = headline_text(*window.workspace.source(), std::nullopt);
    QVERIFY(first.trust.startsWith("unconfirmed"));
    QVERIFY(first.speed.endsWith("GFLOPS"));
    // Measured again: the number is that of the confirmation.
    Store store = *Store::open(window.database.path());
    const SessionStatus status = store.session(session)->status;
    QVERIFY(store.append_confirmations(session,
                                       {{{status.best_trial, "2026-01-01T00:00:00Z", {1e-3, 2e-3, 3e-3}}}}));
    window.workspace.watch().refresh();
    QTRY_VERIFY_WITH_TIMEOUT(window.workspace.source()->headline.confirmed, deadline_milliseconds);
    const HeadlineText second = headline_text(*window.workspace.source(), std::nullopt);
    QVERIFY(second.trust.startsWith("confirmed"));
    QCOMPARE(second.spread, QString("2 ms (1.5 ms to 2.5 ms)"));
  }
};

KERNELSCAPE_TEST(TuneHeadlineTest, QApplication)

}  // namespace kernelscape::tune_headline_test
#include "tune_headline_test.moc"
