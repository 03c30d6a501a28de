#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/predictor/data_set.h"
#include "core/predictor/predictor.h"
#include "core/predictor/training_settings.h"

namespace kernelscape::predictor {

/** The inputs of a training. */
struct TrainingSetup {
  std::string name;  ///< name of the predictor
  DataSet data;
  TrainingSettings settings;
  std::uint64_t seed = 1;
  std::string created_utc = {};  ///< creation time in the description; nothing else there depends on the time
  std::string program_version = {};  ///< program version in the description
  int workers = 0;  ///< number of threads, which does not change the result; 0: the setting `threads`
};

/**
 * Trains a predictor, epoch by epoch. The same setup (including the setting `threads`, but not `workers`)
 * gives the same bytes on one ISA, also after resuming from a checkpoint.
 *
 * Samples that are `slowest_factor` times slower than the best of their task are left out of the training
 * tasks only, since a search meets them in every other task. Gradient boosting is one epoch, which cannot be
 * stopped.
 */
class Training {
 public:
  /**
   * Starts a training. Returns InvalidArgument if there are too few tasks for the split, no valid sample, or
   * settings that do not fit each other. Returns Refused for samples of another version of the template, or
   * that are not members of its spaces.
   */
  static Result<std::unique_ptr<Training>> begin(TrainingSetup setup);
  /**
   * Resumes a training from a checkpoint. Returns Refused if the checkpoint has other data, settings or
   * another seed, and Corrupt if it is damaged.
   */
  static Result<std::unique_ptr<Training>> keep_going(TrainingSetup setup, std::string_view checkpoint);

  virtual ~Training() = default;

  /**
   * Runs one pass over the training samples and evaluates the validation tasks. Returns nullopt and leaves
   * the state unchanged if `stopped` returned true during the pass. Must not be called after finished().
   * Returns InvalidArgument and leaves the state unchanged if the loss is no longer finite, which a lower
   * learning rate prevents.
   * @param stopped empty: never
   */
  virtual Result<std::optional<TrainingEpoch>> run_epoch(const std::function<bool()>& stopped) = 0;
  virtual bool finished() const = 0;  ///< true after the last epoch or early stopping
  virtual const std::vector<TrainingEpoch>& epochs() const = 0;  ///< the epochs that are complete
  virtual std::int64_t max_epochs() const = 0;             ///< maximum number of epochs, from the settings
  virtual const std::vector<DataPart>& parts() const = 0;  ///< part of each task of the data
  virtual std::string checkpoint() const = 0;              ///< all that keep_going() needs beside the setup
  /** Returns the model of the best epoch with its outcome on every task. Requires at least one epoch. */
  virtual Result<std::shared_ptr<const Predictor>> result() const = 0;
};

}  // namespace kernelscape::predictor
