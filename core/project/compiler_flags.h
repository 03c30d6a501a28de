#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/codegen/dialect.h"

namespace kernelscape::project {

/**
 * Splits a text with flags into words as a POSIX shell does, without a shell: at blanks, with quotes and
 * backslashes. Nothing is expanded, and the text between braces belongs to one word. A text that is one flag
 * -DNAME="..." or -DNAME='c' keeps its quotes, which are those of C, and -DNAME=unsigned int is one flag.
 * Returns InvalidArgument for an unterminated quote, or a word that is no flag.
 */
Result<std::vector<std::string>> split_flags(std::string_view text);

/** Flags in the form that the compiler of a language takes. */
struct CompilerFlags {
  std::vector<std::string> words;            ///< flags in their order
  std::vector<std::string> include_folders;  ///< of -I, -isystem, -iquote, -idirafter, as written
  std::vector<std::string> included_files;   ///< files of -include
  std::vector<std::string> notices;          ///< sentences on flags that are omitted or replaced
};

/**
 * Translates flags of GCC, nvcc and OpenCL for the compiler that builds the language: GCC or Clang, NVRTC,
 * the OpenCL driver. InvalidArgument names a flag that the compiler does not support.
 */
Result<CompilerFlags> translate_flags(codegen::Dialect dialect, const std::vector<std::string>& words);

}  // namespace kernelscape::project
