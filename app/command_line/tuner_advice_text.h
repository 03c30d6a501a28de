#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "core/space/search_space.h"
#include "core/tuner/advice.h"

namespace kernelscape::command_line {

/** Returns what is known of a search in a space. @param trials budget; 0: no limit */
tuner::SearchFacts facts_of(const space::SearchSpace& space, std::optional<base::uint128> members,
                            std::int64_t trials);

/** Returns which tuner to choose, why, and where it is documented, as a line. */
std::string advice_line(const tuner::TunerAdvice& advice);

/** Returns the fields "tuner", "reason", "study" and "page" of an advice. */
nlohmann::json advice_fields(const tuner::TunerAdvice& advice);

}  // namespace kernelscape::command_line
