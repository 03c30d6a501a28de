#pragma once

#include <filesystem>

namespace kernelscape {

/**
 * The folder with what the program ships: tasks/, studies/, recorded/. $KERNELSCAPE_DATA, else beside the
 * installed program, else that of the source tree it was built from.
 */
std::filesystem::path data_folder();

}  // namespace kernelscape
