#pragma once

#include <string>
#include <string_view>

#include "core/base/written.h"

namespace kernelscape {

/** Markdown as GitHub reads it (CommonMark with tables and links of bare addresses). */
struct Markdown {
  /** Words of a paragraph, a heading or a cell of a table: no markup, no link, no line end, no space at their
   * beginning. */
  static std::string escaped(std::string_view text);

  /** The same in the type. */
  static Written<Markdown> words(std::string_view text);

  /** A text as `code`, in a cell of a table as well. */
  static Written<Markdown> code(std::string_view text);

  /** What stands in a block of code, line by line, each behind `indent` spaces: none of its lines ends the
   * block. */
  template <typename Other>
  static Written<Markdown> block(const Written<Other>& text, std::size_t indent = 0) {
    return block_lines(text.text(), indent);
  }

 private:
  static Written<Markdown> block_lines(std::string_view text, std::size_t indent);
};

using MarkdownText = Written<Markdown>;

}  // namespace kernelscape
