#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "core/session/measured_batches.h"
#include "core/session/time_limits.h"

namespace kernelscape::session {
namespace {

constexpr std::chrono::milliseconds collect_patience{100};

/**
 * Decides when a batch that ends early is finished. A measurer that holds candidates back completes all
 * running trials. With other measurers the batch ends after the next trial, or after a time limit.
 */
class GracefulEnd {
 public:
  /** @param max_seconds the time limit: a device that prepares a large task takes longer */
  GracefulEnd(measure::Measurer& measurer, double max_seconds)
      : measurer_(measurer), max_seconds_(max_seconds) {}

  /** Called after each collect. @param now_seconds of the session @return true: drop the rest now */
  bool reached(bool wanted, std::size_t running, std::size_t completed, double now_seconds) {
    if (!wanted) return false;
    const bool finished_since = begun_seconds_ && completed > 0;
    if (!begun_seconds_) {
      begun_seconds_ = now_seconds;
      held_back_ = measurer_.hold_back();
    }
    if (running == 0) return true;
    return !held_back_ && (finished_since || now_seconds - *begun_seconds_ >= max_seconds_);
  }

 private:
  measure::Measurer& measurer_;
  double max_seconds_;
  bool held_back_ = false;
  std::optional<double> begun_seconds_;  ///< since when an end is wanted
};

}  // namespace

Result<BatchEnd> MeasuredBatches::measure(const Batch& batch) {
  if (session_.out_of_time()) return BatchEnd::OutOfTime;
  if (session_.stop.level() > 0) return BatchEnd::Stopped;
  std::vector<std::size_t> positions = missing();
  // A limit of trials may have been given in the middle of a batch.
  positions.resize(session_.affordable(positions.size()));
  if (positions.empty()) return BatchEnd::OutOfTrials;
  session_.observer.batch_started(batch.number, positions.size());
  session_.enter(Phase::Measuring);
  Result<BatchEnd> end = measure_missing(batch, positions);
  if (!end || *end == BatchEnd::Stopped || *end == BatchEnd::OutOfTime) {
    tools_.measurer.abort();
    accounting_.charge(tools_.measurer.take_busy_times());
  } else if (report_phases(/*at_end=*/false)) {
    measure_uncertain_again();
  }
  return end;
}

Result<BatchEnd> MeasuredBatches::measure_missing(const Batch& batch,
                                                  const std::vector<std::size_t>& positions) {
  std::vector<space::Configuration> configurations;
  std::vector<std::int64_t> numbers;
  for (const std::size_t position : positions) {
    configurations.push_back(batch.candidates[position]);
    numbers.push_back(batch.first_trial + static_cast<std::int64_t>(position));
  }
  session_.observer.trials_submitted(numbers);
  tools_.measurer.set_best_seconds(device_best_seconds());
  accounting_.begin_measuring();
  TRY(tools_.measurer.submit(configurations));
  GracefulEnd graceful_end(tools_.measurer, session_.setup.options.run_timeout_seconds + max_ending_seconds);
  for (std::size_t remaining = positions.size(); remaining > 0;) {
    std::vector<measure::Completed> completed = TRY(collect());
    const std::size_t count = completed.size();
    TRY(commit(batch, positions, std::move(completed)));
    remaining -= count;
    const measure::BatchProgress progress = tools_.measurer.progress();
    show_waiting(progress);
    // When a trial has just ended, the next kernel is loaded and checked, and not timed yet.
    if (count > 0 || progress.waiting) read_conditions(progress);
    session_.observer.progress(progress, session_.status_now());
    if (remaining == 0) break;
    if (session_.stop.level() > 1) return BatchEnd::Stopped;
    const bool stopped = session_.stop.level() > 0;
    if (graceful_end.reached(stopped || session_.out_of_time(), progress.running, count,
                             accounting_.session_seconds())) {
      return stopped ? BatchEnd::Stopped : BatchEnd::OutOfTime;
    }
  }
  return missing().empty() ? BatchEnd::Complete : BatchEnd::OutOfTrials;
}

Result<std::vector<measure::Completed>> MeasuredBatches::collect() {
  Result<std::vector<measure::Completed>> completed = tools_.measurer.collect(collect_patience);
  accounting_.charge(tools_.measurer.take_busy_times());
  for (std::string& notice : tools_.measurer.take_notices())
    session_.observer.message({MessageKind::Problem, std::move(notice)});
  return completed;
}

Status MeasuredBatches::commit(const Batch& batch, const std::vector<std::size_t>& positions,
                               std::vector<measure::Completed> completed) {
  if (completed.empty()) return {};
  std::vector<trial::Trial> trials;
  for (measure::Completed& item : completed) {
    if (item.position >= positions.size() || rows_[positions[item.position]]) {
      return fail(ErrorCode::Internal,
                  fmt::format("candidate {} of a batch was measured twice", item.position));
    }
    const std::size_t position = positions[item.position];
    const std::int64_t number = batch.first_trial + static_cast<std::int64_t>(position);
    trials.push_back({number, batch.number, static_cast<std::int32_t>(position), batch.candidates[position],
                      std::move(item.measurement), accounting_.session_seconds()});
    const trial::Trial& trial = trials.back();
    const std::uint16_t worker = worker_number(trial.measurement.worker);
    if (worker != 0 && item.conditions.known())
      worker_conditions_[worker].add(item.conditions.at_seconds, tracks_.rows(), item.conditions,
                                     tracks_.slow());
    add_row(position, trial::make_row(trial, 0, 0, worker));
    rank(trial);
  }
  const store::SessionStatus before = session_.status;
  session_.status.trial_count += std::ssize(trials);
  store_best();
  if (Status stored = session_.store.trials().append(session_.id, trials, session_.status_now()); !stored) {
    // Trials that were not stored are not counted: the final status must match the stored trials.
    session_.status = before;
    return stored;
  }
  measured_ = true;
  tools_.measurer.set_best_seconds(device_best_seconds());
  for (const trial::Trial& trial : trials) {
    session_.observer.trial_finished(trial, session_.status);
    notify_failure(trial);
  }
  return {};
}

/** Returns the number of a fleet's worker, in order of their first trials; 0: this machine. */
std::uint16_t MeasuredBatches::worker_number(const std::string& worker) {
  if (worker.empty()) return 0;
  return workers_.try_emplace(worker, static_cast<std::uint16_t>(workers_.size() + 1)).first->second;
}

/** By its own samples: in a slow phase a kernel is at least as fast as measured. */
void MeasuredBatches::rank(const trial::Trial& trial) {
  const double seconds = trial.measurement.valid() ? trial.measurement.ranking_seconds() : 0;
  best_.add({trial.number, seconds, trial.configuration});
}

void MeasuredBatches::store_best() {
  if (best_.entries().empty()) return;
  session_.status.best_trial = best_.entries().front().trial;
  session_.status.best_seconds = best_.entries().front().seconds;
}

void MeasuredBatches::notify_failure(const trial::Trial& trial) {
  const trial::Measurement& measurement = trial.measurement;
  const std::optional<trial::FailureText> first =
      failures_.add(trial.configuration, measurement.category, measurement.message);
  // No user waits for the first success of a training sample or of a study's run.
  if (!first || session_.setup.trials_alone || session_.setup.study) return;
  session_.observer.message(
      {MessageKind::Failure, fmt::format("trial {} {}", trial.number, trial::describe(*first))});
}

}  // namespace kernelscape::session
