#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/trial/speed_track.h"
#include "core/trial/table.h"
#include "core/trial/worker_tracks.h"

namespace kernelscape::trial {

class Recording;

/** The machine's speed during a session, derived by SpeedTrack from the readings that were stored so far. */
struct SessionSpeeds {
  std::vector<Speed> trials;      ///< by order of arrival
  std::vector<SlowPhase> phases;  ///< in order
  MachineSpeed now{};             ///< after the last trial
  ProbeSeconds usual{};           ///< times of the probe at the machine's usual speed
  bool slow = false;              ///< a slow phase was in progress after the last trial
  /** Trials in slow phases. If phases cannot be found, trials below 90 % of the usual speed. */
  std::int64_t slow_trials = 0;
  std::vector<std::string> workers = {};  ///< names of a fleet's workers; Row::worker counts them from 1

  bool operator==(const SessionSpeeds&) const = default;
};

/**
 * Follows the readings of a session's rows. A session whose rows have no readings, such as a replay, costs
 * nothing but one comparison for each row.
 */
class SessionSpeedReader {
 public:
  /**
   * @param usual stored with the session; unknown: the fastest readings of the session are the usual ones
   * @param in_time_order false for recordings and replays, whose rows are not in the order in which they were
   *   measured: their trials have speeds, but slow phases cannot be found, and no time is corrected
   */
  SessionSpeedReader(const ProbeSeconds& usual, KernelBound bound, bool in_time_order = true)
      : usual_(usual), bound_(bound), in_time_order_(in_time_order) {}

  /** Adds the next row in order of arrival. */
  void add(const Row& row);
  /** Sets the names of a fleet's workers, see SessionSpeeds::workers. */
  void set_workers(const std::vector<std::string>& names);
  /**
   * Returns the speeds of all rows added so far; null if none of them has a reading. Readers on other threads
   * may keep it. O(rows) after new rows, since a later reading can change the values of earlier rows.
   */
  std::shared_ptr<const SessionSpeeds> speeds();

 private:
  void add_recorded(const Row& row, std::int64_t index);
  void add_to_track(const Row& row, std::int64_t index);

  ProbeSeconds usual_;
  KernelBound bound_;
  bool in_time_order_;
  std::optional<WorkerTracks> track_;  ///< nullopt until the first row with a reading
  std::vector<Speed> recorded_;        ///< empty until then; of rows that are not in the order of time
  std::int64_t rows_ = 0;
  std::vector<std::string> workers_;
  std::shared_ptr<const SessionSpeeds> speeds_;
};

/** Returns the snapshot with the machine's speed of each row; an unchanged one if `speeds` is null. */
Snapshot with_speeds(const Snapshot& trials, const std::shared_ptr<const SessionSpeeds>& speeds);

/**
 * Returns true if rows that both have differ. A later reading can change the values of earlier rows.
 * @param before of the same session, or null @param after or null
 */
bool earlier_rows_changed(const SessionSpeeds* before, const SessionSpeeds* after);

/** Returns the name of the worker of a phase; empty: this machine. */
std::string worker_name(const SessionSpeeds& speeds, const SlowPhase& phase);

/**
 * Returns describe() of a phase with the name of its machine: "trials 4 to 97: worker desk2 ran at 0.28 of
 * its speed for 38 s".
 */
std::string phase_text(const SessionSpeeds& speeds, const SlowPhase& phase);

/**
 * Returns the slow phase of a fleet's worker in which a trial was measured; null: it was measured in none, or
 * on this machine. @param row of the trial, by order of arrival
 */
const SlowPhase* worker_phase(const SessionSpeeds& speeds, const Row& trial, std::int64_t row);

/** Returns "machine at 28 % of its speed"; empty if the speed is not known. */
std::string machine_speed_text(const MachineSpeed& speed);
/**
 * Returns the state of the machine on which a session runs: "waiting for the machine, machine at 28 % of its
 * speed"; empty if its speed is usual or not known.
 */
std::string machine_state_text(const MachineSpeed& now, bool waiting);

/** Returns "the machine was slower than usual in 12 % of the trials"; empty if it was not. */
std::string slow_share_text(const SessionSpeeds& speeds);
/** Returns slow_share_text() of a recorded space; empty if its trials have no readings. */
std::string slow_share_text(const Recording& recording);

}  // namespace kernelscape::trial
