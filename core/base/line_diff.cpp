#include "core/base/line_diff.h"

#include <algorithm>
#include <optional>
#include <span>

namespace kernelscape::base {
namespace {

using Lines = std::vector<std::string_view>;

/** A newline ends a line; text without one at its end has a last line all the same. */
Lines lines_of(std::string_view text) {
  Lines lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

/** How far each diagonal k = x - y got with d edits; of d edits the diagonals -d, -d + 2, ..., d. */
using Reach = std::vector<std::ptrdiff_t>;

/** Returns true if diagonal `i` of d edits is entered by adding a line, false if by removing one. */
bool enters_by_adding(const Reach& previous, std::size_t i) {
  return i == 0 || (i < previous.size() && previous[i - 1] < previous[i]);
}

/** Returns the reaches until both texts end, or nullopt if that takes too many edits. */
std::optional<std::vector<Reach>> walk(std::span<const std::string_view> before,
                                       std::span<const std::string_view> after, std::size_t max_changes) {
  const auto width = static_cast<std::ptrdiff_t>(before.size());
  const auto height = static_cast<std::ptrdiff_t>(after.size());
  std::vector<Reach> reaches;
  for (std::size_t edits = 0; edits <= max_changes; ++edits) {
    Reach reach(edits + 1);
    for (std::size_t i = 0; i <= edits; ++i) {
      const std::ptrdiff_t diagonal = 2 * static_cast<std::ptrdiff_t>(i) - static_cast<std::ptrdiff_t>(edits);
      std::ptrdiff_t x = 0;
      if (edits > 0) {
        const Reach& previous = reaches.back();
        x = enters_by_adding(previous, i) ? previous[i] : previous[i - 1] + 1;
      }
      std::ptrdiff_t y = x - diagonal;
      while (x < width && y < height &&
             before[static_cast<std::size_t>(x)] == after[static_cast<std::size_t>(y)]) {
        ++x;
        ++y;
      }
      reach[i] = x;
      if (x >= width && y >= height) {
        reaches.push_back(std::move(reach));
        return reaches;
      }
    }
    reaches.push_back(std::move(reach));
  }
  return std::nullopt;
}

/** Follows the reaches back from the ends of both texts; the result is in the texts' order. */
std::vector<LineChange> changes_of(const std::vector<Reach>& reaches, std::size_t width, std::size_t height) {
  std::vector<LineChange> changes;
  auto x = static_cast<std::ptrdiff_t>(width);
  auto y = static_cast<std::ptrdiff_t>(height);
  for (std::size_t edits = reaches.size() - 1; edits > 0; --edits) {
    const auto i = static_cast<std::size_t>((x - y + static_cast<std::ptrdiff_t>(edits)) / 2);
    const Reach& previous = reaches[edits - 1];
    const bool adding = enters_by_adding(previous, i);
    const std::ptrdiff_t start = adding ? previous[i] : previous[i - 1] + 1;
    for (; x > start; --x, --y) changes.push_back(LineChange::Same);
    changes.push_back(adding ? LineChange::Added : LineChange::Removed);
    adding ? --y : --x;
  }
  changes.insert(changes.end(), static_cast<std::size_t>(x), LineChange::Same);
  std::ranges::reverse(changes);
  return changes;
}

std::vector<LineChange> find_changes(std::span<const std::string_view> before,
                                     std::span<const std::string_view> after, std::size_t max_changes) {
  if (const auto reaches = walk(before, after, max_changes))
    return changes_of(*reaches, before.size(), after.size());
  std::vector<LineChange> changes(before.size(), LineChange::Removed);
  changes.insert(changes.end(), after.size(), LineChange::Added);
  return changes;
}

}  // namespace

std::vector<DiffLine> diff_lines(std::string_view before, std::string_view after, std::size_t max_changes) {
  const Lines first = lines_of(before);
  const Lines second = lines_of(after);
  const std::size_t shorter = std::min(first.size(), second.size());
  const auto head = static_cast<std::size_t>(std::ranges::mismatch(first, second).in1 - first.begin());
  std::size_t tail = 0;
  while (tail < shorter - head && first[first.size() - 1 - tail] == second[second.size() - 1 - tail]) ++tail;

  std::vector<LineChange> changes(head, LineChange::Same);
  const std::vector<LineChange> middle =
      find_changes(std::span(first).subspan(head, first.size() - head - tail),
                   std::span(second).subspan(head, second.size() - head - tail), max_changes);
  changes.insert(changes.end(), middle.begin(), middle.end());
  changes.insert(changes.end(), tail, LineChange::Same);

  std::vector<DiffLine> lines;
  std::size_t x = 0;
  std::size_t y = 0;
  for (const LineChange change : changes) {
    const bool in_first = change != LineChange::Added;
    const bool in_second = change != LineChange::Removed;
    const std::string_view text = in_first ? first[x] : second[y];
    x += in_first ? 1 : 0;
    y += in_second ? 1 : 0;
    lines.push_back({change, text, in_first ? x : 0, in_second ? y : 0});
  }
  return lines;
}

}  // namespace kernelscape::base
