#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/base/random.h"
#include "core/predictor/predictor_model.h"
#include "core/predictor/row_scale.h"
#include "core/predictor/training_settings.h"

namespace kernelscape {

/** Samples of a task among all rows. */
struct TaskRows {
  std::size_t first = 0;
  std::size_t count = 0;
};

/** A data set as a model reads it. */
struct TrainingRows {
  DataSet data;                 ///< without what is too slow to be learnt from
  std::vector<DataPart> parts;  ///< by task; one without samples trains
  std::vector<TaskRows> tasks;  ///< by task
  ModelShape shape;
  RowScale row_scale;
  LabelScale label_scale;
  std::vector<float> rows;            ///< scaled, of all samples in the order of the tasks
  std::vector<float> labels;          ///< scaled
  std::vector<std::size_t> training;  ///< positions of the samples to train on

  std::size_t columns() const { return shape.network.columns; }  ///< numbers of a row
  std::size_t samples_of(DataPart part) const;                   ///< in all its tasks
};

/**
 * Splits by task, describes each sample, and scales by the training samples alone. Errors: as
 * Training::begin().
 * @param workers threads
 */
Result<TrainingRows> prepare_rows(DataSet data, const TrainingSettings& settings, const Random& random,
                                  int workers);

}  // namespace kernelscape
