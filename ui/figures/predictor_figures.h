#pragma once

#include <QString>
#include <memory>
#include <string>
#include <vector>

#include "core/study/known_predictors.h"
#include "ui/charts/courses/predictor_curve_chart.h"
#include "ui/charts/courses/series_data.h"

namespace kernelscape {

/** What a predictor expects of a task's samples beside what was measured of them, in their order: FLOP/s. */
struct PredictedSamples {
  std::int64_t number = 0;  ///< of this prediction, while the program runs: another one is another picture
  std::string task;         ///< its text
  double flops = 0;
  std::vector<float> predicted = {};
  std::vector<float> measured = {};
};

/** What there is of a predictor on the task that is chosen. */
struct ShownSamples {
  std::shared_ptr<const PredictedSamples> samples = {};  ///< null: none
  QString reason = {};                                   ///< why there are none
};

/** One predictor, or two beside each other, and the task that is looked at. Immutable, shared with jobs. */
struct ShownPredictors {
  std::vector<KnownPredictor> predictors;
  std::string task = {};                   ///< its text; empty: the median of the test tasks
  std::vector<ShownSamples> samples = {};  ///< by predictor; empty: nobody asked
};

/**
 * Asks a predictor about a task's samples. NotFound where the data set has no such task; else errors as of
 * Predictor::bind(). In the background: some thousand samples a second at least.
 */
Result<PredictedSamples> predict_samples(const Predictor& predictor, const DataSet& data,
                                         const std::string& task);

/** As trials of a session that no tuner drew. */
SeriesData series_data_of(const PredictedSamples& samples);

/** Over epochs: loss or tau. */
PredictorCurveData training_curves(const ShownPredictors& shown, PredictorQuantity quantity);

/** Over measurements, of the chosen task or the median of the test tasks; random with the first predictor's
 * samples. */
PredictorCurveData regret_curves(const ShownPredictors& shown);

}  // namespace kernelscape
