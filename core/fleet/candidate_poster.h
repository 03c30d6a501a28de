#pragma once

#include <functional>
#include <span>
#include <string>

#include "core/base/result.h"
#include "core/fleet/candidates.h"
#include "core/fleet/controller.h"
#include "core/fleet/shared_batch.h"
#include "core/fleet/task_poster.h"

namespace kernelscape::fleet {

/**
 * Posts the builds and the runs of a batch's candidates, and removes them from the streams. Each thread of a
 * measurer has a poster with a separate connection. The functions take the lock of the batch themselves, and
 * do not hold it while they wait for Redis.
 */
class CandidatePoster {
 public:
  /**
   * Opens a poster with a new connection. Errors: as TaskPoster::open(). @param controller, batch must
   * outlive the returned object @param give_up, was_there as for Access::connect()
   */
  static Result<CandidatePoster> open(const Controller& controller, SharedBatch& batch,
                                      std::function<bool()> give_up, bool was_there);

  /** Posts the build of a candidate. A candidate without a source is finished with the reason. */
  Status post_build(Candidate candidate);
  /** Posts the run of a candidate that was built. */
  Status post_run(Candidate candidate);
  /**
   * Posts a task again that Redis lost or that expired. A worker that still has the old task comes too late.
   */
  Status post_again(const std::string& id);
  /** Stores a blob, see TaskPoster::put_blob(). */
  Result<std::string> put_blob(const std::string& bytes) { return tasks_.put_blob(bytes); }

  /**
   * Removes the tasks of the candidates. Workers that have one of them notice this at their next heartbeat.
   */
  void withdraw(std::span<const Candidate> candidates);

  RedisConnection& connection() { return tasks_.connection(); }  ///< for other commands of the same thread

 private:
  CandidatePoster(const Controller& controller, SharedBatch& batch, TaskPoster tasks)
      : controller_(&controller), batch_(&batch), tasks_(std::move(tasks)) {}

  /**
   * Posts a candidate's task. The candidate is registered first, because its result may arrive before the
   * reply of Redis.
   */
  Status post(Candidate candidate);
  /**
   * Records the position of a posted task. A task whose candidate is not open any more is removed from the
   * stream.
   */
  Status record_entry(const std::string& id, const std::string& stream, std::string entry);

  const Controller* controller_;
  SharedBatch* batch_;
  TaskPoster tasks_;
};

}  // namespace kernelscape::fleet
