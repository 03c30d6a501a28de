#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/space/knob.h"

namespace kernelscape {

using Json = nlohmann::json;

/** Discarded (as what is no JSON) where it is nested so deeply that walking it could exhaust the stack. */
Json parse_json(std::string_view text);

/** Text of it on one line; what is not UTF-8 is replaced, never thrown at. */
std::string to_text(const Json& json);

/** A whole number that fits into 64 bits. */
std::optional<std::int64_t> integer_of(const Json& json);

/** `json[key]` where json is an object that has it; null otherwise. */
const Json* member_of(const Json& json, std::string_view key);

Json knob_to_json(const Knob& knob);
Result<Knob> knob_from_json(const Json& json);

Json value_to_json(const KnobValue& value);
std::optional<KnobValue> value_from_json(const Json& json);

}  // namespace kernelscape
