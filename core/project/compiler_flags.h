#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/codegen/dialect.h"

namespace kernelscape {

/**
 * Splits one text with flags into words as a POSIX shell does, without a shell: at blanks, with quotes and
 * backslashes; nothing is expanded, and what stands between braces belongs to one word. A text that is one
 * flag -DNAME="..." or -DNAME='c' keeps its quotes, which are those of C, and -DNAME=unsigned int is one
 * flag. InvalidArgument: a quote without its other one, a word that is no flag.
 */
Result<std::vector<std::string>> split_flags(std::string_view text);

/** Flags as the compiler of a language takes them. */
struct CompilerFlags {
  std::vector<std::string> words;            ///< in their order
  std::vector<std::string> include_folders;  ///< of -I, -isystem, -iquote, -idirafter, as they are written
  std::vector<std::string> included_files;   ///< of -include
  std::vector<std::string> notices;          ///< sentences on flags that are left out or replaced
};

/**
 * Translates what users of GCC, nvcc and OpenCL write for the compiler that builds the language: GCC or
 * Clang, NVRTC, the OpenCL driver. InvalidArgument names a flag that the compiler does not have.
 */
Result<CompilerFlags> translate_flags(Dialect dialect, const std::vector<std::string>& words);

}  // namespace kernelscape
