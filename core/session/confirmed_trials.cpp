#include "core/session/confirmed_trials.h"

#include <algorithm>

namespace kernelscape {

std::vector<ConfirmedTrial> last_confirmed(std::span<const Confirmation> confirmations) {
  std::string last;
  for (const Confirmation& confirmation : confirmations) last = std::max(last, confirmation.measured_utc);
  std::vector<ConfirmedTrial> confirmed;
  for (const Confirmation& confirmation : confirmations) {
    if (confirmation.trial < 0 || confirmation.measured_utc != last || confirmation.samples_seconds.empty())
      continue;
    confirmed.push_back({confirmation.trial, quartiles(confirmation.samples_seconds)});
  }
  std::ranges::stable_sort(confirmed, {}, [](const ConfirmedTrial& trial) { return trial.seconds.median; });
  return confirmed;
}

const ConfirmedTrial* confirmed_best(const std::vector<ConfirmedTrial>& confirmed, std::int64_t best_trial) {
  const bool current = std::ranges::any_of(confirmed, [&](const auto& c) { return c.trial == best_trial; });
  return current ? &confirmed.front() : nullptr;
}

}  // namespace kernelscape
