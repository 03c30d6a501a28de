#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

#include "core/base/result.h"

namespace kernelscape {

/** A kind of file that no reader of this program reads. */
struct ForeignKind {
  std::string_view what;  ///< "a ZIP archive"
  std::string_view hint;  ///< what to do: "unpack it, and name the file in it"
};

/**
 * Recognises a file that is something else than its user believes, by its beginning (some hundred bytes): a
 * pointer of Git LFS, a web page, an archive, a pickle, and others. Nothing where the beginning is of no such
 * kind. An empty file is one of them.
 */
std::optional<ForeignKind> foreign_kind(std::string_view head);

/** The error of a file of a foreign kind: "FILE is a web page, not what was expected". */
Error foreign_file_error(const std::filesystem::path& path, const ForeignKind& kind);

/**
 * Refuses a file of a foreign kind, and a regular file that cannot be read. Passes what is no regular file,
 * and databases that this process has open: their readers say why.
 */
Status check_no_foreign_file(const std::filesystem::path& path);

}  // namespace kernelscape
