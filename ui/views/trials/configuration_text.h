#pragma once

#include <string>

#include "core/session/preparation.h"
#include "ui/workspace/source.h"

namespace kernelscape::views {

/**
 * Returns a request that measures only the trial's configuration: the session's task, target, template and
 * measuring options with every knob restricted to the trial's value. Errors: the session is of another
 * program version, and its texts can't be read.
 */
Result<session::TuningRequest> request_of_trial(const workspace::SourceData& source, std::int64_t row);

/** Returns the request of `request_of_trial` as a command line, `kernelscape tune ...`. */
Result<std::string> command_line_of_trial(const workspace::SourceData& source, std::int64_t row);

}  // namespace kernelscape::views
