#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/predictor/training.h"
#include "core/session/stop_request.h"
#include "core/store/store.h"

namespace kernelscape::study {

/** A user's request for a training: names and texts, unchecked. */
struct TrainingRequest {
  /** Name of the predictor; empty: template and ISA, "conv2d-packed-avx512", or operation and ISA. */
  std::string name;
  std::vector<std::string> sources;             ///< in the form of read_data_set()
  std::string template_name;                    ///< in the form of read_data_set()
  std::map<std::string, std::string> settings;  ///< of TrainingSettings; missing ones have their defaults
  std::uint64_t seed = 1;
};

/** The definition of a stored training; its name, template and ISA are columns of its row. */
struct TrainingDefinition {
  std::vector<std::string> sources;  ///< in the form of resolve_data_sources()
  std::map<std::string, std::string> settings;
  std::uint64_t seed = 1;

  bool operator==(const TrainingDefinition&) const = default;
};

/** Returns one JSON object with `sources`, `settings` (name to text) and `seed`. */
std::string training_definition_to_json(const TrainingDefinition& definition);
/** Parses the output of training_definition_to_json(). Returns Corrupt for anything else. */
Result<TrainingDefinition> training_definition_from_json(std::string_view json);

/** Returns a JSON array, in which the database keeps the epochs so far. */
std::string training_epochs_to_json(std::span<const predictor::TrainingEpoch> epochs);
/**
 * Parses the output of training_epochs_to_json(); an empty text has no epochs. Returns Corrupt for anything
 * else.
 */
Result<std::vector<predictor::TrainingEpoch>> training_epochs_from_json(std::string_view json);

/**
 * Stores a training that can be run, after reading and checking all that it needs: sources, template,
 * settings, enough tasks to hold some out. On an error, stores nothing. The training is interrupted until
 * run_training() starts it.
 */
Result<store::PredictorId> create_training(store::Store& store, const TrainingRequest& request);

/** The inputs of a running training. */
struct TrainingFacts {
  store::PredictorId id = 0;
  std::string name;
  std::string template_name;  ///< predictor::templates_text()
  std::string isa;
  std::vector<std::string> sources;  ///< names for users
  std::int64_t samples = 0;  ///< samples read, without those that are far slower than the best of their task
  std::int64_t training_tasks = 0;
  std::int64_t validation_tasks = 0;
  std::int64_t test_tasks = 0;
  std::int64_t max_epochs = 0;
  std::vector<predictor::TrainingEpoch> epochs;  ///< the epochs of earlier runs
};

/** Receives the events of a training, in the thread that trains. */
class TrainingObserver {
 public:
  virtual ~TrainingObserver() = default;
  /** Reports a slow step before the first epoch or after the last: "reading the data set". */
  virtual void phase(std::string_view) {}
  virtual void begun(const TrainingFacts&) {}  ///< before the first epoch of this run
  /**
   * Reports an epoch. @param max_epochs early stopping may end the training before. @param seconds_left
   * upper bound, for that reason
   */
  virtual void epoch(const predictor::TrainingEpoch&, [[maybe_unused]] std::int64_t max_epochs,
                     [[maybe_unused]] double seconds_left) {}
};

/** The result of a run of a training. */
struct TrainingEnd {
  store::PredictorId id = 0;
  std::shared_ptr<const predictor::Predictor> predictor;  ///< null: it was stopped, and can be resumed
  std::vector<predictor::TrainingEpoch> epochs;           ///< all epochs, including those of earlier runs
};

/**
 * Trains what is missing of a stored training and stores the predictor. Owns the training meanwhile; returns
 * Refused if another process owns it or if it is done. Resumes from its last checkpoint, which gives the same
 * predictor; returns Refused if the samples of the sources have changed since. A stop ends it within an
 * epoch, which is lost, and keeps the epochs before; a process that dies loses at most 10 s and an epoch.
 *
 * Errors are stored as the reason of its state, if the database can be written: the training has failed, or
 * it can be resumed later if the machine is at fault (such as a full disk).
 */
Result<TrainingEnd> run_training(const std::filesystem::path& database, store::PredictorId id,
                                 TrainingObserver& observer, const session::StopRequest& stop);

}  // namespace kernelscape::study
