#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "core/exchange/kernels/exported_kernel.h"

namespace kernelscape::exchange {

/**
 * Returns a measured configuration as a JSON object with sorted keys:
 *
 *   format: "kernelscape-configuration", format_version: 1
 *   task {name, text, definition, flops}, target {...}, template {name, version}
 *   configuration {knob: value}, configuration_text
 *   category, message, measured {samples_seconds, first_quartile_seconds, median_seconds,
 * third_quartile_seconds, gflops}, confirmed {the same, measured_utc} or null, threads, options {...}
 *   provenance {session, session_name, trial, trials, tuner, settings, seed, created_utc, program_version,
 * reproduce}
 *
 * Times are in seconds, speeds in GFLOP/s (null if they are unknown).
 * SearchSpace::configuration_from_json reads `configuration` back.
 */
nlohmann::json configuration_object(const MeasuredConfiguration& measured);

/** Returns the object as indented text that ends with a newline. */
std::string configuration_json(const MeasuredConfiguration& measured);

}  // namespace kernelscape::exchange
