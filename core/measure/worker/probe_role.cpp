#include "core/measure/gpu/gpu_target.h"
#include "core/measure/worker/worker_main.h"

namespace kernelscape::measure {
namespace {

void take_devices(const Result<std::vector<ProbedDevice>>& devices, std::vector<std::string>& texts,
                  std::string& problem, std::string& hint) {
  if (!devices) {
    problem = devices.error().message;
    hint = devices.error().hint;
    return;
  }
  for (const ProbedDevice& device : *devices) texts.push_back(probed_device_to_json(device));
}

}  // namespace

void serve_probes(Channel& channel) {
  const Deadline never = deadline_after(1e12);
  while (channel.receive<ProbeRequest>(never)) {
    ProbeReply reply;
    take_devices(list_cuda_devices(), reply.cuda_json, reply.cuda_problem, reply.cuda_hint);
    take_devices(list_opencl_devices(), reply.opencl_json, reply.opencl_problem, reply.opencl_hint);
    if (!channel.send(reply, never)) return;
  }
}

}  // namespace kernelscape::measure
