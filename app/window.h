#pragma once

#include <string>

#include "core/base/result.h"

namespace kernelscape::app {

/**
 * Opens the workbench and returns when it is closed.
 * @param database empty: the database set in the preferences, else the default database
 * @return the exit code; an error if no window can be opened
 */
Result<int> run_window(int& argc, char** argv, const std::string& database);

}  // namespace kernelscape::app
