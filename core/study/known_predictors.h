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

namespace kernelscape::study {

/** A predictor of the database, trained or in training, or a built-in one: a row of a list. */
struct KnownPredictor {
  std::optional<store::PredictorId> id;  ///< nullopt: it is built in
  std::filesystem::path file;            ///< file of a built-in predictor
  std::string name;
  std::string template_name;  ///< predictor::templates_text()
  std::string isa;
  std::string state;   ///< "training", "interrupted", "done", "failed"; "shipped"
  std::string reason;  ///< reason of the state; for a built-in predictor that cannot be read, the error
  std::string origin;  ///< file of an imported predictor
  std::string created_utc;
  std::string hash;  ///< empty: not trained yet
  std::vector<predictor::TrainingEpoch> epochs;
  /** The description in its file; null: not trained yet, or cannot be read. */
  std::shared_ptr<const predictor::Description> description;
};

/** Returns the number of tasks of a part. */
std::int64_t count_tasks(const predictor::Description& description, predictor::DataPart part);

/**
 * Returns the predictors of the database, newest first, then the built-in ones by name. A damaged predictor
 * hides no other.
 * @param unreadable gets an error for each predictor that is left out or has no description for that reason;
 * may be null
 */
Result<std::vector<KnownPredictor>> known_predictors(const store::Store& store,
                                                     std::vector<Error>* unreadable = nullptr);

/**
 * Finds a predictor by number, name or hash (its beginning) in the database, else a built-in one by name. The
 * error lists similar names.
 */
Result<KnownPredictor> find_known_predictor(const store::Store& store, std::string_view wanted);

/** Opens a trained predictor. Returns Refused if it is not trained yet. */
Result<std::shared_ptr<const predictor::Predictor>> open_known_predictor(const store::Store& store,
                                                                         const KnownPredictor& known);

/** The result of import_predictor(). */
struct ImportedPredictor {
  store::PredictorId id = 0;
  bool existed = false;  ///< the database already had the predictor, whose id this is
};
/** Adds a predictor's file to the database. */
Result<ImportedPredictor> import_predictor(store::Store& store, const std::filesystem::path& file);

/** Writes a predictor's file. @param force allows replacing an existing file that is not a predictor */
Status export_predictor(const predictor::Predictor& predictor, const std::filesystem::path& file, bool force);

/**
 * Evaluates a predictor on a data set, which may differ from its own. Each task belongs to the part that it
 * had in the predictor's training; a task that was not in it belongs to the test part. Returns the errors of
 * Predictor::fits().
 */
Result<std::vector<predictor::TaskOutcome>> evaluate_predictor(const predictor::Predictor& predictor,
                                                               const predictor::DataSet& data);

}  // namespace kernelscape::study
