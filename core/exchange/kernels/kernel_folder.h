#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace kernelscape {

/** A file of an export: its name in the folder and its text. */
struct ExportedFile {
  std::string name;
  std::string text;
};

// A folder of kernels is known by its manifest, one of its files:
//
//   {"files": [names], "format": "kernelscape-kernels", ...,
//    "written": [{"name": ..., "sha256": of the text that was written}]}
//
// Earlier versions wrote no "written": of theirs nothing but the manifest is known to be ours. While a
// folder is written again it lists the old texts beside the new ones, so that one that was left half written
// is known too.

inline constexpr std::string_view kernel_manifest_name = "kernelscape.json";
inline constexpr std::string_view kernel_manifest_format = "kernelscape-kernels";
inline constexpr const char* written_files_name = "written";  ///< member of the manifest

/** An entry of "written". */
nlohmann::json written_file(const ExportedFile& file);

/** Whether an exporter of kernels wrote a manifest that begins so. */
bool is_own_kernel_manifest(std::string_view head);

/** Whether a file of an exported folder that has this name begins so, whatever its kernels. */
bool is_own_kernel_file(std::string_view name, std::string_view head);

/**
 * Writes the files, the manifest among them, into `folder`, which is made where it is missing.
 *
 * Of an earlier export only what it wrote is replaced, and what is not written again goes: files of this
 * folder that its manifest lists, that have the same text still, and that look like ours. A manifest cannot
 * lead elsewhere: links are never followed, and names with a path mean nothing.
 *
 * Refused, before anything is changed: a folder that holds something and no earlier export, also with
 * `force`; a link, a folder, a database or a recorded space where a file is to be. Occupied, unless `force`:
 * a file of such a name that no export wrote or that was changed since, and what else a build there may pick
 * up: sources, and a folder `build` that CMake did not make of this one.
 */
Status write_kernel_folder(const std::vector<ExportedFile>& files, const std::filesystem::path& folder,
                           bool force = false);

/** The error that write_kernel_folder() would meet before it knows the files: what is in the folder. */
Status check_kernel_folder(const std::filesystem::path& folder);

}  // namespace kernelscape
