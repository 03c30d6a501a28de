#include "ui/views/compare/compare_status.h"

#include <QTest>
#include <vector>

#include "tests/gui/gui_support.h"
#include "tests/gui/study_gui_support.h"
#include "tests/test_program.h"

namespace kernelscape::compare_status_test {
namespace {

analysis::ComparedRun run(const std::string& error) {
  analysis::ComparedRun run;
  run.error = error;
  return run;
}

/** Two tuners and two runs, of which none is hidden, with numbers. */
views::CompareStatus shown(const analysis::ComparedRuns& runs) {
  return {.chosen = true, .runs = &runs, .computed = true};
}

QString headline(const views::CompareStatus& status) {
  const std::optional<views::CompareNotice> notice = views::compare_notice(status);
  return notice ? notice->headline : QString();
}

}  // namespace

class CompareStatusTest : public QObject {
  Q_OBJECT

 private slots:
  void numbers_are_shown_unless_something_hides_them() {
    analysis::ComparedRuns runs;
    runs.arms.resize(2);
    runs.runs = {run({}), run("the disk is full")};
    QCOMPARE(headline(shown(runs)), QString());
    views::CompareStatus status = shown(runs);
    status.computed = false;
    QCOMPARE(headline(status), QStringLiteral("Computing ..."));
    status.hidden_runs = 2;
    QCOMPARE(headline(status), QStringLiteral("Every run is excluded"));
    status.hidden_arms = 2;
    QCOMPARE(headline(status), QStringLiteral("Every tuner is hidden"));
    status.failure = QStringLiteral("the disk is gone");
    QCOMPARE(headline(status), QStringLiteral("The study can't be read"));
    QCOMPARE(views::compare_notice(status)->text, status.failure);
    status.chosen = false;
    QCOMPARE(headline(status), QStringLiteral("No study yet"));
  }

  void runs_without_trials_are_explained() {
    analysis::ComparedRuns runs;
    runs.arms.resize(2);
    views::CompareStatus status = shown(runs);
    QCOMPARE(headline(status), QStringLiteral("No run has begun"));
    QCOMPARE(views::compare_notice(status)->action, QStringLiteral("Resume"));
    status.ours = true;
    QCOMPARE(headline(status), QStringLiteral("No run has begun"));
    QVERIFY(views::compare_notice(status)->action.isEmpty());
    runs.runs = {run("the disk is full"), run("the disk is full")};
    QCOMPARE(headline(status), QStringLiteral("Every run failed"));
    QVERIFY(views::compare_notice(status)->text.contains(QStringLiteral("the disk is full")));
    status.runs = nullptr;
    QCOMPARE(headline(status), QStringLiteral("Reading ..."));
  }

  void a_stored_study_can_be_resumed_unless_a_process_runs_it() {
    const gui_tests::Database database;
    const store::StudyId id = gui_tests::add_study(database.path(), gui_tests::small_study());
    const store::Store store = *store::Store::open(database.path());
    store::StudySummary study = *store.studies().get(id);
    const workspace::StudyRunner runner(database.path(), gui_tests::run_scripted);
    study.done_runs = study.record.run_count - 1;
    const views::StudyProgress stopped = views::study_progress(study, runner);
    QVERIFY(stopped.resumable);
    QVERIFY(!stopped.ours);
    QCOMPARE(stopped.text,
             QStringLiteral("%1 of %2 runs, stopped").arg(study.done_runs).arg(study.done_runs + 1));
    study.failed_runs = 1;
    QVERIFY(views::study_progress(study, runner).text.endsWith(QStringLiteral("runs, 1 failed")));
    study.done_runs = study.record.run_count;
    QVERIFY(!views::study_progress(study, runner).resumable);
  }
};

KERNELSCAPE_TEST(CompareStatusTest, QCoreApplication)

}  // namespace kernelscape::compare_status_test
#include "compare_status_test.moc"
