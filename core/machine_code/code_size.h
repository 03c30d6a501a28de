#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace kernelscape::machine_code {

/**
 * Returns the bytes of machine code in a shared object, or in a GPU binary that is an ELF file (a cubin): the
 * sum of the sizes of its functions, each counted once. Start-up code of the C library has no size and is not
 * counted. Returns nullopt for other files, such as PTX, and for files without functions. Reads nothing
 * outside of the bytes, which may be damaged.
 */
std::optional<std::int64_t> code_bytes(std::string_view binary);

}  // namespace kernelscape::machine_code
