#include <QApplication>
#include <QLabel>
#include <QTest>
#include <algorithm>

#include "tests/gui/tune_gui_support.h"
#include "tests/test_program.h"
#include "ui/models/session_text.h"
#include "ui/style/plain_texts.h"
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
    const store::SessionId session = window.database.add_session(16);
    store::Store store = *store::Store::open(window.database.path());
    QVERIFY(store.sessions().claim(session, store::Owner{1, store::Owner::this_process().boot_id, 0}));
    QVERIFY(gui_tests::open_and_wait(window.workspace, session));
    const workspace::SourceData& source = *window.workspace.source();
    QVERIFY(!source.ours());
    QVERIFY(!figures::headline_text(source, std::nullopt).state.isEmpty());
  }

  void the_headline_says_what_disturbed_it_after_a_restart() {
    Window window;
    const store::SessionId session = window.database.add_session(30);
    QVERIFY(store::Store::open(window.database.path())
                ->notices()
                .add(session, {"machine", "the machine was loaded: <b>3.0</b>", 0}));
    QVERIFY(store::Store::open(window.database.path())->notices().add(session, {"note", "a note", 2}));
    QVERIFY(gui_tests::open_and_wait(window.workspace, session));
    const figures::HeadlineText text = figures::headline_text(*window.workspace.source(), std::nullopt);
    QCOMPARE(text.warning, QString("The machine was loaded: <b>3.0</b>."));
    QVERIFY(text.warning_tip.contains("a note") && text.warning_tip.contains("loaded"));
    // What its run says stands there at once, and once.
    workspace::RunView run;
    run.messages = {{session::MessageKind::Machine, "the machine was loaded: <b>3.0</b>"},
                    {session::MessageKind::Problem, "trial 3 was not confirmed"},
                    {session::MessageKind::Step, "looking"}};
    const figures::HeadlineText live = figures::headline_text(*window.workspace.source(), run);
    QCOMPARE(live.warning, QString("The machine was loaded: <b>3.0</b>; trial 3 was not confirmed."));
    const auto labels = window.view.findChildren<QLabel*>();
    QTRY_VERIFY_WITH_TIMEOUT(
        std::ranges::any_of(
            labels, [&](const QLabel* label) { return label->isVisible() && label->text() == text.warning; }),
        deadline_milliseconds);
    QTRY_VERIFY_WITH_TIMEOUT(!window.workspace.sessions()->empty(), deadline_milliseconds);
    QCOMPARE(models::disturbance_text(window.workspace.sessions()->front().notices), text.warning);
  }

  void the_headline_says_what_it_rests_on() {
    Window window;
    const store::SessionId session = window.database.add_session(80);
    QVERIFY(gui_tests::open_and_wait(window.workspace, session));
    const figures::HeadlineText first = figures::headline_text(*window.workspace.source(), std::nullopt);
    QVERIFY(first.trust.startsWith("unconfirmed"));
    QVERIFY(first.speed.endsWith("GFLOPS"));
    // Measured again: the number is that of the confirmation.
    store::Store store = *store::Store::open(window.database.path());
    const store::SessionStatus status = store.sessions().get(session)->status;
    QVERIFY(store.confirmations().append(
        session, {{{status.best_trial, "2026-01-01T00:00:00Z", {1e-3, 2e-3, 3e-3}}}}));
    window.workspace.watch().refresh();
    QTRY_VERIFY_WITH_TIMEOUT(window.workspace.source()->headline.confirmed(), deadline_milliseconds);
    const figures::HeadlineText second = figures::headline_text(*window.workspace.source(), std::nullopt);
    QVERIFY(second.trust.startsWith("confirmed"));
    QCOMPARE(second.spread, QString("2 ms (1.5 ms to 2.5 ms)"));
  }

  void the_details_of_the_vendor_are_in_the_tip() {
    Window window;
    const store::SessionId session = window.database.add_session(30);
    QVERIFY(gui_tests::open_and_wait(window.workspace, session));
    workspace::SourceData source = *window.workspace.source();
    source.compared.vendor = {.of = "oneDNN 2.6.3 Winograd", .seconds = 1e-3, .share = 0.9};
    source.baselines.vendor.name = "oneDNN 2.6.3";
    source.baselines.vendor.algorithm = "Winograd";
    QVERIFY(figures::headline_text(source, std::nullopt).comparison_tip.contains("rounding error is larger"));
    source.baselines.vendor.candidates = {
        {.name = "oneDNN 2.6.3", .algorithm = "Winograd", .samples_seconds = {1e-3, 1e-3}},
        {.name = "oneDNN 2.6.3", .algorithm = "direct", .samples_seconds = {2e-3}}};
    const figures::HeadlineText text = figures::headline_text(source, std::nullopt);
    QVERIFY(text.comparisons.contains(QString("90 % of oneDNN 2.6.3 Winograd")));
    QVERIFY2(text.comparison_tip.startsWith("It is the fastest of 2 that were timed in turns"),
             qPrintable(text.comparison_tip));
    QVERIFY(text.comparison_tip.contains("oneDNN 2.6.3 direct"));
  }

  /** A sentence among the comparisons would make the page wider than the window. */
  void a_comparison_that_is_not_quoted_is_a_warning() {
    Window window;
    const store::SessionId session = window.database.add_session(30);
    QVERIFY(gui_tests::open_and_wait(window.workspace, session));
    workspace::SourceData source = *window.workspace.source();
    const QString reason = "not compared with oneDNN, which was measured at another speed of the machine";
    source.compared.vendor = {.of = "oneDNN", .seconds = 1e-3, .withheld = reason.toStdString()};
    source.status.state = store::SessionState::Done;
    const figures::HeadlineText ended = figures::headline_text(source, std::nullopt);
    QVERIFY(ended.comparisons.filter("oneDNN").isEmpty());
    const QString sentence = style::sentence(reason);
    QVERIFY(ended.warning.startsWith(sentence) && ended.warning_tip.contains(sentence));
    // Beside a disturbance, both are sentences.
    source.notices = {{"machine", "the machine was loaded: 3.0", 0}};
    const QString both = figures::headline_text(source, std::nullopt).warning;
    QVERIFY(both.startsWith(sentence + QLatin1Char(' ')));
    QVERIFY(both.endsWith(QStringLiteral(" The machine was loaded: 3.0.")));
    source.status.state = store::SessionState::Running;  // its end compares them
    QVERIFY(!figures::headline_text(source, std::nullopt).warning.contains(sentence));
  }
};

KERNELSCAPE_TEST(TuneHeadlineTest, QApplication)

}  // namespace kernelscape::tune_headline_test
#include "tune_headline_test.moc"
