#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/space/search_space.h"
#include "core/store/store.h"
#include "core/trial/trial.h"

namespace kernelscape::exchange {

// The file format of this program for a whole session:
//
//   {"format": "kernelscape-session", "format_version": 1,
//    "session": {the record}, "status": {...}, "confirmations": [...], "series": [...],
//    "interruptions": [...], "notices": [...] (omitted if there are none), "trials": [one object per line]}
//
// Numbers are exact: doubles have the fewest digits that are read back as the same number, "inf", "-inf" and
// "nan" as texts.

inline constexpr std::string_view session_json_format = "kernelscape-session";
inline constexpr std::int64_t session_json_version = 1;

/** Returns the whole record of a session; its JSON texts become JSON values. */
nlohmann::ordered_json session_record_to_json(const store::SessionRecord& record,
                                              const store::SessionAnnotation& annotation);

/** A stored record. Its texts are as their creators wrote them, except for the order of members. */
struct StoredRecord {
  store::SessionRecord record;
  store::SessionAnnotation annotation{};
};
/** Reads a record. InvalidArgument names the member that is missing or invalid. */
Result<StoredRecord> session_record_from_json(const nlohmann::json& json);

/** Returns the whole status, with the state by name. */
nlohmann::ordered_json session_status_to_json(const store::SessionStatus& status);
/** Reads a status. Returns InvalidArgument if a member is missing or invalid. */
Result<store::SessionStatus> session_status_from_json(const nlohmann::json& json);

/**
 * Returns a trial. It contains the configuration twice: by value for readers, and as indices, which are
 * imported. The members of GPU kernels, "resources" and "build_log", and "metrics" are omitted if the trial
 * has none.
 */
nlohmann::ordered_json trial_to_json(const trial::Trial& trial, const space::SearchSpace& space);
/**
 * Reads a trial from its indices, and checks them against the space. Returns InvalidArgument for a member
 * that is missing or invalid, an impossible measurement, or a configuration that is not in the space.
 */
Result<trial::Trial> trial_from_json(const nlohmann::json& json, const space::SearchSpace& space);

/** Returns a confirmation with all samples in seconds. */
nlohmann::ordered_json confirmation_to_json(const trial::Confirmation& confirmation);
/** Reads a confirmation. Returns InvalidArgument for a missing member or a sample that is not a time. */
Result<trial::Confirmation> confirmation_from_json(const nlohmann::json& json);

/** Returns a number of a tuner: trial, name, value. */
nlohmann::ordered_json series_to_json(const store::StoredSeries& series);
/** Reads a number of a tuner. Returns InvalidArgument for a missing or invalid member. */
Result<store::StoredSeries> series_from_json(const nlohmann::json& json);

/** Returns the session time in seconds, and the kind. */
nlohmann::ordered_json interruption_to_json(const store::SessionInterruption& interruption);
/** Reads an interruption. Returns InvalidArgument for a missing or invalid member. */
Result<store::SessionInterruption> interruption_from_json(const nlohmann::json& json);

/** Returns the kind, the text and the first time of a notice. */
nlohmann::ordered_json notice_to_json(const trial::SessionNotice& notice);
/** Reads a notice. Returns InvalidArgument for a missing or invalid member. */
Result<trial::SessionNotice> notice_from_json(const nlohmann::json& json);

}  // namespace kernelscape::exchange
