#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"

namespace kernelscape::fleet {

/** A group of identical workers that a scheduler or ssh starts. */
struct JobGroup {
  std::string name{};                ///< name of the group's script
  std::vector<std::string> hosts{};  ///< hosts for ssh; Slurm chooses its nodes
  int count = 1;                     ///< Slurm: number of workers
  std::string gpus{};                ///< Slurm: type and number of GPUs, "h100:1"
  std::string partition{};
  std::string time = "24:00:00";  ///< Slurm: time limit, after which the job is queued again
  int cores = 4;
  int builders = 4;
  std::string device = "cpu";
};

/**
 * Describes how the workers of a fleet are started and connect to Redis: directly, or through a tunnel that
 * their script opens.
 */
struct JobPlan {
  std::string worker = "kernelscape-worker";  ///< the worker program on those machines
  std::string password_file{};                ///< path on those machines
  std::string tunnel{};                       ///< "ssh", "stunnel"; empty: a direct connection
  std::string tunnel_host{};                  ///< the host at the end of the tunnel; for ssh optionally with
                                              ///< a user
  int tunnel_port = 0;                        ///< stunnel: the port at which it listens on that host
  std::vector<JobGroup> groups{};
};

/** A script and the command that starts it. */
struct JobScript {
  std::string name{};
  std::string summary{};  ///< one line that describes the script
  std::string text{};
  std::vector<std::string> start{};  ///< the command that starts the script, without the path of the script
                                     ///< as the last argument
};

/**
 * Reads a job plan: {"worker": ..., "password_file": ..., "tunnel": {...}, "groups": [{...}]}. Returns
 * InvalidArgument with the name of the invalid member, or NotFound if the file does not exist.
 */
Result<JobPlan> read_job_plan(const std::string& path);

/**
 * Returns an sbatch job for each group. A job is queued again if its node fails, drains when its time limit
 * approaches, and restarts a worker that lost its device.
 */
std::vector<JobScript> slurm_scripts(const JobPlan& plan, const std::string& address);
/**
 * Returns a script for each host of each group, to be started on that host. A script restarts a worker that
 * lost its device.
 */
std::vector<JobScript> ssh_scripts(const JobPlan& plan, const std::string& address);

/** Writes the scripts as executable files into an existing folder. */
Status write_job_scripts(const std::vector<JobScript>& scripts, const std::string& folder);

/**
 * Submits the scripts to sbatch or starts them with ssh. Returns Environment if the command is missing or
 * fails.
 */
Status start_jobs(const std::vector<JobScript>& scripts, const std::string& folder, bool slurm);

}  // namespace kernelscape::fleet
