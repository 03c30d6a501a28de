#pragma once

#include <atomic>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "core/analysis/comparison/compared_measure.h"
#include "core/analysis/comparison/compared_runs.h"
#include "ui/charts/bars/importance_chart.h"
#include "ui/charts/courses/passing_rows.h"
#include "ui/figures/figure.h"
#include "ui/figures/shown_trials.h"

namespace kernelscape {

/** What of a comparison is wanted. */
struct ComparisonChoice {
  CompareAxis axis = CompareAxis::Seconds;
  bool performance = false;              ///< GFLOPS instead of shares; only where there is one task
  std::optional<std::size_t> task = {};  ///< none: all
  std::size_t baseline = 0;
  bool logarithmic = false;  ///< the grid of times or trials
  /** By which tuners are judged: tests, verdicts, ranks, profiles. */
  ComparedMeasure measure = {CompareBy::TrialsToGoal};
  std::set<std::int64_t> hidden_sessions = {};  ///< runs that count nowhere

  bool operator==(const ComparisonChoice&) const = default;
};

struct FleetScaling;
struct NetworkProgress;
struct ShownPredictors;

/** What figures are made of: a session and its trials, a comparison, predictors, a network, or a simulated
 * fleet. A figure asks for one. */
struct FigureSource {
  Source session = {};
  PassingRows passing = {};             ///< of the session's trials; a report has no filter
  Shown shown = {};                     ///< trials of the session
  std::filesystem::path database = {};  ///< has the messages of trials that failed, and machines' ceilings
  /** Which knobs decide performance, where that was learnt before; null: not yet. */
  std::shared_ptr<const FigureOf<ImportanceData>> importance = {};
  std::shared_ptr<const ComparedRuns> runs = {};
  ComparisonChoice choice = {};  ///< of the comparison
  std::shared_ptr<const ShownPredictors> predictors = {};
  std::shared_ptr<const NetworkProgress> network = {};
  std::shared_ptr<const FleetScaling> fleet = {};
};

/** How a row of the registry makes its figures: none where the source has nothing of the kind. For a
 * background job where the source has many trials. */
using MakeFigures = std::vector<Figure>(const FigureSource& source, const JobControl& control);

/** For who does not run in the background: goes on to the end, told of nothing. */
inline JobControl uncontrolled_job() {
  return {std::make_shared<const std::atomic<bool>>(false), [](double) {}};
}

}  // namespace kernelscape
