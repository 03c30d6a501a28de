#include "core/network/model_worker.h"

#include <fmt/format.h>

#include <utility>

#include "core/measure/worker_process.h"

namespace kernelscape::network {
namespace {

constexpr double reading_seconds = 90;  // the worker stops earlier, by its own limit

std::unexpected<Error> lost_worker(measure::WorkerProcess& worker, const measure::ChannelError& problem) {
  if (problem.problem == measure::ChannelProblem::Interrupted) {
    worker.kill();
    return fail(ErrorCode::Environment, "reading it was interrupted");
  }
  if (problem.problem == measure::ChannelProblem::TimedOut) {
    worker.kill();
    return fail(ErrorCode::Environment, fmt::format("it was not read within {} s", reading_seconds),
                "export the relevant layers as a separate model");
  }
  const measure::WorkerEnd end = worker.end();
  if (measure::may_lack_memory(end))
    return fail(ErrorCode::Environment, "the worker that reads it died: " + measure::describe(end),
                measure::hint_for(end));
  return fail(ErrorCode::InvalidArgument, "the worker that reads it died: " + measure::describe(end),
              "the model is damaged, or ONNX 1.12 cannot infer its shapes: export it with fewer of its "
              "newer operators");
}

}  // namespace

std::unexpected<Error> of_file(const std::filesystem::path& path, Error error) {
  error.message = fmt::format("{}: {}", path.string(), error.message);
  return std::unexpected(std::move(error));
}

Result<measure::ModelReply> read_in_worker(const measure::ModelRequest& request,
                                           const measure::Interruption& interruption) {
  measure::WorkerProcess worker = TRY(measure::WorkerProcess::start(measure::WorkerRole::Model));
  TRY(worker.await_ready(interruption));
  const measure::Deadline deadline = measure::deadline_after(reading_seconds);
  if (const auto sent = worker.channel().send(request, deadline, interruption); !sent)
    return lost_worker(worker, sent.error());
  auto reply = worker.channel().receive<measure::ModelReply>(deadline, interruption);
  if (!reply) return lost_worker(worker, reply.error());
  if (!reply->problem.empty()) return fail(ErrorCode::InvalidArgument, reply->problem, reply->hint);
  return std::move(*reply);
}

}  // namespace kernelscape::network
