#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/store/identifiers.h"
#include "core/store/owner.h"

namespace kernelscape {

/** How far a predictor's training is. The numbers are stored: never renumber. */
enum class PredictorState : std::uint8_t {
  Training = 0,     ///< owned by a process; a dead owner makes it Interrupted for readers
  Interrupted = 1,  ///< can go on from its checkpoint
  Done = 2,         ///< there is a predictor
  Failed = 3        ///< stopped by an error; it can be tried again
};

std::string_view to_string(PredictorState state);  ///< "training", "interrupted", "done", "failed"

/** All that a predictor is trained from, as text where only its maker understands it. Never changes. */
struct PredictorRecord {
  PredictorId id = 0;
  std::string name;
  std::string created_utc;  ///< ISO 8601, set by the store
  std::string program_version;
  std::string template_name;
  std::string isa;              ///< of the target that its samples ran on
  std::string definition_json;  ///< sources, settings and seed; of an imported one what its file says
  std::string origin{};         ///< the name of the file that it was imported from; empty: trained here

  bool operator==(const PredictorRecord&) const = default;
};

/** A predictor, trained or not yet, as lists show it: without what it predicts with. */
struct PredictorSummary {
  PredictorRecord record;
  PredictorState state = PredictorState::Training;
  std::string state_reason;      ///< of one that is not done: an error's message, "interrupted by the user"
  std::string epochs_json;       ///< what its maker noted of each epoch so far; empty: nothing yet
  std::string hash;              ///< Predictor::hash(); empty until it is done
  std::int64_t byte_count = 0;   ///< of its file; 0 until it is done
  std::optional<Owner> owner{};  ///< set while a process trains it, dead or alive
};

}  // namespace kernelscape
