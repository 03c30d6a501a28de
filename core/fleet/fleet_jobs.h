#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"

namespace kernelscape {

/** Workers of one kind that a scheduler or ssh is to start. */
struct JobGroup {
  std::string name{};                ///< of its script
  std::vector<std::string> hosts{};  ///< of ssh; Slurm finds its own
  int count = 1;                     ///< of Slurm: so many workers
  std::string gpus{};                ///< of Slurm: "h100:1", a type and how many
  std::string partition{};
  std::string time = "24:00:00";  ///< of Slurm, after which it is queued again
  int cores = 4;
  int builders = 4;
  std::string device = "cpu";
};

/** How the workers of a fleet get at its Redis: straight, or through a tunnel that their script opens. */
struct JobPlan {
  std::string worker = "kernelscape-worker";  ///< the program on those machines
  std::string password_file{};                ///< there
  std::string tunnel{};                       ///< "ssh", "stunnel"; empty: straight
  std::string tunnel_host{};                  ///< that the tunnel leads to: of ssh perhaps with a user
  int tunnel_port = 0;                        ///< of stunnel: where it listens there
  std::vector<JobGroup> groups{};
};

/** A script and how it is started. */
struct JobScript {
  std::string name{};
  std::string summary{};  ///< what it does, in a line
  std::string text{};
  std::vector<std::string> start{};  ///< the command for it, without the script's own path at its end
};

/** {"worker": ..., "password_file": ..., "tunnel": {...}, "groups": [{...}]}. InvalidArgument names the
 * member that is wrong; NotFound: there is no such file. */
Result<JobPlan> read_job_plan(const std::string& path);

/** A job for sbatch of each group: it is queued again where its node fails, drains when its time ends, and a
 * worker that lost its device is started again. */
std::vector<JobScript> slurm_scripts(const JobPlan& plan, const std::string& address);
/** A script of each host of each group, to be started there; it starts a worker again that lost its device.
 */
std::vector<JobScript> ssh_scripts(const JobPlan& plan, const std::string& address);

/** Writes them, executable, into a folder that is there. */
Status write_job_scripts(const std::vector<JobScript>& scripts, const std::string& folder);

/** Hands them to sbatch or ssh. Environment: there is none, or it refuses one. */
Status start_jobs(const std::vector<JobScript>& scripts, const std::string& folder, bool slurm);

}  // namespace kernelscape
