#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "core/predictor/data_set.h"
#include "core/predictor/predictor_kind.h"
#include "core/tuner/typed_settings.h"

namespace kernelscape {

struct ModelShape;

/** What is learnt: the logarithm of performance as a share of the task's best, that of performance, or it. */
enum class LearntLabel : std::uint8_t { RelativeFitness, LogFitness, Fitness };

/**
 * How a predictor is trained. The defaults are those of the model "tokens"; where another model has its own,
 * the documentation says so.
 */
struct TrainingSettings {
  PredictorKind model = PredictorKind::Tokens;
  LearntLabel label = LearntLabel::RelativeFitness;
  std::size_t width = 64;
  std::size_t layers = 2;
  std::size_t heads = 4;
  std::size_t feed_forward = 256;
  double dropout = 0;
  std::int64_t epochs = 50;
  std::size_t batch_size = 256;
  double learning_rate = 1e-3;
  double weight_decay = 1e-4;
  std::int64_t patience = 10;
  bool oversampling = true;
  std::size_t oversampling_bins = 100;
  double slowest_factor = 20;
  SplitShares shares = {};
  int threads = 2;

  static SettingsOf<TrainingSettings> table();  ///< for command line and form
};

/** The defaults of the model that the texts name, overridden by name=value texts: all that is not a text is
 * resolved here, once. Errors as of a tuner's settings, and a width that the heads do not divide. */
Result<TrainingSettings> parse_training_settings(const std::map<std::string, std::string>& texts);

/** All settings of a training as a JSON object, which names them and keeps their types. */
std::string training_settings_to_json(const TrainingSettings& settings);

/** The model that they ask for, of rows as this program makes them. */
ModelShape model_shape(const TrainingSettings& settings);

}  // namespace kernelscape
