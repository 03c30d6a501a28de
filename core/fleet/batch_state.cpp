#include "core/fleet/batch_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace kernelscape::fleet {

Status BatchState::begin(std::span<const space::Configuration> batch) {
  if (active())
    return fail(ErrorCode::Internal, "a batch was submitted while another batch is being measured");
  if (broken_) return std::unexpected(*broken_);
  configurations_.assign(batch.begin(), batch.end());
  clear();
  built_ = finished_count_ = 0;
  ++number_;
  posting_ = !configurations_.empty();
  changed.notify_all();
  return {};
}

void BatchState::end_posting(const Status& posted) {
  if (!posted && !error_) error_ = posted.error();
  posting_ = false;
  changed.notify_all();
}

void BatchState::end_thread(const Status& served) {
  if (!served) broken_ = served.error();
  end_posting(served);
}

void BatchState::stop_with(const Error& error) {
  if (!error_) error_ = error;
  changed.notify_all();
}

void BatchState::clear() {
  error_.reset();
  finished_.clear();
}

std::string BatchState::next_task_id(const std::string& controller) {
  return fmt::format("{}-{}", controller, ++task_count_);
}

void BatchState::finish(const Candidate& candidate, trial::Measurement measurement,
                        const measure::MachineConditions& conditions) {
  if (candidate.batch != number_) return;
  ++finished_count_;
  finished_.push_back(
      {.position = candidate.position, .measurement = std::move(measurement), .conditions = conditions});
  changed.notify_all();
}

std::vector<measure::Completed> BatchState::take_results() { return std::exchange(finished_, {}); }

measure::BatchProgress BatchState::progress() const {
  return {.building = open.count(TaskKind::Build),
          .built = built_,
          .running = open.count(TaskKind::Run),
          .finished = finished_count_};
}

std::vector<Candidate> BatchState::take_open() {
  std::vector<std::string> ids;
  for (const auto& [id, candidate] : open.all()) ids.push_back(id);
  std::vector<Candidate> taken;
  for (const std::string& id : ids) {
    taken.push_back(*open.take(id));
    if (!taken.back().builds()) open.release(taken.back().artefact_sha256);
  }
  changed.notify_all();
  return taken;
}

bool BatchState::restore_build(Candidate& candidate) const {
  const auto found = kept_.find(candidate.configuration);
  if (found == kept_.end()) return false;
  const std::size_t position = candidate.position;
  const int batch = candidate.batch;
  candidate = found->second;
  candidate.position = position;
  candidate.batch = batch;
  return true;
}

std::vector<std::string> BatchState::take_unneeded() { return std::exchange(unneeded_, {}); }

void BatchState::notify(std::string text) {
  if (std::ranges::find(notified_, text) != notified_.end()) return;
  notified_.push_back(text);
  notices_.push_back(std::move(text));
}

std::vector<std::string> BatchState::take_notices() { return std::exchange(notices_, {}); }

}  // namespace kernelscape::fleet
