#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/trial/speed_track.h"

namespace kernelscape::trial {

/** The usual times of the speed probe on the workers of a fleet, by name. */
using WorkerUsualTimes = std::map<std::string, ProbeSeconds>;

/**
 * The slow phases of the machines that measured a session: of this machine, or one SpeedTrack for each
 * worker of a fleet. Rows are those of the session, by order of arrival.
 */
class WorkerTracks {
 public:
  /** @param usual of this machine, see SpeedTrack; those of a fleet's workers are not known */
  WorkerTracks(const ProbeSeconds& usual, KernelBound bound) : usual_(usual), bound_(bound) {}

  /** Sets the usual times of a machine before its first reading. @param worker Row::worker */
  void set_usual(std::uint16_t worker, const ProbeSeconds& usual);
  /** Adds the readings of the next trial. @param worker Row::worker; 0: this machine */
  void add(const SpeedReading& reading, std::uint16_t worker);
  std::int64_t rows() const { return std::ssize(rows_); }  ///< number of trials that were added
  Speed of_row(std::int64_t row) const;                    ///< values of a trial, by order of arrival
  /** Returns the slow phases of all machines, in order of their first rows. */
  std::vector<SlowPhase> phases() const;
  /** Returns true if the machine of the latest reading is in a slow phase. */
  bool slow() const { return latest_ && latest().slow(); }
  /** Returns the smoothed speed of that machine; unknown before the first reading. */
  MachineSpeed now() const { return latest_ ? latest().now() : MachineSpeed(); }
  /** Returns the usual times of that machine, see SpeedTrack::usual(). */
  ProbeSeconds usual() const { return latest_ ? latest().usual() : usual_; }
  /** Returns the usual times of one machine; unknown without enough readings of it. */
  ProbeSeconds usual_of(std::uint16_t worker) const;

 private:
  struct Machine {
    SpeedTrack track;
    std::vector<std::int64_t> rows;  ///< of the session, by row of the track
  };
  struct Row {
    std::uint16_t worker = 0;
    std::int64_t row = 0;  ///< of the worker's track
  };
  const SpeedTrack& latest() const { return machines_.at(*latest_).track; }

  ProbeSeconds usual_;
  KernelBound bound_;
  std::map<std::uint16_t, ProbeSeconds> given_;  ///< usual times of workers, see set_usual()
  std::map<std::uint16_t, Machine> machines_;
  std::vector<Row> rows_;
  std::optional<std::uint16_t> latest_;  ///< worker of the last trial with a reading
};

}  // namespace kernelscape::trial
