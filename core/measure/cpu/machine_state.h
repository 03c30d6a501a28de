#pragma once

#include <string>
#include <vector>

namespace kernelscape {

/** Something that disturbs timings, as a sentence in the past tense: it is read long after. */
struct MachineNotice {
  bool of_process = false;  ///< of one that uses a processor, not of the machine
  std::string text;
};

/** Empty where the machine is quiet. */
std::vector<MachineNotice> machine_state_notices();

/** A process that uses a processor while we look. */
struct BusyProcess {
  long process_id = 0;
  std::string name;
  double processor_share = 0;  ///< 1: one processor
};

/** The notices of what was read and measured: apart from reading it, so that it can be tested. */
struct MachineReadings {
  double load_average = 0;  ///< of the last minute
  double own_load = 0;      ///< what of it this program's runs explain: those since it was read last
  int processors = 1;
  std::vector<BusyProcess> busy_processes;
  double frequency_share = 1;   ///< current / highest; 1 where it can't be read
  bool throttled = false;       ///< the throttle counters grew while we looked
  double reference_spread = 0;  ///< of a fixed amount of work: (95th percentile - median) / median
};
/** A notice for each reading that is too high, at most three for processes; empty where none is. */
std::vector<MachineNotice> describe_readings(const MachineReadings& readings);

/** Takes about a fifth of a second. */
MachineReadings read_machine_state();

}  // namespace kernelscape
