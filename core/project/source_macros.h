#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/project/kernel_project.h"

namespace kernelscape::project {

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
  std::set<std::string, std::less<>> mentioned;  ///< all words but those of comments
  std::set<std::string, std::less<>> compiled;   ///< words of code lines that no condition leaves out
  std::vector<MacroChange> changes;              ///< the first of each parameter
  std::vector<UnknownName> unknown;              ///< in the order of their names
  bool pastes_words = false;                     ///< ##: words that stand nowhere may be used
  bool complete =
      true;  ///< false: there was too much to go through, and what is missing here may stand there
};

/** Returns the names of the flags -DNAME=VALUE and -UNAME; a name may contain braces. */
std::vector<std::string_view> macros_of_flags(const std::vector<std::string>& flags);

/** Scans the source and its own headers. Never fails. */
SourceMacros macros_of_source(const KernelProject& project);

/** Returns whether the source or one of the project's headers has the word outside of comments, whether it is
 * compiled or not. */
bool texts_mention(const KernelProject& project, std::string_view word);

/** Returns whether what is compiled mentions the word; where the macros are not complete, it may. */
bool may_mention(const SourceMacros& macros, const KernelProject& project, std::string_view word);

/**
 * Returns the parameters for which only a compiler can determine whether their values reach the kernel: a
 * condition decides whether the source defines its own macro, or whether it uses the parameter. Parameters
 * that flags use are not included.
 */
std::vector<std::string> doubtful_parameters(const KernelProject& project);

}  // namespace kernelscape::project
