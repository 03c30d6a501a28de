#include "core/session/batch.h"

#include <algorithm>
#include <tuple>

namespace kernelscape::session {

void BestTrials::add(const Entry& entry) {
  if (entry.seconds <= 0) return;
  std::erase_if(entries_, [&](const Entry& earlier) { return earlier.trial == entry.trial; });
  const auto order = [](const Entry& item) { return std::tuple(item.seconds, item.trial); };
  entries_.insert(std::ranges::upper_bound(entries_, order(entry), {}, order), entry);
  if (entries_.size() > most) entries_.pop_back();
}

}  // namespace kernelscape::session
