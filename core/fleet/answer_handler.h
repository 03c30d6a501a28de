#pragma once

#include "core/base/result.h"
#include "core/fleet/candidate_poster.h"
#include "core/fleet/controller.h"
#include "core/fleet/messages.h"
#include "core/fleet/shared_batch.h"

namespace kernelscape::fleet {

/**
 * Handles the answers of workers: posts the run after a build, turns runs and failures into the results of
 * candidates, and repeats tasks whose blobs are damaged. Used by the listening thread of a measurer.
 */
class AnswerHandler {
 public:
  /** @param poster, controller, batch must outlive the handler */
  AnswerHandler(CandidatePoster& poster, const Controller& controller, SharedBatch& batch)
      : poster_(poster), controller_(controller), batch_(batch) {}

  /**
   * Handles an answer whose signature was verified. Errors end the batch: a worker of another version, a
   * refused task, repeatedly damaged data, or the errors of posting a task.
   */
  Status handle(const Answer& answer);

 private:
  Status take_refusal(const Answer& answer, bool open);
  Status take_build(const Answer& answer);
  Status take_run(const Answer& answer);
  /** Records the failure of a trial whose task killed workers repeatedly, as on a single machine. */
  void finish_dead(const Answer& answer);
  /** Handles a missing or damaged blob, or an invalid result, by repeating its task. */
  Status repair(const Answer& answer);

  /** Finishes a candidate that is not run after its build. */
  void finish_built(BatchState& batch, const Candidate& candidate, const std::string& builder) const;
  /** Finishes a candidate after its run. */
  void finish_run(BatchState& batch, const Candidate& candidate, trial::Measurement measurement,
                  const measure::MachineConditions& conditions = {}) const;
  /** Adds what is known of the candidate's build to its measurement. */
  void add_build(trial::Measurement& measurement, const Candidate& candidate) const;

  CandidatePoster& poster_;
  const Controller& controller_;
  SharedBatch& batch_;
};

}  // namespace kernelscape::fleet
