#pragma once

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/base/temporary_folder.h"
#include "core/measure/program/command_worker.h"
#include "core/project/kernel_project.h"
#include "core/trial/measure_options.h"

namespace kernelscape::measure {

/** A folder with the program's files in which its build commands ran. */
struct ProgramBuild {
  std::string folder;
  std::optional<CommandFailure> failure;  ///< nullopt: the program can be run
  double seconds = 0;                     ///< time that writing the files and building took
  std::set<std::string> sized_files{};    ///< files of numbers that are sizes, which the build left
};

/** Returns a request for a command in a folder, with what the project allows. */
CommandRequest command_request(const project::KernelProject& project, const project::StepCommands& step,
                               std::size_t command, const std::string& folder,
                               const trial::MeasureOptions& options);

/**
 * The builds of a program, kept by the commands and variables that make them: configurations that differ only
 * in what the run uses share one. Each is made in a folder of its own; the folders end with this object, and
 * those that were not used for long earlier.
 */
class ProgramBuilds {
 public:
  /** @param project must outlive this object */
  ProgramBuilds(const project::KernelProject& project, const trial::MeasureOptions& options);

  /** Returns how many builds are made at once. */
  std::size_t builders() const { return workers_.size(); }

  /**
   * Makes the builds that are missing, and keeps all of these until the next call. Returns false if it was
   * interrupted: builds that were finished by then are kept. Errors are machine faults.
   */
  Result<bool> make(std::span<const project::StepCommands> steps, const Interruption& interruption);

  /** Returns a build that make() has made. */
  const ProgramBuild& of(const project::StepCommands& step) const { return builds_.at(step).build; }

  /** Returns the seconds of a build at the first call, and 0 at later ones: one trial counts them. */
  double take_seconds(const project::StepCommands& step) {
    return std::exchange(builds_.at(step).build.seconds, 0);
  }

 private:
  struct Kept {
    ProgramBuild build;
    std::uint64_t used = 0;   ///< the last make() that asked for it
    std::uint64_t bytes = 0;  ///< of the files in its folder
  };
  using Steps = std::vector<const project::StepCommands*>;

  Result<std::optional<Kept>> build(const project::StepCommands& step, const std::string& folder,
                                    CommandWorker& worker, const Interruption& interruption) const;
  Status write_files(const std::string& folder) const;
  void remove_old();

  const project::KernelProject& project_;
  trial::MeasureOptions options_;
  std::optional<base::TemporaryFolder> root_;
  std::vector<CommandWorker> workers_;
  std::map<project::StepCommands, Kept> builds_;
  std::uint64_t calls_ = 0;
  std::uint64_t folders_ = 0;
};

}  // namespace kernelscape::measure
