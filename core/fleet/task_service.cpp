#include "core/fleet/task_service.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "core/base/sha256.h"
#include "core/fleet/keys.h"

namespace kernelscape::fleet {
namespace {

constexpr double longest_poll_seconds = 2;  // interval of polling whether to stop
constexpr double retry_seconds = 30;        // how long to retry in a full Redis
constexpr std::chrono::milliseconds retry_interval{500};

Answer refusal(Refusal refusal, std::string message, std::string hint) {
  Answer answer;
  answer.kind = TaskEnding::Refused;
  answer.refusal = refusal;
  answer.message = std::move(message);
  answer.hint = std::move(hint);
  return answer;
}

bool is_version_problem(const Error& error) { return error.code == ErrorCode::Environment; }

}  // namespace

TaskService::TaskService(const WorkerSetup& setup, WorkerSlot& slot, Hooks hooks)
    : setup_(setup), slot_(slot), hooks_(std::move(hooks)) {}

Status TaskService::serve(BuildExecutor* builder, RunExecutor* runner) {
  builder_ = builder;
  runner_ = runner;
  TaskQueue queue(TRY(RedisConnection::open(setup_.address, setup_.secret.password,
                                            {.first_seconds = setup_.patience_seconds,
                                             .reconnect_seconds = setup_.patience_seconds,
                                             .give_up = hooks_.halt})),
                  setup_.identity.id, setup_.times);
  const double poll = std::min(longest_poll_seconds, setup_.times.lease_seconds / 4);
  while (!hooks_.halt()) {
    TRY(wait_for_machine());
    if (hooks_.halt()) break;
    if (hooks_.review) TRY(hooks_.review(queue.connection(), slot_));
    const std::optional<TakenTask> taken = TRY(queue.take(hooks_.streams(), poll));
    if (!taken) continue;
    ++deliveries_;
    slot_.begin(*taken);
    Status served = serve_one(queue, *taken);
    slot_.end();
    TRY(served);
  }
  return {};
}

Status TaskService::wait_for_machine() {
  if (runner_ == nullptr) return {};
  slot_.set_pace(runner_->pace());
  if (!slot_.pace().waits) return {};
  const Status waited = runner_->wait_for_machine({.descriptor = -1, .requested = hooks_.halt});
  slot_.set_pace(runner_->pace());
  return waited;
}

Status TaskService::serve_one(TaskQueue& queue, const TakenTask& taken) {
  const Result<Task> task = verify<Task>(taken.body, taken.signature, setup_.secret.signing_key);
  if (std::optional<Answer> refused = refuse(taken, task)) {
    refused->worker = setup_.identity.id;
    const std::string death = refused->message;
    return notify(queue, taken, {std::move(*refused), {}, death});
  }
  if (taken.deliveries > setup_.max_deliveries) {
    Answer dead = answer_to(*task);
    dead.kind = TaskEnding::Dead;
    dead.message = fmt::format("{} workers were lost with this task", taken.deliveries - 1);
    const std::string death = dead.message;
    return notify(queue, taken, {std::move(dead), {}, death});
  }
  Result<std::optional<Outcome>> outcome = execute(queue, *task);
  if (!outcome) {
    // A lost device gave no answer, which does not prove that the task is at fault; a full disk is not the
    // task's fault.
    std::ignore = queue.release(taken, /*counts=*/runner_ != nullptr);
    return std::unexpected(outcome.error());
  }
  if (*outcome) return notify(queue, taken, **outcome);
  if (!slot_.lost()) std::ignore = TRY(queue.release(taken, /*counts=*/false));
  return {};
}

/** Checks a task before its content is used: it must be signed, unexpired, and new. */
std::optional<Answer> TaskService::refuse(const TakenTask& taken, const Result<Task>& task) const {
  const auto named = [&](Answer answer, const std::string& id) {
    answer.task = id;
    return answer;
  };
  if (!task) {
    const Refusal reason = is_version_problem(task.error()) ? Refusal::Version : Refusal::Signature;
    return refusal(reason, task.error().message, task.error().hint);
  }
  if (task->nonce != taken.nonce || task->controller != taken.controller || task->stream != taken.stream ||
      taken.nonce_entry != taken.entry) {
    return named(
        refusal(
            Refusal::Replayed,
            fmt::format("task {} is a replay: it was seen before, or was made for another stream", task->id),
            "check which other programs write to that Redis"),
        task->id);
  }
  if (task->expires_seconds < taken.redis_seconds) {
    return named(refusal(Refusal::Expired,
                         fmt::format("task {} expired {} s ago", task->id,
                                     taken.redis_seconds - task->expires_seconds),
                         "it is posted again"),
                 task->id);
  }
  if (const Result<measure::Frame> frame = only_frame(task->frame); !frame) {
    const bool version = is_version_problem(frame.error());
    return named(
        refusal(version ? Refusal::Version : Refusal::Signature, frame.error().message, frame.error().hint),
        task->id);
  }
  return std::nullopt;
}

Answer TaskService::answer_to(const Task& task) const {
  Answer answer;
  answer.task = task.id;
  answer.worker = setup_.identity.id;
  return answer;
}

Result<std::optional<TaskService::Outcome>> TaskService::execute(TaskQueue& queue, const Task& task) {
  if (task.kind == TaskKind::Build && builder_ != nullptr) return build(task);
  if (task.kind == TaskKind::Run && runner_ != nullptr) return run(queue, task);
  if (task.kind == TaskKind::Baseline && runner_ != nullptr) return measure_baseline(task);
  Outcome outcome{answer_to(task)};
  outcome.answer.kind = TaskEnding::Refused;
  outcome.answer.message = fmt::format("task {} was in a stream for another kind of task", task.id);
  return outcome;
}

Result<std::optional<TaskService::Outcome>> TaskService::build(const Task& task) {
  const measure::BuildRequest request = TRY(message_of<measure::BuildRequest>(task.frame));
  std::optional<measure::BuildReply> reply = TRY(builder_->build(request, slot_.interruption()));
  if (!reply) return std::nullopt;
  if (reply->status == measure::BuildStatus::MachineFault)
    return fail(ErrorCode::Environment, reply->message, reply->hint);
  Outcome outcome{answer_to(task)};
  outcome.blob = std::exchange(reply->artefact, {});
  if (!outcome.blob.empty()) outcome.answer.artefact_sha256 = base::sha256(outcome.blob);
  outcome.answer.frame = frame_of(*reply);
  return outcome;
}

Answer TaskService::missing(const Task& task, const std::string& name,
                            const Result<std::optional<std::string>>& blob) const {
  Answer answer = answer_to(task);
  answer.kind = TaskEnding::Missing;
  answer.artefact_sha256 = name;
  answer.message = blob ? fmt::format("the blob {} is missing in Redis", name) : blob.error().message;
  answer.hint = blob ? "give Redis more memory (maxmemory), or let it evict less" : blob.error().hint;
  return answer;
}

Answer TaskService::not_prepared(const Task& task, const Error& error) {
  prepared_sha256_.clear();
  Answer answer = answer_to(task);
  answer.kind = TaskEnding::Refused;
  answer.message = error.message;
  answer.hint = error.hint;
  return answer;
}

Result<std::optional<Answer>> TaskService::prepare(TaskQueue& queue, const Task& task) {
  if (task.prepare_sha256 == prepared_sha256_) return std::nullopt;
  const auto blob = queue.blob(task.prepare_sha256);
  if (!blob && blob.error().code != ErrorCode::Corrupt) return std::unexpected(blob.error());
  if (!blob || !*blob) return missing(task, task.prepare_sha256, blob);
  const measure::PrepareRequest request = TRY(message_of<measure::PrepareRequest>(**blob));
  prepared_sha256_.clear();
  const Status prepared = runner_->prepare(request, slot_.interruption());
  if (!prepared && prepared.error().code == ErrorCode::InvalidArgument)
    return not_prepared(task, prepared.error());
  TRY(prepared);
  prepared_sha256_ = task.prepare_sha256;
  return std::nullopt;
}

Result<std::optional<TaskService::Outcome>> TaskService::run(TaskQueue& queue, const Task& task) {
  measure::RunRequest request = TRY(message_of<measure::RunRequest>(task.frame));
  if (std::optional<Answer> problem = TRY(prepare(queue, task))) return Outcome{std::move(*problem)};
  auto artefact = queue.blob(task.artefact_sha256);
  if (!artefact && artefact.error().code != ErrorCode::Corrupt) return std::unexpected(artefact.error());
  if (!artefact || !*artefact) return Outcome{missing(task, task.artefact_sha256, artefact)};
  request.artefact = std::move(**artefact);
  Result<std::optional<measure::RunReply>> ran = runner_->run(request, slot_.interruption());
  // The device was not prepared, and an invalid task is not a failure of the machine.
  if (!ran && ran.error().code == ErrorCode::InvalidArgument) return Outcome{not_prepared(task, ran.error())};
  std::optional<measure::RunReply> reply = TRY(std::move(ran));
  if (!reply) return std::nullopt;
  if (!reply->machine_fault.empty()) return fail(ErrorCode::Environment, reply->machine_fault, reply->hint);
  Outcome outcome{answer_to(task)};
  outcome.answer.frame = frame_of(*reply);
  return outcome;
}

Result<std::optional<TaskService::Outcome>> TaskService::measure_baseline(const Task& task) {
  const measure::BaselineRequest request = TRY(message_of<measure::BaselineRequest>(task.frame));
  const std::optional<measure::BaselineReply> reply =
      TRY(runner_->measure_baseline(request, slot_.interruption()));
  if (!reply) return std::nullopt;
  Outcome outcome{answer_to(task)};
  outcome.answer.frame = frame_of(*reply);
  return outcome;
}

/**
 * Posts a result. If Redis does not accept it, the worker retries for a while, so that the work is not lost.
 */
Status TaskService::notify(TaskQueue& queue, const TakenTask& taken, const Outcome& outcome) {
  const auto start = std::chrono::steady_clock::now();
  while (true) {
    const Result<bool> reported =
        queue.finish(taken, outcome.answer, setup_.secret.signing_key, outcome.blob, outcome.death);
    if (reported) {
      if (*reported) ++done_;
      return {};
    }
    if (hooks_.halt() || slot_.lost() || measure::seconds_since(start) > retry_seconds) {
      std::ignore = queue.release(taken, /*counts=*/false);
      return std::unexpected(reported.error());
    }
    std::this_thread::sleep_for(retry_interval);
  }
}

}  // namespace kernelscape::fleet
