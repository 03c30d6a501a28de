#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace kernelscape::exchange {

/** A file of an export: its name in the folder and its text. */
struct ExportedFile {
  std::string name;
  std::string text;
};

// A folder of kernels is recognised by its manifest, one of its files:
//
//   {"files": [names], "format": "kernelscape-kernels", ...,
//    "written": [{"name": ..., "sha256": of the text that was written}]}
//
// Earlier versions wrote no "written": in their folders only the manifest is recognised. While a folder is
// written again, the manifest lists the old texts beside the new ones, so that a partly written folder is
// recognised as well.

inline constexpr std::string_view kernel_manifest_name = "kernelscape.json";
inline constexpr std::string_view kernel_manifest_format = "kernelscape-kernels";
inline constexpr const char* written_files_name = "written";  ///< member of the manifest

/** Returns an entry of "written". */
nlohmann::json written_file(const ExportedFile& file);

/** Returns true if an exporter of kernels wrote the manifest with this beginning. */
bool is_own_kernel_manifest(std::string_view head);

/** Returns true if `head` is the beginning of an exported file with this name, for any kernels. */
bool is_own_kernel_file(std::string_view name, std::string_view head);

/**
 * Writes the files, including the manifest, into `folder`, which is created if it is missing. Only files of
 * an earlier export are replaced; those that are not written again are deleted: files of this folder that the
 * manifest lists, whose text is unchanged, and that look like exported files. A manifest cannot refer to
 * other places: links are never followed, and names with a path are ignored.
 *
 * Returns Refused, before anything is changed, for a folder that has content but no earlier export, also with
 * `force`, and for a link, a folder, a database or a recorded space at the path of a file. Returns Occupied,
 * unless `force` is set, for a file of such a name that no export wrote or that was changed since, and for
 * other files that a build in the folder may use: sources, and a folder `build` that CMake did not create for
 * this folder.
 */
Status write_kernel_folder(const std::vector<ExportedFile>& files, const std::filesystem::path& folder,
                           bool force = false);

/**
 * Returns the error with which write_kernel_folder() would reject the current content of the folder before it
 * knows the files.
 */
Status check_kernel_folder(const std::filesystem::path& folder);

}  // namespace kernelscape::exchange
