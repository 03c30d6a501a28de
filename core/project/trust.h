#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace kernelscape::project {

// The contents of projects that the user allowed to be compiled and run: one line for each in a file of the
// user,
//
//   SHA-256 2026-01-31T12:00:00Z name
//
// Other lines are kept and ignored.

/** Returns $XDG_CONFIG_HOME/kernelscape/trusted-kernels, else ~/.config/kernelscape/trusted-kernels. */
std::filesystem::path trust_file();

/** Returns true if the user trusts this content; false also if the file can't be read. */
bool is_trusted(std::string_view content_hash);

/**
 * Adds a line unless the file already has it. Returns InvalidArgument for an invalid hash, Environment if the
 * file can't be written.
 * @param name name of the project, for people who read the file
 */
Status trust(std::string_view content_hash, std::string_view name);

}  // namespace kernelscape::project
