#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/space/knob.h"

namespace kernelscape {

using Json = nlohmann::json;

/**
 * Discarded (as what is no JSON) where it is nested so deeply that walking it could exhaust the stack, or has
 * over most_json_values values.
 */
Json parse_json(std::string_view text);

/** Text of it on one line; what is not UTF-8 is replaced, never thrown at. */
std::string to_text(const Json& json);

/** A whole number that fits into 64 bits. */
std::optional<std::int64_t> integer_of(const Json& json);

/** `json[key]` where json is an object that has it; null otherwise. */
const Json* member_of(const Json& json, std::string_view key);

/** Name, kind and what its values follow from; of a partial knob the kept ones too. */
Json knob_to_json(const Knob& knob);
/** Reads what `knob_to_json` writes. Errors: malformed, or what the knob's own maker refuses. */
Result<Knob> knob_from_json(const Json& json);

Json value_to_json(const KnobValue& value);  ///< a number, truth value or text of the same type
/** None: no finite number, truth value or text, or a whole number that does not fit into 64 bits. */
std::optional<KnobValue> value_from_json(const Json& json);

}  // namespace kernelscape
