#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/analysis/columns.h"

namespace kernelscape {

enum class CompletionKind : std::uint8_t { Column, Word, Operator, Value, Unit };

/** What can be written at the cursor: `text` instead of `length` bytes from `position` on. */
struct Completion {
  std::string text;    ///< as the filter writes it, quotes included
  std::string detail;  ///< what to show beside it: a column's title and unit; may be empty
  CompletionKind kind = CompletionKind::Word;
  std::size_t position = 0;
  std::size_t length = 0;

  bool operator==(const Completion&) const = default;
};

/**
 * Columns, operators, labels, units and words that fit at the cursor of a filter, those that start with the
 * word under it before those that only contain it, at most 100. Empty where what stands before the cursor is
 * wrong.
 *
 * @param cursor in bytes; beyond the end means the end
 */
std::vector<Completion> completions(std::string_view text, std::size_t cursor, const TrialColumns& columns);

}  // namespace kernelscape
