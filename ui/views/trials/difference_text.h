#pragma once

#include <cstdint>
#include <string_view>

#include "ui/widgets/code_view.h"

namespace kernelscape::views {

/** Two texts merged into one. */
struct DifferenceText {
  widgets::MarkedCode code;  ///< its labels are the line numbers in both texts, and + or -
  std::int64_t removed = 0;
  std::int64_t added = 0;
};

/**
 * Returns the line-by-line difference from `before` to `after`; equal lines far from any change are folded.
 * Slow for long texts that differ a lot: for a background job.
 */
DifferenceText difference_text(std::string_view before, std::string_view after);

}  // namespace kernelscape::views
