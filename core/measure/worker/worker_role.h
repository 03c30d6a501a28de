#pragma once

#include <cstdint>
#include <string_view>

namespace kernelscape::measure {

enum class WorkerRole : std::uint8_t { Build, Run, Baseline, Probe, Model, Command };

/** Returns the worker's command line argument: "build", "run", "baseline", "probe", "model" or "command". */
constexpr std::string_view to_string(WorkerRole role) {
  switch (role) {
    case WorkerRole::Build:
      return "build";
    case WorkerRole::Run:
      return "run";
    case WorkerRole::Baseline:
      return "baseline";
    case WorkerRole::Probe:
      return "probe";
    case WorkerRole::Model:
      return "model";
    case WorkerRole::Command:
      return "command";
  }
  return {};
}

/** The file descriptor of a worker's channel. */
constexpr int worker_channel_descriptor = 3;

}  // namespace kernelscape::measure
