#include "core/measure/worker/worker_main.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <exception>

#include "core/measure/worker/child_process.h"

namespace kernelscape::measure {
namespace {

WorkerService find_role(std::string_view name, std::span<const AddedRole> added) {
  if (name == to_string(WorkerRole::Build)) return serve_builds;
  if (name == to_string(WorkerRole::Run)) return serve_runs;
  if (name == to_string(WorkerRole::Baseline)) return serve_baselines;
  if (name == to_string(WorkerRole::Probe)) return serve_probes;
  if (name == to_string(WorkerRole::Command)) return serve_commands;
  for (const AddedRole& other : added)
    if (name == to_string(other.role)) return other.serve;
  return nullptr;
}

/** Takes the channel, moved to a descriptor that no kernel or compiler inherits; invalid if there is none. */
UniqueFd take_channel() {
  int type = 0;
  socklen_t size = sizeof type;
  if (getsockopt(worker_channel_descriptor, SOL_SOCKET, SO_TYPE, &type, &size) != 0) return {};
  UniqueFd channel(fcntl(worker_channel_descriptor, F_DUPFD_CLOEXEC, 500 + static_cast<int>(getpid() % 499)));
  if (!channel.valid()) channel = UniqueFd(fcntl(worker_channel_descriptor, F_DUPFD_CLOEXEC, 3));
  close(worker_channel_descriptor);
  return channel;
}

int serve(WorkerService role, UniqueFd socket) {
  Channel channel(std::move(socket));
  const Deadline never = deadline_after(1e12);
  if (!channel.receive<Hello>(never)) return 1;
  if (!channel.send(Ready{.process_id = getpid()}, never)) return 1;
  role(channel);
  return 0;
}

}  // namespace

int worker_main(std::span<char* const> arguments, std::span<const AddedRole> added) {
  const WorkerService role = arguments.size() == 2 ? find_role(arguments[1], added) : nullptr;
  UniqueFd socket = role != nullptr ? take_channel() : UniqueFd();
  if (!socket.valid()) {
    std::fputs("kernelscape-worker is started by kernelscape, which talks to it on descriptor 3\n", stderr);
    return 2;
  }
  // A worker that starts programs must survive its parent to kill them: it detects the parent's end by the
  // closed channel.
  if (role != &serve_builds && role != &serve_commands) prctl(PR_SET_PDEATHSIG, SIGKILL);
  apply_limits({});
  try {
    return serve(role, std::move(socket));
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "%s\n", problem.what());
    return 1;
  }
}

}  // namespace kernelscape::measure
