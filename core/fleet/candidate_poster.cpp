#include "core/fleet/candidate_poster.h"

#include <chrono>
#include <tuple>
#include <utility>
#include <vector>

#include "core/fleet/keys.h"
#include "core/fleet/preparation.h"
#include "core/measure/build_measurement.h"
#include "core/measure/runner.h"

namespace kernelscape::fleet {
namespace {

/** Appends the commands that remove a task from its stream. */
void append_removal(std::vector<std::vector<std::string>>& commands, const std::string& stream,
                    const std::string& entry) {
  // The entry is deleted first, so that no worker takes it in between.
  commands.push_back({"XDEL", stream, entry});
  commands.push_back({"XACK", stream, std::string(keys::group), entry});
}

}  // namespace

Result<CandidatePoster> CandidatePoster::open(const Controller& controller, SharedBatch& batch,
                                              std::function<bool()> give_up, bool was_there) {
  const Measuring& measuring = controller.measuring;
  return CandidatePoster(
      controller, batch,
      TRY(TaskPoster::open(measuring.access, measuring.good_seconds, std::move(give_up), was_there)));
}

Status CandidatePoster::post_build(Candidate candidate) {
  const auto start = std::chrono::steady_clock::now();
  auto source = measure::checked_source(*controller_->family, candidate.configuration);
  candidate.instantiation_seconds = measure::seconds_since(start);
  if (!source) {
    batch_->lock()->finish(candidate,
                           measure::instantiation_error(source.error(), candidate.instantiation_seconds));
    return {};
  }
  candidate.source = *source;
  candidate.source.text.clear();
  candidate.source.includes.clear();
  candidate.artefact_sha256.clear();
  const DeviceClass& device = controller_->measuring.device;
  candidate.task = build_task_of(std::move(*source), device, controller_->options.build_timeout_seconds);
  candidate.task.controller = controller_->id;
  candidate.stream = keys::build_stream(device.tool_chain);
  return post(std::move(candidate));
}

Status CandidatePoster::post_run(Candidate candidate) {
  const DeviceClass& device = controller_->measuring.device;
  trial::MeasureOptions options = controller_->options;
  measure::RunRequest request;
  std::string prepare_sha256;
  {
    auto batch = batch_->lock();
    options.run_timeout_seconds = batch->limits.timeout_seconds;
    request = measure::run_request_of(candidate.source, {}, options,
                                      options.kernel_threads(schedule::host_cores(device.target)));
    request.best_seconds = batch->limits.best_seconds;
    if (batch->reference) prepare_sha256 = batch->reference->sha256;
  }
  candidate.task = Task{.kind = TaskKind::Run,
                        .controller = controller_->id,
                        .frame = frame_of(request),
                        .artefact_sha256 = candidate.artefact_sha256,
                        .prepare_sha256 = std::move(prepare_sha256)};
  candidate.stream = keys::run_stream(device.id);
  return post(std::move(candidate));
}

Status CandidatePoster::post(Candidate candidate) {
  Task task;
  std::string stream;
  {
    auto batch = batch_->lock();
    if (candidate.batch != batch->number()) return {};
    candidate.task.id = batch->next_task_id(controller_->id);
    candidate.entry.clear();
    task = candidate.task;
    stream = candidate.stream;
    batch->open.add(std::move(candidate));
  }
  return record_entry(task.id, stream, TRY(tasks_.post(stream, task)));
}

Status CandidatePoster::post_again(const std::string& id) {
  Task task;
  std::string stream;
  {
    auto batch = batch_->lock();
    Candidate* open = batch->open.find(id);
    if (open == nullptr) return {};
    batch->open.stop(*open);
    open->entry.clear();
    task = open->task;
    stream = open->stream;
  }
  return record_entry(id, stream, TRY(tasks_.post(stream, task)));
}

Status CandidatePoster::record_entry(const std::string& id, const std::string& stream, std::string entry) {
  {
    auto batch = batch_->lock();
    if (Candidate* open = batch->open.find(id)) {
      open->entry = std::move(entry);
      return {};
    }
  }
  // The task was withdrawn before its position was known. If its result has arrived already, there is nothing
  // to remove.
  std::vector<std::vector<std::string>> commands;
  append_removal(commands, stream, entry);
  std::ignore = TRY(connection().ask_all(commands));
  return {};
}

void CandidatePoster::withdraw(std::span<const Candidate> candidates) {
  std::vector<std::vector<std::string>> commands;
  for (const Candidate& candidate : candidates)
    if (!candidate.entry.empty()) append_removal(commands, candidate.stream, candidate.entry);
  if (!commands.empty()) std::ignore = connection().ask_all(commands);
}

}  // namespace kernelscape::fleet
