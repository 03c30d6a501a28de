#include "core/fleet/answer_handler.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "core/measure/build_measurement.h"
#include "core/measure/worker/message_text.h"
#include "core/trial/fields.h"

namespace kernelscape::fleet {
namespace {

constexpr int max_repairs = 3;  // of one candidate, before the fleet is considered faulty

/**
 * Returns true if a worker can have measured these values: data from a network is checked like data from a
 * file.
 */
bool believable(const trial::Measurement& measurement) {
  const bool timed = measurement.valid() == !measurement.samples_seconds.empty();
  return timed && trial::plausible(measurement) &&
         std::ranges::all_of(measurement.samples_seconds, [](double seconds) { return seconds > 0; });
}

}  // namespace

Status AnswerHandler::handle(const Answer& answer) {
  std::optional<bool> builds;
  {
    auto batch = batch_.lock();
    if (const Candidate* open = batch->open.find(answer.task)) builds = open->builds();
  }
  // A task that is not open was answered before, because a candidate is measured once. A refusal is reported
  // anyway.
  if (answer.kind == TaskEnding::Refused) return take_refusal(answer, builds.has_value());
  if (!builds) return {};
  switch (answer.kind) {
    case TaskEnding::Answer:
      return *builds ? take_build(answer) : take_run(answer);
    case TaskEnding::Missing:
      return repair(answer);
    case TaskEnding::Dead:
      finish_dead(answer);
      return {};
    case TaskEnding::Refused:
      break;
  }
  return {};
}

Status AnswerHandler::take_refusal(const Answer& answer, bool open) {
  const std::string text = fmt::format("worker {} refuses a task: {}", answer.worker, answer.message);
  switch (answer.refusal) {
    case Refusal::Expired:
      return open ? poster_.post_again(answer.task) : Status();
    case Refusal::Replayed:
    case Refusal::Signature:
      batch_.notify(answer.hint.empty() ? text : fmt::format("{} ({})", text, answer.hint));
      return {};
    case Refusal::Version:
      return fail(ErrorCode::Environment, text, answer.hint);
    case Refusal::None:
      break;
  }
  return open ? fail(ErrorCode::InvalidArgument, answer.message, answer.hint) : Status();
}

Status AnswerHandler::take_build(const Answer& answer) {
  Result<measure::BuildReply> reply = message_of<measure::BuildReply>(answer.frame);
  if (!reply) return repair(answer);
  Candidate candidate;
  {
    auto batch = batch_.lock();
    std::optional<Candidate> taken = batch->open.take(answer.task);
    if (!taken) return {};  // withdrawn in the meantime
    candidate = *std::move(taken);
    batch->count_build();
    candidate.build = measure::build_outcome_of(std::move(*reply), candidate.source.dialect);
    if (!candidate.build.entry.empty()) candidate.source.entry = candidate.build.entry;
    candidate.artefact_sha256 = answer.artefact_sha256;
    if (candidate.build.category != trial::ErrorCategory::NoError || controller_.options.build_only) {
      if (!answer.artefact_sha256.empty()) batch->add_unneeded(answer.artefact_sha256);
      finish_built(*batch, candidate, answer.worker);
      return {};
    }
    if (controller_.measuring.reuse_builds) batch->keep_build(candidate);
  }
  return poster_.post_run(std::move(candidate));
}

Status AnswerHandler::take_run(const Answer& answer) {
  Result<measure::RunReply> reply = message_of<measure::RunReply>(answer.frame);
  if (!reply || !believable(reply->measurement)) return repair(answer);
  auto batch = batch_.lock();
  const std::optional<Candidate> taken = batch->open.take(answer.task);
  if (!taken) return {};
  reply->measurement.message = measure::clean_message(reply->measurement.message);
  reply->measurement.worker = measure::clean_message(answer.worker);
  add_build(reply->measurement, *taken);
  finish_run(*batch, *taken, std::move(reply->measurement), reply->machine);
  return {};
}

void AnswerHandler::finish_dead(const Answer& answer) {
  auto batch = batch_.lock();
  const std::optional<Candidate> taken = batch->open.take(answer.task);
  if (!taken) return;
  const Candidate& candidate = *taken;
  trial::Measurement measurement;
  measurement.worker = measure::clean_message(answer.worker);
  measurement.message = measure::clean_message(answer.message);
  measurement.category = trial::ErrorCategory::RuntimeDevice;
  if (candidate.builds()) {
    measurement.category = candidate.source.dialect == codegen::Dialect::C
                               ? trial::ErrorCategory::CompileHost
                               : trial::ErrorCategory::CompileDevice;
    return batch->finish(candidate, std::move(measurement));
  }
  add_build(measurement, candidate);
  finish_run(*batch, candidate, std::move(measurement));
}

Status AnswerHandler::repair(const Answer& answer) {
  Candidate candidate;
  {
    auto batch = batch_.lock();
    std::optional<Candidate> taken = batch->open.take(answer.task);
    if (!taken) return {};
    candidate = *std::move(taken);
    if (!candidate.builds()) batch->open.release(candidate.artefact_sha256);
    if (controller_.measuring.reuse_builds) batch->forget_build(candidate.configuration);
  }
  const std::string reason = answer.kind == TaskEnding::Missing
                                 ? answer.message
                                 : fmt::format("worker {} sent an invalid result", answer.worker);
  batch_.notify(fmt::format("{}: the task is repeated", reason));
  if (++candidate.repairs >= max_repairs) {
    return fail(
        ErrorCode::Corrupt, fmt::format("{}, {} times", reason, candidate.repairs),
        answer.hint.empty() ? "install the same kernelscape on all machines of the fleet" : answer.hint);
  }
  // The reference does not change once it is set, so that it is read without the lock.
  const std::optional<PreparedReference>& reference = batch_.lock()->reference;
  if (reference && answer.artefact_sha256 == reference->sha256)
    std::ignore = TRY(poster_.put_blob(reference->frame));
  return poster_.post_build(std::move(candidate));
}

void AnswerHandler::finish_built(BatchState& batch, const Candidate& candidate,
                                 const std::string& builder) const {
  trial::Measurement measurement;
  measurement.worker = measure::clean_message(builder);
  measurement.category = candidate.build.category;
  measurement.message = candidate.build.message;
  add_build(measurement, candidate);
  batch.finish(candidate, std::move(measurement));
}

void AnswerHandler::finish_run(BatchState& batch, const Candidate& candidate, trial::Measurement measurement,
                               const measure::MachineConditions& conditions) const {
  if (batch.open.release(candidate.artefact_sha256) && !controller_.measuring.reuse_builds)
    batch.add_unneeded(candidate.artefact_sha256);
  batch.finish(candidate, std::move(measurement), conditions);
}

void AnswerHandler::add_build(trial::Measurement& measurement, const Candidate& candidate) const {
  measure::add_build(measurement, candidate.instantiation_seconds, candidate.build, candidate.source,
                     controller_.measuring.device.target);
}

}  // namespace kernelscape::fleet
