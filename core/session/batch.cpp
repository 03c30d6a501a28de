#include "core/session/batch.h"

#include <algorithm>
#include <tuple>

namespace kernelscape {

std::vector<std::size_t> Batch::missing() const {
  std::vector<std::size_t> positions;
  for (std::size_t position = 0; position < observed.size(); ++position) {
    if (!observed[position]) positions.push_back(position);
  }
  return positions;
}

std::vector<Observation> Batch::observations() const {
  std::vector<Observation> all;
  all.reserve(observed.size());
  for (const std::optional<Observation>& observation : observed) all.push_back(observation.value());
  return all;
}

void BestTrials::add(const Entry& entry) {
  if (entry.seconds <= 0) return;
  const auto order = [](const Entry& item) { return std::tuple(item.seconds, item.trial); };
  entries_.insert(std::ranges::upper_bound(entries_, order(entry), {}, order), entry);
  if (entries_.size() > most) entries_.pop_back();
}

}  // namespace kernelscape
