#pragma once

#include <string>
#include <vector>

namespace kernelscape::measure {

/** A disturbance of timings, as a sentence in the past tense, since it is read long after the measurement. */
struct MachineNotice {
  bool of_process = false;  ///< true: caused by a process that uses a processor; false: by the machine
  std::string text;
};

/** A process that used a processor while the state was read. */
struct BusyProcess {
  long process_id = 0;
  std::string name;
  double processor_share = 0;  ///< 1: one processor
};

/**
 * The values that were read and measured. They are separate from the function that reads them, so that
 * describe_readings() can be tested.
 */
struct MachineReadings {
  double load_average = 0;  ///< load average of the last minute
  double own_load = 0;      ///< part of the load caused by this program's runs since the last reading
  int processors = 1;
  std::vector<BusyProcess> busy_processes;
  double frequency_share = 1;   ///< current / highest frequency; 1 if it can't be read
  bool throttled = false;       ///< the throttle counters increased during the reading
  double other_load = 0;        ///< processors that other programs, or neighbours of a virtual machine, used
  double reference_spread = 0;  ///< times of a fixed amount of work: (95th percentile - median) / median
};
/**
 * Returns a notice for each reading that is too high, with at most three for processes; empty if there is
 * none.
 */
std::vector<MachineNotice> describe_readings(const MachineReadings& readings);

/**
 * Returns true if other programs used the processors so much that the speed of the machine is not its usual
 * one: half a processor, or 5 % of a large machine. Unlike the load average, this is the load of the moment.
 */
bool used_by_others(const MachineReadings& readings);

/** Reads the state of the machine; takes about a fifth of a second. */
MachineReadings read_machine_state();

}  // namespace kernelscape::measure
