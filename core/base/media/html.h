#pragma once

#include <string>
#include <string_view>

#include "core/base/written.h"

namespace kernelscape::base {

/** HTML and SVG: the text of elements and the values of attributes in double quotes. */
struct Html {
  /** Returns printable_text() with entities in place of markup characters. */
  static std::string escaped(std::string_view text);

  /** Returns the text alone, escaped by escaped(). */
  static Written<Html> text(std::string_view text);
};

using HtmlText = Written<Html>;

}  // namespace kernelscape::base
