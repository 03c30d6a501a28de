#pragma once

#include <utility>

#include "core/base/result.h"
#include "core/fleet/candidate_poster.h"
#include "core/fleet/controller.h"
#include "core/fleet/shared_batch.h"

namespace kernelscape::fleet {

/** Dispatches the candidates of each batch in proposal order, in the posting thread of a measurer. */
class Dispatcher {
 public:
  /** @param controller, batch must outlive the dispatcher */
  Dispatcher(CandidatePoster poster, const Controller& controller, SharedBatch& batch)
      : poster_(std::move(poster)), controller_(controller), batch_(batch) {}

  /** Serves batches until the measurer quits. An error of a batch ends the batch only. */
  Status serve_batches();

 private:
  /** Prepares the reference before the first batch. For a user's kernels this takes one or more builds. */
  Status prepare_reference();
  Status dispatch();
  /** Returns true if an earlier build of the candidate is reused. */
  bool reuse_build(Candidate& candidate);

  CandidatePoster poster_;
  const Controller& controller_;
  SharedBatch& batch_;
};

}  // namespace kernelscape::fleet
