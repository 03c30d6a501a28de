#pragma once

#include "tests/gpu/settings.h"

namespace kernelscape::gpu_proof {

/** Runs the parts, one after the other, each in a process of its own; the exit code: 1 where something
 * failed. */
int run_visit(Settings settings);

}  // namespace kernelscape::gpu_proof
