#pragma once

#include <filesystem>

namespace kernelscape::task {

/**
 * Returns the folder of the built-in data: tasks/, studies/, recorded/. It is $KERNELSCAPE_DATA, or else
 * beside the installed program, or else in the source tree of the build.
 */
std::filesystem::path data_folder();

}  // namespace kernelscape::task
