#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/measure/interruption.h"
#include "core/measure/worker/command_messages.h"
#include "core/project/program.h"

namespace kernelscape::measure {

/**
 * Reads the numbers that a run reports. They are finite, and in the unit of `number`. Errors say what is
 * missing or not unique.
 * @param folder where the program ran, in which files are looked up
 * @param interruption ends the search for a pattern with an error
 */
Result<std::vector<double>> read_numbers(const project::ProgramNumber& number, const CommandReply& reply,
                                         const std::string& folder, const Interruption& interruption = {});

}  // namespace kernelscape::measure
