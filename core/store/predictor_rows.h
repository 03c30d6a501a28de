#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/store/identifiers.h"
#include "core/store/owner.h"

namespace kernelscape::store {

/** The state of a predictor's training. The numbers are stored: never renumber. */
enum class PredictorState : std::uint8_t {
  Training = 0,     ///< owned by a process; a dead owner makes it Interrupted for readers
  Interrupted = 1,  ///< training can be resumed from its checkpoint
  Done = 2,         ///< the predictor is complete
  Failed = 3        ///< stopped by an error; training can be tried again
};

std::string_view to_string(PredictorState state);  ///< "training", "interrupted", "done", "failed"

/**
 * The definition of a predictor. Parts that only the creator interprets are stored as text. Never changes.
 */
struct PredictorRecord {
  PredictorId id = 0;
  std::string name;
  std::string created_utc;  ///< ISO 8601, set by the store
  std::string program_version;
  std::string template_name;
  std::string isa;              ///< of the target on which the samples were measured
  std::string definition_json;  ///< sources, settings and seed; for an imported predictor, the definition in
                                ///< its file
  std::string origin{};         ///< the name of the imported file; empty: trained in this database

  bool operator==(const PredictorRecord&) const = default;
};

/** A trained or untrained predictor as lists show it, without its model. */
struct PredictorSummary {
  PredictorRecord record;
  PredictorState state = PredictorState::Training;
  std::string state_reason;      ///< if not Done: an error's message, "interrupted by the user"
  std::string epochs_json;       ///< the training log of all epochs so far, as JSON; empty: no epoch yet
  std::string hash;              ///< Predictor::hash(); empty until Done
  std::int64_t byte_count = 0;   ///< size of the predictor file; 0 until Done
  std::optional<Owner> owner{};  ///< set while a process trains the predictor, dead or alive
};

}  // namespace kernelscape::store
