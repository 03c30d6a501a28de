#include "ui/charts/curves/compare_curve_data.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <ranges>

#include "ui/charts/curves/compare_curve_chart.h"
#include "ui/charts/styles.h"
#include "ui/style/numbers.h"

namespace kernelscape::charts {
namespace {

/**
 * Returns the sample of curves over several tasks: "40 repeats on 12 tasks"; if tasks have different numbers
 * of runs, the number of tasks for each number of runs.
 */
QString runs_on_tasks(const std::vector<const CompareCurve*>& curves, std::size_t task_count) {
  std::map<std::size_t, std::size_t> tasks_with;  // number of tasks by number of runs, of the first tuner
  bool same = true;
  std::size_t least = SIZE_MAX;
  std::size_t most = 0;
  for (const CompareCurve* curve : curves) {
    if (curve->curve.n == 0) continue;
    std::map<std::size_t, std::size_t> of_curve;
    for (const std::size_t runs : curve->curve.task_runs) ++of_curve[runs];
    const std::size_t without = task_count - std::min(task_count, curve->curve.task_runs.size());
    if (without > 0) of_curve[0] = without;
    least = std::min(least, of_curve.begin()->first);
    most = std::max(most, of_curve.rbegin()->first);
    if (tasks_with.empty()) tasks_with = of_curve;
    same = same && tasks_with == of_curve;
  }
  if (least > most) return {};
  if (least == most)
    return (most == 1 ? CompareCurveChart::tr("%1 repeat on %2 tasks")
                      : CompareCurveChart::tr("%1 repeats on %2 tasks"))
        .arg(style::format_count(static_cast<qint64>(most)))
        .arg(task_count);
  if (!same)
    return CompareCurveChart::tr("%1 to %2 runs per tuner on each of %3 tasks")
        .arg(least)
        .arg(most)
        .arg(task_count);
  QStringList parts;
  for (auto [runs, tasks] : std::views::reverse(tasks_with))
    parts.append((runs == 1 ? CompareCurveChart::tr("%1 run on %2 of %3 tasks")
                            : CompareCurveChart::tr("%1 runs on %2 of %3 tasks"))
                     .arg(runs)
                     .arg(tasks)
                     .arg(task_count));
  return parts.join(QStringLiteral(", "));
}

}  // namespace

QString compared_samples_text(const std::vector<const CompareCurve*>& curves, const CompareCurveData& data) {
  std::size_t least = SIZE_MAX;
  std::size_t most = 0;
  for (const CompareCurve* curve : curves) {
    least = std::min(least, curve->curve.samples);
    most = std::max(most, curve->curve.samples);
  }
  if (least > most) return {};
  const QString number = least == most ? style::format_count(static_cast<qint64>(most))
                                       : CompareCurveChart::tr("%1 to %2").arg(least).arg(most);
  if (!data.task.isEmpty() || data.task_count == 1)
    return (most == 1 ? CompareCurveChart::tr("%1 run per tuner")
                      : CompareCurveChart::tr("%1 runs per tuner"))
        .arg(number);
  return runs_on_tasks(curves, data.task_count);
}

QString spread_text(const CompareCurveData& data, CompareSpread spread) {
  std::vector<const CompareCurve*> curves;
  for (const CompareCurve& curve : data.curves)
    if (curve.curve.samples > 0) curves.push_back(&curve);
  const QString n = compared_samples_text(curves, data);
  const auto sentence = [&](const QString& text) { return n.isEmpty() ? QString() : text.arg(n); };
  switch (spread) {
    case CompareSpread::Interval:
      return sentence(CompareCurveChart::tr(
          "The line is the mean, the band its 95 % interval at each point by the bootstrap, which resamples "
          "the runs of each task (n: %1); a tuner with one run has no band."));
    case CompareSpread::StandardError:
      return sentence(CompareCurveChart::tr("The line is the mean, the band one standard error (n: %1)."));
    case CompareSpread::Quartiles:
      return sentence(CompareCurveChart::tr(
          "The line is the median, the band reaches from the first to the third quartile (n: %1)."));
  }
  return {};
}

bool shows_share(const CompareCurveData& data) {
  return data.y == analysis::CompareY::ShareOfOptimum || data.y == analysis::CompareY::MemberShare;
}

Table compare_curve_table(const std::vector<const CompareCurve*>& curves, const CompareCurveData& data) {
  const std::string unit = shows_share(data)                           ? " (%)"
                           : data.y == analysis::CompareY::Performance ? " (" + data.unit.toStdString() + ")"
                                                                       : " (x)";
  const char* x = data.axis == analysis::CompareAxis::Seconds ? "session time (s)" : "trials";
  Table table{{"tuner", x, "mean" + unit, "standard error" + unit, "median" + unit, "first quartile" + unit,
               "third quartile" + unit, "runs active", "runs", "samples", "mean, 95 % from" + unit,
               "mean, 95 % to" + unit},
              {}};
  const double factor = shows_share(data) ? percent : 1;
  const auto bound = [&](const std::vector<double>& bounds, std::size_t i) {
    return i < bounds.size() ? bounds[i] * factor : std::nan("");
  };
  for (const CompareCurve* shown_curve : curves) {
    const analysis::AggregatedCurve& curve = shown_curve->curve;
    for (std::size_t i = 0; i < curve.x.size(); ++i)
      table.rows.push_back({shown_curve->name.toStdString(), curve.x[i], curve.mean[i] * factor,
                            curve.standard_error[i] * factor, curve.median[i] * factor,
                            curve.first_quartile[i] * factor, curve.third_quartile[i] * factor,
                            curve.active[i], static_cast<double>(curve.n), static_cast<double>(curve.samples),
                            bound(shown_curve->bands.mean_low, i), bound(shown_curve->bands.mean_high, i)});
  }
  return table;
}

}  // namespace kernelscape::charts
