#include "core/analysis/best_result.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace kernelscape::analysis {
namespace {

/** How a result is known from confirmations, the most reliable first. */
constexpr std::array confirmed_kinds{BestKind::Confirmed, BestKind::ConfirmedLoaded, BestKind::ConfirmedSlow};

/** Returns how results of the confirmations of one time are known. */
BestKind confirmed_kind_of(std::span<const trial::ConfirmationSpeed> speeds,
                           const std::string& measured_utc) {
  const trial::ConfirmationSpeed* speed = confirmation_speed(speeds, measured_utc);
  if (speed == nullptr) return BestKind::Confirmed;
  if (speed->slow) return BestKind::ConfirmedSlow;
  return speed->loaded ? BestKind::ConfirmedLoaded : BestKind::Confirmed;
}

/** Returns the time of the latest confirmation of any trial; empty: there is none. */
std::string latest_utc(std::span<const trial::Confirmation> confirmations,
                       std::span<const trial::ConfirmationSpeed> speeds, BestKind kind) {
  std::string latest;
  for (const trial::Confirmation& confirmation : confirmations) {
    if (confirmation.trial < 0 || confirmation.samples_seconds.empty()) continue;
    if (confirmed_kind_of(speeds, confirmation.measured_utc) == kind)
      latest = std::max(latest, confirmation.measured_utc);
  }
  return latest;
}

std::vector<ConfirmedTrial> confirmed_at(std::span<const trial::Confirmation> confirmations,
                                         const std::string& measured_utc) {
  std::vector<ConfirmedTrial> confirmed;
  for (const trial::Confirmation& confirmation : confirmations) {
    if (confirmation.trial < 0 || confirmation.measured_utc != measured_utc) continue;
    if (!confirmation.samples_seconds.empty())
      confirmed.push_back({confirmation.trial, quartiles(confirmation.samples_seconds)});
  }
  std::ranges::stable_sort(confirmed, {}, [](const ConfirmedTrial& trial) { return trial.seconds.median; });
  return confirmed;
}

/** Returns the share of its usual speed at which the machine ran during a confirmation; 0: not known. */
double share_during(const BestInput& input, const std::string& measured_utc) {
  const trial::ConfirmationSpeed* speed = confirmation_speed(input.speeds, measured_utc);
  if (speed == nullptr) return 0;
  return speed->machine_share > 0 ? speed->machine_share
                                  : trial::relative_speed(speed->probe, input.usual).lowest();
}

BestResult confirmed_result(const BestInput& input, const ConfirmedTrial& trial,
                            const std::string& measured_utc) {
  BestResult best;
  best.trial = trial.trial;
  best.row = trial.trial == input.measured.trial ? input.measured.row : no_row;
  best.value = median_value(trial.seconds);
  best.kind = confirmed_kind_of(input.speeds, measured_utc);
  if (best.slow()) best.machine_share = share_during(input, measured_utc);
  best.confirmed_utc = measured_utc;
  return best;
}

BestResult measured_result(const MeasuredBest& measured) {
  BestResult best;
  best.trial = measured.trial;
  best.row = measured.row;
  best.value = measured.value;
  best.kind = measured.machine.slow_phase ? BestKind::MeasuredSlow : BestKind::Measured;
  if (measured.machine.slow_phase) {
    best.correction = measured.machine.correction;
    best.machine_share = measured.machine.speed.lowest();
  }
  return best;
}

BestResult chosen_result(const BestInput& input) {
  const MeasuredBest& measured = input.measured;
  const auto contains = [&](const std::vector<ConfirmedTrial>& confirmed) {
    return std::ranges::find(confirmed, measured.trial, &ConfirmedTrial::trial) != confirmed.end();
  };
  for (const BestKind kind : confirmed_kinds) {
    const std::string latest = latest_utc(input.confirmations, input.speeds, kind);
    if (latest.empty()) continue;
    const std::vector<ConfirmedTrial> confirmed = confirmed_at(input.confirmations, latest);
    const bool replaces_slow = measured.machine.slow_phase && kind != BestKind::ConfirmedSlow;
    return replaces_slow || contains(confirmed) ? confirmed_result(input, confirmed.front(), latest)
                                                : measured_result(measured);
  }
  return measured_result(measured);
}

}  // namespace

MeasuredBest best_measured(const trial::Snapshot& trials) {
  MeasuredBest usual;
  MeasuredBest slow;
  double fastest_slow = 0;  // as measured
  const auto is_better = [](double seconds, const MeasuredBest& than) {
    return than.trial < 0 || seconds < than.value.seconds;
  };
  for (std::int64_t index = 0; index < trials.size(); ++index) {
    const trial::Row row = trials.row(index);
    if (row.category != trial::ErrorCategory::NoError || row.sample_count == 0) continue;
    const trial::Speed& machine = row.machine;
    if (!machine.slow_phase) {
      if (is_better(row.median_seconds, usual)) usual = {row.number, index, trial_value(row), machine};
      continue;
    }
    if (fastest_slow == 0 || row.median_seconds < fastest_slow) fastest_slow = row.median_seconds;
    if (is_better(row.median_seconds * machine.correction, slow))
      slow = {row.number, index, corrected(trial_value(row), machine.correction), machine};
  }
  // A machine is not made faster by a slow phase: its trials are at least as fast as measured.
  if (slow.trial >= 0 && (usual.trial < 0 || fastest_slow < usual.value.seconds)) return slow;
  return usual;
}

BestResult best_result(const BestInput& input) {
  if (input.measured.trial < 0) return {};
  BestResult best = chosen_result(input);
  best.speed_known = input.usual.known();
  return best;
}

BestResult trial_result(const BestInput& input) {
  const std::int64_t trial = input.measured.trial;
  if (trial < 0) return {};
  const trial::Confirmation* confirmation = confirmation_of(input.confirmations, input.speeds, trial);
  BestResult result = measured_result(input.measured);
  if (confirmation != nullptr) {
    const std::string& utc = confirmation->measured_utc;
    result = confirmed_result(input, {trial, quartiles(confirmation->samples_seconds)}, utc);
  }
  result.speed_known = input.usual.known();
  return result;
}

std::int64_t row_of_trial(const trial::Snapshot& trials, std::int64_t number) {
  // Trials arrive almost in the order of their numbers: the search begins near the expected position.
  const std::int64_t size = trials.size();
  for (std::int64_t distance = 0; distance < size; ++distance) {
    const std::int64_t before = number - distance;
    const std::int64_t after = number + distance;
    if (before >= 0 && before < size && trials.row(before).number == number) return before;
    if (after >= 0 && after < size && trials.row(after).number == number) return after;
  }
  return no_row;
}

std::string best_mark(const BestResult& best) {
  switch (best.kind) {
    case BestKind::Confirmed:
      return "confirmed";
    case BestKind::Measured:
      return "unconfirmed";
    case BestKind::ConfirmedLoaded:
      return "confirmed while other programs used the machine";
    case BestKind::ConfirmedSlow:
      return "confirmed at " + machine_share_text(best.machine_share);
    case BestKind::MeasuredSlow:
      return (best.correction == 1 ? "unconfirmed, measured at "
                                   : "unconfirmed, corrected from a measurement at ") +
             machine_share_text(best.machine_share);
    case BestKind::None:
      break;
  }
  return {};
}

std::string machine_share_text(double share) {
  if (share <= 0) return "less than the machine's usual speed";
  return fmt::format("{:.0f} % of the machine's usual speed", 100 * share);
}

TrialValue corrected(TrialValue value, double factor) {
  value.seconds *= factor;
  Quartiles& samples = value.samples;
  for (double* seconds :
       {&samples.minimum, &samples.first, &samples.median, &samples.third, &samples.maximum})
    *seconds *= factor;
  return value;
}

std::vector<ConfirmedTrial> last_confirmed(std::span<const trial::Confirmation> confirmations,
                                           std::span<const trial::ConfirmationSpeed> speeds) {
  std::string utc;
  for (const BestKind kind : confirmed_kinds)
    if (utc.empty()) utc = latest_utc(confirmations, speeds, kind);
  return confirmed_at(confirmations, utc);
}

const trial::Confirmation* confirmation_of(std::span<const trial::Confirmation> confirmations,
                                           std::span<const trial::ConfirmationSpeed> speeds,
                                           std::int64_t trial) {
  const trial::Confirmation* found = nullptr;
  const auto rank = [&](const trial::Confirmation& confirmation) {
    const auto kind =
        std::ranges::find(confirmed_kinds, confirmed_kind_of(speeds, confirmation.measured_utc));
    return std::pair(confirmed_kinds.end() - kind, confirmation.measured_utc);
  };
  for (const trial::Confirmation& confirmation : confirmations) {
    if (confirmation.trial != trial || confirmation.samples_seconds.empty()) continue;
    if (found == nullptr || rank(confirmation) >= rank(*found)) found = &confirmation;
  }
  return found;
}

const trial::ConfirmationSpeed* confirmation_speed(std::span<const trial::ConfirmationSpeed> speeds,
                                                   const std::string& measured_utc) {
  const auto found = std::ranges::find(speeds, measured_utc, &trial::ConfirmationSpeed::measured_utc);
  return found == speeds.end() ? nullptr : &*found;
}

}  // namespace kernelscape::analysis
