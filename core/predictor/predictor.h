#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/predictor/evaluation.h"
#include "core/schedule/template.h"
#include "core/space/performance_predictor.h"

namespace kernelscape::predictor {

/** The results of one training epoch: one pass over the training samples. */
struct TrainingEpoch {
  std::int64_t epoch = 0;      ///< from 1
  double training_loss = 0;    ///< mean squared error of the standardised label
  double validation_loss = 0;  ///< mean squared error on the validation tasks
  double validation_tau = 0;   ///< median Kendall's tau of the validation tasks
  /** Duration of this epoch; 0 in a predictor's description, whose bytes must not depend on it. */
  double seconds = 0;

  bool operator==(const TrainingEpoch&) const = default;
};

/** The origin of a predictor, and its measured accuracy. */
struct Description {
  std::string name;             ///< "conv2d-packed-avx512"
  std::string created_utc;      ///< ISO 8601
  std::string program_version;  ///< version of the program that trained it
  std::string template_name;    ///< the first template
  int template_version = 0;
  std::vector<TemplateVersion> more_templates = {};  ///< others of the same operation
  std::string isa;                                   ///< ISA of the target on which its samples ran: "avx512"
  std::string device;         ///< device of that target; another device with the same ISA gets a notice
  std::string features;       ///< "tokens", "one-shot"
  int features_version = 0;   ///< FeatureExtractor::version()
  std::string settings_json;  ///< all settings of the training
  std::uint64_t seed = 0;
  std::uint64_t data_hash = 0;       ///< DataSet::hash()
  std::vector<std::string> sources;  ///< DataSet::sources
  std::int64_t samples = 0;          ///< number of training samples
  std::vector<TaskOutcome> tasks;    ///< outcome of every task of the data set, including training tasks
  std::vector<TrainingEpoch> epochs;
  std::int64_t best_epoch = 0;  ///< the epoch whose parameters the predictor has

  /** Returns all templates whose kernels the predictor knows, the first one first. */
  std::vector<TemplateVersion> templates() const;
  bool operator==(const Description&) const = default;
};

/**
 * A trained model that predicts the performance of the configurations of a template, or of several templates
 * of one operation, for any task. Immutable; may be used from any thread. Its bytes are the file, and nothing
 * in them is executed.
 *
 * File, little-endian: "KSPRED\0" and a byte with the version, u64 bytes of the description, u64 count of
 * numbers, SHA-256 of all that follows in hexadecimal digits, the description as JSON, the numbers (32-bit)
 * of label scale, row scale and model. Sizes are checked against the size of the file before anything is
 * allocated.
 */
class Predictor {
 public:
  /** Reads a predictor from a file. Errors name the path and explain how to train a new predictor. */
  static Result<std::shared_ptr<const Predictor>> open(const std::filesystem::path& path);
  /** Reads a predictor from the bytes of a file. @param name the name of the file in errors */
  static Result<std::shared_ptr<const Predictor>> from_bytes(std::string_view bytes, std::string_view name);

  virtual ~Predictor() = default;
  virtual const Description& description() const = 0;  ///< origin and accuracy
  virtual const std::string& bytes() const = 0;        ///< the whole file
  /** Returns the first 12 hexadecimal digits of the SHA-256 of the bytes. */
  virtual const std::string& hash() const = 0;

  /**
   * Checks whether the predictor supports kernels of this template and target. Returns Refused, with the way
   * to train a predictor that does, for another template, another version of the template or of the features,
   * or another ISA.
   */
  virtual Status fits(std::string_view template_name, int template_version,
                      const schedule::TargetDescription& target) const = 0;

  /** Returns the predictor for the kernels of a task, or the errors of fits(). */
  virtual Result<std::shared_ptr<const space::PerformancePredictor>> bind(
      const schedule::ScheduledKernel& kernel) const = 0;
};

/**
 * Returns "name hash", as in PerformancePredictor::text() and in the setting `predictor` of a stored session.
 */
std::string predictor_text(const Predictor& predictor);

/** Returns the built-in predictors: data/predictors/\*.kspred, by file name. */
std::vector<std::filesystem::path> bundled_predictors();

}  // namespace kernelscape::predictor
