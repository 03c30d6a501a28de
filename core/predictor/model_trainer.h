#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "core/base/random.h"
#include "core/predictor/training_rows.h"

namespace kernelscape {

/** What training goes on from. */
struct ModelState {
  std::vector<float> numbers;    ///< of the model
  std::vector<float> optimizer;  ///< Optimizer::state(); empty for trees

  bool operator==(const ModelState&) const = default;
};

/** What a pass over the samples made of it. */
struct TrainedModel {
  ModelState state;
  double loss = 0;  ///< mean squared error of the scaled label
};

/** How a kind of model is trained: a function of rows, settings, random numbers, state and epoch. */
class ModelTrainer {
 public:
  virtual ~ModelTrainer() = default;
  /** Before the first epoch. */
  virtual Result<ModelState> start() const = 0;
  /** An error where a state, after an epoch, is none of this model's. */
  virtual Status check(const ModelState& state) const = 0;
  /**
   * One pass; none where `stopped` said so before it was through.
   * @param epoch from 1 to most_epochs()
   * @param stopped empty: never
   */
  virtual Result<std::optional<TrainedModel>> train(const ModelState& before, std::int64_t epoch,
                                                    const std::function<bool()>& stopped) const = 0;
  virtual std::int64_t most_epochs() const = 0;  ///< at least 1
};

/** Of a network. @param rows have to outlive it. @param workers threads, which change nothing else */
std::unique_ptr<ModelTrainer> network_trainer(const TrainingRows& rows, const TrainingSettings& settings,
                                              const Random& random, int workers);
/** Of gradient boosting: all its trees are one epoch. */
std::unique_ptr<ModelTrainer> trees_trainer(const TrainingRows& rows, const TrainingSettings& settings,
                                            const Random& random);

/**
 * Positions of the samples of an epoch, as many as there are to train on: drawn by the inverse frequency of
 * their label's bin, with replacement, or all of them in random order.
 */
std::vector<std::size_t> draw_samples(const TrainingRows& rows, const TrainingSettings& settings,
                                      Random random);

}  // namespace kernelscape
