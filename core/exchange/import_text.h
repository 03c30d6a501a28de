#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "core/base/result.h"
#include "core/exchange/importer.h"

namespace kernelscape {

inline constexpr std::uint64_t most_import_bytes = 2ULL << 30;  ///< of a file, and of its text

/**
 * The text of a file's bytes: unpacked where they are gzip (several members are one text), without a UTF-8
 * byte-order mark, checked to be UTF-8 without NUL. Refused: damaged or cut gzip, text over `most_bytes`,
 * text that is more than 100 times its gzip (a bomb), UTF-16. Errors name the offset, not the file.
 */
Result<std::string> unpack_import_text(std::string bytes, std::uint64_t most_bytes = most_import_bytes);

/** The text of a file; errors name it. */
Result<ImportText> read_import_text(const std::filesystem::path& path);

}  // namespace kernelscape
