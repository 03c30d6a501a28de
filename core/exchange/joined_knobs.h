#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/exchange/join.h"
#include "core/space/knob.h"

namespace kernelscape::exchange {

/** A parameter of a joined space as one of its sources has it. */
struct JoinedChoice {
  std::optional<std::uint32_t> knob{};   ///< position of the source's knob; nullopt: the source lacks it
  std::vector<std::uint32_t> indices{};  ///< by value of the source's knob: its value; without a knob one
};

/** The parameters of several spaces. */
struct JoinedKnobs {
  std::vector<space::Knob> knobs{};
  std::vector<std::vector<JoinedChoice>> choices{};  ///< by source, by knob
};

/**
 * Joins the parameters of recorded spaces by name, in the order of their first occurrence. @param missing by
 * parameter: the value of the sources that lack it. Errors: as for join_recordings().
 */
Result<JoinedKnobs> join_knobs(std::span<const JoinSource> sources,
                               const std::map<std::string, std::string>& missing);

}  // namespace kernelscape::exchange
