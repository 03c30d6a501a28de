#pragma once

#include <chrono>
#include <string>

#include "core/base/result.h"
#include "core/fleet/answer_handler.h"
#include "core/fleet/candidate_poster.h"
#include "core/fleet/controller.h"
#include "core/fleet/shared_batch.h"
#include "core/fleet/task_queue.h"

namespace kernelscape::fleet {

/**
 * Reads the results of the workers from Redis, in the listening thread of a measurer. Between the results the
 * listener sends the controller's heartbeat, posts lost tasks again and reports missing workers.
 */
class ResultListener {
 public:
  /** @param controller, batch must outlive the listener */
  ResultListener(CandidatePoster poster, const Controller& controller, SharedBatch& batch);
  ResultListener(const ResultListener&) = delete;  // the handler refers to the poster
  ResultListener& operator=(const ResultListener&) = delete;

  /** Listens until the measurer quits. Returns an error after which the listener cannot continue. */
  Status listen();

 private:
  /** Reads results and returns true if there were any. */
  Result<bool> read_answers(double seconds);
  Status take_entry(const StreamEntry& entry);
  /** Deletes the results that were read and the blobs that no candidate needs. */
  Status delete_read_results();
  /**
   * Posts tasks again that are in no stream and have no result, because a killed Redis may have lost the last
   * second.
   */
  Status post_lost_tasks();
  /** Reports if no worker exists for the waiting tasks. */
  Status report_missing_workers();

  CandidatePoster poster_;
  const Controller& controller_;
  SharedBatch& batch_;
  AnswerHandler handler_;
  std::string last_entry_ = "0";
  int strange_answers_ = 0;
  std::chrono::steady_clock::time_point last_heard_ = std::chrono::steady_clock::now();
};

}  // namespace kernelscape::fleet
