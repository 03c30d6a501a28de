#pragma once

#include <span>
#include <string_view>

#include "core/measure/worker/channel.h"
#include "core/measure/worker/worker_role.h"

namespace kernelscape {

/** What a worker does with its channel until that closes or breaks. */
using WorkerService = void (*)(Channel&);

/** A role that a layer above this one serves. */
struct AddedRole {
  WorkerRole role;
  WorkerService serve;
};

/** The worker program: greets, then answers requests until its channel closes. Returns the exit code. */
int worker_main(std::span<char* const> arguments, std::span<const AddedRole> added = {});

/** The roles. They return when the channel closes or breaks. */
void serve_builds(Channel& channel);
/** Prepares a task, then runs and checks kernels one by one. */
void serve_runs(Channel& channel);
/** Measures the vendor's library, and the limits of a GPU. */
void serve_baselines(Channel& channel);
/** Lists the GPUs of both platforms: a driver that crashes takes only this worker along. */
void serve_probes(Channel& channel);

}  // namespace kernelscape
