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

namespace kernelscape::simulation {
struct FleetScaling;
}  // namespace kernelscape::simulation

namespace kernelscape::study {
struct NetworkProgress;
}  // namespace kernelscape::study

namespace kernelscape::figures {

/** The options of a comparison. */
struct ComparisonChoice {
  analysis::CompareAxis axis = analysis::CompareAxis::Seconds;
  bool performance = false;              ///< GFLOPS instead of shares; only if there is one task
  std::optional<std::size_t> task = {};  ///< nullopt: all tasks
  std::size_t baseline = 0;
  bool logarithmic = false;  ///< logarithmic grid of times or trials
  /** The measure by which tuners are compared in tests, verdicts, ranks and profiles. */
  analysis::ComparedMeasure measure = {analysis::CompareBy::TrialsToGoal};
  std::set<std::int64_t> hidden_sessions = {};  ///< runs that are excluded everywhere

  bool operator==(const ComparisonChoice&) const = default;
};

struct ShownPredictors;

/**
 * The source of figures: a session and its trials, a comparison, predictors, a network, or a simulated fleet.
 * A figure uses one of them.
 */
struct Source {
  workspace::Source session = {};
  charts::PassingRows passing = {};     ///< the session's trials that pass the filter; a report has no filter
  Shown shown = {};                     ///< trials of the session
  std::filesystem::path database = {};  ///< holds the messages of failed trials and the machines' ceilings
  /** The importance of knobs for performance, if it was computed before; null: not yet. */
  std::shared_ptr<const FigureOf<charts::ImportanceData>> importance = {};
  std::shared_ptr<const analysis::ComparedRuns> runs = {};
  ComparisonChoice choice = {};  ///< options of the comparison
  std::shared_ptr<const ShownPredictors> predictors = {};
  std::shared_ptr<const study::NetworkProgress> network = {};
  std::shared_ptr<const simulation::FleetScaling> fleet = {};
};

/**
 * Makes the figures of a row of the registry: none if the source has no data for them. For a background job
 * if the source has many trials.
 */
using MakeFigures = std::vector<Figure>(const Source& source, const workspace::JobControl& control);

/**
 * Returns a control for callers outside of background jobs: the job is never cancelled and its progress is
 * ignored.
 */
inline workspace::JobControl uncontrolled_job() {
  return {std::make_shared<const std::atomic<bool>>(false), [](double) {}};
}

}  // namespace kernelscape::figures
