#pragma once

#include <span>
#include <string_view>

#include "core/measure/worker/channel.h"

namespace kernelscape {

/** The worker program: greets, then answers requests until its channel closes. Returns the exit code. */
int worker_main(std::span<char* const> arguments);

/** The roles. They return when the channel closes or breaks. */
void serve_builds(Channel& channel);
void serve_runs(Channel& channel);
void serve_baselines(Channel& channel);
void serve_probes(Channel& channel);

}  // namespace kernelscape
