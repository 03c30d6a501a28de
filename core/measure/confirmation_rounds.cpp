#include "core/measure/confirmation_rounds.h"

#include <algorithm>

namespace kernelscape::measure {
namespace {

constexpr std::ptrdiff_t min_usual_rounds = 3;

using Speeds = std::span<const trial::Speed>;

Speeds speeds_in(const ConfirmationRound& round, Speeds speeds) {
  return speeds.subspan(static_cast<std::size_t>(round.first_row),
                        static_cast<std::size_t>(round.end_row - round.first_row));
}

bool is_slow(const ConfirmationRound& round, Speeds speeds) {
  return std::ranges::any_of(speeds_in(round, speeds), &trial::Speed::slow_phase);
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

/** The mean speed of machines: the one that takes the mean time for the same work. */
class SpeedMean {
 public:
  void add(const trial::MachineSpeed& speed) {
    if (!speed.known()) return;
    compute_ += 1 / speed.compute;
    memory_ += 1 / speed.memory;
    ++count_;
  }
  trial::MachineSpeed mean() const {
    if (count_ == 0) return {};
    return {.compute = count_ / compute_, .memory = count_ / memory_};
  }

 private:
  double compute_ = 0;
  double memory_ = 0;
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

void use_rounds(const std::vector<ConfirmationRound>& rounds, std::span<const trial::Speed> speeds,
                Confirmations& result) {
  for (const ConfirmationRound& round : rounds)
    for (const auto& [configuration, run] : round.samples)
      result.configurations[configuration].run_seconds += run.run_seconds;
  const auto usual = [&](const ConfirmationRound& round) {
    return round.complete && !is_slow(round, speeds);
  };
  const std::ptrdiff_t usual_rounds = std::ranges::count_if(rounds, usual);
  const auto size = std::ssize(rounds);
  const std::ptrdiff_t slow_rounds =
      std::ranges::count_if(rounds, [&](const ConfirmationRound& round) { return is_slow(round, speeds); });
  const bool drop = slow_rounds > 0 && usual_rounds >= std::min(min_usual_rounds, size);
  result.vendor.samples_seconds.clear();
  ProbeMean probe;
  SpeedMean speed;
  for (const ConfirmationRound& round : rounds) {
    if (drop && !usual(round)) continue;
    use_round(round, result, probe);
    for (const trial::Speed& run : speeds_in(round, speeds)) speed.add(run.speed);
  }
  result.dropped_rounds = drop ? static_cast<int>(slow_rounds) : 0;
  result.slow = slow_rounds > 0 && !drop;
  result.probe = probe.mean();
  result.machine_share = speed.mean().known() ? std::min(1.0, speed.mean().lowest()) : 0;
}

}  // namespace kernelscape::measure
