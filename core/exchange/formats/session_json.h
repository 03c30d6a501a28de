#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/space/search_space.h"
#include "core/store/store.h"
#include "core/trial/trial.h"

namespace kernelscape {

// Our own file of a whole session:
//
//   {"format": "kernelscape-session", "format_version": 1,
//    "session": {what it was made from}, "status": {...}, "confirmations": [...], "series": [...],
//    "interruptions": [...], "notices": [...] (what it said beside its trials; left out where it said
//    nothing), "trials": [one object per line]}
//
// Numbers are exact: doubles in the fewest digits that read back the same, "inf", "-inf" and "nan" as texts.

inline constexpr std::string_view session_json_format = "kernelscape-session";
inline constexpr std::int64_t session_json_version = 1;

/** All that a session's row says; its texts as the JSON they are. */
nlohmann::ordered_json session_record_to_json(const SessionRecord& record,
                                              const SessionAnnotation& annotation);

/** The texts in it are as their makers wrote them, but for the order of members. */
struct StoredRecord {
  SessionRecord record;
  SessionAnnotation annotation{};
};
/** InvalidArgument names the member that is missing or unusable. */
Result<StoredRecord> session_record_from_json(const nlohmann::json& json);

/** All of the status; its state by name. */
nlohmann::ordered_json session_status_to_json(const SessionStatus& status);
/** InvalidArgument where a member is missing or unusable. */
Result<SessionStatus> session_status_from_json(const nlohmann::json& json);

/**
 * The configuration stands there twice: by value for readers, and as indices, which count. What GPU kernels
 * have beside the rest, "resources" and "build_log", is left out where there is none.
 */
nlohmann::ordered_json trial_to_json(const Trial& trial, const SearchSpace& space);
/**
 * Takes the indices, and checks them against the space. InvalidArgument: a member that is missing or
 * unusable, impossible measurements, a configuration that is not of the space.
 */
Result<Trial> trial_from_json(const nlohmann::json& json, const SearchSpace& space);

/** Samples in seconds, every one. */
nlohmann::ordered_json confirmation_to_json(const Confirmation& confirmation);
/** InvalidArgument: a missing member, a sample that is no time. */
Result<Confirmation> confirmation_from_json(const nlohmann::json& json);

/** A tuner's number: trial, name, value. */
nlohmann::ordered_json series_to_json(const StoredSeries& series);
/** InvalidArgument: a missing or unusable member. */
Result<StoredSeries> series_from_json(const nlohmann::json& json);

/** Session time in seconds, and the kind. */
nlohmann::ordered_json interruption_to_json(const SessionInterruption& interruption);
/** InvalidArgument: a missing or unusable member. */
Result<SessionInterruption> interruption_from_json(const nlohmann::json& json);

/** Its kind, its text, and when it was said first. */
nlohmann::ordered_json notice_to_json(const SessionNotice& notice);
/** InvalidArgument: a missing or unusable member. */
Result<SessionNotice> notice_from_json(const nlohmann::json& json);

}  // namespace kernelscape
