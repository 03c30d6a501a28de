#include "ui/report/study_sections.h"

#include <algorithm>
#include <cmath>

#include "core/analysis/comparison/testability.h"
#include "ui/models/comparison_model.h"
#include "ui/report/reported_session.h"
#include "ui/style/numbers.h"

namespace kernelscape {
namespace {

bool optima_known(const ComparedRuns& runs) {
  return std::ranges::all_of(runs.tasks, &ComparedTask::optimum_known);
}

QString arm_name(const ComparedRuns& runs, std::size_t arm) { return report_string(runs.arms[arm].name); }

/** A column of the Compare view's table, with its title in the report. */
struct WrittenColumn {
  QString title;
  ComparisonModel::Column column;
  CompareAxis axis = CompareAxis::Seconds;
};

std::vector<WrittenColumn> quality_columns(bool known) {
  return {{QStringLiteral("runs"), ComparisonModel::RunsColumn},
          {known ? QStringLiteral("% of optimum") : QStringLiteral("% of best found"),
           ComparisonModel::ShareColumn},
          {QStringLiteral("to 90 %"), ComparisonModel::Goal90Column},
          {QStringLiteral("to 95 %"), ComparisonModel::Goal95Column},
          {QStringLiteral("to 99 %"), ComparisonModel::Goal99Column},
          {QStringLiteral("area, time"), ComparisonModel::AreaColumn},
          {QStringLiteral("to 95 %, trials"), ComparisonModel::Goal95Column, CompareAxis::Trials},
          {QStringLiteral("area, trials"), ComparisonModel::AreaColumn, CompareAxis::Trials},
          {QStringLiteral("score"), ComparisonModel::ScoreColumn},
          {QStringLiteral("random phase"), ComparisonModel::RandomColumn}};
}

/** Returns the rows over all tasks, or the rows within each task, judged by a measure. */
JudgedRows judged_rows_of(const ReportedStudy& study, const ComparisonTable& compared, bool within_tasks,
                          const ComparedMeasure& measure, CompareAxis axis) {
  JudgedRows rows = judged_rows(study.compared, compared, measure, axis);
  rows.erase_if([&](const ComparisonRow& row) { return row.task.has_value() != within_tasks; });
  return rows;
}

/**
 * Returns rows in the format of the Compare view. Cells with intervals may be broken into lines, so they are
 * not right-aligned numbers.
 */
ReportTable comparison_rows(const ReportedStudy& study, const ComparisonTable& compared, bool within_tasks,
                            const std::vector<WrittenColumn>& columns) {
  ComparisonModel by_seconds;
  ComparisonModel by_trials;
  by_seconds.set_rows(judged_rows_of(study, compared, within_tasks, {}, CompareAxis::Seconds));
  by_trials.set_rows(judged_rows_of(study, compared, within_tasks, {}, CompareAxis::Trials));
  ReportTable table;
  for (const WrittenColumn& column : columns)
    table.columns.push_back({column.title, column.column == ComparisonModel::RunsColumn});
  for (int row = 0; row < by_seconds.rowCount(); ++row) {
    QStringList& cells = table.rows.emplace_back();
    for (const WrittenColumn& column : columns)
      cells << (column.axis == CompareAxis::Seconds ? by_seconds : by_trials)
                   .index(row, column.column)
                   .data()
                   .toString();
  }
  return table;
}

/** Tests within tasks are many: they are limited to final performance, score, and time to 95 %. */
std::vector<ComparedMeasure> tested_measures(bool within_tasks) {
  if (!within_tasks) return compared_measures();
  return {{CompareBy::FinalPerformance},
          {CompareBy::Score},
          {CompareBy::SecondsToGoal},
          {CompareBy::TrialsToGoal}};
}

/**
 * Returns every test against the baseline with its interval, effect and verdict, and the reason if a test is
 * not possible. A score that no task has is left out.
 */
ReportTable verdict_table(const ReportedStudy& study, const ComparisonTable& compared, bool within_tasks) {
  ReportTable table;
  if (within_tasks) table.columns.push_back({QStringLiteral("task")});
  table.columns.insert(
      table.columns.end(),
      {{QStringLiteral("tuner")},
       {QStringLiteral("by")},
       {QStringLiteral("number")},
       {QStringLiteral("against the baseline")},
       {QStringLiteral("p"), true},
       {within_tasks && !compared.paired_starts ? QStringLiteral("A12") : QStringLiteral("effect"), true},
       {QStringLiteral("verdict")}});
  for (const ComparedMeasure& measure : tested_measures(within_tasks)) {
    const JudgedRows rows = judged_rows_of(study, compared, within_tasks, measure, CompareAxis::Seconds);
    ComparisonModel model;
    model.set_rows(rows);
    for (int place = 0; place < model.rowCount(); ++place) {
      const ComparisonRow& row = model.row(place);
      const bool scored = measure.by != CompareBy::Score || std::isfinite(row.score);
      if (row.arm == compared.baseline || !scored) continue;
      const auto cell = [&](int column) { return model.index(place, column).data().toString(); };
      QStringList& cells = table.rows.emplace_back();
      if (within_tasks) cells << cell(ComparisonModel::TaskColumn);
      cells << cell(ComparisonModel::ArmColumn) << measure_text(measure) << judged_number_text(row, measure)
            << cell(ComparisonModel::DifferenceColumn) << cell(ComparisonModel::PColumn)
            << cell(ComparisonModel::EffectColumn) << cell(ComparisonModel::VerdictColumn);
    }
  }
  return table;
}

ReportTable overall_table(const ReportedStudy& study, const ComparisonTable& compared) {
  std::vector<WrittenColumn> columns = quality_columns(optima_known(*study.compared));
  columns.insert(columns.begin(), {QStringLiteral("tuner"), ComparisonModel::ArmColumn});
  ReportTable table = comparison_rows(study, compared, false, columns);
  table.caption = QStringLiteral("Over all tasks");
  return table;
}

ReportTable task_table(const ReportedStudy& study, const ComparisonTable& compared) {
  std::vector<WrittenColumn> columns = quality_columns(optima_known(*study.compared));
  columns.insert(columns.begin(), {{QStringLiteral("task"), ComparisonModel::TaskColumn},
                                   {QStringLiteral("tuner"), ComparisonModel::ArmColumn},
                                   {QStringLiteral("mean best"), ComparisonModel::FinalColumn}});
  ReportTable table = comparison_rows(study, compared, true, columns);
  table.caption = QStringLiteral("Within each task");
  return table;
}

/** Appends the verdicts over all tasks, and the reasons that prevent verdicts. */
void append_verdicts(std::vector<ReportBlock>& blocks, const ReportedStudy& study,
                     const ComparisonTable& compared) {
  // For a single task, the tests are those within the task.
  ReportTable verdicts =
      study.compared->tasks.size() > 1 ? verdict_table(study, compared, false) : ReportTable();
  const std::vector<std::string> hindrances = blocking_reason(*study.compared, compared);
  if (verdicts.rows.empty() && hindrances.empty()) return;
  blocks.emplace_back(ReportHeading{3, QStringLiteral("Verdicts")});
  for (const std::string& hindrance : hindrances)
    blocks.emplace_back(ReportParagraph{report_string(hindrance), ReportTone::Notice});
  if (verdicts.rows.empty()) return;
  verdicts.caption =
      QStringLiteral("Over all tasks, against %1").arg(arm_name(*study.compared, study.baseline));
  blocks.emplace_back(std::move(verdicts));
}

void append_how_to_read(std::vector<ReportBlock>& blocks, const ComparedRuns& runs, std::size_t baseline) {
  QString text =
      optima_known(runs)
          ? QStringLiteral(
                "\"% of optimum\" is the speed of a run's best over that of the fastest configuration of the "
                "space, which is known because every feasible configuration was measured. ")
          : QStringLiteral(
                "\"% of best found\" is the speed of a run's best over the best that any run of this study "
                "found, because the true optimum of at least one task is not known. ");
  text += QStringLiteral(
      "\"To x %\" is the median time until a run reached the goal, with the number of runs that did; a run "
      "that did not counts as infinity. A dash means that the goal is nearer to the optimum than the "
      "measurement noise. \"Area\" is the mean share over the time (the trials) from 0 to the end of the "
      "longest run. \"Score\" is 0 for the expected random search and 1 for the optimum at once; it needs "
      "the time of every configuration. \"Random phase\" is the number of trials of a run that were drawn "
      "before the tuner used what it had learnt. Square brackets hold 95 % intervals by bootstrap over runs, "
      "in rows over all tasks over tasks as well. ");
  if (runs.paired_starts)
    text += QStringLiteral(
        "Starts are paired: within a task the runs of a repeat are compared with each other, by Wilcoxon's "
        "signed rank test instead of the Mann-Whitney test; the effect is the rank correlation of the pairs, "
        "and bootstrap intervals draw the same repeats for all tuners. ");
  text +=
      QStringLiteral(
          "p within a task is from a two-sided Mann-Whitney test against %1, over all tasks from Wilcoxon's "
          "signed rank test of the tasks' differences, each corrected by Holm over all such tests; a "
          "difference is called significant if p is at most %2. A12 is the probability that a run is better "
          "than one of %1: 0.5 is no difference, 0.71 or 0.29 a large one; the effect over tasks is 1 if the "
          "tuner is better on all of them and -1 if it is worse. \"Underpowered\" means that no outcome "
          "could pass the correction: more repeats are needed. \"Not decided\" does not mean that there is "
          "no difference. Failed and unfinished runs are excluded from all numbers of the tables.")
          .arg(arm_name(runs, baseline), format_number(significance_level));
  blocks.emplace_back(ReportHeading{3, QStringLiteral("How to read the tables")});
  blocks.emplace_back(ReportParagraph{text, ReportTone::Muted});
}

}  // namespace

void append_comparison(std::vector<ReportBlock>& blocks, const ReportedStudy& study,
                       const JobControl& control) {
  const ComparedRuns& runs = *study.compared;
  if (runs.runs.empty()) {
    blocks.emplace_back(ReportParagraph{QStringLiteral("No run has begun: there is nothing to compare yet."),
                                        ReportTone::Notice});
    return;
  }
  const ComparisonTable compared = comparison_table(runs, study.baseline);
  blocks.emplace_back(ReportHeading{2, QStringLiteral("Results")});
  blocks.emplace_back(overall_table(study, compared));
  append_verdicts(blocks, study, compared);
  const FigureSource source{.runs = study.compared, .choice = {.baseline = study.baseline}};
  append_figures(blocks, {}, ReportPart::Comparison, source, control);
  append_figures(blocks, QStringLiteral("Over tasks"), ReportPart::OverTasks, source, control);
  if (runs.tasks.size() > 1 &&
      append_figures(blocks, QStringLiteral("Per task"), ReportPart::Tasks, source, control))
    blocks.emplace_back(ReportParagraph{QStringLiteral("As in NoSE, figure 8."), ReportTone::Muted});
  blocks.emplace_back(ReportHeading{2, QStringLiteral("Statistical tests")});
  blocks.emplace_back(task_table(study, compared));
  if (ReportTable tests = verdict_table(study, compared, true); !tests.rows.empty()) {
    tests.caption = QStringLiteral("Tests within each task, against %1").arg(arm_name(runs, study.baseline));
    blocks.emplace_back(std::move(tests));
  }
  append_how_to_read(blocks, runs, study.baseline);
}

}  // namespace kernelscape
