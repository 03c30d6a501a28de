#include "ui/views/trials/insight_cache.h"

#include <algorithm>

namespace kernelscape::views {
namespace {

constexpr std::size_t max_cached_insights = 4;

}  // namespace

const InsightCache::Entry* InsightCache::find(const workspace::SourceOrigin& origin,
                                              std::int64_t trial) const {
  const auto found = std::ranges::find_if(
      entries_, [&](const Entry& entry) { return entry.origin.get() == &origin && entry.trial == trial; });
  return found == entries_.end() ? nullptr : &*found;
}

void InsightCache::add(Entry entry) {
  entries_.push_front(std::move(entry));
  if (entries_.size() > max_cached_insights) entries_.pop_back();
}

void InsightCache::set_counters(const workspace::TrialInsight& insight,
                                const trial::CounterReading& counters) {
  for (Entry& entry : entries_)
    if (entry.insight.get() == &insight) entry.counters = counters;
}

}  // namespace kernelscape::views
