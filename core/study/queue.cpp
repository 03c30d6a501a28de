#include "core/study/queue.h"

namespace kernelscape::study {

void Queue::fill(std::vector<std::int64_t> runs, std::vector<std::optional<std::int64_t>> before) {
  const std::lock_guard lock(mutex_);
  std::map<std::int64_t, std::size_t> positions;
  for (std::size_t position = 0; position < runs.size(); ++position) positions[runs[position]] = position;
  before_.assign(runs.size(), std::nullopt);
  for (std::size_t position = 0; position < runs.size(); ++position) {
    // A run that is not in the queue is done or cannot run, so there is nothing to wait for.
    if (before[position] && positions.contains(*before[position]))
      before_[position] = positions.at(*before[position]);
  }
  turns_.assign(runs.size(), Turn::Waiting);
  runs_ = std::move(runs);
  first_waiting_ = 0;
}

bool Queue::may_begin(std::size_t position) const {
  return turns_[position] == Turn::Waiting &&
         (!before_[position] || turns_[*before_[position]] == Turn::Ended);
}

std::optional<std::size_t> Queue::take() {
  std::unique_lock lock(mutex_);
  for (;;) {
    while (first_waiting_ < turns_.size() && turns_[first_waiting_] != Turn::Waiting) ++first_waiting_;
    if (closed_ || first_waiting_ == turns_.size()) return std::nullopt;
    for (std::size_t position = first_waiting_; position < turns_.size(); ++position) {
      if (!may_begin(position)) continue;
      turns_[position] = Turn::Taken;
      return position;
    }
    // The first waiting run waits for an earlier run that another thread has taken and will end.
    ended_.wait(lock);
  }
}

void Queue::end(std::size_t position, std::optional<store::SessionId> done) {
  {
    const std::lock_guard lock(mutex_);
    turns_[position] = Turn::Ended;
    if (done) done_[runs_[position]] = *done;
  }
  ended_.notify_all();
}

void Queue::close() {
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
  }
  ended_.notify_all();
}

std::optional<store::SessionId> Queue::session_of(std::int64_t run) const {
  const std::lock_guard lock(mutex_);
  const auto found = done_.find(run);
  return found == done_.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace kernelscape::study
