#include "ui/report/study_sections.h"

#include <algorithm>
#include <cmath>

#include "core/analysis/comparison/comparison_table.h"
#include "ui/report/reported_session.h"
#include "ui/style/numbers.h"

namespace kernelscape {
namespace {

constexpr int score_digits = 3;

bool optima_known(const ComparedRuns& runs) {
  return std::ranges::all_of(runs.tasks, &ComparedTask::optimum_known);
}

QString arm_name(const ComparedRuns& runs, std::size_t arm) { return report_string(runs.arms[arm].name); }

QString runs_text(const ComparisonRow& row) {
  QString text = format_count(static_cast<std::int64_t>(row.runs));
  if (row.unfinished > 0)
    text += QStringLiteral(" + %1 unfinished").arg(format_count(static_cast<std::int64_t>(row.unfinished)));
  if (row.failed > 0)
    text += QStringLiteral(" + %1 failed").arg(format_count(static_cast<std::int64_t>(row.failed)));
  return text;
}

QString goal_text(const GoalReached& goal) {
  if (goal.runs == 0) return no_number();
  const QString time =
      std::isfinite(goal.median_seconds) ? format_duration(goal.median_seconds) : QStringLiteral("∞");
  return QStringLiteral("%1 (%2/%3)").arg(time).arg(goal.reached).arg(goal.runs);
}

QString p_text(double p) { return p < 0.001 ? QStringLiteral("< 0.001") : QString::number(p, 'f', 3); }

QString report_number(double value) {
  return std::isfinite(value) ? QString::number(value, 'f', score_digits) : no_number();
}

QStringList quality_cells(const ComparisonRow& row) {
  const bool any = row.runs > 0;
  QStringList cells{runs_text(row), any ? format_percent(row.final_share) : no_number()};
  for (const GoalReached& goal : row.goals) cells << goal_text(goal);
  cells << (any ? report_number(row.area_by_seconds) : no_number())
        << (any ? report_number(row.area_by_trials) : no_number())
        << (any ? report_number(row.score) : no_number());
  return cells;
}

std::vector<ReportColumn> quality_columns(bool known) {
  return {{QStringLiteral("runs"), true},
          {known ? QStringLiteral("% of optimum") : QStringLiteral("% of best found"), true},
          {QStringLiteral("to 90 %"), true},
          {QStringLiteral("to 95 %"), true},
          {QStringLiteral("to 99 %"), true},
          {QStringLiteral("area, time"), true},
          {QStringLiteral("area, trials"), true},
          {QStringLiteral("score"), true}};
}

ReportTable overall_table(const ComparedRuns& runs, const ComparisonTable& compared) {
  ReportTable table;
  table.caption = QStringLiteral("Over all tasks");
  table.columns = quality_columns(optima_known(runs));
  table.columns.insert(table.columns.begin(), ReportColumn{QStringLiteral("tuner")});
  table.columns.push_back({QStringLiteral("Wilcoxon p"), true});
  for (const ComparisonRow& row : compared.rows) {
    if (row.task) continue;
    QStringList cells{arm_name(runs, row.arm)};
    cells << quality_cells(row)
          << (row.arm == compared.baseline ? QStringLiteral("baseline")
              : row.wilcoxon_p             ? p_text(*row.wilcoxon_p)
                                           : no_number());
    table.rows.push_back(cells);
  }
  return table;
}

QString final_text(const ComparedTask& task, const ComparisonRow& row) {
  if (row.runs == 0) return no_number();
  return task.floating_flops ? format_quantity(row.median_final, QStringLiteral("GFLOPS"))
                             : format_quantity(1 / row.median_final, QStringLiteral("s"));
}

ReportTable task_table(const ComparedRuns& runs, const ComparisonTable& compared) {
  ReportTable table;
  table.caption = QStringLiteral("Within each task");
  table.columns = quality_columns(optima_known(runs));
  const ReportColumn before[] = {
      {QStringLiteral("task")}, {QStringLiteral("tuner")}, {QStringLiteral("median best"), true}};
  table.columns.insert(table.columns.begin(), std::begin(before), std::end(before));
  table.columns.push_back({QStringLiteral("p"), true});
  table.columns.push_back({QStringLiteral("A12"), true});
  for (const ComparisonRow& row : compared.rows) {
    if (!row.task) continue;
    const ComparedTask& task = runs.tasks[*row.task];
    QStringList cells{report_string(task.name), arm_name(runs, row.arm), final_text(task, row)};
    cells << quality_cells(row);
    if (row.arm == compared.baseline) {
      cells << QStringLiteral("baseline") << no_number();
    } else if (!row.test) {
      cells << no_number() << no_number();
    } else {
      cells << (row.test->can_be_significant ? p_text(row.test->corrected_p)
                                             : QStringLiteral("needs more seeds"))
            << QString::number(row.test->a12, 'f', 2);
    }
    table.rows.push_back(cells);
  }
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
  blocks.emplace_back(overall_table(runs, compared));
  const FigureSource source{.runs = study.compared, .choice = {.baseline = study.baseline}};
  append_figures(blocks, {}, ReportPart::Comparison, source, control);
  if (runs.tasks.size() > 1 &&
      append_figures(blocks, QStringLiteral("Task by task"), ReportPart::Tasks, source, control))
    blocks.emplace_back(ReportParagraph{QStringLiteral("As NoSE, figure 8."), ReportTone::Muted});
  blocks.emplace_back(ReportHeading{2, QStringLiteral("Is it more than chance?")});
  blocks.emplace_back(task_table(runs, compared));
  append_how_to_read(blocks, runs, study.baseline);
}

}  // namespace kernelscape
