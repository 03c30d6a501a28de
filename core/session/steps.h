#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "core/session/session.h"

namespace kernelscape::session {

// Steps that measured and replayed sessions share.

/**
 * Releases the session however the run ends. A process that dies remains as a dead owner, from which another
 * process can take over.
 */
class Ownership {
 public:
  Ownership(store::Store& store, store::SessionId id, store::Owner owner)
      : store_(store), id_(id), owner_(std::move(owner)) {}
  ~Ownership() { [[maybe_unused]] const Status released = store_.sessions().release(id_, owner_); }
  Ownership(const Ownership&) = delete;
  Ownership& operator=(const Ownership&) = delete;

 private:
  store::Store& store_;
  store::SessionId id_;
  store::Owner owner_;
};

/** Returns the number of build workers of a measured session, as its measurer has them. */
std::int64_t session_builders(const Setup& setup);

/**
 * Returns the setup with a batch size if it has none: that of the tuner, or the number of builders. A stored
 * session has a batch size.
 * @param builders number of builders of the session, or of the recording that it replays
 */
Result<Setup> with_batch_size(const Setup& setup, std::int64_t builders);

/** Refuses budgets that compare kernels in a session that only builds. */
Status check_build_only(const trial::MeasureOptions& options, const trial::Budget& budget);

/** Creates the row of a new session, as a run of a study if the setup says so. */
Result<store::SessionId> create_session_of(store::Store& store, const Setup& setup,
                                           const store::SessionRecord& record, const store::Owner& owner);

/** State of a resumed session, as its owner read it. */
struct ResumedSession {
  store::SessionStatus status;
  trial::BudgetPlan plan;
};

/**
 * Claims a stored session for `owner`. Errors: Refused, listing all differences, if the session was created
 * from another setup or has another owner; InvalidArgument if the setup's budget is lower than the stored
 * one.
 * @return the session before the claim: a dead owner means that it was interrupted
 */
Result<store::SessionSummary> claim_stored_session(store::Store& store, store::SessionId id,
                                                   const Setup& setup, const store::Owner& owner);

/** Marks on the time axis where the session was interrupted and why, and reports that it resumes. */
Result<ResumedSession> notify_resumed(store::Store& store, const store::SessionSummary& before,
                                      Observer& observer);

/** Makes the tuner of a session. @param trial_budget that the session began with; 0: none */
Result<std::unique_ptr<tuner::Tuner>> make_session_tuner(const Setup& setup, std::int64_t trial_budget);

/**
 * Returns Internal if the tuner broke its contract.
 * @param members true if all candidates are members of the space
 */
Status check_proposal(const Setup& setup, std::size_t candidates, std::int64_t request, bool members);

/** Makes a Refused error: a session cannot be resumed exactly, and why. */
std::unexpected<Error> resume_mismatch(store::SessionId id, std::string_view what);

/**
 * Checks that the tuner proposes the stored candidates of a batch. The error names the first candidate that
 * differs.
 */
Status compare_proposal(store::SessionId id, const Setup& setup, std::int32_t batch,
                        std::span<const space::Configuration> proposed,
                        std::span<const space::Configuration> stored);

/**
 * Returns the error to report after the session's state was stored, with a hint how to resume the session.
 */
Error with_resume_hint(Error error, store::SessionId id);

}  // namespace kernelscape::session
