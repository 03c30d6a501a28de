#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/predictor/data_set.h"
#include "core/predictor/predictor.h"
#include "core/tuner/tuner.h"

namespace kernelscape {

/** The settings of training with ranges, defaults and sources: command line and form come from here. */
const std::vector<HyperparameterDeclaration>& training_settings();

/** Defaults overridden by name=value texts; errors as of a tuner's settings. */
Result<SettingValues> parse_training_settings(const std::map<std::string, std::string>& texts);

/** What is trained on what. */
struct TrainingSetup {
  std::string name;  ///< of the predictor
  DataSet data;
  SettingValues settings;
  std::uint64_t seed = 1;
};

/**
 * Trains a predictor, epoch by epoch. The same data, settings (the number of threads among them) and seed
 * give the same predictor on one ISA; so does going on from a checkpoint.
 */
class Training {
 public:
  /** Errors: too few tasks for the split, no sample, settings that do not fit each other. */
  static Result<std::unique_ptr<Training>> begin(TrainingSetup setup);
  /** Refused where the checkpoint is of other data, settings or another seed; Corrupt where it is damaged. */
  static Result<std::unique_ptr<Training>> go_on(TrainingSetup setup, std::string_view checkpoint);

  virtual ~Training() = default;

  /** One pass over the training samples and a look at the validation tasks; none, with everything as it was
   * before, where `stopped` said so in its middle. Not after finished(). */
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
