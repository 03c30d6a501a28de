#include <QStringList>
#include <QTabBar>
#include <QTest>

#include "tests/gui/explore_view_bench.h"
#include "tests/test_program.h"
#include "ui/charts/bars/distribution_chart.h"
#include "ui/workspace/session_watch.h"

namespace kernelscape::explore_first_page_test {

using namespace explore_view_tests;

/** Which page Explore opens on. */
class ExploreFirstPageTest : public QObject {
  Q_OBJECT

 private:
  gui_tests::Database database_;
  store::SessionId session_ = 0;

 private slots:
  void initTestCase() { session_ = database_.add_session(trial_count, "random"); }

  void a_session_opens_on_the_first_page_with_content() {
    MeasurementScript script = gui_tests::make_script();
    const store::SessionId faultless = database_.add_session(last_knobs_decide(script, 8), script);
    Bench bench(database_);
    // Where nothing failed the page of errors has nothing to say.
    QVERIFY(gui_tests::open_and_wait(bench.workspace, faultless));
    QTRY_COMPARE_WITH_TIMEOUT(bench.view.page(), int{Distribution}, deadline_milliseconds);
    QTRY_VERIFY_WITH_TIMEOUT(bench.page(Distribution).isVisible(), deadline_milliseconds);
    QVERIFY(gui_tests::open_and_wait(bench.workspace, session_));
    QTRY_COMPARE_WITH_TIMEOUT(bench.view.page(), int{Errors}, deadline_milliseconds);
    QTRY_VERIFY_WITH_TIMEOUT(bench.page(Errors).isVisible(), deadline_milliseconds);
    // Whoever has chosen a page keeps it.
    auto* tabs = bench.view.findChild<QTabBar*>();
    QTest::mouseClick(tabs, Qt::LeftButton, {}, tabs->tabRect(Knobs).center());
    QVERIFY(gui_tests::open_and_wait(bench.workspace, faultless));
    QTRY_VERIFY_WITH_TIMEOUT(bench.page(Knobs).isVisible(), deadline_milliseconds);
    QCOMPARE(bench.view.page(), int{Knobs});
  }

  void the_page_that_is_shown_can_be_chosen_too() {
    MeasurementScript script = gui_tests::make_script();
    const store::SessionId faultless = database_.add_session(last_knobs_decide(script, 9), script);
    Bench bench(database_);
    QVERIFY(gui_tests::open_and_wait(bench.workspace, session_));
    QTRY_VERIFY_WITH_TIMEOUT(bench.page(Errors).isVisible(), deadline_milliseconds);
    auto* tabs = bench.view.findChild<QTabBar*>();
    QTest::mouseClick(tabs, Qt::LeftButton, {}, tabs->tabRect(Errors).center());
    QVERIFY(gui_tests::open_and_wait(bench.workspace, faultless));
    QTRY_VERIFY_WITH_TIMEOUT(bench.page(Errors).isVisible(), deadline_milliseconds);
  }

  /** A live session must not turn the page under its reader. */
  void a_growing_session_turns_no_page() {
    MeasurementScript script = gui_tests::make_script();
    const gui_tests::Database database;
    const store::SessionId growing = database.add_session(last_knobs_decide(script, 8), script);
    Bench bench(database);
    QVERIFY(gui_tests::open_and_wait(bench.workspace, growing));
    QTRY_VERIFY_WITH_TIMEOUT(bench.page(Distribution).isVisible(), deadline_milliseconds);
    database.append_trials(growing, 100);  // three in ten fail
    bench.workspace.watch().refresh();
    QTRY_VERIFY_WITH_TIMEOUT(bench.workspace.source()->errors.errors().trials > 0, deadline_milliseconds);
    const auto* histogram = bench.view.findChild<charts::DistributionChart*>();
    const auto counted = [&] {
      std::int64_t trials = 0;
      for (const std::int64_t count : histogram->data().histogram.counts) trials += count;
      return trials;
    };
    QTRY_VERIFY_WITH_TIMEOUT(counted() > trial_count, deadline_milliseconds);
    QCOMPARE(bench.view.page(), int{Distribution});
  }

  void pages_know_whether_they_have_content() {
    const store::SessionId failed =
        database_.add_session(session_tests::make_setup("random", 3, 50, 10), all_fail());
    Bench bench(database_);
    const auto with_content = [&] {
      QStringList names;
      const figures::Shown shown =
          figures::make_shown(bench.workspace.source(), {}, std::nullopt, figures::uncontrolled_job());
      for (views::ExplorePage* page : bench.view.findChildren<views::ExplorePage*>())
        if (page->has_content(*shown)) names.append(page->accessibleName());
      return names;
    };
    QVERIFY(gui_tests::open_and_wait(bench.workspace, failed));
    const QStringList of_failed = with_content();
    QVERIFY(of_failed.contains(QStringLiteral("Errors")));
    for (const char* name : {"Distribution", "Knobs", "Parallel", "Neighbourhood", "Predictions", "Roofline"})
      QVERIFY2(!of_failed.contains(QLatin1String(name)), name);
    QVERIFY(gui_tests::open_and_wait(bench.workspace, session_));
    const QStringList of_all = with_content();
    for (const char* name : {"Errors", "Distribution", "Knobs", "Parallel", "Topology", "Roofline"})
      QVERIFY2(of_all.contains(QLatin1String(name)), name);
    QVERIFY(!of_all.contains(QStringLiteral("Predictions")));  // a random tuner expects nothing
    QVERIFY(!of_all.contains(QStringLiteral("Neighbourhood")));
    bench.workspace.set_current_row(3);
    QVERIFY(with_content().contains(QStringLiteral("Neighbourhood")));
    QVERIFY(gui_tests::open_and_wait(bench.workspace, database_.add_session(12, "random")));
    QVERIFY(!with_content().contains(QStringLiteral("Knobs")));
  }

  void cleanupTestCase() { workspace::JobTracker::wait_for_all(); }
};

KERNELSCAPE_TEST(ExploreFirstPageTest, QApplication)

}  // namespace kernelscape::explore_first_page_test

#include "explore_first_page_test.moc"
