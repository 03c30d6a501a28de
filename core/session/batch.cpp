#include "core/session/batch.h"

#include <algorithm>
#include <tuple>

namespace kernelscape {

void BestTrials::add(const Entry& entry) {
  if (entry.seconds <= 0) return;
  const auto order = [](const Entry& item) { return std::tuple(item.seconds, item.trial); };
  entries_.insert(std::ranges::upper_bound(entries_, order(entry), {}, order), entry);
  if (entries_.size() > most) entries_.pop_back();
}

}  // namespace kernelscape
