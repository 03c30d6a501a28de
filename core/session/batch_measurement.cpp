#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "core/session/measured_batches.h"
#include "core/session/time_limits.h"

namespace kernelscape {
namespace {

constexpr std::chrono::milliseconds collect_patience{100};

/** Decides when a batch that ends early is finished: running trials complete, no other trial begins. */
class GracefulEnd {
 public:
  /** @param max_seconds how long what runs is waited for: a device that prepares a large task takes longer
   */
  explicit GracefulEnd(double max_seconds) : max_seconds_(max_seconds) {}

  /** Called after each collect. @param now_seconds of the session @return true: drop the rest now */
  bool reached(bool wanted, std::size_t running, std::size_t completed, double now_seconds) {
    if (!wanted) return false;
    const bool finished_since = begun_seconds_ && completed > 0;
    if (!begun_seconds_) begun_seconds_ = now_seconds;
    return running == 0 || finished_since || now_seconds - *begun_seconds_ >= max_seconds_;
  }

 private:
  double max_seconds_;
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
  session_.enter(SessionPhase::Measuring);
  Result<BatchEnd> end = measure_missing(batch, positions);
  if (!end || *end == BatchEnd::Stopped || *end == BatchEnd::OutOfTime) {
    tools_.measurer.abort();
    accounting_.charge(tools_.measurer.take_busy_times());
  }
  return end;
}

Result<BatchEnd> MeasuredBatches::measure_missing(const Batch& batch,
                                                  const std::vector<std::size_t>& positions) {
  std::vector<Configuration> configurations;
  for (const std::size_t position : positions) configurations.push_back(batch.candidates[position]);
  tools_.measurer.set_best_seconds(session_.status.best_seconds);
  accounting_.begin_measuring();
  TRY(tools_.measurer.submit(configurations));
  GracefulEnd graceful_end(session_.setup.options.run_timeout_seconds + max_ending_seconds);
  for (std::size_t remaining = positions.size(); remaining > 0;) {
    std::vector<Completed> completed = TRY(collect());
    const std::size_t count = completed.size();
    TRY(commit(batch, positions, std::move(completed)));
    remaining -= count;
    const BatchProgress progress = tools_.measurer.progress();
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

Result<std::vector<Completed>> MeasuredBatches::collect() {
  Result<std::vector<Completed>> completed = tools_.measurer.collect(collect_patience);
  accounting_.charge(tools_.measurer.take_busy_times());
  return completed;
}

Status MeasuredBatches::commit(const Batch& batch, const std::vector<std::size_t>& positions,
                               std::vector<Completed> completed) {
  if (completed.empty()) return {};
  std::vector<Trial> trials;
  for (Completed& item : completed) {
    if (item.position >= positions.size() || observed_[positions[item.position]]) {
      return fail(ErrorCode::Internal,
                  fmt::format("candidate {} of a batch was measured twice", item.position));
    }
    const std::size_t position = positions[item.position];
    const std::int64_t number = batch.first_trial + static_cast<std::int64_t>(position);
    trials.push_back({number, batch.number, static_cast<std::int32_t>(position), batch.candidates[position],
                      std::move(item.measurement), accounting_.session_seconds()});
    const Trial& trial = trials.back();
    observed_[position] = observe_trial(trial, session_.flops());
    const double seconds = trial.measurement.valid() ? trial.measurement.ranking_seconds() : 0;
    best_.add({number, seconds, trial.configuration});
  }
  const SessionStatus before = session_.status;
  session_.status.trial_count += std::ssize(trials);
  if (!best_.entries().empty()) {
    session_.status.best_trial = best_.entries().front().trial;
    session_.status.best_seconds = best_.entries().front().seconds;
  }
  if (Status stored = session_.store.append_trials(session_.id, trials, session_.status_now()); !stored) {
    // Trials that were not stored are not counted: the final status must match the stored trials.
    session_.status = before;
    return stored;
  }
  measured_ = true;
  tools_.measurer.set_best_seconds(session_.status.best_seconds);
  for (const Trial& trial : trials) {
    session_.observer.trial_finished(trial, session_.status);
    notify_failure(trial);
  }
  return {};
}

void MeasuredBatches::notify_failure(const Trial& trial) {
  const Measurement& measurement = trial.measurement;
  const std::optional<FailureText> first =
      failures_.add(trial.configuration, measurement.category, measurement.message);
  // No user waits for the first success of a training sample or of a study's run.
  if (!first || session_.setup.trials_alone || session_.setup.study) return;
  session_.observer.message(
      {MessageKind::Failure, fmt::format("trial {} {}", trial.number, describe(*first))});
}

}  // namespace kernelscape
