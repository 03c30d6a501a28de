#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "core/base/random.h"
#include "core/predictor/training_rows.h"

namespace kernelscape::predictor {

/** The state from which training resumes. */
struct ModelState {
  std::vector<float> numbers;    ///< parameters of the model
  std::vector<float> optimizer;  ///< Optimizer::state(); empty for trees

  bool operator==(const ModelState&) const = default;
};

/** The result of one pass over the samples. */
struct TrainedModel {
  ModelState state;
  double loss = 0;  ///< mean squared error of the scaled label
};

/** Trains one kind of model. The result depends only on rows, settings, random numbers, state and epoch. */
class ModelTrainer {
 public:
  virtual ~ModelTrainer() = default;
  /** Returns the state before the first epoch. */
  virtual Result<ModelState> start() const = 0;
  /** Returns an error if a state after an epoch does not belong to this model. */
  virtual Status check(const ModelState& state) const = 0;
  /**
   * Runs one pass over the samples. Returns nullopt if `stopped` returned true before the pass ended.
   * @param epoch from 1 to max_epochs()
   * @param stopped empty: never
   */
  virtual Result<std::optional<TrainedModel>> train(const ModelState& before, std::int64_t epoch,
                                                    const std::function<bool()>& stopped) const = 0;
  virtual std::int64_t max_epochs() const = 0;  ///< at least 1
};

/**
 * Returns the trainer of a network. @param rows must outlive the trainer @param workers number of threads,
 * which does not change the result
 */
std::unique_ptr<ModelTrainer> network_trainer(const TrainingRows& rows, const TrainingSettings& settings,
                                              const base::Random& random, int workers);
/** Returns the trainer of gradient boosting, which adds all its trees in one epoch. */
std::unique_ptr<ModelTrainer> trees_trainer(const TrainingRows& rows, const TrainingSettings& settings,
                                            const base::Random& random);

/**
 * Draws the positions of the samples of an epoch, as many as there are training samples: either with
 * replacement by the inverse frequency of their label's bin, or all of them in random order.
 */
std::vector<std::size_t> draw_samples(const TrainingRows& rows, const TrainingSettings& settings,
                                      base::Random random);

}  // namespace kernelscape::predictor
