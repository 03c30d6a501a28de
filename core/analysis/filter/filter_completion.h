#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/analysis/columns.h"

namespace kernelscape::analysis {

enum class CompletionKind : std::uint8_t { Column, Word, Operator, Value, Unit };

/** A text that can be inserted at the cursor: `text` replaces `length` bytes from `position` on. */
struct Completion {
  std::string text;    ///< as written in the filter, including quotes
  std::string detail;  ///< additional text for the list: a column's title and unit; may be empty
  CompletionKind kind = CompletionKind::Word;
  std::size_t position = 0;
  std::size_t length = 0;

  bool operator==(const Completion&) const = default;
};

/**
 * Returns the columns, operators, labels, units and words that fit at the cursor of a filter, at most 100:
 * first those that start with the word under the cursor, then those that contain it. Empty if the text before
 * the cursor is invalid.
 * @param cursor in bytes; beyond the end means the end
 */
std::vector<Completion> completions(std::string_view text, std::size_t cursor, const TrialColumns& columns);

}  // namespace kernelscape::analysis
