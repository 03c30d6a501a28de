#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "core/predictor/data_set.h"
#include "core/predictor/kind.h"
#include "core/surrogate/network/optimizer.h"
#include "core/tuner/typed_settings.h"

namespace kernelscape::predictor {

struct ModelShape;

/**
 * The label that a model learns: the logarithm of performance relative to the task's best, the logarithm of
 * performance, or performance.
 */
enum class LearntLabel : std::uint8_t { RelativeFitness, LogFitness, Fitness };

/**
 * The settings of a training. The defaults are those of the model "tokens"; the documentation lists the
 * defaults of other models where they differ.
 */
struct TrainingSettings {
  Kind model = Kind::Tokens;
  LearntLabel label = LearntLabel::RelativeFitness;
  std::size_t width = 64;
  std::size_t layers = 2;
  std::size_t heads = 4;
  std::size_t feed_forward = 256;
  double dropout = 0;
  bool attention_dropout = false;
  std::int64_t epochs = 50;
  std::size_t batch_size = 256;
  double learning_rate = 1e-3;
  double weight_decay = 1e-4;
  surrogate::WeightDecay decay = surrogate::WeightDecay::Decoupled;
  std::int64_t patience = 10;
  bool oversampling = true;
  std::size_t oversampling_bins = 100;
  double slowest_factor = 20;
  SplitShares shares = {};
  int threads = 2;

  static tuner::SettingsOf<TrainingSettings>
  table();  ///< descriptions of the settings for command line and form
};

/**
 * Returns the defaults of the model that the texts name, overridden by name=value texts. This resolves every
 * setting that is not given as a text, once. Returns the errors of a tuner's settings, an error for a width
 * that is not a multiple of the number of heads, and one for dropout of attention of another model than
 * "one-shot".
 */
Result<TrainingSettings> parse_training_settings(const std::map<std::string, std::string>& texts);

/**
 * Returns the settings of a stored training, whose texts are all settings that existed when it was stored.
 * Later settings have the value with which that training was begun.
 */
Result<TrainingSettings> parse_stored_training_settings(std::map<std::string, std::string> texts);

/** Returns all settings of a training as a JSON object with their names and types. */
std::string training_settings_to_json(const TrainingSettings& settings);
/**
 * Returns true if both texts of training_settings_to_json() describe one training, also if one of them was
 * stored before some of the settings existed.
 */
bool same_training_settings(std::string_view first, std::string_view second);

/** Returns the shape of the model that the settings describe, for the rows of this program. */
ModelShape model_shape(const TrainingSettings& settings);

}  // namespace kernelscape::predictor
