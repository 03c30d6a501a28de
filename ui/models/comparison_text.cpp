#include "ui/models/comparison_text.h"

#include <QCoreApplication>
#include <algorithm>
#include <cmath>

#include "ui/style/numbers.h"

namespace kernelscape::models {
namespace {

QString comparison_text(const char* text) { return QCoreApplication::translate("Comparison", text); }

QString number_or_infinity(double value, int digits = 3) {
  return std::isinf(value) ? QStringLiteral("∞") : style::format_number(value, digits);
}

QString duration_or_infinity(double seconds) {
  return std::isinf(seconds) ? QStringLiteral("∞") : style::format_duration(seconds);
}

/** Returns " [low, high]", or an empty text without an interval. */
template <typename Format>
QString interval_behind(const std::optional<analysis::ConfidenceInterval>& interval, const Format& format) {
  if (!interval) return {};
  return QStringLiteral(" [%1, %2]").arg(format(interval->low), format(interval->high));
}

QString signed_text(double value) {
  return (value > 0 ? QStringLiteral("+") : QString()) + style::format_number(value, 2);
}

/** Returns the value of a measure as text. */
QString number_of_measure(double value, const analysis::ComparedMeasure& measure) {
  switch (measure.by) {
    case analysis::CompareBy::FinalPerformance:
      return style::format_percent(value);
    case analysis::CompareBy::SecondsToGoal:
      return duration_or_infinity(value);
    default:
      return std::isnan(value) ? style::no_number() : number_or_infinity(value);
  }
}

const analysis::GoalReached* goal_of_measure(const analysis::ComparisonRow& row,
                                             const analysis::ComparedMeasure& measure) {
  return analysis::less_is_better(measure) ? &row.goals.at(measure.goal) : nullptr;
}

}  // namespace

JudgedRows judged_rows(std::shared_ptr<const analysis::ComparedRuns> runs,
                       const analysis::ComparisonTable& table, const analysis::ComparedMeasure& measure,
                       analysis::CompareAxis axis) {
  JudgedRows judged{.runs = std::move(runs),
                    .rows = table.rows,
                    .baseline = table.baseline,
                    .axis = axis,
                    .measure = measure};
  judged.verdicts.reserve(table.rows.size());
  for (const analysis::ComparisonRow& row : table.rows)
    judged.verdicts.push_back(
        QString::fromStdString(analysis::verdict_of(*judged.runs, table, row, measure).words));
  return judged;
}

QString measure_text(const analysis::ComparedMeasure& measure) {
  return QString::fromStdString(analysis::measure_name(measure));
}

QString performance_text(const analysis::ComparedTask& task, double performance) {
  return task.floating_flops ? style::format_quantity(performance, QStringLiteral("GFLOPS"))
                             : comparison_text("%1 calls/s").arg(style::format_number(performance));
}

QString goal_text(const analysis::GoalReached& goal, analysis::CompareAxis axis) {
  if (goal.runs == 0 || goal.within_noise) return style::no_number();
  const bool seconds = axis == analysis::CompareAxis::Seconds;
  const auto number = [&](double value) {
    return seconds ? duration_or_infinity(value) : number_or_infinity(value, 4);
  };
  QString text = number(seconds ? goal.median_seconds : goal.median_trials) +
                 interval_behind(seconds ? goal.seconds_interval : goal.trials_interval, number);
  text += QStringLiteral(" (%1/%2)").arg(goal.reached).arg(goal.runs);
  return goal.in_random_phase ? text + comparison_text(", random phase") : text;
}

QString judged_number_text(const analysis::ComparisonRow& row, const analysis::ComparedMeasure& measure) {
  const analysis::GoalReached* goal = goal_of_measure(row, measure);
  if (row.runs == 0 || (goal != nullptr && (goal->within_noise || goal->runs == 0)))
    return style::no_number();
  const auto number = [&](double value) { return number_of_measure(value, measure); };
  return number(analysis::row_number(row, measure)) +
         interval_behind(analysis::row_interval(row, measure), number);
}

QString difference_text(const analysis::ComparisonRow& row, const analysis::ComparedMeasure& measure) {
  if (const analysis::GoalReached* goal = goal_of_measure(row, measure)) {
    const auto& ratio =
        measure.by == analysis::CompareBy::SecondsToGoal ? goal->seconds_ratio : goal->trials_ratio;
    if (!ratio || goal->within_noise || std::isnan(ratio->ratio)) return style::no_number();
    // The median run of the baseline does not reach the goal on at least one task.
    const auto factor = [](double value) {
      return value == 0 ? comparison_text("baseline never")
                        : number_or_infinity(value) + QStringLiteral(" x");
    };
    return factor(ratio->ratio) + interval_behind(ratio->interval, factor);
  }
  const bool final = measure.by == analysis::CompareBy::FinalPerformance;
  const auto& interval = final ? row.share_difference_interval : row.score_difference_interval;
  if (!interval) return style::no_number();
  const auto difference = [&](double value) {
    return final ? comparison_text("%1 points").arg(signed_text(value * 100)) : signed_text(value);
  };
  return interval_behind(interval, difference).trimmed();
}

QString corrected_p_text(const analysis::ComparisonRow& row, const analysis::ComparedMeasure& measure) {
  if (row.task) {
    const std::optional<analysis::RunsTest>& test = analysis::row_test(row, measure);
    if (!test) return style::no_number();
    if (test->all_equal) return comparison_text("no difference");
    return test->can_be_significant ? style::format_probability(test->corrected_p)
                                    : comparison_text("underpowered");
  }
  const std::optional<analysis::TasksTest>& test = analysis::row_tasks_test(row, measure);
  if (!test) return style::no_number();
  return test->can_be_significant ? style::format_probability(test->corrected_p)
                                  : comparison_text("needs more tasks");
}

QString effect_text(const analysis::ComparisonRow& row, const analysis::ComparedMeasure& measure) {
  if (row.task) {
    const std::optional<analysis::RunsTest>& test = analysis::row_test(row, measure);
    if (test && test->paired) return signed_text(test->pair_effect);
    return test ? style::format_number(test->a12, 2) : style::no_number();
  }
  const std::optional<analysis::TasksTest>& test = analysis::row_tasks_test(row, measure);
  return test ? signed_text(test->effect) : style::no_number();
}

QStringList test_lines(const analysis::ComparisonRow& row) {
  QStringList lines;
  for (const analysis::ComparedMeasure& measure : analysis::compared_measures()) {
    const std::optional<analysis::RunsTest>& within = analysis::row_test(row, measure);
    const std::optional<analysis::TasksTest>& over = analysis::row_tasks_test(row, measure);
    if (row.task ? !within : !over) continue;
    const QString p = style::format_probability(row.task ? within->p : over->p);
    const bool runs = row.task && !within->paired;
    const QString effect = runs ? comparison_text("A12 %1") : comparison_text("rank correlation %1");
    lines.append(comparison_text("%1: %2 (uncorrected %3), %4")
                     .arg(measure_text(measure), corrected_p_text(row, measure), p,
                          effect.arg(effect_text(row, measure))));
  }
  return lines;
}

QString random_phase_text(const analysis::ComparedArm& arm, const analysis::ComparisonRow& row) {
  if (arm.random_phase == analysis::all_trials_random_phase) return comparison_text("all");
  if (arm.random_phase == 0) return comparison_text("none");
  if (row.runs == 0) return style::no_number();
  return comparison_text("%1 of %2")
      .arg(style::format_number(row.random_trials), style::format_number(row.trials));
}

QStringList verdict_lines(const JudgedRows& judged, const std::vector<std::string>& hindrances) {
  QStringList lines;
  const analysis::ComparedRuns& runs = *judged.runs;
  const auto name = [&](std::size_t arm) { return QString::fromStdString(runs.arms[arm].name); };
  // For one task the tests are within the task, so that a line over all tasks would add nothing.
  const bool over_tasks = runs.tasks.size() > 1 && std::ranges::any_of(judged.rows, [](const auto& row) {
                            return !row.task.has_value();
                          });
  for (std::size_t row = 0; row < judged.rows.size(); ++row) {
    const analysis::ComparisonRow& judgement = judged.rows[row];
    if (judgement.task.has_value() == over_tasks || judgement.arm == judged.baseline) continue;
    lines.append(comparison_text("%1 against %2, %3: %4")
                     .arg(name(judgement.arm), name(judged.baseline), measure_text(judged.measure),
                          judged.verdicts[row]));
  }
  for (const std::string& hindrance : hindrances) lines.append(QString::fromStdString(hindrance));
  return lines;
}

}  // namespace kernelscape::models
