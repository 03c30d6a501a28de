#include "core/onnx_reader/model_role.h"

#include <google/protobuf/stubs/logging.h>

#include <exception>

#include "core/measure/worker/child_process.h"
#include "core/measure/worker/confinement.h"
#include "core/onnx_reader/graph.h"
#include "core/onnx_reader/model.h"

namespace kernelscape::onnx_reader {
namespace {

measure::ProcessLimits limits_of_models() {
  constexpr double max_seconds = 60;
  measure::ProcessLimits limits{.cpu_seconds = max_seconds};
#ifndef KERNELSCAPE_SANITIZED
  limits.address_space_bytes = 4ULL << 30;
#endif
  return limits;
}

measure::ModelReply refused(std::string problem, std::string hint) {
  measure::ModelReply reply;
  reply.problem = std::move(problem);
  reply.hint = std::move(hint);
  return reply;
}

measure::ModelReply answer(const measure::ModelRequest& request) {
  try {
    Result<measure::ModelReply> reply =
        request.whole_graph ? read_onnx_graph(request) : read_onnx_model(request);
    if (reply) return std::move(*reply);
    return refused(reply.error().message, reply.error().hint);
  } catch (const std::exception& problem) {
    return refused(std::string("it cannot be read: ") + problem.what(), "export the model again");
  }
}

}  // namespace

void serve_models(measure::Channel& channel) {
  const measure::Deadline never = measure::deadline_after(1e12);
  // The answer contains the error.
  google::protobuf::SetLogHandler(nullptr);
  measure::Confinement::of_kernel().apply();
  measure::apply_limits(limits_of_models());
  while (const auto request = channel.receive<measure::ModelRequest>(never)) {
    if (!channel.send(answer(*request), never)) return;
  }
}

}  // namespace kernelscape::onnx_reader
