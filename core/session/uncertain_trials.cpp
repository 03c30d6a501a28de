#include "core/session/uncertain_trials.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace kernelscape::session {

Result<std::vector<BestTrials::Entry>> uncertain_trials(const store::Store& store, store::SessionId id,
                                                        const trial::WorkerTracks& tracks) {
  constexpr std::ptrdiff_t ranks = 10;
  struct Ranked {
    BestTrials::Entry trial;
    bool slow_phase = false;
  };
  std::vector<Ranked> best;
  std::int64_t row = 0;
  const auto order = [](const Ranked& ranked) {
    return std::tuple(ranked.trial.seconds, ranked.trial.trial);
  };
  TRY(store.trials().visit_rows(id, 0, [&](const store::ArrivedRow& arrived) {
    if (row >= tracks.rows()) return;
    const trial::Speed speed = tracks.of_row(row++);
    if (arrived.category != trial::ErrorCategory::NoError || arrived.median_seconds <= 0) return;
    Ranked ranked{{arrived.number, arrived.median_seconds * speed.correction, {}}, speed.slow_phase};
    const auto place = std::ranges::upper_bound(best, order(ranked), {}, order);
    if (place - best.begin() >= ranks) return;
    ranked.trial.configuration = arrived.configuration;
    best.insert(place, std::move(ranked));
    if (std::ssize(best) > ranks) best.pop_back();
  }));
  std::vector<BestTrials::Entry> uncertain;
  for (Ranked& ranked : best)
    if (ranked.slow_phase) uncertain.push_back(std::move(ranked.trial));
  return uncertain;
}

void append_missing(std::vector<BestTrials::Entry>& trials, std::vector<BestTrials::Entry> more) {
  for (BestTrials::Entry& entry : more) {
    if (std::ranges::find(trials, entry.trial, &BestTrials::Entry::trial) == trials.end())
      trials.push_back(std::move(entry));
  }
}

}  // namespace kernelscape::session
