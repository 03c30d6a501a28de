#pragma once

#include <span>
#include <string_view>

#include "core/measure/worker/channel.h"
#include "core/measure/worker/worker_role.h"

namespace kernelscape::measure {

/** Serves a worker's channel until it closes or breaks. */
using WorkerService = void (*)(Channel&);

/** A role that is implemented by a layer above this one. */
struct AddedRole {
  WorkerRole role;
  WorkerService serve;
};

/**
 * Runs the worker program: sends a greeting, then answers requests until its channel closes. Returns the exit
 * code.
 */
int worker_main(std::span<char* const> arguments, std::span<const AddedRole> added = {});

/** Builds kernels. Each of these roles returns when the channel closes or breaks. */
void serve_builds(Channel& channel);
/** Prepares a task, then runs and checks kernels one by one. */
void serve_runs(Channel& channel);
/** Measures the vendor's library, and the limits of a GPU. */
void serve_baselines(Channel& channel);
/**
 * Lists the GPUs of both platforms in a worker of its own, so that a driver that crashes ends this worker
 * only.
 */
void serve_probes(Channel& channel);
/** Runs the commands of users' programs. */
void serve_commands(Channel& channel);

}  // namespace kernelscape::measure
