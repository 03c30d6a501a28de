#pragma once

#include <filesystem>
#include <string>

namespace kernelscape::workspace {

/** Returns " --db FILE" for a command line that is to use this database; empty for the user's own. */
std::string database_option(const std::filesystem::path& database);

}  // namespace kernelscape::workspace
