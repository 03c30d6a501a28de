#include "core/session/started_tuner.h"

#include <algorithm>
#include <utility>

namespace kernelscape::session {

Result<tuner::Proposal> StartedTuner::propose(std::size_t n) {
  if (known_.size() < starts_.size()) {
    const auto first = starts_.begin() + std::ssize(known_);
    const auto count = std::min<std::ptrdiff_t>(static_cast<std::ptrdiff_t>(n), starts_.end() - first);
    return tuner::Proposal(std::vector<space::Configuration>(first, first + count));
  }
  while (true) {
    tuner::Proposal proposal = TRY(own_->propose(n));
    auto* candidates = std::get_if<std::vector<space::Configuration>>(&proposal);
    if (candidates == nullptr) return proposal;
    own_batch_ = std::move(*candidates);
    own_positions_.clear();
    std::vector<space::Configuration> unknown;
    for (std::size_t i = 0; i < own_batch_.size(); ++i) {
      if (find_known(own_batch_[i]) != nullptr) continue;
      own_positions_.push_back(i);
      unknown.push_back(own_batch_[i]);
    }
    // An empty proposal breaks the contract: it is returned as it is, and the session reports it.
    if (!unknown.empty() || own_batch_.empty()) return tuner::Proposal(std::move(unknown));
    notify({});
  }
}

void StartedTuner::observe(std::span<const trial::Observation> observations) {
  if (own_) return notify(observations);
  known_.insert(known_.end(), observations.begin(), observations.end());
}

std::vector<trial::SeriesValue> StartedTuner::series(std::size_t position) const {
  return own_ ? own_->series(own_positions_[position]) : std::vector<trial::SeriesValue>();
}

const trial::Observation* StartedTuner::find_known(const space::Configuration& configuration) const {
  const auto found = std::ranges::find(known_, configuration, &trial::Observation::configuration);
  return found == known_.end() ? nullptr : &*found;
}

void StartedTuner::notify(std::span<const trial::Observation> measured) {
  std::vector<trial::Observation> all;
  all.reserve(own_batch_.size());
  for (const space::Configuration& candidate : own_batch_) {
    const trial::Observation* known = find_known(candidate);
    all.push_back(known != nullptr ? *known : measured.front());
    if (known == nullptr) measured = measured.subspan(1);
  }
  own_->observe(all);
}

}  // namespace kernelscape::session
