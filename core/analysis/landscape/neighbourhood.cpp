#include "core/analysis/landscape/neighbourhood.h"

#include <fmt/format.h>

#include <utility>

namespace kernelscape::analysis {
namespace {

/**
 * Returns the two positions at which a value and its neighbour differ; the one that loses a prime comes
 * first.
 */
std::pair<std::size_t, std::size_t> changed_positions(std::span<const std::int64_t> from,
                                                      std::span<const std::int64_t> to) {
  std::pair<std::size_t, std::size_t> changed{0, 0};
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (from[i] > to[i]) changed.first = i;
    if (from[i] < to[i]) changed.second = i;
  }
  return changed;
}

}  // namespace

std::string move_text(const space::Knob& knob, std::uint32_t from, std::uint32_t to) {
  if (knob.kind() == space::KnobKind::Categorical) return "other value";
  if (knob.kind() == space::KnobKind::Ordinal) return to > from ? "next value" : "previous value";
  const space::KnobRow before = knob.row(from);
  const space::KnobRow after = knob.row(to);
  const auto [giver, taker] = changed_positions(before, after);
  if (knob.kind() == space::KnobKind::Factorization)
    return fmt::format("prime {} from {}[{}] to {}[{}]", before[giver] / after[giver], knob.name(), giver,
                       knob.name(), taker);
  const auto [first, second] = std::minmax(giver, taker);
  return fmt::format("swap {} and {}", knob.items()[static_cast<std::size_t>(before[first])],
                     knob.items()[static_cast<std::size_t>(before[second])]);
}

std::vector<NeighbourMove> neighbour_moves(const space::SearchSpace& space,
                                           const space::Configuration& configuration,
                                           const FindRow& find_row) {
  std::vector<NeighbourMove> moves;
  space::Configuration moved = configuration;
  for (std::size_t knob = 0; knob < space.knobs().size(); ++knob) {
    const std::uint32_t from = configuration.indices[knob];
    for (const std::uint32_t to : space.knobs()[knob].neighbours(from)) {
      moved.indices[knob] = to;
      if (!space.contains(moved)) continue;
      moves.push_back(
          {moved, knob, move_text(space.knobs()[knob], from, to), find_row ? find_row(moved) : std::nullopt});
    }
    moved.indices[knob] = from;
  }
  return moves;
}

}  // namespace kernelscape::analysis
