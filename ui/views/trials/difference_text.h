#pragma once

#include <cstdint>
#include <string_view>

#include "ui/widgets/code_view.h"

namespace kernelscape {

/** Two texts as one. */
struct DifferenceText {
  MarkedCode code;  ///< its labels are the line numbers in both, and + or -
  std::int64_t removed = 0;
  std::int64_t added = 0;
};

/** What makes `after` of `before`, line by line; what is equal and far from any change is folded. Takes long
 * for long texts that differ much: for a background job. */
DifferenceText difference_text(std::string_view before, std::string_view after);

}  // namespace kernelscape
