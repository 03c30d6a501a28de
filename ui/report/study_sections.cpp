#include "ui/report/study_sections.h"

#include <algorithm>
#include <iterator>

#include "core/analysis/comparison/comparison_table.h"
#include "ui/models/comparison_model.h"
#include "ui/report/reported_session.h"
#include "ui/style/numbers.h"

namespace kernelscape {
namespace {

bool optima_known(const ComparedRuns& runs) {
  return std::ranges::all_of(runs.tasks, &ComparedTask::optimum_known);
}

QString arm_name(const ComparedRuns& runs, std::size_t arm) { return report_string(runs.arms[arm].name); }

/** A column of Compare's table, under a title of the report's. */
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
          {QStringLiteral("area, trials"), ComparisonModel::AreaColumn, CompareAxis::Trials},
          {QStringLiteral("score"), ComparisonModel::ScoreColumn}};
}

/** The rows over all tasks, or those within each, as Compare writes them. */
ReportTable comparison_rows(const ReportedStudy& study, const ComparisonTable& compared, bool within_tasks,
                            const std::vector<WrittenColumn>& columns) {
  std::vector<ComparisonRow> rows;
  std::ranges::copy_if(compared.rows, std::back_inserter(rows),
                       [&](const ComparisonRow& row) { return row.task.has_value() == within_tasks; });
  ComparisonModel by_seconds;
  ComparisonModel by_trials;
  by_seconds.set_rows(study.compared, rows, compared.baseline, CompareAxis::Seconds);
  by_trials.set_rows(study.compared, rows, compared.baseline, CompareAxis::Trials);
  ReportTable table;
  for (const WrittenColumn& column : columns)
    table.columns.push_back({column.title, column.column > ComparisonModel::TaskColumn});
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

ReportTable overall_table(const ReportedStudy& study, const ComparisonTable& compared) {
  std::vector<WrittenColumn> columns = quality_columns(optima_known(*study.compared));
  columns.insert(columns.begin(), {QStringLiteral("tuner"), ComparisonModel::ArmColumn});
  columns.push_back({QStringLiteral("Wilcoxon p"), ComparisonModel::WilcoxonColumn});
  ReportTable table = comparison_rows(study, compared, false, columns);
  table.caption = QStringLiteral("Over all tasks");
  return table;
}

ReportTable task_table(const ReportedStudy& study, const ComparisonTable& compared) {
  std::vector<WrittenColumn> columns = quality_columns(optima_known(*study.compared));
  columns.insert(columns.begin(), {{QStringLiteral("task"), ComparisonModel::TaskColumn},
                                   {QStringLiteral("tuner"), ComparisonModel::ArmColumn},
                                   {QStringLiteral("mean best"), ComparisonModel::FinalColumn}});
  columns.push_back({QStringLiteral("p"), ComparisonModel::PColumn});
  columns.push_back({QStringLiteral("A12"), ComparisonModel::A12Column});
  ReportTable table = comparison_rows(study, compared, true, columns);
  table.caption = QStringLiteral("Within each task");
  return table;
}

void append_how_to_read(std::vector<ReportBlock>& blocks, const ComparedRuns& runs, std::size_t baseline) {
  QString text = optima_known(runs)
                     ? QStringLiteral(
                           "\"% of optimum\" is the speed of a run's best over that of the fastest member of "
                           "the space, which is known because every member was measured. ")
                     : QStringLiteral(
                           "\"% of best found\" is the speed of a run's best over the best that any run of "
                           "this study found: of one task or more the true optimum is not known. ");
  text += QStringLiteral(
      "\"To x %\" is the median time until a run got there, with how many did; a run that did not counts as "
      "infinity. \"Area\" is the mean share over the time (the trials) from 0 to the end of the longest run. "
      "\"Score\" is 0 for the expected random search and 1 for the optimum at once; it needs every member's "
      "time. ");
  text += QStringLiteral(
              "p within a task is a two-sided Mann-Whitney test of the final speeds against %1, corrected by "
              "Holm over all tests of the table; below %2 a difference is called significant. A12 is the "
              "chance that a run ends better than one of %1: 0.5 is no difference, 0.71 or 0.29 a large one. "
              "\"Needs more seeds\" stands where no outcome could pass the correction. Over all tasks p is "
              "Wilcoxon's signed rank of the tasks' differences, not corrected. Failed and unfinished runs "
              "are in no number of the tables.")
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
  blocks.emplace_back(ReportHeading{2, QStringLiteral("What came out")});
  blocks.emplace_back(overall_table(study, compared));
  const FigureSource source{.runs = study.compared, .choice = {.baseline = study.baseline}};
  append_figures(blocks, {}, ReportPart::Comparison, source, control);
  if (runs.tasks.size() > 1 &&
      append_figures(blocks, QStringLiteral("Task by task"), ReportPart::Tasks, source, control))
    blocks.emplace_back(ReportParagraph{QStringLiteral("As NoSE, figure 8."), ReportTone::Muted});
  blocks.emplace_back(ReportHeading{2, QStringLiteral("Is it more than chance?")});
  blocks.emplace_back(task_table(study, compared));
  append_how_to_read(blocks, runs, study.baseline);
}

}  // namespace kernelscape
