#pragma once

#include <string>

#include "core/base/result.h"
#include "core/schedule/target.h"
#include "ui/workspace/devices.h"

namespace kernelscape::views {

/**
 * Returns the description of a form's target, with a compiler for it. Compiles a trivial kernel the first
 * time: for a background job.
 * @param architecture of CUDA without a device; otherwise empty
 * @param devices found before, so that a GPU is not probed again; may be null
 */
Result<schedule::TargetDescription> known_target(const std::string& name, const std::string& architecture,
                                                 const workspace::DeviceSurvey* devices);

}  // namespace kernelscape::views
