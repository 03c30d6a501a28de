#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/project/kernel_project.h"

namespace kernelscape {

/** A line that redefines or undefines a parameter's macro before any other line mentions the parameter. */
struct MacroChange {
  std::string parameter;
  std::string file;
  std::size_t line = 0;
  bool removed = false;  ///< #undef
  bool certain = true;   ///< false: only a compiler can evaluate the condition around the line
};

/** A name that nothing defines or declares, in a place where a compiler needs a value. */
struct UnknownName {
  std::string name;
  std::string file;
  std::size_t line = 0;
  bool condition = false;  ///< in an #if, where it counts as 0; otherwise the compiler refuses it
};

/**
 * The use of macros in a project's source and its own headers, as far as it is certain without a compiler.
 */
struct SourceMacros {
  std::set<std::string, std::less<>> mentioned;  ///< all words except those in comments
  std::set<std::string, std::less<>> compiled;   ///< words of code lines that no condition excludes
  std::vector<MacroChange> changes;              ///< first change of each parameter
  std::vector<UnknownName> unknown;              ///< sorted by name
  bool pastes_words = false;  ///< ## is used: words that do not occur in the source may be used
};

/** Returns the names of the flags -DNAME=VALUE and -UNAME; a name may contain braces. */
std::vector<std::string_view> macros_of_flags(const std::vector<std::string>& flags);

/** Scans the source and its own headers. Never fails. */
SourceMacros macros_of_source(const KernelProject& project);

/**
 * Returns the parameters for which only a compiler can determine whether their values reach the kernel: a
 * condition decides whether the source defines its own macro, or whether it uses the parameter. Parameters
 * that flags use are not included.
 */
std::vector<std::string> doubtful_parameters(const KernelProject& project);

}  // namespace kernelscape
