#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace kernelscape::base {

enum class LineChange : std::uint8_t { Same, Removed, Added };

/**
 * A line of one of the two texts. `text` refers to the text it is from; a line that is in both refers to the
 * first.
 */
struct DiffLine {
  LineChange change = LineChange::Same;
  std::string_view text;
  std::size_t before = 0;  ///< its number in the first text, from 1; 0: not in the first text
  std::size_t after = 0;   ///< its number in the second text, from 1; 0: not in the second text

  bool operator==(const DiffLine&) const = default;
};

/**
 * Returns the smallest set of removed and added lines that turns `before` into `after` (Myers, "An O(ND)
 * difference algorithm", 1986), in the order of the texts. Time and memory grow with lines times changes; if
 * more than `max_changes` are needed, all lines between the common beginning and end are reported as
 * removed, then all as added. Whether removed or added lines come first does not depend on which text is
 * longer, unlike in libdtl.
 */
std::vector<DiffLine> diff_lines(std::string_view before, std::string_view after,
                                 std::size_t max_changes = 2'000);

}  // namespace kernelscape::base
