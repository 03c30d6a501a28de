#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

#include "core/base/result.h"

namespace kernelscape::base {

/** A kind of file that this program cannot read. */
struct ForeignKind {
  std::string_view what;  ///< "a ZIP archive"
  std::string_view hint;  ///< what to do: "unpack it, and name the file in it"
};

/**
 * Recognises a file of an unexpected kind by its beginning (some hundred bytes): a pointer of Git LFS, a web
 * page, an archive, a pickle, and others; an empty file is one of these kinds. Returns nullopt for anything
 * else.
 */
std::optional<ForeignKind> foreign_kind(std::string_view head);

/** Returns the error for a file of a foreign kind: "FILE is a web page, not what was expected". */
Error foreign_file_error(const std::filesystem::path& path, const ForeignKind& kind);

/**
 * Refuses a file of a foreign kind, and a regular file that cannot be read. Accepts other files than regular
 * ones, and databases that this process has open: their readers report the reason.
 */
Status check_no_foreign_file(const std::filesystem::path& path);

}  // namespace kernelscape::base
