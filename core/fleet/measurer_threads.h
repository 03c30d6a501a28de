#pragma once

#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "core/fleet/candidates.h"
#include "core/fleet/measurer.h"
#include "core/fleet/task_poster.h"

namespace kernelscape::fleet {

/**
 * The measurer of a fleet. Three threads share a batch under one lock: the session's thread, the posting
 * thread, which dispatches tasks, and the listening thread, which reads results. Each thread has a separate
 * connection. Functions with a connection among their parameters are called without the lock.
 */
class Measurer final : public measure::Measurer {
 public:
  Measurer(std::shared_ptr<const kernel::Family> family, Measuring measuring,
           const trial::MeasureOptions& options);
  ~Measurer() override;

  /** Connects and starts the threads. */
  Status begin();
  Status submit(std::span<const space::Configuration> batch) override;
  Result<std::vector<measure::Completed>> collect(std::chrono::milliseconds patience) override;
  measure::BatchProgress progress() const override;
  measure::BusyTimes take_busy_times() override { return open_.take_busy_times(); }

  void abort() override;
  void set_best_seconds(double seconds) override;
  void set_run_timeout(double seconds) override;

 private:
  /**
   * Returns true while a batch is in progress. Called under the lock, as are all functions without a
   * connection parameter.
   */
  bool active() const { return posting_now_ || !open_.empty(); }

  Result<TaskPoster> open_poster(std::function<bool()> give_up, bool was_there) const;

  /**
   * Runs the body of a thread. An error of a thread ends the batch, and no further batch is possible without
   * the thread.
   */
  template <typename Serve>
  void guard(const Serve& serve) {
    Status served;
    try {
      served = serve();
    } catch (const std::exception& problem) {
      served = fail(ErrorCode::Internal, fmt::format("measuring on the fleet failed: {}", problem.what()));
    }
    const std::scoped_lock lock(mutex_);
    if (!served) {
      broken_ = served.error();
      if (!error_) error_ = served.error();
    }
    posting_now_ = false;
    changed_.notify_all();
  }

  void stop_with(const Error& error);
  void notify(std::string text);

  // Dispatch, in fleet_giving_out.cpp: called by the posting thread, and by the listening thread when a build
  // is followed by a run.

  Status serve_batches(TaskPoster& poster);
  bool continues() const;

  /** Prepares the reference before the first batch. For a user's kernels this takes one or more builds. */
  Status make_ready(TaskPoster& poster);
  Status dispatch(TaskPoster& poster);

  /** Returns true if an earlier build of the candidate is reused. */
  bool reuse_build(Candidate& candidate);
  Status post_build(TaskPoster& poster, Candidate candidate);
  Status post_run(TaskPoster& poster, Candidate candidate);

  /**
   * Posts a candidate's task. The candidate is registered first, because its result may arrive before the
   * reply of Redis.
   */
  Status post(TaskPoster& poster, Candidate candidate);

  /**
   * Posts a task again that Redis lost or that expired. A worker that still has the old task comes too late.
   */
  Status post_again(TaskPoster& poster, const std::string& id);

  /**
   * Records the position of a posted task. A task whose candidate is not open any more is removed from the
   * stream.
   */
  Status placed(TaskPoster& poster, const std::string& id, const std::string& stream, std::string entry);

  // Result listener, in fleet_listening.cpp: called by the listening thread.

  Status stay(RedisConnection& connection);
  Status listen(TaskPoster& poster);

  /** Reads results and returns true if there were any. */
  Result<bool> read_answers(TaskPoster& poster, double seconds);

  /** Deletes the results that were read and the blobs that no candidate needs. */
  Status forget(RedisConnection& connection);
  Status take_entry(TaskPoster& poster, const StreamEntry& entry);
  Status take_answer(TaskPoster& poster, const Answer& answer);
  Status take_refusal(TaskPoster& poster, const Answer& answer, bool open);
  Status take_build(TaskPoster& poster, const Answer& answer);

  /** Called under the lock. */
  void finish_built(const Candidate& candidate, const std::string& builder);
  Status take_run(TaskPoster& poster, const Answer& answer);

  /** Called under the lock. */
  void finish_run(const Candidate& candidate, trial::Measurement measurement,
                  const measure::MachineConditions& conditions = {});

  /** Records the failure of a trial whose task killed workers repeatedly, as on a single machine. */
  void finish_dead(const Answer& answer);

  /** Handles a missing or damaged blob, or an invalid result, by repeating its task. */
  Status repair(TaskPoster& poster, const Answer& answer);

  /**
   * Posts tasks again that are in no stream and have no result, because a killed Redis may have lost the last
   * second.
   */
  Status give_lost_again(TaskPoster& poster);

  /** Reports that no worker exists for the waiting tasks. */
  Status miss_workers(RedisConnection& connection);

  // Completion.

  /** Called under the lock. */
  void finish(const Candidate& candidate, trial::Measurement measurement,
              const measure::MachineConditions& conditions = {});
  std::vector<Candidate> take_open();

  /** Returns the commands that remove a task from its stream. */
  static std::vector<std::vector<std::string>> withdrawal(const std::string& stream,
                                                          const std::string& entry);

  /**
   * Removes the tasks of the candidates. Workers that have one of them notice this at their next heartbeat.
   */
  void withdraw(const std::vector<Candidate>& candidates);

  std::shared_ptr<const kernel::Family> family_;
  const Measuring measuring_;
  const schedule::TargetDescription target_;
  const trial::MeasureOptions options_;
  double run_timeout_seconds_;  ///< for the next run
  std::string prepare_;         ///< the frame of the PrepareRequest; empty: unknown yet
  std::string prepare_sha256_;
  const std::string controller_;
  const std::string results_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<space::Configuration> batch_;  ///< used by the threads while the batch is in progress
  Candidates open_;
  std::map<space::Configuration, Candidate> kept_;  ///< candidates that were built before
  std::vector<measure::Completed> finished_;
  std::vector<std::string> unneeded_;  ///< blobs to delete
  std::vector<std::string> notices_;
  std::vector<std::string> notified_;  ///< notices so far: each notice is reported once
  std::optional<Error> error_;
  std::optional<Error> broken_;  ///< the error with which a thread ended
  std::size_t built_ = 0;
  std::size_t finished_count_ = 0;
  std::int64_t task_count_ = 0;
  double best_seconds_ = 0;
  bool posting_now_ = false;
  int batch_number_ = 0;
  std::atomic<bool> aborting_ = false;
  std::atomic<bool> quitting_ = false;
  // Used by the listening thread.
  std::string last_entry_ = "0";
  int strange_answers_ = 0;
  std::chrono::steady_clock::time_point last_heard_ = std::chrono::steady_clock::now();
  std::unique_ptr<TaskPoster> session_;  ///< used by the session's thread
  std::thread posting_;
  std::thread listening_;
};

}  // namespace kernelscape::fleet
