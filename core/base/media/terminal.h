#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "core/base/written.h"

namespace kernelscape {

/** What is printed: texts have no character that a terminal obeys, line ends and tabs among them. */
struct Terminal {
  /** As visible_text() has it. */
  static std::string escaped(std::string_view text);

  /** One line of at most so many characters, cut in its middle: messages, whatever they quote. */
  static Written<Terminal> line(std::string_view text, std::size_t most_characters);

  /** A text that is meant to have lines, such as a compiler's: its line feeds stay, the rest of each line is
   * escaped. */
  static Written<Terminal> lines(std::string_view text);
};

using TerminalText = Written<Terminal>;

}  // namespace kernelscape
