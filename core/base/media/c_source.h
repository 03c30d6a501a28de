#pragma once

#include <string_view>

#include "core/base/written.h"

namespace kernelscape {

/** Source of C and its dialects. A text has no place of its own there: it is a comment, a string or a name.
 */
struct CSource {
  /** Inside a comment: it cannot end it, begin another, break the line, or turn its direction. */
  static Written<CSource> comment(std::string_view text);

  /** A string literal with its quotes: its bytes are those of the text. */
  static Written<CSource> string(std::string_view text);

  /** An identifier: what cannot stand in one becomes '_'. A name that is one stays as it is. */
  static Written<CSource> name(std::string_view text);
};

using CSourceText = Written<CSource>;

}  // namespace kernelscape
