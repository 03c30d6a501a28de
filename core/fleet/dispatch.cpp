#include <fmt/format.h>

#include <tuple>
#include <utility>

#include "core/fleet/keys.h"
#include "core/fleet/measurer_threads.h"
#include "core/fleet/preparation.h"
#include "core/measure/build_measurement.h"
#include "core/measure/runner.h"

namespace kernelscape::fleet {

Status Measurer::serve_batches(TaskPoster& poster) {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return posting_now_ || quitting_; });
    if (quitting_) return {};
    lock.unlock();
    const Status given = dispatch(poster);
    lock.lock();
    if (!given && !error_) error_ = given.error();
    posting_now_ = false;
    changed_.notify_all();
  }
}

bool Measurer::continues() const {
  const std::scoped_lock lock(mutex_);
  return !aborting_ && !quitting_ && !error_;
}

Status Measurer::make_ready(TaskPoster& poster) {
  if (!prepare_.empty() || options_.build_only) return {};
  std::optional<std::string> frame =
      TRY(prepare_on_fleet(*family_, measuring_, options_, [this] { return !continues(); }));
  if (!frame) return {};
  std::string name = TRY(poster.put_blob(*frame));
  const std::scoped_lock lock(mutex_);
  prepare_ = std::move(*frame);
  prepare_sha256_ = std::move(name);
  return {};
}

Status Measurer::dispatch(TaskPoster& poster) {
  TRY(make_ready(poster));
  for (std::size_t position = 0; position < batch_.size() && continues(); ++position) {
    Candidate candidate{.position = position, .batch = batch_number_, .configuration = batch_[position]};
    if (reuse_build(candidate)) {
      TRY(post_run(poster, std::move(candidate)));
    } else {
      TRY(post_build(poster, std::move(candidate)));
    }
  }
  return {};
}

bool Measurer::reuse_build(Candidate& candidate) {
  if (!measuring_.reuse_builds) return false;
  const std::scoped_lock lock(mutex_);
  const auto found = kept_.find(candidate.configuration);
  if (found == kept_.end()) return false;
  const std::size_t position = candidate.position;
  const int batch = candidate.batch;
  candidate = found->second;
  candidate.position = position;
  candidate.batch = batch;
  return true;
}

Status Measurer::post_build(TaskPoster& poster, Candidate candidate) {
  const auto start = std::chrono::steady_clock::now();
  auto source = measure::checked_source(*family_, candidate.configuration);
  candidate.instantiation_seconds = measure::seconds_since(start);
  if (!source) {
    const std::scoped_lock lock(mutex_);
    finish(candidate, measure::instantiation_error(source.error(), candidate.instantiation_seconds));
    return {};
  }
  candidate.source = *source;
  candidate.source.text.clear();
  candidate.source.includes.clear();
  candidate.artefact_sha256.clear();
  candidate.task = build_task_of(std::move(*source), measuring_.device, options_.build_timeout_seconds);
  candidate.task.controller = controller_;
  candidate.stream = keys::build_stream(measuring_.device.tool_chain);
  return post(poster, std::move(candidate));
}

Status Measurer::post_run(TaskPoster& poster, Candidate candidate) {
  trial::MeasureOptions options = options_;
  measure::RunRequest request;
  {
    const std::scoped_lock lock(mutex_);
    options.run_timeout_seconds = run_timeout_seconds_;
    request = measure::run_request_of(candidate.source, {}, options,
                                      options.kernel_threads(schedule::host_cores(target_)));
    request.best_seconds = best_seconds_;
  }
  candidate.task = Task{.kind = TaskKind::Run,
                        .controller = controller_,
                        .frame = frame_of(request),
                        .artefact_sha256 = candidate.artefact_sha256,
                        .prepare_sha256 = prepare_sha256_};
  candidate.stream = keys::run_stream(measuring_.device.id);
  return post(poster, std::move(candidate));
}

Status Measurer::post(TaskPoster& poster, Candidate candidate) {
  Task task;
  std::string stream;
  {
    const std::scoped_lock lock(mutex_);
    if (candidate.batch != batch_number_) return {};
    candidate.task.id = fmt::format("{}-{}", controller_, ++task_count_);
    candidate.entry.clear();
    task = candidate.task;
    stream = candidate.stream;
    open_.add(std::move(candidate));
  }
  return placed(poster, task.id, stream, TRY(poster.post(stream, task)));
}

Status Measurer::post_again(TaskPoster& poster, const std::string& id) {
  Task task;
  std::string stream;
  {
    const std::scoped_lock lock(mutex_);
    Candidate* open = open_.find(id);
    if (open == nullptr) return {};
    open_.stop(*open);
    open->entry.clear();
    task = open->task;
    stream = open->stream;
  }
  return placed(poster, id, stream, TRY(poster.post(stream, task)));
}

Status Measurer::placed(TaskPoster& poster, const std::string& id, const std::string& stream,
                        std::string entry) {
  {
    const std::scoped_lock lock(mutex_);
    if (Candidate* open = open_.find(id)) {
      open->entry = std::move(entry);
      return {};
    }
  }
  // The task was withdrawn before its position was known. If its result has arrived already, there is nothing
  // to remove.
  std::ignore = TRY(poster.connection().ask_all(withdrawal(stream, entry)));
  return {};
}

}  // namespace kernelscape::fleet
