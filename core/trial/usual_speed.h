#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/trial/machine_speed.h"

namespace kernelscape::trial {

/** The fastest readings of the speed probe at the start of a day's sessions on a machine. */
struct MachineReading {
  double taken_seconds = 0;  ///< since 1970; 0: by an earlier version of the program, at an unknown time
  ProbeSeconds probe{};
  bool loaded = false;  ///< other programs used the machine

  bool operator==(const MachineReading&) const = default;
};

/** What is known of the times of the speed probe at a machine's usual speed. */
struct UsualSpeed {
  ProbeSeconds seconds{};  ///< unknown: there is no reading
  /** Other programs used the machine during all readings: its usual speed may be higher. */
  bool loaded = false;

  bool operator==(const UsualSpeed&) const = default;
};

/**
 * Returns the usual speed of a machine. Readings with load from other programs count only if there are no
 * others. It is the speed of the fastest of the last 20 days on which the machine was used; a day that is
 * less than 5 % faster than an earlier one changes nothing. A machine that got slower for good is learned
 * again: if the last five days differ by at most 10 %, earlier ones no longer count.
 * @param readings oldest first
 */
UsualSpeed usual_speed(std::span<const MachineReading> readings);

/**
 * Adds the reading of a session, of which one is kept for each day, so that a hundred short sessions of a
 * slow day change nothing. Removes readings that usual_speed() no longer needs.
 */
void add_reading(std::vector<MachineReading>& readings, const MachineReading& reading);

/** Returns the text of Machines::save_measure() for these readings. */
std::string machine_readings_to_json(std::span<const MachineReading> readings);
/** Reads the readings back. Damaged ones are omitted, since a new session takes its own. */
std::vector<MachineReading> machine_readings_from_json(std::string_view json);

}  // namespace kernelscape::trial
