#include "ui/figures/comparison_figures.h"

#include <algorithm>

#include "core/analysis/comparison/curve_bands.h"
#include "core/analysis/comparison/phase_shares.h"
#include "ui/charts/bars/category_chart.h"
#include "ui/charts/bars/phase_chart.h"
#include "ui/charts/curves/member_share_chart.h"
#include "ui/charts/curves/speed_up_chart.h"
#include "ui/figures/registry.h"

namespace kernelscape::figures {
namespace {

constexpr std::size_t grid_points = 256;
constexpr std::size_t small_grid_points = 96;
constexpr int curve_height = 340;
constexpr QSize small_size(figure_width / 2 - 8, 240);
constexpr int bar_height = 28;
constexpr int axis_height = 110;

analysis::ComparedRuns runs_of_task(const analysis::ComparedRuns& runs, std::size_t task) {
  analysis::ComparedRuns some{runs.title, runs.arms, runs.tasks, {}, runs.planned_runs, runs.paired_starts};
  std::ranges::copy_if(runs.runs, std::back_inserter(some.runs),
                       [&](const analysis::ComparedRun& run) { return run.task == task; });
  return some;
}

/** Returns the chosen task; a single task counts as all tasks. */
std::optional<std::size_t> task_of(const Source& source) {
  return source.runs->tasks.size() == 1 ? std::optional(std::size_t{0}) : source.choice.task;
}

QString arm_name(const analysis::ComparedRuns& runs, std::size_t arm) {
  return QString::fromStdString(runs.arms[arm].name);
}

/** Returns the curves; curves are missing if the job is cancelled. */
charts::CompareCurveData curve_data(const Source& source, std::optional<std::size_t> task,
                                    analysis::CompareY y, std::size_t points,
                                    const workspace::JobControl& control) {
  const analysis::ComparedRuns& runs = *source.runs;
  const ComparisonChoice& choice = source.choice;
  charts::CompareCurveData data;
  data.axis = choice.axis;
  data.y = y;
  data.optimum_known = task ? runs.tasks[*task].optimum_known
                            : std::ranges::all_of(runs.tasks, &analysis::ComparedTask::optimum_known);
  data.task_count = runs.tasks.size();
  data.baseline = arm_name(runs, choice.baseline);
  if (y != analysis::CompareY::MemberShare) data.optimum = 1;
  if (task) {
    const analysis::ComparedTask& of = runs.tasks[*task];
    data.task = QString::fromStdString(of.name);
    data.unit = of.floating_flops ? QStringLiteral("GFLOPS") : QStringLiteral("calls/s");
    if (y == analysis::CompareY::Performance) data.optimum = of.optimum;
  }
  const std::vector<double> grid = analysis::curve_grid(runs, task, choice.axis, points, choice.logarithmic);
  for (std::size_t arm = 0; arm < runs.arms.size() && control.proceed(); ++arm)
    data.curves.push_back(
        {arm, arm_name(runs, arm),
         analysis::aggregate_curve(runs, {arm, task}, choice.axis, y, grid, choice.baseline),
         analysis::curve_bands(runs, {arm, task}, choice.axis, y, grid, choice.baseline)});
  return data;
}

/** Returns why there are no curves although other quantities can be compared; empty: there are curves. */
QString untimed_notice(const analysis::ComparedRuns& runs) {
  const bool timed =
      std::ranges::any_of(runs.runs, [](const analysis::ComparedRun& run) { return run.curve.best() > 0; });
  const bool built = std::ranges::any_of(runs.runs, [](const analysis::ComparedRun& run) {
    return run.errors.of(trial::ErrorCategory::NoError).trials > 0;
  });
  if (timed || !built) return {};
  return figure_text(
      "Build only: no kernel was run, so there are no speeds to compare.\nErrors and times of the phases can "
      "be compared.");
}

QString curve_caption(const charts::CompareCurveData& data) {
  const QString spread = charts::spread_text(data, charts::CompareSpread::Interval);
  const QString rest =
      data.axis == analysis::CompareAxis::Seconds
          ? figure_text(
                "A run counts 0 before its first valid trial and its last value after its end; the lane "
                "below shows the number of runs that had not ended. As NoSE, figure 5A.")
          : figure_text("The best so far over trials.");
  return spread.isEmpty() ? rest : spread + QLatin1Char(' ') + rest;
}

/** Returns a figure of the runs of the chosen task with a bar for each arm. */
template <typename ChartType, typename Arm, typename Costs>
std::vector<Figure> bar_figures(const Source& source, const QString& caption, const Costs& costs) {
  const analysis::ComparedRuns& all = *source.runs;
  const std::optional<std::size_t> task = task_of(source);
  const analysis::ComparedRuns of_task = task ? runs_of_task(all, *task) : analysis::ComparedRuns();
  std::vector<Arm> arms;
  for (std::size_t arm = 0; arm < all.arms.size(); ++arm)
    arms.push_back({arm, arm_name(all, arm), costs(task ? of_task : all, arm)});
  const int height = axis_height + bar_height * static_cast<int>(arms.size());
  return {make_figure<ChartType>({.caption = caption}, std::move(arms), height)};
}

/** Returns the best so far of every tuner (NoSE, figure 5A). */
std::vector<Figure> curve_figures(const Source& source, const workspace::JobControl& control) {
  const std::optional<std::size_t> task = task_of(source);
  const analysis::CompareY y = source.choice.performance && task ? analysis::CompareY::Performance
                                                                 : analysis::CompareY::ShareOfOptimum;
  charts::CompareCurveData data = curve_data(source, task, y, grid_points, control);
  const QString caption = curve_caption(data);
  return {make_figure<charts::CompareCurveChart>({.notice = untimed_notice(*source.runs), .caption = caption},
                                                 std::move(data), curve_height)};
}

/** Returns the best so far of every tuner over trials, independent of the chosen axis. */
std::vector<Figure> curve_by_trials_figures(const Source& source, const workspace::JobControl& control) {
  Source by_trials = source;
  by_trials.choice.axis = analysis::CompareAxis::Trials;
  return curve_figures(by_trials, control);
}

/** Returns the speed-up over the baseline (NoSE, figure 5B). */
std::vector<Figure> speed_up_figures(const Source& source, const workspace::JobControl& control) {
  const QString notice = source.runs->arms.size() == 1
                             ? figure_text("Only one tuner: there is nothing to compare it with.")
                             : untimed_notice(*source.runs);
  charts::CompareCurveData data =
      curve_data(source, task_of(source), analysis::CompareY::SpeedUp, grid_points, control);
  const QString caption = (charts::spread_text(data, charts::CompareSpread::Interval) + QLatin1Char(' ') +
                           figure_text("Ratio to the baseline's mean at the same time; the bootstrap "
                                       "resamples the baseline's runs too. As NoSE, figure 5B."))
                              .trimmed();
  return {make_figure<charts::SpeedUpChart>({.notice = notice, .caption = caption}, std::move(data),
                                            curve_height)};
}

/** Returns the tuners with trials of which no run reported a share of valid offspring. */
QStringList arms_without_children(const analysis::ComparedRuns& runs, std::optional<std::size_t> task) {
  QStringList names;
  for (std::size_t arm = 0; arm < runs.arms.size(); ++arm) {
    bool any = false;
    bool reported = false;
    for (const analysis::ComparedRun& run : runs.runs) {
      if (run.arm != arm || !run.error.empty() || (task && run.task != *task)) continue;
      any = any || run.curve.end_trials > 0;
      reported = reported || !run.member_share.empty();
    }
    if (any && !reported) names.append(arm_name(runs, arm));
  }
  return names;
}

QString member_share_caption(const QStringList& without) {
  QString caption = figure_text(
      "Valid offspring: the share of the children that a tuner drew that were feasible, before any was drawn "
      "again or repaired: the median over runs, the band from the first to the third quartile. As Heron, "
      "figures 2 and 12.");
  if (without.empty()) return caption;
  return caption + QLatin1Char(' ') +
         figure_text("No curve for tuners that report no offspring: %1.")
             .arg(without.join(QStringLiteral(", ")));
}

/** Returns the share of valid offspring; no figure if no run drew offspring. */
std::vector<Figure> member_share_figures(const Source& source, const workspace::JobControl& control) {
  const std::optional<std::size_t> task = task_of(source);
  const analysis::ComparedRuns& runs = *source.runs;
  const bool any = std::ranges::any_of(runs.runs, [&](const analysis::ComparedRun& run) {
    return run.error.empty() && !run.member_share.empty() && (!task || run.task == *task);
  });
  if (!any) return {};
  return {make_figure<charts::MemberShareChart>(
      {.caption = member_share_caption(arms_without_children(runs, task))},
      curve_data(source, task, analysis::CompareY::MemberShare, grid_points, control), curve_height)};
}

/** Returns the share of valid offspring over trials, independent of the chosen axis. */
std::vector<Figure> member_share_by_trials_figures(const Source& source,
                                                   const workspace::JobControl& control) {
  Source by_trials = source;
  by_trials.choice.axis = analysis::CompareAxis::Trials;
  return member_share_figures(by_trials, control);
}

/** Returns the time breakdown by phase (NoSE, figure 6). */
std::vector<Figure> phase_figures(const Source& source, const workspace::JobControl&) {
  return bar_figures<charts::PhaseChart, charts::ArmPhases>(source, figure_text("As NoSE, figure 6."),
                                                            analysis::phase_times);
}

/** Returns the outcomes of trials by count (NoSE, figure 7A). */
std::vector<Figure> category_figures(const Source& source, const workspace::JobControl&) {
  return bar_figures<charts::CategoryChart, charts::ArmCategories>(source, figure_text("As NoSE, figure 7A."),
                                                                   analysis::category_shares);
}

/** Returns the outcomes of trials by build and run time (NoSE, figure 7B). */
std::vector<Figure> category_work_figures(const Source& source, const workspace::JobControl&) {
  return bar_figures<charts::CategoryChart, charts::ArmCategories>(source, figure_text("As NoSE, figure 7B."),
                                                                   analysis::category_shares);
}

/** Returns a small chart for each task, independent of the chosen task (NoSE, figure 8). */
std::vector<Figure> task_figures(const Source& source, const workspace::JobControl& control) {
  std::vector<Figure> figures;
  for (std::size_t task = 0; task < source.runs->tasks.size() && control.proceed(); ++task) {
    charts::CompareCurveData data =
        curve_data(source, task, analysis::CompareY::ShareOfOptimum, small_grid_points, control);
    const bool begun = std::ranges::any_of(data.curves, [](const auto& one) { return one.curve.n > 0; });
    Figure& figure = figures.emplace_back(make_figure<charts::CompareCurveChart>(
        {.notice = begun ? QString() : figure_text("No run has begun")}, std::move(data), curve_height));
    figure.size = small_size;
    figure.fill = [fill = std::move(figure.fill)](charts::Chart& chart) {
      fill(chart);
      const auto& curves = static_cast<charts::CompareCurveChart&>(chart);
      chart.set_title(curves.data().task, curves.y_text());
    };
  }
  return figures;
}

template <charts::CategoryBy by>
std::unique_ptr<charts::Chart> category_chart() {
  return std::make_unique<charts::CategoryChart>(by);
}

}  // namespace

std::shared_ptr<const analysis::ComparedRuns> counted_runs(const analysis::ComparedRuns& runs,
                                                           const std::set<std::int64_t>& hidden) {
  auto counted = std::make_shared<analysis::ComparedRuns>(runs);
  std::erase_if(counted->runs,
                [&](const analysis::ComparedRun& run) { return hidden.contains(run.session); });
  return counted;
}

Kind curves_figure_kind() {
  return figure_kind<charts::CompareCurveChart>("curves", Place::CompareCurves, ReportPart::Comparison,
                                                curve_figures);
}

Kind curves_by_trials_figure_kind() {
  return figure_kind<charts::CompareCurveChart>("curves by trials", Place::Chosen, ReportPart::Comparison,
                                                curve_by_trials_figures);
}

Kind speed_up_figure_kind() {
  return figure_kind<charts::SpeedUpChart>("speed-up", Place::CompareCurves, ReportPart::Comparison,
                                           speed_up_figures);
}

Kind member_share_figure_kind() {
  return figure_kind<charts::MemberShareChart>("member share", Place::CompareCurves, ReportPart::None,
                                               member_share_figures);
}

Kind member_share_by_trials_figure_kind() {
  return figure_kind<charts::MemberShareChart>("member share by trials", Place::Chosen,
                                               ReportPart::Comparison, member_share_by_trials_figures);
}

Kind phases_figure_kind() {
  return figure_kind<charts::PhaseChart>("phases", Place::CompareCosts, ReportPart::Comparison,
                                         phase_figures);
}

Kind categories_figure_kind() {
  return {"categories", Place::CompareCosts, ReportPart::Comparison,
          category_chart<charts::CategoryBy::Trials>, category_figures};
}

Kind category_work_figure_kind() {
  return {"category work", Place::CompareCosts, ReportPart::Comparison,
          category_chart<charts::CategoryBy::WorkSeconds>, category_work_figures};
}

Kind tasks_figure_kind() {
  return figure_kind<charts::CompareCurveChart>("tasks", Place::CompareTasks, ReportPart::Tasks,
                                                task_figures);
}

}  // namespace kernelscape::figures
