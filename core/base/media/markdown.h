#pragma once

#include <string>
#include <string_view>

#include "core/base/written.h"

namespace kernelscape::base {

/** Markdown as GitHub reads it (CommonMark with tables and links of bare addresses). */
struct Markdown {
  /**
   * Returns a text for a paragraph, a heading or a table cell: without markup, links, line ends or leading
   * spaces.
   */
  static std::string escaped(std::string_view text);

  /** Returns escaped() as MarkdownText. */
  static Written<Markdown> words(std::string_view text);

  /** Returns a text as `code`, which also works in a table cell. */
  static Written<Markdown> code(std::string_view text);

  /**
   * Returns the content of a code block with each line indented by `indent` spaces; no line can end the
   * block.
   */
  template <typename Other>
  static Written<Markdown> block(const Written<Other>& text, std::size_t indent = 0) {
    return block_lines(text.text(), indent);
  }

 private:
  static Written<Markdown> block_lines(std::string_view text, std::size_t indent);
};

using MarkdownText = Written<Markdown>;

}  // namespace kernelscape::base
