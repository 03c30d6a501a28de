#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/base/random.h"
#include "core/predictor/model.h"
#include "core/predictor/row_scale.h"
#include "core/predictor/training_settings.h"

namespace kernelscape::predictor {

/** The range of a task's samples among all rows. */
struct TaskRows {
  std::size_t first = 0;
  std::size_t count = 0;
};

/** A data set in the form that a model reads. */
struct TrainingRows {
  DataSet data;                 ///< without the samples that are too slow for training
  std::vector<DataPart> parts;  ///< by task; a task without samples belongs to training
  std::vector<TaskRows> tasks;  ///< by task
  ModelShape shape;
  RowScale row_scale;
  LabelScale label_scale;
  std::vector<float> rows;            ///< scaled rows of all samples in the order of the tasks
  std::vector<float> labels;          ///< scaled labels
  std::vector<std::size_t> training;  ///< positions of the training samples

  std::size_t columns() const { return shape.network.columns; }  ///< number of columns of a row
  std::size_t samples_of(DataPart part) const;  ///< number of samples of a part, over all its tasks
};

/**
 * Splits the data by task, computes the features of each sample, and scales them by the training samples
 * alone. Returns the errors of Training::begin().
 * @param workers number of threads
 */
Result<TrainingRows> prepare_rows(DataSet data, const TrainingSettings& settings, const base::Random& random,
                                  int workers);

}  // namespace kernelscape::predictor
