#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace kernelscape {

enum class LineChange : std::uint8_t { Same, Removed, Added };

/** A line of either text; refers to the text it is from (of what is in both: the first). */
struct DiffLine {
  LineChange change = LineChange::Same;
  std::string_view text;
  std::size_t before = 0;  ///< its number in the first text, from 1; 0: it is not in there
  std::size_t after = 0;   ///< ... in the second text

  bool operator==(const DiffLine&) const = default;
};

/**
 * The fewest lines to remove and add that make `after` of `before` (Myers, "An O(ND) difference algorithm",
 * 1986), in the order of the texts. Time and memory grow with lines times changes; what would take more than
 * `most_changes` is given as all removed, then all added, between what is equal at both ends. Which of
 * removed and added lines stand first does not depend on which text is longer, as it does with libdtl.
 */
std::vector<DiffLine> diff_lines(std::string_view before, std::string_view after,
                                 std::size_t most_changes = 2'000);

}  // namespace kernelscape
