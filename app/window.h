#pragma once

#include <string>

#include "core/base/result.h"

namespace kernelscape {

/**
 * Opens the workbench and stays until it is closed.
 * @param database empty: the preferred one, else the user's default
 * @return the exit code; an error where no window can be opened
 */
Result<int> run_window(int& argc, char** argv, const std::string& database);

}  // namespace kernelscape
