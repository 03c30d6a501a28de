#pragma once

#include <filesystem>

#include "core/base/result.h"
#include "core/measure/interruption.h"
#include "core/measure/worker/model_messages.h"

namespace kernelscape::network {

/** Adds the name of the file to an error. */
std::unexpected<Error> of_file(const std::filesystem::path& path, Error error);

/**
 * Has a worker process read a model. Returns InvalidArgument if the model cannot be read or if the worker
 * crashes, and Environment if no worker can be started or if the worker takes too long.
 */
Result<measure::ModelReply> read_in_worker(const measure::ModelRequest& request,
                                           const measure::Interruption& interruption);

}  // namespace kernelscape::network
