#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/fleet/candidates.h"
#include "core/measure/measurer.h"
#include "core/trial/measurement.h"

namespace kernelscape::fleet {

/** The reference with which workers compare the outputs of kernels. */
struct PreparedReference {
  std::string frame;   ///< of the PrepareRequest
  std::string sha256;  ///< name of its blob
};

/** Properties of a run that the session may change between two runs. */
struct RunLimits {
  double best_seconds = 0;  ///< 0: not known
  double timeout_seconds = 0;
};

/**
 * The state of a measurer's batch: its candidates, its results, its errors and its notices. The functions are
 * not thread-safe: the threads of a measurer share a BatchState as a SharedBatch.
 */
class BatchState {
 public:
  explicit BatchState(double run_timeout_seconds) : limits{.timeout_seconds = run_timeout_seconds} {}

  /** Returns true while the batch is in progress. */
  bool active() const { return posting_ || !open.empty(); }
  /** Returns true until the posting thread has dispatched all candidates of the batch. */
  bool posting() const { return posting_; }

  /**
   * Begins the next batch. Returns Internal if a batch is in progress, or the error with which a thread
   * ended.
   */
  Status begin(std::span<const space::Configuration> batch);
  /** Returns the configurations of the batch. They do not change while posting() is true. */
  const std::vector<space::Configuration>& configurations() const { return configurations_; }
  int number() const { return number_; }       ///< of the batch; grows with each batch and each abort
  void drop_results_of_batch() { ++number_; }  ///< results that arrive later count no more

  /** Ends the posting of the batch's candidates, with the error that ended it early. */
  void end_posting(const Status& posted);
  /** Records that a thread has ended. No batch is possible after an error. */
  void end_thread(const Status& served);
  /** Ends the batch with an error. Only the first error of a batch is reported. */
  void stop_with(const Error& error);
  const std::optional<Error>& error() const { return error_; }  ///< of the batch
  /** Forgets the results and the error of the batch. */
  void clear();

  /** Returns a new id for a task of this controller. */
  std::string next_task_id(const std::string& controller);
  /** Records that a candidate's build has ended. */
  void count_build() { ++built_; }
  /** Adds the result of a candidate, unless its batch has ended. */
  void finish(const Candidate& candidate, trial::Measurement measurement,
              const measure::MachineConditions& conditions = {});
  bool has_results() const { return !finished_.empty(); }  ///< results that take_results() returns
  std::vector<measure::Completed> take_results();          ///< that arrived since the last call
  measure::BatchProgress progress() const;                 ///< of the batch
  std::vector<Candidate> take_open();                      ///< removes all candidates from the batch

  /** Keeps a built candidate for the next measurement of its configuration. */
  void keep_build(const Candidate& candidate) { kept_[candidate.configuration] = candidate; }
  /** Forgets a build that was kept. */
  void forget_build(const space::Configuration& configuration) { kept_.erase(configuration); }
  /** Turns the candidate into the kept candidate of its configuration. Returns false if there is none. */
  bool restore_build(Candidate& candidate) const;

  /** Marks a blob that no candidate needs any more for deletion. */
  void add_unneeded(std::string sha256) { unneeded_.push_back(std::move(sha256)); }
  std::vector<std::string> take_unneeded();  ///< blobs to delete

  /** Adds a notice for the user, unless the same notice was reported before. */
  void notify(std::string text);
  std::vector<std::string> take_notices();  ///< since the last call

  Candidates open;                             ///< candidates whose tasks are dispatched
  std::optional<PreparedReference> reference;  ///< set once, before the first task that needs it
  RunLimits limits;                            ///< of the next run
  /** Notified when active(), posting(), error() or has_results() change. */
  std::condition_variable changed;

 private:
  std::vector<space::Configuration> configurations_;
  std::map<space::Configuration, Candidate> kept_;  ///< candidates that were built before
  std::vector<measure::Completed> finished_;
  std::vector<std::string> unneeded_;
  std::vector<std::string> notices_;
  std::vector<std::string> notified_;  ///< notices so far: each notice is reported once
  std::optional<Error> error_;
  std::optional<Error> broken_;  ///< the error with which a thread ended
  std::size_t built_ = 0;
  std::size_t finished_count_ = 0;
  std::int64_t task_count_ = 0;
  bool posting_ = false;
  int number_ = 0;
};

}  // namespace kernelscape::fleet
