#include "core/measure/confirmation_rounds.h"

#include <algorithm>

namespace kernelscape::measure {
namespace {

constexpr std::ptrdiff_t min_usual_rounds = 3;

bool is_slow(const ConfirmationRound& round, const trial::SpeedTrack& track) {
  for (std::int64_t row = round.first_row; row < round.end_row; ++row)
    if (track.of_row(row).slow_phase) return true;
  return false;
}

void append(std::vector<double>& to, const std::vector<double>& values) {
  to.insert(to.end(), values.begin(), values.end());
}

void add_samples(trial::Measurement& all, const trial::Measurement& sample) {
  all.preempted_samples += sample.preempted_samples;
  all.worst_error = std::max(all.worst_error, sample.worst_error);
  if (all.valid()) append(all.samples_seconds, sample.samples_seconds);
}

/** The mean of the readings around runs. */
class ProbeMean {
 public:
  void add(const trial::Measurement& run) {
    add(run.probe_before());
    add(run.probe_after());
  }
  trial::ProbeSeconds mean() const {
    if (count_ == 0) return {};
    return {.compute = sum_.compute / count_, .memory = sum_.memory / count_};
  }

 private:
  void add(const trial::ProbeSeconds& probe) {
    if (!probe.known()) return;
    sum_.compute += probe.compute;
    sum_.memory += probe.memory;
    ++count_;
  }

  trial::ProbeSeconds sum_;
  double count_ = 0;
};

void use_round(const ConfirmationRound& round, Confirmations& result, ProbeMean& probe) {
  for (const auto& [configuration, run] : round.samples) {
    add_samples(result.configurations[configuration], run);
    probe.add(run);
  }
  append(result.vendor.samples_seconds, round.vendor_seconds);
  result.limits = trial::larger_limits(result.limits, round.limits);
}

}  // namespace

void use_rounds(const std::vector<ConfirmationRound>& rounds, const trial::SpeedTrack& track,
                Confirmations& result) {
  for (const ConfirmationRound& round : rounds)
    for (const auto& [configuration, run] : round.samples)
      result.configurations[configuration].run_seconds += run.run_seconds;
  const auto usual = [&](const ConfirmationRound& round) { return round.complete && !is_slow(round, track); };
  const std::ptrdiff_t usual_rounds = std::ranges::count_if(rounds, usual);
  const auto size = std::ssize(rounds);
  const std::ptrdiff_t slow_rounds =
      std::ranges::count_if(rounds, [&](const ConfirmationRound& round) { return is_slow(round, track); });
  const bool drop = slow_rounds > 0 && usual_rounds >= std::min(min_usual_rounds, size);
  result.vendor.samples_seconds.clear();
  ProbeMean probe;
  for (const ConfirmationRound& round : rounds) {
    if (drop && !usual(round)) continue;
    use_round(round, result, probe);
  }
  result.dropped_rounds = drop ? static_cast<int>(slow_rounds) : 0;
  result.slow = slow_rounds > 0 && !drop;
  result.probe = probe.mean();
  const trial::MachineSpeed speed = trial::relative_speed(result.probe, track.usual());
  result.machine_share = speed.known() ? std::min(1.0, speed.lowest()) : 0;
}

}  // namespace kernelscape::measure
