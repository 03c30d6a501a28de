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
#include "ui/charts/curves/passing_rows.h"
#include "ui/figures/figure.h"
#include "ui/figures/shown_trials.h"

namespace kernelscape {

/** The options of a comparison. */
struct ComparisonChoice {
  CompareAxis axis = CompareAxis::Seconds;
  bool performance = false;              ///< GFLOPS instead of shares; only if there is one task
  std::optional<std::size_t> task = {};  ///< nullopt: all tasks
  std::size_t baseline = 0;
  bool logarithmic = false;  ///< logarithmic grid of times or trials
  /** The measure by which tuners are compared in tests, verdicts, ranks and profiles. */
  ComparedMeasure measure = {CompareBy::TrialsToGoal};
  std::set<std::int64_t> hidden_sessions = {};  ///< runs that are excluded everywhere

  bool operator==(const ComparisonChoice&) const = default;
};

struct FleetScaling;
struct NetworkProgress;
struct ShownPredictors;

/**
 * The source of figures: a session and its trials, a comparison, predictors, a network, or a simulated fleet.
 * A figure uses one of them.
 */
struct FigureSource {
  Source session = {};
  PassingRows passing = {};             ///< the session's trials that pass the filter; a report has no filter
  Shown shown = {};                     ///< trials of the session
  std::filesystem::path database = {};  ///< holds the messages of failed trials and the machines' ceilings
  /** The importance of knobs for performance, if it was computed before; null: not yet. */
  std::shared_ptr<const FigureOf<ImportanceData>> importance = {};
  std::shared_ptr<const ComparedRuns> runs = {};
  ComparisonChoice choice = {};  ///< options of the comparison
  std::shared_ptr<const ShownPredictors> predictors = {};
  std::shared_ptr<const NetworkProgress> network = {};
  std::shared_ptr<const FleetScaling> fleet = {};
};

/**
 * Makes the figures of a row of the registry: none if the source has no data for them. For a background job
 * if the source has many trials.
 */
using MakeFigures = std::vector<Figure>(const FigureSource& source, const JobControl& control);

/**
 * Returns a control for callers outside of background jobs: the job is never cancelled and its progress is
 * ignored.
 */
inline JobControl uncontrolled_job() {
  return {std::make_shared<const std::atomic<bool>>(false), [](double) {}};
}

}  // namespace kernelscape
