#pragma once

#include <string_view>

#include "core/base/written.h"

namespace kernelscape::base {

/** Source code in C and its dialects. A text can only appear as a comment, a string or a name. */
struct CSource {
  /**
   * Returns a text for the inside of a comment: it cannot end the comment, begin another, break the line, or
   * change the text direction.
   */
  static Written<CSource> comment(std::string_view text);

  /** Returns a string literal with its quotes and exactly the bytes of the text. */
  static Written<CSource> string(std::string_view text);

  /**
   * Returns an identifier: characters that are not allowed become '_'. A valid identifier is returned
   * unchanged.
   */
  static Written<CSource> name(std::string_view text);
};

using CSourceText = Written<CSource>;

}  // namespace kernelscape::base
