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

namespace kernelscape {

/** What is trained on what. */
struct TrainingSetup {
  std::string name;  ///< of the predictor
  DataSet data;
  TrainingSettings settings;
  std::uint64_t seed = 1;
  std::string created_utc = {};      ///< of the description, which says nothing else of the moment
  std::string program_version = {};  ///< of the description
  int workers = 0;  ///< threads that work: 0 as many as the setting `threads`; nothing else depends on it
};

/**
 * Trains a predictor, epoch by epoch. The same setup (the setting `threads` among its settings, `workers`
 * not) gives the same bytes on one ISA; so does going on from a checkpoint.
 *
 * Samples that are `slowest_factor` times slower than their task's best are left out of the training tasks
 * alone: who searches meets them in every other task. Gradient boosting is one epoch, which is not stopped.
 */
class Training {
 public:
  /** InvalidArgument: too few tasks for the split, no valid sample, settings that do not fit each other.
   * Refused: samples of another version of the template, or that are no members of its spaces. */
  static Result<std::unique_ptr<Training>> begin(TrainingSetup setup);
  /** Refused where the checkpoint is of other data, settings or another seed; Corrupt where it is damaged. */
  static Result<std::unique_ptr<Training>> go_on(TrainingSetup setup, std::string_view checkpoint);

  virtual ~Training() = default;

  /**
   * One pass over the training samples and a look at the validation tasks; none, with everything as it was
   * before, where `stopped` said so in its middle. Not after finished(). InvalidArgument: the loss is no
   * finite number any more, which a lower learning rate prevents; everything is as it was before.
   * @param stopped empty: never
   */
  virtual Result<std::optional<TrainingEpoch>> run_epoch(const std::function<bool()>& stopped) = 0;
  virtual bool finished() const = 0;                             ///< the last epoch, or early stopping
  virtual const std::vector<TrainingEpoch>& epochs() const = 0;  ///< done so far
  virtual std::int64_t most_epochs() const = 0;                  ///< of the settings
  virtual const std::vector<DataPart>& parts() const = 0;        ///< by task of the data
  virtual std::string checkpoint() const = 0;                    ///< all that go_on() needs beside the setup
  /** The best epoch's model, with its outcome on every task. Needs an epoch. */
  virtual Result<std::shared_ptr<const Predictor>> result() const = 0;
};

}  // namespace kernelscape
