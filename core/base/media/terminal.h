#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "core/base/written.h"

namespace kernelscape::base {

/** Printed output: texts contain no control characters, line ends and tabs included. */
struct Terminal {
  /** Returns visible_text(). */
  static std::string escaped(std::string_view text);

  /**
   * Returns one line of at most the given number of characters, cut in the middle: for messages that may
   * quote long texts.
   */
  static Written<Terminal> line(std::string_view text, std::size_t max_characters);

  /**
   * Returns a text of several lines, such as a compiler's output: line feeds stay, everything else is
   * escaped.
   */
  static Written<Terminal> lines(std::string_view text);
};

using TerminalText = Written<Terminal>;

}  // namespace kernelscape::base
