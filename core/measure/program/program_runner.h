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

/** Runs a program that was built, one command at a time. */
class ProgramRunner {
 public:
  /** @param project must outlive this object */
  explicit ProgramRunner(const project::KernelProject& project) : project_(project) {}

  /**
   * Warms up, checks and measures: each repeat is a process of its own. Runs end early as those of kernels
   * do, and when a run that reports several samples has given enough. Returns nullopt if it was interrupted.
   * Errors are machine faults.
   */
  Result<std::optional<trial::Measurement>> run(const ProgramRun& run, const Interruption& interruption);

  /** Returns why metrics could not be read, once for each metric. */
  std::vector<std::string> take_notices() { return std::exchange(notices_, {}); }

 private:
  void note_unread(const std::string& metric, const Error& error);

  const project::KernelProject& project_;
  std::set<std::string> unread_metrics_;
  std::vector<std::string> notices_;
  TimingMark timing_mark_;
  CommandWorker worker_;
};

}  // namespace kernelscape::measure
