#pragma once

#include <string>
#include <string_view>

#include "core/base/written.h"

namespace kernelscape {

/** HTML and SVG, the text of elements and the values of attributes in double quotes. */
struct Html {
  /** As printable_text() has it, with entities for what is markup. */
  static std::string escaped(std::string_view text);

  /** The text alone, as escaped() has it. */
  static Written<Html> text(std::string_view text);
};

using HtmlText = Written<Html>;

}  // namespace kernelscape
