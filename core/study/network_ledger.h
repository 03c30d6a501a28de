#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>

#include "core/study/device_news.h"
#include "core/study/execution.h"

namespace kernelscape::study {

/** Reports the events of the threads of a network to its observer, one after the other. */
class NetworkLedger {
 public:
  explicit NetworkLedger(Observer& observer) : observer_(observer) {}

  /** Sets the number of runs and trials. Must be called before the threads start. */
  void begin(std::int64_t runs, std::int64_t max_trials) {
    progress_.runs = runs;
    progress_.max_trials = max_trials;
  }
  /** Reports that the session of a layer started. */
  void started(const PlannedRun& run, store::SessionId id) {
    const std::scoped_lock lock(mutex_);
    observer_.run_started(run, id);
  }
  /** Reports and counts a trial. */
  void trial(const PlannedRun& run, const trial::Trial& trial, const store::SessionStatus& status) {
    const std::scoped_lock lock(mutex_);
    ++progress_.trials;
    observer_.trial_finished(run, trial, status);
  }
  /** Reports a message of a session. */
  void message(const session::Message& message) {
    const std::scoped_lock lock(mutex_);
    observer_.message(message);
  }
  /** Reports that a session waits for the device. */
  void device_awaited(const std::string& device, const std::string& text) {
    const std::scoped_lock lock(mutex_);
    observer_.device_awaited(device, text);
  }
  /** Reports that a session uses the device. */
  void device_used(const std::string& device) {
    const std::scoped_lock lock(mutex_);
    observer_.device_used(device);
  }
  /** Reports a latency of the whole model. */
  void latency(const LatencyPoint& point) {
    const std::scoped_lock lock(mutex_);
    observer_.latency_measured(point);
  }
  /** Counts a round that starts (1) or ends (-1). */
  void count_running(int change) {
    const std::scoped_lock lock(mutex_);
    progress_.running += change;
  }
  /** Reports the error that ended a layer early. */
  void failed(const PlannedRun& run, const Error& error) {
    const std::scoped_lock lock(mutex_);
    observer_.run_failed(run, error);
  }
  /** Reports and counts the end of a layer. */
  void ended(const PlannedRun& run, std::optional<store::SessionId> session,
             const store::SessionStatus& status, bool failed) {
    const std::scoped_lock lock(mutex_);
    ++(failed ? progress_.failed : progress_.done);
    if (session) observer_.run_ended(run, *session, status);
    notify();
  }
  /** Reports the number of trials, for replays, which do not report single trials. */
  void report(std::int64_t trials) {
    const std::scoped_lock lock(mutex_);
    progress_.trials = trials;
    notify();
  }
  /** Returns the counts so far. */
  Progress progress() const {
    const std::scoped_lock lock(mutex_);
    return progress_;
  }

 private:
  void notify() {
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begun_;
    progress_.elapsed_seconds = elapsed.count();
    observer_.progress(progress_);
  }

  Observer& observer_;
  mutable std::mutex mutex_;
  Progress progress_;
  std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
};

/** Reports the events of a round as events of its layer. */
class RoundNews final : public session::Observer {
 public:
  RoundNews(NetworkLedger& ledger, const PlannedRun& run, const Task& task)
      : ledger_(ledger), run_(run), device_(ledger, task) {}
  void started(store::SessionId id, const store::SessionRecord&) override {
    session = id;
    device_.started();
    ledger_.started(run_, id);
  }
  void trial_finished(const trial::Trial& trial, const store::SessionStatus& status) override {
    ledger_.trial(run_, trial, status);
  }
  void message(const session::Message& message) override {
    device_.message(message);
    ledger_.message(message);
  }

  std::optional<store::SessionId> session;  ///< the session that was created or claimed

 private:
  NetworkLedger& ledger_;
  const PlannedRun& run_;
  DeviceNews<NetworkLedger> device_;
};

}  // namespace kernelscape::study
