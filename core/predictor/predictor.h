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

namespace kernelscape {

/** What training said after one pass over its samples. */
struct TrainingEpoch {
  std::int64_t epoch = 0;      ///< from 1
  double training_loss = 0;    ///< mean squared error of the standardised label
  double validation_loss = 0;  ///< the same on the validation tasks
  double validation_tau = 0;   ///< median Kendall's tau of the validation tasks
  double seconds = 0;          ///< of this epoch; 0 in a predictor's description, whose bytes it would change

  bool operator==(const TrainingEpoch&) const = default;
};

/** Where a predictor comes from, and what it was seen to be worth. */
struct PredictorDescription {
  std::string name;             ///< "conv2d-packed-avx512"
  std::string created_utc;      ///< ISO 8601
  std::string program_version;  ///< that trained it
  std::string template_name;
  int template_version = 0;
  std::string isa;            ///< of the target that its samples ran on: "avx512"
  std::string device;         ///< of that target: another one of the same ISA gets a notice
  std::string features;       ///< "tokens", "one-shot"
  int features_version = 0;   ///< FeatureExtractor::version()
  std::string settings_json;  ///< of training, all of them
  std::uint64_t seed = 0;
  std::uint64_t data_hash = 0;       ///< DataSet::hash()
  std::vector<std::string> sources;  ///< DataSet::sources
  std::int64_t samples = 0;          ///< that it was trained on
  std::vector<TaskOutcome> tasks;    ///< of every task of the data set, training tasks too
  std::vector<TrainingEpoch> epochs;
  std::int64_t best_epoch = 0;  ///< whose weights these are

  bool operator==(const PredictorDescription&) const = default;
};

/**
 * A trained model of how fast the configurations of a template are, whatever the task. Immutable; any thread
 * may ask. Its bytes are the file, and nothing in them is run.
 *
 * File, little-endian: "KSPRED\0" and a byte with the version, u64 bytes of the description, u64 count of
 * numbers, SHA-256 of all that follows in hexadecimal digits, the description as JSON, the numbers (32-bit)
 * of label, standardisation and model. Sizes are checked against the file's before anything is allocated.
 */
class Predictor {
 public:
  /** Errors name the path, and say how a new one is made. */
  static Result<std::shared_ptr<const Predictor>> open(const std::filesystem::path& path);
  /** @param name what errors call it */
  static Result<std::shared_ptr<const Predictor>> from_bytes(std::string_view bytes, std::string_view name);

  virtual ~Predictor() = default;
  virtual const PredictorDescription& description() const = 0;  ///< where it comes from
  virtual const std::string& bytes() const = 0;                 ///< the whole file
  /** The first 12 hexadecimal digits of the SHA-256 of its bytes. */
  virtual const std::string& hash() const = 0;

  /**
   * Why it says nothing of kernels of this template and target, with the way to make one that does; nothing
   * where it fits. Another template, another version of it or of the features, or another ISA is Refused.
   */
  virtual Status fits(std::string_view template_name, int template_version,
                      const TargetDescription& target) const = 0;

  /** For a task's kernels. Errors: as fits(). */
  virtual Result<std::shared_ptr<const PerformancePredictor>> bind(const ScheduledKernel& kernel) const = 0;
};

/** "name hash": as PerformancePredictor::text() and the setting `predictor` of a stored session have it. */
std::string predictor_text(const Predictor& predictor);

/** The shipped predictors: data/predictors/\*.kspred, by file name. */
std::vector<std::filesystem::path> shipped_predictors();

}  // namespace kernelscape
