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

#include "core/fleet/fleet_candidates.h"
#include "core/fleet/fleet_measurer.h"
#include "core/fleet/task_poster.h"

namespace kernelscape {

/**
 * The measurer of a fleet. Three threads share a batch under one lock: the session's, one that gives tasks
 * out, and one that listens to what comes back; each has a connection of its own. What has a connection among
 * its arguments is called without the lock.
 */
class FleetMeasurer final : public Measurer {
 public:
  FleetMeasurer(std::shared_ptr<const KernelFamily> family, FleetMeasuring measuring,
                const MeasureOptions& options);
  ~FleetMeasurer() override;

  /** Connects; the threads begin. */
  Status begin();
  Status submit(std::span<const Configuration> batch) override;
  Result<std::vector<Completed>> collect(std::chrono::milliseconds patience) override;
  BatchProgress progress() const override;
  BusyTimes take_busy_times() override { return open_.take_busy_times(); }

  void abort() override;
  void set_best_seconds(double seconds) override;
  void set_run_timeout(double seconds) override;

 private:
  /** Under the lock, as all that names no connection. */
  bool active() const { return posting_now_ || !open_.empty(); }

  Result<TaskPoster> open_poster(std::function<bool()> give_up, bool was_there) const;

  /** A thread's error is the batch's: without its thread there is no other batch. */
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
  void tell(std::string text);

  // Giving out, in fleet_giving_out.cpp: the posting thread's, and where a build is followed by a run the
  // listening thread's.

  Status serve_batches(TaskPoster& poster);
  bool goes_on() const;

  /** Before the first batch: what is right for a user's kernels takes a build, or more. */
  Status make_ready(TaskPoster& poster);
  Status give_out(TaskPoster& poster);

  /** Whether a build of before will do. */
  bool reuse_build(FleetCandidate& candidate);
  Status post_build(TaskPoster& poster, FleetCandidate candidate);
  Status post_run(TaskPoster& poster, FleetCandidate candidate);

  /** It is known before it is given out: its result may be quicker than the answer of Redis. */
  Status post(TaskPoster& poster, FleetCandidate candidate);

  /** A task that was forgotten, or is no good any more, once more: its worker, if it has one, is too late. */
  Status post_again(TaskPoster& poster, const std::string& id);

  /** Where its task stands. One that is open no more is taken out again. */
  Status placed(TaskPoster& poster, const std::string& id, const std::string& stream, std::string entry);

  // Listening, in fleet_listening.cpp: the listening thread's.

  Status stay(RedisConnection& connection);
  Status listen(TaskPoster& poster);

  /** Whether there were any. */
  Result<bool> read_answers(TaskPoster& poster, double seconds);

  /** What was read, and blobs that nobody needs. */
  Status forget(RedisConnection& connection);
  Status take_entry(TaskPoster& poster, const StreamEntry& entry);
  Status take_answer(TaskPoster& poster, const FleetAnswer& answer);
  Status take_refusal(TaskPoster& poster, const FleetAnswer& answer, bool open);
  Status take_build(TaskPoster& poster, const FleetAnswer& answer);

  /** Under the lock. */
  void finish_built(const FleetCandidate& candidate, const std::string& builder);
  Status take_run(TaskPoster& poster, const FleetAnswer& answer);

  /** Under the lock. */
  void finish_run(const FleetCandidate& candidate, Measurement measurement);

  /** What killed workers again and again is a trial's failure, as on one machine. */
  void finish_dead(const FleetAnswer& answer);

  /** A blob that is gone or damaged is made anew, and so is a result that is none. */
  Status repair(TaskPoster& poster, const FleetAnswer& answer);

  /** A Redis that was killed may have forgotten the last second: what stands in no stream, and has no result,
   * is given again. */
  Status give_lost_again(TaskPoster& poster);

  /** Says that there is nobody who could do what is waited for. */
  Status miss_workers(RedisConnection& connection);

  // Ending.

  /** Under the lock. */
  void finish(const FleetCandidate& candidate, Measurement measurement);
  std::vector<FleetCandidate> take_open();

  /** The commands that take a task out of its stream. */
  static std::vector<std::vector<std::string>> withdrawal(const std::string& stream,
                                                          const std::string& entry);

  /** Workers that have one of them notice at their next sign of life. */
  void withdraw(const std::vector<FleetCandidate>& candidates);

  std::shared_ptr<const KernelFamily> family_;
  const FleetMeasuring measuring_;
  const TargetDescription target_;
  const MeasureOptions options_;
  double run_timeout_seconds_;  ///< of the next run
  std::string prepare_;         ///< the frame of the PrepareRequest; empty: it is not known yet
  std::string prepare_sha256_;
  const std::string controller_;
  const std::string results_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Configuration> batch_;  ///< the threads' while it is active
  FleetCandidates open_;
  std::map<Configuration, FleetCandidate> kept_;  ///< built before
  std::vector<Completed> finished_;
  std::vector<std::string> unneeded_;  ///< blobs
  std::vector<std::string> notices_;
  std::vector<std::string> told_;  ///< notices so far: each is told once
  std::optional<Error> error_;
  std::optional<Error> broken_;  ///< a thread has ended
  std::size_t built_ = 0;
  std::size_t finished_count_ = 0;
  std::int64_t task_count_ = 0;
  double best_seconds_ = 0;
  bool posting_now_ = false;
  int batch_number_ = 0;
  std::atomic<bool> aborting_ = false;
  std::atomic<bool> quitting_ = false;
  // The listening thread's.
  std::string last_entry_ = "0";
  int strange_answers_ = 0;
  std::chrono::steady_clock::time_point last_heard_ = std::chrono::steady_clock::now();
  std::unique_ptr<TaskPoster> session_;  ///< the session's thread's
  std::thread posting_;
  std::thread listening_;
};

}  // namespace kernelscape
