#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/space/knob.h"

namespace kernelscape::space {

using Json = nlohmann::json;

/**
 * Parses JSON. Returns a discarded value for invalid JSON, for a nesting so deep that recursion could exhaust
 * the stack, and for more than max_json_values values.
 */
Json parse_json(std::string_view text);

/** Returns JSON as text on one line. Invalid UTF-8 is replaced and does not throw. */
std::string to_text(const Json& json);

/** Returns the value of a whole number that fits into 64 bits, else nullopt. */
std::optional<std::int64_t> integer_of(const Json& json);

/** Returns `json[key]` if json is an object with this key; else null. */
const Json* member_of(const Json& json, std::string_view key);

/**
 * Returns a knob as JSON: name, kind and the parameters of its values; for a partial knob also the kept
 * values.
 */
Json knob_to_json(const Knob& knob);
/** Reads what `knob_to_json` writes. Errors: malformed JSON, or those of the knob's factory function. */
Result<Knob> knob_from_json(const Json& json);

Json value_to_json(const KnobValue& value);  ///< a number, boolean or text of the same type
/**
 * Reads a value. Returns nullopt if it is not a finite number, boolean or text, or a whole number that does
 * not fit into 64 bits.
 */
std::optional<KnobValue> value_from_json(const Json& json);

}  // namespace kernelscape::space
