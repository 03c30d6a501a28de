#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace kernelscape {

// Which contents of projects their user allowed to be compiled and run: a line for each in a file of the
// user's,
//
//   SHA-256 2026-01-31T12:00:00Z name
//
// Lines that are something else are kept, and mean nothing.

/** $XDG_CONFIG_HOME/kernelscape/trusted-kernels, else ~/.config/kernelscape/trusted-kernels. */
std::filesystem::path trust_file();

/** Whether the user trusts this content. False too where the file can't be read. */
bool is_trusted(std::string_view content_hash);

/**
 * Adds a line; nothing where there is one already. Errors: InvalidArgument where the hash is none,
 * Environment where the file can't be written.
 * @param name of the project, for people who read the file
 */
Status trust(std::string_view content_hash, std::string_view name);

}  // namespace kernelscape
