#pragma once

#include <string>
#include <string_view>

#include "core/base/written.h"

namespace kernelscape::base {

/** A command line for a POSIX shell, to be copied into a terminal. */
struct ShellScript {
  /**
   * Returns one word, in single quotes if the shell would split or expand it. Control and invisible
   * characters are written as numbers in a call of printf, so that the word keeps its value and the command
   * stays on one line. Trailing line feeds and zero bytes, which such a word cannot have, are lost.
   */
  static std::string escaped(std::string_view text);

  /** Returns the word alone, escaped by escaped(). */
  static Written<ShellScript> word(std::string_view text);
};

using ShellText = Written<ShellScript>;

}  // namespace kernelscape::base
