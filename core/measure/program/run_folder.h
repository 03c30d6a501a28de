#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace kernelscape::measure {

// Files in the folder of a run. The program, which is confined, made them; this process is not confined, and
// must not follow a link that leaves the folder. Paths are relative and without "..".

/** Returns the text of a regular file; nullopt if there is none, or if it has over `max_bytes`. */
std::optional<std::string> read_run_file(const std::string& folder, const std::string& name,
                                         std::size_t max_bytes);

/** Returns the size of a regular file; nullopt if there is none. */
std::optional<std::uint64_t> size_of_run_file(const std::string& folder, const std::string& name);

/** Removes a file, or a link itself, if there is one. */
void remove_run_file(const std::string& folder, const std::string& name);

}  // namespace kernelscape::measure
