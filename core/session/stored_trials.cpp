#include "core/session/stored_trials.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace kernelscape::session {

Status StoredTrials::load(const store::Store& store, store::SessionId id) {
  for (store::ArrivedRow& row : TRY(store.trials().rows(id))) {
    const std::int64_t arrival = std::ssize(entries_);
    entries_.push_back({std::move(row), arrival});
  }
  std::ranges::sort(entries_, {}, [](const Entry& entry) { return entry.row.number; });
  return store.series().visit(id, 0, [this](const store::StoredSeries& value) {
    last_series_ = std::max(last_series_, value.trial);
  });
}

const StoredTrials::Entry* StoredTrials::find(std::int64_t trial) const {
  const auto number = [](const Entry& entry) { return entry.row.number; };
  const auto found = std::ranges::lower_bound(entries_, trial, {}, number);
  return found != entries_.end() && found->row.number == trial ? &*found : nullptr;
}

}  // namespace kernelscape::session
