#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/space/configuration.h"
#include "core/space/knob.h"

namespace kernelscape::space {

/**
 * Reads a configuration of these knobs from a JSON object with a value for every knob, by its name. Errors
 * name the knob and the reason.
 */
Result<Configuration> configuration_from_json(const std::vector<Knob>& knobs, std::string_view json);

/** Returns the text that `configuration_from_json` reads, on one line, knobs in their order. */
std::string configuration_to_json(const std::vector<Knob>& knobs, const Configuration& configuration);

}  // namespace kernelscape::space
