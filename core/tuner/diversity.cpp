#include "core/tuner/diversity.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <utility>

namespace kernelscape::tuner {

std::vector<std::size_t> submodular_pick(std::span<const space::Configuration> candidates,
                                         std::size_t count) {
  std::set<std::pair<std::size_t, std::uint32_t>> covered;  // knob, value index
  const auto new_values = [&](std::size_t candidate) {
    const auto& indices = candidates[candidate].indices;
    std::size_t added = 0;
    for (std::size_t knob = 0; knob < indices.size(); ++knob) {
      if (!covered.contains({knob, indices[knob]})) ++added;
    }
    return added;
  };
  std::vector<std::size_t> remaining(candidates.size());
  std::iota(remaining.begin(), remaining.end(), std::size_t{0});
  std::vector<std::size_t> picked;
  while (picked.size() < count && !remaining.empty()) {
    const auto best = std::ranges::max_element(remaining, {}, new_values);
    const auto& indices = candidates[*best].indices;
    for (std::size_t knob = 0; knob < indices.size(); ++knob) covered.emplace(knob, indices[knob]);
    picked.push_back(*best);
    remaining.erase(best);
  }
  return picked;
}

}  // namespace kernelscape::tuner
