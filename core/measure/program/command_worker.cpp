#include "core/measure/program/command_worker.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "core/base/visible_text.h"
#include "core/measure/worker/message_text.h"

namespace kernelscape::measure {
namespace {

/** Time for a worker to kill a command, read its output and answer. */
constexpr double command_answer_seconds = 60;

std::string_view name_of_step(ProgramStepKind step) {
  switch (step) {
    case ProgramStepKind::Build:
      return "build";
    case ProgramStepKind::Run:
      return "run";
    case ProgramStepKind::Check:
      break;
  }
  return "check";
}

bool printed_too_much(const CommandReply& reply) {
  return std::max(reply.output.size(), reply.errors.size()) >= max_printed_bytes;
}

/** Returns at most the last `bytes` of a text, from the beginning of a line if there is one. */
std::string_view end_of(std::string_view text, std::size_t bytes) {
  if (text.size() <= bytes) return text;
  const std::string_view end = text.substr(text.size() - bytes);
  const std::size_t line = end.find('\n');
  return line + 1 < end.size() ? end.substr(line + 1) : end;
}

trial::ErrorCategory failed_category(ProgramStepKind step, const CommandReply& reply) {
  if (step == ProgramStepKind::Build)
    return reply.end == CommandEnd::TimedOut ? trial::ErrorCategory::BuildTimeout
                                             : trial::ErrorCategory::CompileHost;
  if (reply.end == CommandEnd::TimedOut) return trial::ErrorCategory::RunTimeout;
  const bool judged = step == ProgramStepKind::Check && reply.end != CommandEnd::NotStarted;
  return judged ? trial::ErrorCategory::WrongAnswer : trial::ErrorCategory::RuntimeDevice;
}

std::string failed_sentence(ProgramStepKind step, const CommandRequest& request, const CommandReply& reply) {
  const std::string command =
      fmt::format("the {} command {}", name_of_step(step), base::quoted_line(request.arguments.front()));
  switch (reply.end) {
    case CommandEnd::TimedOut:
      return fmt::format("{} was stopped after {:.6g} s", command, request.timeout_seconds);
    case CommandEnd::Signalled:
      return fmt::format("{} was ended by {}", command, describe_signal(reply.code));
    case CommandEnd::NotStarted:
      return fmt::format("{} cannot be started: {}", command, std::strerror(reply.code));
    case CommandEnd::Exited:
      break;
  }
  return fmt::format("{} ended with exit code {}", command, reply.code);
}

/** Returns true if a refused access may have caused the failure. */
bool names_refused_access(const CommandReply& reply, std::string_view message) {
  return (reply.end == CommandEnd::NotStarted && reply.code == EACCES) ||
         message.contains("Permission denied") || message.contains("PermissionError") ||
         message.contains("ModuleNotFoundError") || message.contains("cannot open shared object file") ||
         message.contains("Operation not permitted");
}

}  // namespace

/** Starts the worker if there is none; returns false if it was interrupted. */
Result<bool> CommandWorker::make_ready(const Interruption& interruption) {
  if (interruption.now()) return false;
  if (worker_) return true;
  worker_ = TRY(WorkerProcess::start(WorkerRole::Command));
  const Status ready = worker_->await_ready(interruption);
  if (ready) return true;
  worker_.reset();
  if (interruption.now()) return false;
  return std::unexpected(ready.error());
}

Result<std::optional<trial::ProbeSeconds>> CommandWorker::probe_speed(int threads,
                                                                      const Interruption& interruption) {
  if (!TRY(make_ready(interruption))) return std::nullopt;
  Channel& channel = worker_->channel();
  const Deadline deadline = deadline_after(command_answer_seconds);
  if (channel.send(SpeedProbeRequest{.threads = threads}, deadline, interruption)) {
    const auto reply = channel.receive<SpeedProbeReply>(deadline, interruption);
    if (reply) return reply->seconds.known() ? std::optional(reply->seconds) : std::nullopt;
  }
  worker_.reset();  // a late reply must not be taken for that of a command
  return std::nullopt;
}

Result<std::optional<CommandReply>> CommandWorker::run(const CommandRequest& request,
                                                       const Interruption& interruption) {
  for (int attempt = 1;; ++attempt) {
    if (!TRY(make_ready(interruption))) return std::nullopt;
    const Deadline deadline = deadline_after(request.timeout_seconds + command_answer_seconds);
    const auto sent = worker_->channel().send(request, deadline, interruption);
    auto reply = sent ? worker_->channel().receive<CommandReply>(deadline, interruption)
                      : std::expected<CommandReply, ChannelError>(std::unexpected(sent.error()));
    if (reply) return *std::move(reply);
    const bool interrupted = reply.error().problem == ChannelProblem::Interrupted;
    const WorkerEnd end = worker_->end();
    worker_.reset();
    if (interrupted) return std::nullopt;
    if (attempt == max_worker_attempts)
      return fail(
          ErrorCode::Environment,
          fmt::format("the worker that runs the program was lost {} times: {}", attempt, describe(end)),
          hint_for(end));
  }
}

std::string with_log_end(std::string_view sentence, const CommandReply& reply) {
  std::string message(sentence);
  const std::size_t room = max_message_bytes - std::min(max_message_bytes, message.size() + 2);
  const std::string_view errors = end_of(reply.errors, room);
  const std::string_view output = end_of(reply.output, room - errors.size());
  for (const std::string_view text : {output, errors}) {
    if (text.empty()) continue;
    if (!message.ends_with('\n')) message += '\n';
    message += text;
  }
  return clean_message(message);
}

std::optional<CommandFailure> failure_of(ProgramStepKind step, const CommandRequest& request,
                                         const CommandReply& reply) {
  if (printed_too_much(reply))
    return CommandFailure{step == ProgramStepKind::Build ? trial::ErrorCategory::CompileHost
                                                         : trial::ErrorCategory::RuntimeDevice,
                          with_log_end(fmt::format("the {} command printed over {} MiB: let it print less",
                                                   name_of_step(step), max_printed_bytes >> 20),
                                       reply)};
  if (reply.succeeded()) return std::nullopt;
  std::string sentence = failed_sentence(step, request, reply);
  const std::string message = with_log_end(sentence, reply);
  if (!names_refused_access(reply, message)) return CommandFailure{failed_category(step, reply), message};
  sentence +=
      "\n(a program may use the system's files and those of its own folder; kernelscape.Allow names others)";
  return CommandFailure{failed_category(step, reply), with_log_end(sentence, reply)};
}

}  // namespace kernelscape::measure
