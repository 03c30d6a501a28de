#include "core/measure/scripted_measurer.h"

#include <algorithm>
#include <span>

#include "core/base/random.h"

namespace kernelscape {

ScriptedMeasurer::ScriptedMeasurer(MeasurementScript script, std::shared_ptr<VirtualClock> clock)
    : script_(std::move(script)), clock_(clock ? std::move(clock) : std::make_shared<VirtualClock>()) {}

Status ScriptedMeasurer::submit(std::span<const Configuration> batch) {
  if (!pending_.empty())
    return fail(ErrorCode::Internal, "a batch was submitted while another is being measured");
  for (std::size_t i = 0; i < batch.size(); ++i) {
    pending_.push_back({.position = i, .measurement = script_.measure(batch[i])});
  }
  submitted_ = pending_.size();
  pass_build_time();
  if (script_.shuffle_seed != 0) {
    Random random(script_.shuffle_seed + batches_);
    random.shuffle(std::span<Completed>(pending_));
  }
  ++batches_;
  std::ranges::reverse(pending_);
  return {};
}

void ScriptedMeasurer::pass_build_time() {
  std::vector<double> free_at(std::max<std::size_t>(script_.builders, 1), 0.0);
  for (const Completed& candidate : pending_) {
    *std::ranges::min_element(free_at) += candidate.measurement.build_seconds;
  }
  const double seconds = std::ranges::max(free_at);
  clock_->seconds += seconds;
  busy_.build_seconds += seconds;
}

Result<std::vector<Completed>> ScriptedMeasurer::collect(std::chrono::milliseconds) {
  std::vector<Completed> completed;
  while (!pending_.empty() && completed.size() < std::max<std::size_t>(script_.per_collect, 1)) {
    if (measured_ >= script_.fault_after) {
      if (completed.empty()) return pending_.clear(), std::unexpected(script_.fault);
      break;
    }
    clock_->seconds += pending_.back().measurement.run_seconds;
    busy_.run_seconds += pending_.back().measurement.run_seconds;
    completed.push_back(std::move(pending_.back()));
    pending_.pop_back();
    ++measured_;
  }
  return completed;
}

BatchProgress ScriptedMeasurer::progress() const {
  return {.building = 0,
          .built = submitted_,
          .running = pending_.empty() ? 0U : 1U,
          .finished = submitted_ - pending_.size()};
}

BusyTimes ScriptedMeasurer::take_busy_times() { return std::exchange(busy_, {}); }

void ScriptedMeasurer::abort() { pending_.clear(); }

}  // namespace kernelscape
