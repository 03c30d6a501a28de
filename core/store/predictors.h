#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/store/identifiers.h"
#include "core/store/owner.h"
#include "core/store/predictor_rows.h"
#include "core/store/repository.h"

namespace kernelscape::store {

/** The predictors of a database and their training. */
class Predictors : public Repository {
 public:
  using Repository::Repository;

  /** Stores the definition of a predictor that `owner` trains. */
  Result<PredictorId> create_training(const PredictorRecord& record, const Owner& owner);
  /**
   * Takes the ownership of a training that is not Done and has no owner or a dead owner. Returns Refused with
   * the process id of a living owner. The state becomes Training, and the checkpoint is kept.
   */
  Status claim_training(PredictorId id, const Owner& owner);
  /**
   * Replaces the training log and the checkpoint in one transaction. Returns Refused if the training is Done.
   */
  Status save_epoch(PredictorId id, const std::string& epochs_json, std::string_view checkpoint);
  /** Sets the state to Done, stores the predictor file `bytes`, and removes the owner and the checkpoint. */
  Status finish_training(PredictorId id, std::string_view bytes, const std::string& hash);
  /**
   * Ends the training and removes the owner. The training resumes from its checkpoint when it is claimed
   * again. @param state Interrupted or Failed
   */
  Status end_training(PredictorId id, PredictorState state, const std::string& reason);

  /**
   * Stores a predictor that was trained elsewhere, with the state Done. Returns the existing id if the
   * database has a predictor with this hash.
   */
  Result<PredictorId> add(const PredictorRecord& record, std::string_view bytes, const std::string& hash);
  /** Returns all predictors, trained or not, newest first. @param unreadable as for Sessions::all() */
  Result<std::vector<PredictorSummary>> all(std::vector<Error>* unreadable = nullptr) const;
  /** Returns a predictor. Returns NotFound if it does not exist and Corrupt if it is damaged. */
  Result<PredictorSummary> get(PredictorId id) const;
  /** Returns the predictor file. Returns Refused if the predictor is not Done. */
  Result<std::string> bytes(PredictorId id) const;
  /**
   * Returns the checkpoint that save_epoch() stored last; empty before the first epoch and after the training
   * is Done.
   */
  Result<std::string> checkpoint(PredictorId id) const;
  /** Finds a predictor by id or by name. An ambiguous or unknown name is an error that lists candidates. */
  Result<PredictorId> find(std::string_view id_or_name) const;
  /** Returns the newest predictor in state Done that has this hash, or nullopt. */
  Result<std::optional<PredictorId>> with_hash(std::string_view hash) const;
  /**
   * Deletes a predictor permanently. Sessions that used it keep their trials. Returns Refused while a living
   * process trains it.
   */
  Status remove(PredictorId id);
};

}  // namespace kernelscape::store
