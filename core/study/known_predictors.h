#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/predictor/data_set.h"
#include "core/predictor/predictor.h"
#include "core/store/store.h"
#include "core/study/training_run.h"

namespace kernelscape {

/** A predictor of the database, trained or in training, or a shipped one: a row of a list. */
struct KnownPredictor {
  std::optional<PredictorId> id;  ///< none: it is shipped
  std::filesystem::path file;     ///< of a shipped one
  std::string name;
  std::string template_name;
  std::string isa;
  std::string state;   ///< "training", "interrupted", "done", "failed"; "shipped"
  std::string reason;  ///< of the state; of a shipped one that cannot be read, why
  std::string origin;  ///< of an imported one, its file
  std::string created_utc;
  std::string hash;  ///< empty: it is not trained yet
  std::vector<TrainingEpoch> epochs;
  /** What its file says; null: it is not trained yet, or cannot be read. */
  std::shared_ptr<const PredictorDescription> description;
};

/** Tasks of a part. */
std::int64_t count_tasks(const PredictorDescription& description, DataPart part);

/**
 * The database's, newest first, then the shipped ones by name. One that is damaged hides no other.
 * @param unreadable gets an error of each that is left out or has no description for that reason; may be null
 */
Result<std::vector<KnownPredictor>> known_predictors(const Store& store,
                                                     std::vector<Error>* unreadable = nullptr);

/** By number, name or hash (its beginning) in the database, else a shipped one by name; the error lists what
 * is near. */
Result<KnownPredictor> find_known_predictor(const Store& store, std::string_view wanted);

/** The trained predictor; Refused where it is not trained yet. */
Result<std::shared_ptr<const Predictor>> open_known_predictor(const Store& store,
                                                              const KnownPredictor& known);

/** What import_predictor() made of a file. */
struct ImportedPredictor {
  PredictorId id = 0;
  bool existed = false;  ///< the database had the same one, which it is
};
/** Adds a predictor's file to the database. */
Result<ImportedPredictor> import_predictor(Store& store, const std::filesystem::path& file);

/** Writes a predictor's file. @param force whether what is there and no predictor may be replaced */
Status export_predictor(const Predictor& predictor, const std::filesystem::path& file, bool force);

/**
 * What a predictor says of a data set that need not be its own. A task is of the part that it had in the
 * predictor's training; one that it does not know is a test. Errors: as of Predictor::fits().
 */
Result<std::vector<TaskOutcome>> evaluate_predictor(const Predictor& predictor, const DataSet& data);

}  // namespace kernelscape
