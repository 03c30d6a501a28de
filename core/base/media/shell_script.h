#pragma once

#include <string>
#include <string_view>

#include "core/base/written.h"

namespace kernelscape {

/** A line of a POSIX shell, to be copied into a terminal. */
struct ShellScript {
  /**
   * One word, in single quotes where the shell would take it apart. What a terminal obeys or hides stands as
   * numbers in a call of printf, so that the word is the same and its line is one line; line feeds at the end
   * and zeros, which no such word can have, are lost.
   */
  static std::string escaped(std::string_view text);

  /** The word alone, as escaped() has it. */
  static Written<ShellScript> word(std::string_view text);
};

using ShellText = Written<ShellScript>;

}  // namespace kernelscape
