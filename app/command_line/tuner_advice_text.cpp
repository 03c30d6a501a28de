#include "app/command_line/tuner_advice_text.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace kernelscape::command_line {

tuner::SearchFacts facts_of(const space::SearchSpace& space, std::optional<base::uint128> members,
                            std::int64_t trials) {
  return {.members = members, .knobs = space.knobs().size(), .trials = trials};
}

std::string advice_line(const tuner::TunerAdvice& advice) {
  return fmt::format("{} ({})", advice.sentence(), advice.page);
}

nlohmann::json advice_fields(const tuner::TunerAdvice& advice) {
  return {{"tuner", advice.tuner}, {"reason", advice.reason}, {"study", advice.study}, {"page", advice.page}};
}

}  // namespace kernelscape::command_line
