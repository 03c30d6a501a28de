#include "ui/report/study_sections.h"

#include <algorithm>
#include <cmath>

#include "core/analysis/comparison/testability.h"
#include "ui/models/comparison_model.h"
#include "ui/report/reported_session.h"
#include "ui/style/numbers.h"

namespace kernelscape::report {
namespace {

bool optima_known(const analysis::ComparedRuns& runs) {
  return std::ranges::all_of(runs.tasks, &analysis::ComparedTask::optimum_known);
}

QString arm_name(const analysis::ComparedRuns& runs, std::size_t arm) {
  return report_string(runs.arms[arm].name);
}

/** A column of the Compare view's table, with its title in the report. */
struct WrittenColumn {
  QString title;
  models::ComparisonModel::Column column;
  analysis::CompareAxis axis = analysis::CompareAxis::Seconds;
};

std::vector<WrittenColumn> quality_columns(bool known) {
  return {
      {QStringLiteral("runs"), models::ComparisonModel::RunsColumn},
      {known ? QStringLiteral("% of optimum") : QStringLiteral("% of best found"),
       models::ComparisonModel::ShareColumn},
      {QStringLiteral("to 90 %"), models::ComparisonModel::Goal90Column},
      {QStringLiteral("to 95 %"), models::ComparisonModel::Goal95Column},
      {QStringLiteral("to 99 %"), models::ComparisonModel::Goal99Column},
      {QStringLiteral("area, time"), models::ComparisonModel::AreaColumn},
      {QStringLiteral("to 95 %, trials"), models::ComparisonModel::Goal95Column,
       analysis::CompareAxis::Trials},
      {QStringLiteral("area, trials"), models::ComparisonModel::AreaColumn, analysis::CompareAxis::Trials},
      {QStringLiteral("score"), models::ComparisonModel::ScoreColumn},
      {QStringLiteral("random phase"), models::ComparisonModel::RandomColumn}};
}

/** Returns the rows over all tasks, or the rows within each task, judged by a measure. */
models::JudgedRows judged_rows_of(const ReportedStudy& study, const analysis::ComparisonTable& compared,
                                  bool within_tasks, const analysis::ComparedMeasure& measure,
                                  analysis::CompareAxis axis) {
  models::JudgedRows rows = models::judged_rows(study.compared, compared, measure, axis);
  rows.erase_if([&](const analysis::ComparisonRow& row) { return row.task.has_value() != within_tasks; });
  return rows;
}

/**
 * Returns rows in the format of the Compare view. Cells with intervals may be broken into lines, so they are
 * not right-aligned numbers.
 */
Table comparison_rows(const ReportedStudy& study, const analysis::ComparisonTable& compared,
                      bool within_tasks, const std::vector<WrittenColumn>& columns) {
  models::ComparisonModel by_seconds;
  models::ComparisonModel by_trials;
  by_seconds.set_rows(judged_rows_of(study, compared, within_tasks, {}, analysis::CompareAxis::Seconds));
  by_trials.set_rows(judged_rows_of(study, compared, within_tasks, {}, analysis::CompareAxis::Trials));
  Table table;
  for (const WrittenColumn& column : columns)
    table.columns.push_back({column.title, column.column == models::ComparisonModel::RunsColumn});
  for (int row = 0; row < by_seconds.rowCount(); ++row) {
    QStringList& cells = table.rows.emplace_back();
    for (const WrittenColumn& column : columns)
      cells << (column.axis == analysis::CompareAxis::Seconds ? by_seconds : by_trials)
                   .index(row, column.column)
                   .data()
                   .toString();
  }
  return table;
}

/** Tests within tasks are many: they are limited to final performance, score, and time to 95 %. */
std::vector<analysis::ComparedMeasure> tested_measures(bool within_tasks) {
  if (!within_tasks) return analysis::compared_measures();
  return {{analysis::CompareBy::FinalPerformance},
          {analysis::CompareBy::Score},
          {analysis::CompareBy::SecondsToGoal},
          {analysis::CompareBy::TrialsToGoal}};
}

/**
 * Returns every test against the baseline with its interval, effect and verdict, and the reason if a test is
 * not possible. A score that no task has is left out.
 */
Table verdict_table(const ReportedStudy& study, const analysis::ComparisonTable& compared,
                    bool within_tasks) {
  Table table;
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
  for (const analysis::ComparedMeasure& measure : tested_measures(within_tasks)) {
    const models::JudgedRows rows =
        judged_rows_of(study, compared, within_tasks, measure, analysis::CompareAxis::Seconds);
    models::ComparisonModel model;
    model.set_rows(rows);
    for (int place = 0; place < model.rowCount(); ++place) {
      const analysis::ComparisonRow& row = model.row(place);
      const bool scored = measure.by != analysis::CompareBy::Score || std::isfinite(row.score);
      if (row.arm == compared.baseline || !scored) continue;
      const auto cell = [&](int column) { return model.index(place, column).data().toString(); };
      QStringList& cells = table.rows.emplace_back();
      if (within_tasks) cells << cell(models::ComparisonModel::TaskColumn);
      cells << cell(models::ComparisonModel::ArmColumn) << models::measure_text(measure)
            << models::judged_number_text(row, measure) << cell(models::ComparisonModel::DifferenceColumn)
            << cell(models::ComparisonModel::PColumn) << cell(models::ComparisonModel::EffectColumn)
            << cell(models::ComparisonModel::VerdictColumn);
    }
  }
  return table;
}

Table overall_table(const ReportedStudy& study, const analysis::ComparisonTable& compared) {
  std::vector<WrittenColumn> columns = quality_columns(optima_known(*study.compared));
  columns.insert(columns.begin(), {QStringLiteral("tuner"), models::ComparisonModel::ArmColumn});
  Table table = comparison_rows(study, compared, false, columns);
  table.caption = QStringLiteral("Over all tasks");
  return table;
}

Table task_table(const ReportedStudy& study, const analysis::ComparisonTable& compared) {
  std::vector<WrittenColumn> columns = quality_columns(optima_known(*study.compared));
  columns.insert(columns.begin(), {{QStringLiteral("task"), models::ComparisonModel::TaskColumn},
                                   {QStringLiteral("tuner"), models::ComparisonModel::ArmColumn},
                                   {QStringLiteral("mean best"), models::ComparisonModel::FinalColumn}});
  Table table = comparison_rows(study, compared, true, columns);
  table.caption = QStringLiteral("Within each task");
  return table;
}

/** Appends the verdicts over all tasks, and the reasons that prevent verdicts. */
void append_verdicts(std::vector<Block>& blocks, const ReportedStudy& study,
                     const analysis::ComparisonTable& compared) {
  // For a single task, the tests are those within the task.
  Table verdicts = study.compared->tasks.size() > 1 ? verdict_table(study, compared, false) : Table();
  const std::vector<std::string> hindrances = analysis::blocking_reason(*study.compared, compared);
  if (verdicts.rows.empty() && hindrances.empty()) return;
  blocks.emplace_back(Heading{3, QStringLiteral("Verdicts")});
  for (const std::string& hindrance : hindrances)
    blocks.emplace_back(Paragraph{report_string(hindrance), Tone::Notice});
  if (verdicts.rows.empty()) return;
  verdicts.caption =
      QStringLiteral("Over all tasks, against %1").arg(arm_name(*study.compared, study.baseline));
  blocks.emplace_back(std::move(verdicts));
}

void append_how_to_read(std::vector<Block>& blocks, const analysis::ComparedRuns& runs,
                        std::size_t baseline) {
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
          .arg(arm_name(runs, baseline), style::format_number(analysis::significance_level));
  blocks.emplace_back(Heading{3, QStringLiteral("How to read the tables")});
  blocks.emplace_back(Paragraph{text, Tone::Muted});
}

}  // namespace

void append_comparison(std::vector<Block>& blocks, const ReportedStudy& study,
                       const workspace::JobControl& control) {
  const analysis::ComparedRuns& runs = *study.compared;
  if (runs.runs.empty()) {
    blocks.emplace_back(
        Paragraph{QStringLiteral("No run has begun: there is nothing to compare yet."), Tone::Notice});
    return;
  }
  const analysis::ComparisonTable compared = analysis::comparison_table(runs, study.baseline);
  blocks.emplace_back(Heading{2, QStringLiteral("Results")});
  blocks.emplace_back(overall_table(study, compared));
  append_verdicts(blocks, study, compared);
  const figures::Source source{.runs = study.compared, .choice = {.baseline = study.baseline}};
  append_figures(blocks, {}, figures::ReportPart::Comparison, source, control);
  append_figures(blocks, QStringLiteral("Over tasks"), figures::ReportPart::OverTasks, source, control);
  if (runs.tasks.size() > 1 &&
      append_figures(blocks, QStringLiteral("Per task"), figures::ReportPart::Tasks, source, control))
    blocks.emplace_back(Paragraph{QStringLiteral("As in NoSE, figure 8."), Tone::Muted});
  blocks.emplace_back(Heading{2, QStringLiteral("Statistical tests")});
  blocks.emplace_back(task_table(study, compared));
  if (Table tests = verdict_table(study, compared, true); !tests.rows.empty()) {
    tests.caption = QStringLiteral("Tests within each task, against %1").arg(arm_name(runs, study.baseline));
    blocks.emplace_back(std::move(tests));
  }
  append_how_to_read(blocks, runs, study.baseline);
}

}  // namespace kernelscape::report
