#include "core/onnx/model_role.h"

#include <google/protobuf/stubs/logging.h>

#include <exception>

#include "core/measure/worker/child_process.h"
#include "core/measure/worker/confinement.h"
#include "core/onnx/onnx_model.h"

namespace kernelscape {
namespace {

ProcessLimits limits_of_models() {
  constexpr double max_seconds = 60;
  ProcessLimits limits{.cpu_seconds = max_seconds};
#ifndef KERNELSCAPE_SANITIZED
  limits.address_space_bytes = 4ULL << 30;
#endif
  return limits;
}

ModelReply refused(std::string problem, std::string hint) {
  ModelReply reply;
  reply.problem = std::move(problem);
  reply.hint = std::move(hint);
  return reply;
}

ModelReply answer(const ModelRequest& request) {
  try {
    Result<ModelReply> reply = read_onnx_model(request);
    if (reply) return std::move(*reply);
    return refused(reply.error().message, reply.error().hint);
  } catch (const std::exception& problem) {
    return refused(std::string("it cannot be read: ") + problem.what(), "export the model again");
  }
}

}  // namespace

void serve_models(Channel& channel) {
  const Deadline never = deadline_after(1e12);
  // The answer contains the error.
  google::protobuf::SetLogHandler(nullptr);
  Confinement::of_kernel().apply();
  apply_limits(limits_of_models());
  while (const auto request = channel.receive<ModelRequest>(never)) {
    if (!channel.send(answer(*request), never)) return;
  }
}

}  // namespace kernelscape
