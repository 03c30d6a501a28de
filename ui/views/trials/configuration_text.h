#pragma once

#include <string>

#include "core/session/preparation.h"
#include "ui/workspace/source.h"

namespace kernelscape {

/**
 * A run that measures a trial's configuration and nothing else: the session's task, target, template and
 * measuring options with every knob restricted to its value. Errors: a session of another program version
 * whose texts can't be read.
 */
Result<TuningRequest> request_of_trial(const SourceData& source, std::int64_t row);

/** The same as `kernelscape tune ...`. */
Result<std::string> command_line_of_trial(const SourceData& source, std::int64_t row);

}  // namespace kernelscape
