#pragma once

#include <map>
#include <string>

#include "tests/gpu/settings.h"

namespace kernelscape::gpu_proof {

/**
 * What the environment of the parts lacks so that Kernelscape finds NVIDIA's libraries: those that lie where
 * only Python's packages look (site-packages/nvidia), named by their variables, and the folders of what these
 * load. With --fake the stand-ins. Variables that the visitor has set stay.
 */
std::map<std::string, std::string> library_environment(const Settings& settings);

/** Whether Kernelscape finds the library that this variable may name. */
bool has_library(const std::string& variable);

}  // namespace kernelscape::gpu_proof
