#pragma once

#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/kernel/project_family.h"
#include "core/measure/program/program_builds.h"
#include "core/measure/worker/probed_trials.h"
#include "core/measure/worker/timing_mark.h"
#include "core/trial/measure_options.h"
#include "core/trial/measurement.h"

namespace kernelscape::measure {

/** The commands of one configuration. */
struct ProgramCommands {
  project::StepCommands build;
  project::StepCommands run;
  project::StepCommands check;
};

/** Returns the commands of a configuration, or why they cannot be made (INSTANTIATION_ERROR). */
Result<ProgramCommands> commands_of(const kernel::ProjectFamily& family,
                                    const space::Configuration& configuration);

/** What a run of a program is asked for. */
struct ProgramRun {
  const ProgramCommands& commands;
  const ProgramBuild& build;
  const trial::MeasureOptions& options;
  double best_seconds = 0;     ///< see Measurer::set_best_seconds()
  double timeout_seconds = 0;  ///< upper limit of the time-out of a run, not of the check; 0: none
  bool check = true;           ///< runs the check command behind the first run
};

/**
 * Runs a program that was built, one command at a time, between readings of the speed probe if its objective
 * is a time or a rate.
 */
class ProgramRunner {
 public:
  /**
   * @param project must outlive this object
   * @param threads of the speed probe: those that the program may use; 0: none is read
   */
  ProgramRunner(const project::KernelProject& project, int threads);
  ProgramRunner(const ProgramRunner&) = delete;
  ProgramRunner& operator=(const ProgramRunner&) = delete;

  /**
   * Warms up, checks and measures: each repeat is a process of its own. Runs end early as those of kernels
   * do, and when a run that reports several samples has given enough. If the machine's speed changes
   * meanwhile, all of it is repeated as ProbedTrials describes. Returns nullopt if it was interrupted. Errors
   * are machine faults.
   */
  Result<std::optional<trial::Measurement>> run(const ProgramRun& run, const Interruption& interruption);

  /**
   * Takes a reading of the speed probe. Returns nullopt if the objective does not follow the machine's speed,
   * or if the reading was interrupted or failed.
   */
  Result<std::optional<trial::ProbeSeconds>> probe_speed(const Interruption& interruption);

  /** Returns why metrics could not be read, once for each metric. */
  std::vector<std::string> take_notices() { return std::exchange(notices_, {}); }

 private:
  trial::ProbeSeconds reading(int threads);
  void note_unread(const std::string& metric, const Error& error);

  const project::KernelProject& project_;
  int threads_;  ///< of the speed probe; 0: none is read
  ProbedTrials probed_;
  Interruption interruption_{};  ///< of the present run
  std::set<std::string> unread_metrics_;
  std::vector<std::string> notices_;
  TimingMark timing_mark_;
  CommandWorker worker_;
};

}  // namespace kernelscape::measure
