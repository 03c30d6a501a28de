#pragma once

#include <QString>
#include <memory>
#include <string>
#include <vector>

#include "core/study/known_predictors.h"
#include "ui/charts/curves/predictor_curve_chart.h"
#include "ui/charts/curves/series_data.h"

namespace kernelscape::figures {

/**
 * The predictions of a predictor for a task's samples with the measured values, in their order, in FLOP/s.
 */
struct PredictedSamples {
  std::int64_t number = 0;  ///< number of this prediction within the process: another number means other data
  std::string task;         ///< text of the task
  double flops = 0;
  std::vector<float> predicted = {};
  std::vector<float> measured = {};
};

/** The samples of a predictor on the chosen task. */
struct ShownSamples {
  std::shared_ptr<const PredictedSamples> samples = {};  ///< null: none
  QString reason = {};                                   ///< why there are no samples
};

/** One predictor, or two side by side, and the chosen task. Immutable, shared with jobs. */
struct ShownPredictors {
  std::vector<study::KnownPredictor> predictors;
  std::string task = {};                   ///< text of the chosen task; empty: the median of the test tasks
  std::vector<ShownSamples> samples = {};  ///< by predictor; empty: not requested
};

/**
 * Evaluates a predictor on a task's samples. NotFound if the data set has no such task; other errors as from
 * Predictor::bind(). In the background: at least some thousand samples a second.
 */
Result<PredictedSamples> predict_samples(const predictor::Predictor& predictor,
                                         const predictor::DataSet& data, const std::string& task);

/** Returns the samples as trials of a session without a tuner. */
charts::SeriesData series_data_of(const PredictedSamples& samples);

/** Returns the curves of loss or tau over epochs. */
charts::PredictorCurveData training_curves(const ShownPredictors& shown, charts::PredictorQuantity quantity);

/**
 * Returns the curves of regret over measurements, on the chosen task or as the median of the test tasks. The
 * curve of random draws uses the first predictor's samples.
 */
charts::PredictorCurveData regret_curves(const ShownPredictors& shown);

}  // namespace kernelscape::figures
