#include "core/trial/worker_tracks.h"

#include <algorithm>

namespace kernelscape::trial {

void WorkerTracks::set_usual(std::uint16_t worker, const ProbeSeconds& usual) { given_[worker] = usual; }

ProbeSeconds WorkerTracks::usual_of(std::uint16_t worker) const {
  if (const auto machine = machines_.find(worker); machine != machines_.end())
    return machine->second.track.usual();
  if (worker == 0) return usual_;
  const auto given = given_.find(worker);
  return given == given_.end() ? ProbeSeconds() : given->second;
}

void WorkerTracks::add(const SpeedReading& reading, std::uint16_t worker) {
  const ProbeSeconds usual = usual_of(worker);
  Machine& machine = machines_.try_emplace(worker, Machine{SpeedTrack(usual, bound_), {}}).first->second;
  machine.rows.push_back(rows());
  rows_.push_back({worker, machine.track.rows()});
  machine.track.add(reading);
  if (reading.before.known() || reading.after.known()) latest_ = worker;
}

Speed WorkerTracks::of_row(std::int64_t row) const {
  const Row& of = rows_.at(static_cast<std::size_t>(row));
  return machines_.at(of.worker).track.of_row(of.row);
}

std::vector<SlowPhase> WorkerTracks::phases() const {
  std::vector<SlowPhase> all;
  for (const auto& [worker, machine] : machines_) {
    for (SlowPhase phase : machine.track.phases()) {
      phase.worker = worker;
      phase.first_row = machine.rows.at(static_cast<std::size_t>(phase.first_row));
      phase.last_row = machine.rows.at(static_cast<std::size_t>(phase.last_row));
      all.push_back(phase);
    }
  }
  std::ranges::stable_sort(all, {}, &SlowPhase::first_row);
  return all;
}

}  // namespace kernelscape::trial
