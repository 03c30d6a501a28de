#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/base/text.h"
#include "core/measure/gpu/device_name.h"
#include "core/measure/gpu/gpu_target.h"
#include "core/measure/worker/message_text.h"
#include "core/measure/worker/protocol.h"
#include "core/measure/worker_process.h"

namespace kernelscape::measure {
namespace {

using nlohmann::json;

constexpr double probe_seconds = 20;  // a working driver answers within a few seconds
constexpr const char* driver_hint =
    "check the output of `nvidia-smi` and `clinfo`, then reinstall the driver, which hangs or crashes";

std::vector<ProbedPlatform> both_without_devices(const std::string& problem,
                                                 const std::string& hint = driver_hint) {
  std::vector<ProbedPlatform> platforms;
  for (const schedule::TargetKind kind : {schedule::TargetKind::Cuda, schedule::TargetKind::OpenCl}) {
    platforms.push_back({.kind = kind, .devices = {}, .problem = clean_message(problem), .hint = hint});
  }
  return platforms;
}

Result<ProbedPlatform> read_platform(schedule::TargetKind kind, const std::vector<std::string>& devices,
                                     std::string problem, std::string hint) {
  ProbedPlatform platform{
      .kind = kind, .devices = {}, .problem = std::move(problem), .hint = std::move(hint)};
  for (const std::string& text : devices) platform.devices.push_back(TRY(probed_device_from_json(text)));
  if (platform.devices.empty() && platform.problem.empty()) platform.problem = "there is no device";
  return platform;
}

Result<std::vector<ProbedPlatform>> read_platforms(ProbeReply reply) {
  std::vector<ProbedPlatform> platforms;
  auto cuda = TRY(read_platform(schedule::TargetKind::Cuda, reply.cuda_json, std::move(reply.cuda_problem),
                                std::move(reply.cuda_hint)));
  platforms.push_back(std::move(cuda));
  auto opencl = TRY(read_platform(schedule::TargetKind::OpenCl, reply.opencl_json,
                                  std::move(reply.opencl_problem), std::move(reply.opencl_hint)));
  platforms.push_back(std::move(opencl));
  return platforms;
}

std::unexpected<Error> no_such_device(const std::string& name, const ProbedPlatform& platform) {
  if (platform.devices.empty())
    return fail(ErrorCode::NotFound, fmt::format("there is no {}: {}", name, platform.problem),
                platform.hint);
  std::vector<std::string> known;
  for (const ProbedDevice& device : platform.devices) {
    known.push_back(fmt::format("{} ({})", device.target.name, device.target.device));
  }
  return fail(ErrorCode::NotFound, fmt::format("there is no {}", name),
              "this machine has " + base::join(known, ", "));
}

}  // namespace

std::string probed_device_to_json(const ProbedDevice& device) {
  json object = json::object();
  object["target"] = json::parse(schedule::target_to_json(device.target));
  object["free_memory_bytes"] = device.free_memory_bytes;
  return object.dump();
}

Result<ProbedDevice> probed_device_from_json(std::string_view text) {
  const json object = json::parse(text, nullptr, false);
  const auto damaged = [] { return fail(ErrorCode::Corrupt, "the description of a GPU is damaged"); };
  if (!object.is_object()) return damaged();
  const auto target = object.find("target");
  const auto free_memory = object.find("free_memory_bytes");
  if (target == object.end() || free_memory == object.end() || !free_memory->is_number_integer())
    return damaged();
  auto description = TRY(schedule::target_from_json(target->dump()));
  const auto bytes = free_memory->get<std::int64_t>();
  if (bytes < 0) return damaged();
  return ProbedDevice{.target = std::move(description), .free_memory_bytes = bytes};
}

Result<std::vector<ProbedPlatform>> probe_gpu_platforms(const Interruption& interruption) {
  for (int attempt = 1;; ++attempt) {
    auto worker = TRY(WorkerProcess::start(WorkerRole::Probe));
    TRY(worker.await_ready(interruption));
    const Deadline deadline = deadline_after(probe_seconds);
    auto sent = worker.channel().send(ProbeRequest{}, deadline, interruption);
    auto reply = std::expected<ProbeReply, ChannelError>();
    reply =
        sent ? worker.channel().receive<ProbeReply>(deadline, interruption) : std::unexpected(sent.error());
    if (reply) return read_platforms(std::move(*reply));
    switch (reply.error().problem) {
      case ChannelProblem::Interrupted:
        worker.kill();
        return fail(ErrorCode::Environment, "interrupted while probing GPUs");
      case ChannelProblem::TimedOut:
        worker.kill();
        return both_without_devices(
            fmt::format("the drivers did not answer a probe for GPUs within {} s", probe_seconds));
      case ChannelProblem::Broken:
      case ChannelProblem::Closed:
        break;
    }
    const WorkerEnd end = worker.end();
    // A driver that crashes will crash again; a process that was killed may succeed the next time.
    if (may_lack_memory(end) && attempt < max_worker_attempts) continue;
    return both_without_devices("the process that probes GPUs was lost: " + describe(end),
                                may_lack_memory(end) ? hint_for(end) : driver_hint);
  }
}

Result<schedule::TargetDescription> describe_gpu_target(const std::string& name,
                                                        const Interruption& interruption) {
  const auto parsed = TRY(parse_device_name(name));
  const auto platforms = TRY(probe_gpu_platforms(interruption));
  const auto platform = std::ranges::find(platforms, parsed.kind, &ProbedPlatform::kind);
  if (platform == platforms.end()) return fail(ErrorCode::Internal, fmt::format("{} was not probed", name));
  const auto device = std::ranges::find(platform->devices, name,
                                        [](const ProbedDevice& probed) { return probed.target.name; });
  if (device == platform->devices.end()) return no_such_device(name, *platform);
  return device->target;
}

}  // namespace kernelscape::measure
