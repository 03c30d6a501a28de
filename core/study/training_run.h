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

namespace kernelscape {

/** What a user wants to be trained: names and texts, unchecked. */
struct TrainingRequest {
  std::string name;                  ///< of the predictor; empty: template and ISA, "conv2d-packed-avx512"
  std::vector<std::string> sources;  ///< as read_data_set() takes them
  std::string template_name;         ///< empty: that of the sources
  std::map<std::string, std::string> settings;  ///< of TrainingSettings; what is missing is the default
  std::uint64_t seed = 1;
};

/** What a stored training is made of; its name, template and ISA are columns of its row. */
struct TrainingDefinition {
  std::vector<std::string> sources;  ///< as resolve_data_sources() gives them
  std::map<std::string, std::string> settings;
  std::uint64_t seed = 1;

  bool operator==(const TrainingDefinition&) const = default;
};

/** One JSON object with `sources`, `settings` (name to text) and `seed`. */
std::string training_definition_to_json(const TrainingDefinition& definition);
/** Corrupt where it is not what training_definition_to_json() writes. */
Result<TrainingDefinition> training_definition_from_json(std::string_view json);

/** A JSON array, as the database keeps what was trained so far. */
std::string training_epochs_to_json(std::span<const TrainingEpoch> epochs);
/** Empty text: none. Corrupt where it is not what training_epochs_to_json() writes. */
Result<std::vector<TrainingEpoch>> training_epochs_from_json(std::string_view json);

/**
 * Stores a training that can be run, after all that it needs was read and checked: sources, template,
 * settings, enough tasks to hold some out. Nothing is stored where something is wrong. It is interrupted
 * until run_training() begins.
 */
Result<PredictorId> create_training(Store& store, const TrainingRequest& request);

/** What a training works on. */
struct TrainingFacts {
  PredictorId id = 0;
  std::string name;
  std::string template_name;
  std::string isa;
  std::vector<std::string> sources;  ///< for users
  std::int64_t samples = 0;          ///< read; those that are far slower than their task's best do not count
  std::int64_t training_tasks = 0;
  std::int64_t validation_tasks = 0;
  std::int64_t test_tasks = 0;
  std::int64_t most_epochs = 0;
  std::vector<TrainingEpoch> epochs;  ///< that were trained before
};

/** Told of everything that happens, in the thread that trains. */
class TrainingObserver {
 public:
  virtual ~TrainingObserver() = default;
  /** What takes its time before the first epoch and after the last: "reading the data set". */
  virtual void phase(std::string_view) {}
  virtual void begun(const TrainingFacts&) {}  ///< before the first epoch of this run
  /** @param most_epochs early stopping may end it before. @param seconds_left at most, for that reason */
  virtual void epoch(const TrainingEpoch&, [[maybe_unused]] std::int64_t most_epochs,
                     [[maybe_unused]] double seconds_left) {}
};

/** How a run of a training ended. */
struct TrainingEnd {
  PredictorId id = 0;
  std::shared_ptr<const Predictor> predictor;  ///< null: it was stopped, and can go on
  std::vector<TrainingEpoch> epochs;           ///< all, those of earlier runs included
};

/**
 * Trains what is missing of a stored training and stores the predictor: owns it meanwhile, refused where
 * another process does or where it is done. Goes on from its last checkpoint, which gives the same predictor;
 * refused where the sources have other samples than then. A stop ends it within an epoch, which is lost, and
 * keeps those before; a process that dies loses 10 s and an epoch at most.
 *
 * Errors are stored as its reason as far as the database can be written: it has failed, or where the machine
 * is at fault, such as a full disk, can go on later.
 */
Result<TrainingEnd> run_training(const std::filesystem::path& database, PredictorId id,
                                 TrainingObserver& observer, const StopRequest& stop);

}  // namespace kernelscape
