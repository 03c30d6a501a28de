#include "core/trial/speed_track.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "core/trial/table.h"

namespace kernelscape::trial {
namespace {

// Speeds above exp(-tolerance) are usual. Steady machines differ by this much between idle and full load.
constexpr double min_tolerance = 0.09;
constexpr double max_tolerance = 0.25;
constexpr double tolerated_deviations = 2.5;  ///< of the noise
/** One reading counts as at most this many tolerances, so that no single one decides. */
constexpr double max_evidence = 2;
/** Evidence of this many tolerances begins or ends a phase: six readings at the usual speed end one. */
constexpr double decisive_evidence = 5.5;

/** Quiet machines have readings of twice the usual time; above this, another program ran in between. */
constexpr double interrupted_slowdown = 3;
/** Share of a trial's time that no program of a machine that is otherwise idle takes away. */
constexpr double min_interrupted_share = 0.1;
/** Two interrupted readings among 16, or three among 56, begin a phase. */
constexpr double decisive_interruptions = 1.6;
constexpr double interruption_decay = 1.0 / 40;
/** A phase of interruptions ends when this many of their mean intervals have passed without one. */
constexpr double quiet_intervals = 4;
constexpr double max_quiet_samples = 80;

constexpr std::size_t noise_samples = 64;
constexpr std::size_t noise_interval = 8;
constexpr double first_noise = 0.02;

constexpr std::size_t first_usual_samples = 5;
constexpr std::size_t better_usual_samples = 15;
constexpr double better_usual = 0.05;  ///< a session is faster than usual by at least this

constexpr std::size_t neighbours = 8;  ///< samples on either side of a trial, over which speeds are averaged
/** Coefficient of variation of the readings above which the machine was interrupted and not slowed evenly. */
constexpr double uneven_variation = 0.5;
constexpr double sample_seconds = 0.020;  ///< shortest sample of a trial, MeasureOptions::min_repeat_seconds
/** A kernel is slowed by as much as the probe up to this share of the logarithm. */
constexpr double model_error = 0.1;

double median(std::vector<double> values) {
  const auto middle = values.begin() + (std::ssize(values) - 1) / 2;
  std::ranges::nth_element(values, middle);
  return *middle;
}

}  // namespace

SpeedReading speed_reading(const Row& row) {
  const bool interrupted = row.uninterrupted_seconds > 0 && row.sample_median_seconds > 0;
  return {.trial = row.number,
          .finished_seconds = row.finished_seconds,
          .before = row.probe_before,
          .after = row.probe_after,
          .interrupted_share = row.interrupted_share,
          .interrupted_slowdown =
              interrupted ? std::max(1.0, row.sample_median_seconds / row.uninterrupted_seconds) : 1};
}

void SpeedTrack::Evidence::add(double value, std::size_t sample) {
  if (sum <= 0) begin = sample;
  sum = std::max(0.0, sum + value);
}

SpeedTrack::SpeedTrack(const ProbeSeconds& usual, KernelBound bound)
    : bound_(bound), usual_(usual.known() ? usual : ProbeSeconds()) {
  analyse_again();
}

void SpeedTrack::add(const SpeedReading& reading) {
  const std::int64_t row = rows();
  const double begin = samples_.empty() ? reading.finished_seconds : samples_.back().at_seconds;
  const bool shared = reading.before.known() && !samples_.empty() &&
                      samples_.back().seconds == Parts{reading.before.compute, reading.before.memory};
  const bool interrupted = reading.interrupted_share >= min_interrupted_share;
  // A short trial has no reading after it; what its samples show counts all the same.
  const ProbeSeconds& after = interrupted && !reading.after.known() ? reading.before : reading.after;
  rows_.push_back({reading.trial, samples_.size() - (shared ? 1 : 0),
                   (reading.before.known() ? 1U : 0U) + (after.known() ? 1U : 0U),
                   reading.interrupted_slowdown});
  if (shared) {
    samples_.back().last_row = row;
  } else {
    add_sample(reading.before, {.at_seconds = begin, .first_row = row, .last_row = row});
  }
  add_sample(after, {.at_seconds = reading.finished_seconds,
                     .first_row = row,
                     .last_row = row,
                     .after_trial = true,
                     .interrupted_share = reading.interrupted_share});
  if (slow_) extend_phase(ranges_.back().last);
}

void SpeedTrack::add_idle(double session_seconds, const ProbeSeconds& probe) {
  add_sample(probe, {.at_seconds = session_seconds, .first_row = rows(), .last_row = rows() - 1});
}

void SpeedTrack::add_sample(const ProbeSeconds& probe, const Sample& sample) {
  if (!probe.known()) return;
  samples_.push_back(sample);
  samples_.back().seconds = {probe.compute, probe.memory};
  if (usual_.known()) analyse(samples_.size() - 1);
  find_usual();
}

/** Takes the usual times from the first readings if none are known, and from later ones that are faster. */
void SpeedTrack::find_usual() {
  const std::size_t wanted = usual_.known() ? better_usual_samples : first_usual_samples;
  if (samples_.size() < wanted) return;
  Parts found = usual_parts();
  for (std::size_t part = 0; part < parts; ++part) {
    std::vector<double> latest;
    for (std::size_t i = samples_.size() - wanted; i < samples_.size(); ++i)
      latest.push_back(samples_[i].seconds[part]);
    const double seconds = median(std::move(latest));
    const double gain = std::max(better_usual, 2 * noise_[part]);
    if (!usual_.known() || std::log(seconds / found[part]) < -gain) found[part] = seconds;
  }
  if (found == usual_parts()) return;
  usual_ = {.compute = found[0], .memory = found[1]};
  analyse_again();
}

void SpeedTrack::analyse_again() {
  sums_.assign(1, {});
  phases_.clear();
  ranges_.clear();
  changes_ = {};
  noise_.fill(first_noise);
  slower_ = {};
  interruptions_ = recovered_ = {};
  slow_ = false;
  if (!usual_.known()) return;
  for (std::size_t sample = 0; sample < samples_.size(); ++sample) analyse(sample);
}

void SpeedTrack::analyse(std::size_t sample) {
  Sums sums = sums_.back();
  const Parts usual = usual_parts();
  for (std::size_t part = 0; part < parts; ++part) {
    const double seconds = samples_[sample].seconds[part];
    sums.seconds[part] += seconds;
    sums.squares[part] += seconds * seconds;
    if (seconds >= interrupted_slowdown * usual[part]) ++sums.hits;
  }
  if (samples_[sample].after_trial) ++sums.trials;
  sums.interrupted_shares += samples_[sample].interrupted_share;
  if (samples_[sample].interrupted_share >= min_interrupted_share || sums.hits > sums_.back().hits)
    ++sums.interruptions;
  sums_.push_back(sums);
  if (slow_) {
    look_for_end(sample);
  } else {
    take_noise(sample);
    look_for_begin(sample);
  }
}

/** Estimates the noise from the changes between readings, of which changes of the speed itself are few. */
void SpeedTrack::take_noise(std::size_t sample) {
  if (sample == 0) return;
  // Median absolute change of normally distributed readings, in standard deviations.
  constexpr double median_change = 0.6745 * 1.41421356;
  for (std::size_t part = 0; part < parts; ++part) {
    std::vector<double>& changes = changes_[part];
    changes.push_back(std::abs(log_ratio(sample, part) - log_ratio(sample - 1, part)));
    if (changes.size() % noise_interval != 0) continue;
    if (changes.size() > noise_samples) changes.erase(changes.begin(), changes.begin() + noise_interval);
    noise_[part] = median(changes) / median_change;
  }
}

void SpeedTrack::look_for_begin(std::size_t sample) {
  std::size_t first = sample + 1;
  for (std::size_t part = 0; part < parts; ++part) {
    const double limit = tolerance(part);
    slower_[part].add(
        std::clamp(log_ratio(sample, part) - limit, -max_evidence * limit, max_evidence * limit), sample);
    if (slower_[part].sum > decisive_evidence * limit) first = std::min(first, slower_[part].begin);
  }
  interruptions_.add(interrupted(sample) ? 1 : -interruption_decay, sample);
  if (interruptions_.sum >= decisive_interruptions) first = std::min(first, interruptions_.begin);
  if (first <= sample) begin_phase(first, sample);
}

void SpeedTrack::begin_phase(std::size_t first, std::size_t sample) {
  slow_ = true;
  slower_ = {};
  interruptions_ = recovered_ = {};
  const Sample& begin = samples_[first];
  phases_.push_back(
      {.first_row = begin.first_row, .last_row = begin.first_row - 1, .begin_seconds = begin.at_seconds});
  ranges_.push_back({first, sample});
  extend_phase(sample);
}

void SpeedTrack::extend_phase(std::size_t last) {
  SlowPhase& phase = phases_.back();
  Range& range = ranges_.back();
  range.last = last;
  phase.end_seconds = samples_[last].at_seconds;
  const Smoothed mean = mean_of(range);
  const Sums sums = sums_of(range);
  const double running = 1 - sums.interrupted_shares / std::max(1.0, sums.trials);
  phase.speed = {.compute = std::min(running, 1 / mean.slowdown[0]),
                 .memory = std::min(running, 1 / mean.slowdown[1])};
  while (phase.last_row < std::min(samples_[last].last_row, rows() - 1)) {
    ++phase.last_row;
    const std::int64_t trial = rows_[static_cast<std::size_t>(phase.last_row)].trial;
    const bool first = phase.last_row == phase.first_row;
    phase.first_trial = first ? trial : std::min(phase.first_trial, trial);
    phase.last_trial = first ? trial : std::max(phase.last_trial, trial);
  }
}

void SpeedTrack::look_for_end(std::size_t sample) {
  double slower = log_ratio(sample, 0) - tolerance(0);
  slower = std::max(slower, log_ratio(sample, 1) - tolerance(1));
  const double limit = std::max(tolerance(0), tolerance(1));
  if (interrupted(sample)) {
    recovered_ = {};
  } else {
    recovered_.add(std::clamp(-slower, -max_evidence * limit, max_evidence * limit), sample);
  }
  if (recovered_.sum <= 0) return extend_phase(sample);
  const Range& range = ranges_.back();
  const double count = sums_of(range).interruptions;
  const double wanted = count < 2 ? 0 : std::min(quiet_intervals * range.size() / count, max_quiet_samples);
  if (recovered_.sum <= decisive_evidence * limit || static_cast<double>(sample - range.last) < wanted)
    return;
  slow_ = false;
  phases_.back().ended = true;
}

bool SpeedTrack::interrupted(std::size_t sample) const { return sums_of({sample, sample}).interruptions > 0; }

SpeedTrack::Sums SpeedTrack::sums_of(const Range& range) const {
  const Sums& before = sums_[range.first];
  Sums sums = sums_[range.last + 1];
  for (std::size_t part = 0; part < parts; ++part) {
    sums.seconds[part] -= before.seconds[part];
    sums.squares[part] -= before.squares[part];
  }
  sums.hits -= before.hits;
  sums.interruptions -= before.interruptions;
  sums.interrupted_shares -= before.interrupted_shares;
  sums.trials -= before.trials;
  return sums;
}

double SpeedTrack::log_ratio(std::size_t sample, std::size_t part) const {
  return std::log(samples_[sample].seconds[part] / usual_parts()[part]);
}

double SpeedTrack::tolerance(std::size_t part) const {
  return std::clamp(tolerated_deviations * noise_[part], min_tolerance, max_tolerance);
}

SpeedTrack::Smoothed SpeedTrack::mean_of(const Range& range) const {
  Smoothed smoothed;
  const Sums sums = sums_of(range);
  const double count = range.size();
  for (std::size_t part = 0; part < parts; ++part) {
    const double mean = sums.seconds[part] / count;
    const double variance = sums.squares[part] / count - mean * mean;
    smoothed.slowdown[part] = mean / usual_parts()[part];
    smoothed.error[part] = std::sqrt(std::max(0.0, variance) / count) / mean;
  }
  return smoothed;
}

/** Its error includes what the mean says, of which a median can have suffered a part. */
SpeedTrack::Smoothed SpeedTrack::median_of(const Range& range) const {
  Smoothed smoothed = mean_of(range);
  for (std::size_t part = 0; part < parts; ++part) {
    std::vector<double> seconds;
    for (std::size_t i = range.first; i <= range.last; ++i) seconds.push_back(samples_[i].seconds[part]);
    const double slowdown = median(std::move(seconds)) / usual_parts()[part];
    smoothed.error[part] = std::hypot(smoothed.error[part], std::log(smoothed.slowdown[part] / slowdown) / 2);
    smoothed.slowdown[part] = slowdown;
  }
  return smoothed;
}

/** Returns the slow-down of a phase near a sample. */
SpeedTrack::Smoothed SpeedTrack::smoothed(const Range& phase, std::size_t sample) const {
  sample = std::clamp(sample, phase.first, phase.last);
  const Range near{sample - std::min(sample - phase.first, neighbours),
                   std::min(sample + neighbours, phase.last)};
  const Smoothed all = mean_of(phase);
  if (!uneven(phase)) return mean_of(near);
  // A phase of interruptions begins and ends with one, and few say little about how frequent they are.
  const double hits = sums_of(phase).hits;
  const double certain_hits = hits < 3 ? 0 : hits - 1;
  const double probed_seconds = phase.size() * (usual_.compute + usual_.memory);
  return certain_hits / probed_seconds * sample_seconds < 0.5 ? median_of(near) : all;
}

/** Returns true if the machine was interrupted in a phase, and not slowed evenly. */
bool SpeedTrack::uneven(const Range& phase) const {
  const Smoothed all = mean_of(phase);
  return std::max(all.error[0], all.error[1]) * std::sqrt(phase.size()) > uneven_variation;
}

SpeedTrack::Smoothed SpeedTrack::fastest_beside(const Row& row) const {
  Smoothed fastest;
  for (std::size_t part = 0; part < parts; ++part) {
    const double first = log_ratio(row.first_sample, part);
    const double last = log_ratio(row.first_sample + row.samples - 1, part);
    fastest.slowdown[part] = std::exp(std::min(first, last));
    fastest.error[part] = std::abs(first - last) / 2;
  }
  return fastest;
}

/**
 * Returns the slow-down of a trial in whose phase interruptions of trials were noticed. Readings of an uneven
 * phase consist of other interruptions; at a lower clock they contain a part of the trial's, so that the
 * larger slow-down counts.
 */
SpeedTrack::Smoothed SpeedTrack::with_interruptions(const Smoothed& slow, const Range& phase,
                                                    const Row& trial) const {
  if (sums_of(phase).interrupted_shares <= 0) return slow;
  if (uneven(phase)) return {.slowdown = {trial.interrupted_slowdown, trial.interrupted_slowdown}};
  Smoothed both = slow;
  for (double& part : both.slowdown) part = std::max(part, trial.interrupted_slowdown);
  return both;
}

const SlowPhase* SpeedTrack::phase_of(std::int64_t row) const {
  const auto after = std::ranges::upper_bound(phases_, row, {}, &SlowPhase::first_row);
  for (auto phase = after; phase != phases_.begin();) {
    --phase;
    if (row <= phase->last_row) return &*phase;
    if (phase->first_row <= phase->last_row) break;  // phases without trials share their rows with others
  }
  return nullptr;
}

Speed SpeedTrack::of_row(std::int64_t row) const {
  const Row& trial = rows_.at(static_cast<std::size_t>(row));
  Speed value;
  if (!usual_.known()) return value;
  const std::size_t last = trial.first_sample + trial.samples - 1;
  const auto speed = [](const Smoothed& smoothed) {
    return MachineSpeed{1 / smoothed.slowdown[0], 1 / smoothed.slowdown[1]};
  };
  if (trial.samples > 0) value.speed = speed(mean_of({trial.first_sample, last}));
  const SlowPhase* phase = phase_of(row);
  if (phase == nullptr) return value;
  const Range& range = ranges_[static_cast<std::size_t>(phase - phases_.data())];
  Smoothed slow = smoothed(range, trial.first_sample);
  value.speed = speed(slow);
  if (trial.samples > 0) {
    const bool partly = trial.first_sample < range.first || last > range.last;
    const Smoothed fastest = fastest_beside(trial);
    const double gain =
        std::max(slow.slowdown[0] / fastest.slowdown[0], slow.slowdown[1] / fastest.slowdown[1]);
    // The phase began or ended in this trial: which part of it was slow is not known.
    if (partly || (!uneven(range) && gain > std::exp(max_tolerance))) slow = fastest;
  }
  slow = with_interruptions(slow, range, trial);
  value.speed = speed(slow);
  value.slow_phase = true;
  value.correction = std::min(1.0, speed_for(speed(slow), bound_));
  double error = model_error * std::log(value.correction);
  if (bound_ != KernelBound::Memory) error = std::hypot(error, slow.error[0]);
  if (bound_ != KernelBound::Compute) error = std::hypot(error, slow.error[1]);
  if (bound_ == KernelBound::Unknown)
    error = std::hypot(error, std::log(slow.slowdown[0] / slow.slowdown[1]) / 2);
  value.correction_error = error;
  return value;
}

MachineSpeed SpeedTrack::now() const {
  if (!usual_.known() || samples_.empty()) return {};
  const std::size_t last = samples_.size() - 1;
  const Smoothed latest = slow_ && recovered_.sum <= 0 ? smoothed(ranges_.back(), last)
                                                       : median_of({last - std::min(last, neighbours), last});
  const MachineSpeed speed{.compute = 1 / latest.slowdown[0], .memory = 1 / latest.slowdown[1]};
  // Between two interruptions readings look usual; what lasts is the phase.
  const bool between = slow_ && !speed.slower_than_usual() && sums_of(ranges_.back()).interruptions > 1;
  return between ? phases_.back().speed : speed;
}

std::string describe(const SlowPhase& phase, std::string_view machine) {
  const std::string trials = phase.first_trial == phase.last_trial
                                 ? fmt::format("trial {}", phase.first_trial)
                                 : fmt::format("trials {} to {}", phase.first_trial, phase.last_trial);
  return fmt::format("{}: {} ran at {:.2f} of its speed for {:.0f} s", trials, machine, phase.speed.lowest(),
                     std::max(1.0, phase.end_seconds - phase.begin_seconds));
}

}  // namespace kernelscape::trial
