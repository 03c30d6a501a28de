#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/analysis/curve.h"
#include "core/analysis/trial_value.h"
#include "core/trial/confirmation.h"
#include "core/trial/speed_track.h"
#include "core/trial/table.h"

namespace kernelscape::analysis {

/** How the time of a session's best kernel is known, the most reliable first. */
enum class BestKind : std::uint8_t {
  Confirmed,        ///< measured again, interleaved, at the machine's usual speed, or its speed is not known
  Measured,         ///< from the trial's own samples: unconfirmed
  ConfirmedLoaded,  ///< measured again while other programs used a machine whose usual speed is not known
  ConfirmedSlow,    ///< measured again while the machine was slow; the time is that of the slow machine
  MeasuredSlow,     ///< from the trial's own samples in a slow phase, corrected by the machine's speed
  None              ///< no trial is valid
};

/**
 * Returns the kind by which results of different sessions are compared before their times: a confirmation
 * under load is no more and no less reliable than a trial's own samples.
 */
constexpr BestKind compared_kind(BestKind kind) {
  return kind == BestKind::ConfirmedLoaded ? BestKind::Measured : kind;
}

/** The best trial of a session by the trials' own samples. */
struct MeasuredBest {
  std::int64_t trial = -1;  ///< number; -1: no trial is valid
  std::int64_t row = no_row;
  TrialValue value{};      ///< corrected if the trial is in a slow phase
  trial::Speed machine{};  ///< of the machine while the trial was measured
};

/**
 * Returns the fastest valid trial at the usual speed, of equal ones the first to arrive. A trial of a slow
 * phase is returned only if a slow machine was faster than all of these, or there are none: of the trials in
 * slow phases the one with the smallest corrected time.
 * @param trials with the machine's speed, see with_speeds()
 */
MeasuredBest best_measured(const trial::Snapshot& trials);

/** The data that determine a session's best result. */
struct BestInput {
  MeasuredBest measured{};
  std::span<const trial::Confirmation> confirmations = {};
  std::span<const trial::ConfirmationSpeed> speeds = {};  ///< see Baselines::confirmation_speeds
  trial::ProbeSeconds usual{};  ///< times of the probe at the usual speed; unknown: none
};

/** The best result of a session, as every list, headline, report and file shows it. */
struct BestResult {
  std::int64_t trial = -1;    ///< number of the best trial; -1: no trial is valid
  std::int64_t row = no_row;  ///< by order of arrival; no_row: see row_of_trial()
  TrialValue value{};
  BestKind kind = BestKind::None;
  double correction = 1;     ///< factor by which the trial's own samples were multiplied
  double machine_share = 0;  ///< share of its usual speed at which a slow machine ran; 0: not known, or usual
  std::string confirmed_utc{};  ///< of the confirmation; empty: unconfirmed
  bool speed_known = false;     ///< the session has readings of the machine's speed

  bool exists() const { return kind != BestKind::None; }  ///< a valid trial exists
  /** Returns true if the result was measured again at the machine's usual speed. */
  bool confirmed() const { return kind == BestKind::Confirmed; }
  /** Returns true if the machine was slow while the result was measured. */
  bool slow() const { return kind == BestKind::ConfirmedSlow || kind == BestKind::MeasuredSlow; }
  bool operator==(const BestResult&) const = default;
};

/**
 * Returns the best result of a session. It is the fastest trial of the latest confirmation at the machine's
 * usual speed, unless a trial that is not in this confirmation and was measured at the usual speed is faster
 * by its own samples: then this trial, unconfirmed. Without such a confirmation the same holds for the latest
 * one under load. Without both it is the fastest trial of the latest confirmation in a slow phase, if this
 * contains the fastest trial, else the fastest trial.
 */
BestResult best_result(const BestInput& input);

/**
 * Returns the result of `input.measured` alone: of its confirmation that counts, see confirmation_of(), else
 * of its own samples.
 */
BestResult trial_result(const BestInput& input);

/** Returns the row of a trial by its number, or no_row. */
std::int64_t row_of_trial(const trial::Snapshot& trials, std::int64_t number);

/**
 * Returns the words that qualify the number: "confirmed", "unconfirmed", "confirmed while other programs used
 * the machine", "confirmed at 28 % of the machine's usual speed", "unconfirmed, corrected from a measurement
 * at 28 % of the machine's usual speed".
 */
std::string best_mark(const BestResult& best);

/** Returns "28 % of the machine's usual speed". @param share 0: not known */
std::string machine_share_text(double share);

/** Returns a value whose times are multiplied by a factor. */
TrialValue corrected(TrialValue value, double factor);

/** A trial that was measured again at the end. */
struct ConfirmedTrial {
  std::int64_t trial = 0;
  Quartiles seconds;
};

/**
 * Returns the trials of the confirmation that counts, best first: only these were measured interleaved. It is
 * the latest one at the machine's usual speed, else the latest one under load, else the latest one.
 */
std::vector<ConfirmedTrial> last_confirmed(std::span<const trial::Confirmation> confirmations,
                                           std::span<const trial::ConfirmationSpeed> speeds);

/**
 * Returns the confirmation of a trial that counts: its latest one at the machine's usual speed, else its
 * latest one under load, else its latest one. Null: the trial was not measured again.
 */
const trial::Confirmation* confirmation_of(std::span<const trial::Confirmation> confirmations,
                                           std::span<const trial::ConfirmationSpeed> speeds,
                                           std::int64_t trial);

/** Returns the speed of the confirmations of one time, or null if it is not known. */
const trial::ConfirmationSpeed* confirmation_speed(std::span<const trial::ConfirmationSpeed> speeds,
                                                   const std::string& measured_utc);

}  // namespace kernelscape::analysis
