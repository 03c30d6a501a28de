#include "ui/models/comparison_model.h"

#include <QAbstractItemModelTester>
#include <QApplication>
#include <QTest>
#include <cmath>

#include "tests/analysis/compared_runs_support.h"
#include "tests/test_program.h"

namespace kernelscape::comparison_model_test {
namespace {

constexpr analysis::ComparedMeasure trials_to_95{analysis::CompareBy::TrialsToGoal, 1};

/** Two tuners and a control on one task. */
std::shared_ptr<const analysis::ComparedRuns> three_arms() {
  auto runs = std::make_shared<analysis::ComparedRuns>(empty_comparison(3, 1));
  runs->arms[1].name = "ga@8";
  runs->arms[1].batch = 8;
  runs->arms[1].random_phase = 50;
  runs->arms[2].name = "random@8";
  runs->arms[2].batch = 8;
  runs->arms[2].control = true;
  runs->arms[2].random_phase = analysis::all_trials_random_phase;
  runs->tasks[0].noise = 0.02;
  runs->tasks[0].floating_flops = true;
  return runs;
}

/** Of the second arm: ahead by trials, with a goal that is within the noise. */
analysis::ComparisonRow row_ahead() {
  analysis::ComparisonRow row;
  row.arm = 1;
  row.task = 0;
  row.runs = 5;
  row.mean_final = 341;
  row.mean_final_interval = analysis::ConfidenceInterval{330, 350};
  row.final_share = 0.97;
  row.share_interval = analysis::ConfidenceInterval{0.96, 0.98};
  row.score = std::nan("");
  row.trials = 400;
  row.random_trials = 50;
  row.test = analysis::RunsTest{.p = 0.3, .corrected_p = 0.6, .a12 = 0.6};
  for (std::size_t goal = 0; goal < analysis::goal_shares.size(); ++goal) {
    row.goals[goal].share = analysis::goal_shares[goal];
    row.goals[goal].runs = 5;
  }
  analysis::GoalReached& goal = row.goals[1];
  goal.reached = 4;
  goal.median_seconds = HUGE_VAL;
  goal.median_trials = 142;
  goal.trials_interval = analysis::ConfidenceInterval{120, HUGE_VAL};
  goal.trials_ratio = analysis::RatioToBaseline{0.62, analysis::ConfidenceInterval{0.5, 0.81}};
  goal.trials_test = analysis::RunsTest{.p = 0.008, .corrected_p = 0.031, .a12 = 0.9};
  row.goals[2].within_noise = true;
  return row;
}

models::JudgedRows judged(std::vector<analysis::ComparisonRow> rows,
                          const analysis::ComparedMeasure& measure = trials_to_95) {
  models::JudgedRows judged{.runs = three_arms(), .axis = analysis::CompareAxis::Trials, .measure = measure};
  for (analysis::ComparisonRow& row : rows) {
    judged.verdicts.push_back(row.arm == 0 ? QStringLiteral("baseline") : QStringLiteral("ahead"));
    judged.rows.push_back(std::move(row));
  }
  return judged;
}

QString text_of(const models::ComparisonModel& model, int row, int column) {
  return model.index(row, column).data().toString();
}

QString tip_of(const models::ComparisonModel& model, int row, int column) {
  return model.index(row, column).data(Qt::ToolTipRole).toString();
}

}  // namespace

class ComparisonModelTest : public QObject {
  Q_OBJECT

 private slots:
  void cells_have_intervals_tests_and_verdicts() {
    models::ComparisonModel model;
    const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    analysis::ComparisonRow baseline;
    baseline.task = 0;
    analysis::ComparisonRow control;
    control.arm = 2;
    control.task = 0;
    control.runs = 5;
    model.set_rows(judged({baseline, row_ahead(), control}));
    QCOMPARE(text_of(model, 1, models::ComparisonModel::ArmColumn), QStringLiteral("ga@8"));
    QVERIFY(tip_of(model, 1, models::ComparisonModel::ArmColumn).contains(QStringLiteral("batches of 8")));
    QCOMPARE(text_of(model, 2, models::ComparisonModel::ArmColumn), QStringLiteral("random@8 (control)"));
    QCOMPARE(text_of(model, 0, models::ComparisonModel::RandomColumn), QStringLiteral("none"));
    QCOMPARE(text_of(model, 1, models::ComparisonModel::RandomColumn), QStringLiteral("50 of 400"));
    QCOMPARE(text_of(model, 2, models::ComparisonModel::RandomColumn), QStringLiteral("all"));
    QCOMPARE(text_of(model, 1, models::ComparisonModel::FinalColumn),
             QStringLiteral("341 GFLOPS [330, 350]"));
    QCOMPARE(text_of(model, 1, models::ComparisonModel::ShareColumn), QStringLiteral("97 % [96 %, 98 %]"));
    QCOMPARE(text_of(model, 1, models::ComparisonModel::Goal95Column), QStringLiteral("142 [120, ∞] (4/5)"));
    QCOMPARE(text_of(model, 1, models::ComparisonModel::Goal99Column), QStringLiteral("–"));
    QVERIFY(tip_of(model, 1, models::ComparisonModel::Goal99Column).contains(QStringLiteral("not offered")));
    QVERIFY(tip_of(model, 1, models::ComparisonModel::Goal99Column).contains(QStringLiteral("noise (2 %)")));
    QCOMPARE(text_of(model, 1, models::ComparisonModel::ScoreColumn), QStringLiteral("–"));
    QCOMPARE(text_of(model, 1, models::ComparisonModel::DifferenceColumn),
             QStringLiteral("0.62 x [0.5 x, 0.81 x]"));
    QCOMPARE(text_of(model, 1, models::ComparisonModel::PColumn), QStringLiteral("0.031"));
    QCOMPARE(text_of(model, 1, models::ComparisonModel::EffectColumn), QStringLiteral("0.9"));
    QCOMPARE(text_of(model, 1, models::ComparisonModel::VerdictColumn), QStringLiteral("ahead"));
    QCOMPARE(text_of(model, 0, models::ComparisonModel::PColumn), QStringLiteral("baseline"));
    const QString tip = tip_of(model, 1, models::ComparisonModel::VerdictColumn);
    QVERIFY2(tip.contains(QStringLiteral("trials to 95 %: 0.031 (uncorrected 0.008), A12 0.9")),
             qPrintable(tip));
    QVERIFY2(tip.contains(QStringLiteral("final performance: 0.6 (uncorrected 0.3), A12 0.6")),
             qPrintable(tip));
    QVERIFY(model.headerData(models::ComparisonModel::VerdictColumn, Qt::Horizontal)
                .toString()
                .contains(QStringLiteral("trials to 95 %")));
    model.set_rows(judged({baseline, row_ahead()}, {analysis::CompareBy::FinalPerformance}));
    QCOMPARE(text_of(model, 1, models::ComparisonModel::PColumn), QStringLiteral("0.6"));
    QVERIFY(model.headerData(models::ComparisonModel::VerdictColumn, Qt::Horizontal)
                .toString()
                .contains(QStringLiteral("final performance")));
  }

  void what_cannot_be_tested_says_so() {
    analysis::ComparisonRow row = row_ahead();
    row.goals[1].trials_test->can_be_significant = false;
    QCOMPARE(models::corrected_p_text(row, trials_to_95), QStringLiteral("underpowered"));
    row.goals[1].trials_test->all_equal = true;
    QCOMPARE(models::corrected_p_text(row, trials_to_95), QStringLiteral("no difference"));
    QCOMPARE(models::corrected_p_text(row, {analysis::CompareBy::SecondsToGoal, 1}), QStringLiteral("–"));
    QCOMPARE(models::judged_number_text(row, {analysis::CompareBy::TrialsToGoal, 2}), QStringLiteral("–"));
    QCOMPARE(models::judged_number_text(row, {analysis::CompareBy::SecondsToGoal, 1}), QStringLiteral("∞"));
    row.task.reset();
    QCOMPARE(models::corrected_p_text(row, {analysis::CompareBy::FinalPerformance}), QStringLiteral("–"));
    row.tasks_test = analysis::TasksTest{.p = 0.25, .corrected_p = 1, .tasks = 3, .effect = 1};
    row.tasks_test->can_be_significant = false;
    QCOMPARE(models::corrected_p_text(row, {analysis::CompareBy::FinalPerformance}),
             QStringLiteral("needs more tasks"));
    QCOMPARE(models::effect_text(row, {analysis::CompareBy::FinalPerformance}), QStringLiteral("+1"));
  }

  void verdicts_are_lines_with_their_blocking_reason() {
    analysis::ComparisonRow baseline;
    baseline.task = 0;
    const QStringList lines =
        models::verdict_lines(judged({baseline, row_ahead()}), {"Two runs are missing."});
    QCOMPARE(lines, (QStringList{QStringLiteral("ga@8 against arm 0, trials to 95 %: ahead"),
                                 QStringLiteral("Two runs are missing.")}));
    QVERIFY(models::verdict_lines(judged({baseline}), {}).isEmpty());
  }

  void rows_go_with_their_verdicts() {
    analysis::ComparisonRow baseline;
    baseline.task = 0;
    models::JudgedRows rows = judged({baseline, row_ahead()});
    rows.erase_if([](const analysis::ComparisonRow& row) { return row.arm == 0; });
    QCOMPARE(rows.rows.size(), std::size_t{1});
    QCOMPARE(rows.verdicts, std::vector<QString>{QStringLiteral("ahead")});
  }
};

KERNELSCAPE_TEST(ComparisonModelTest, QApplication)

}  // namespace kernelscape::comparison_model_test
#include "comparison_model_test.moc"
