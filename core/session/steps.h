#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "core/session/session.h"

namespace kernelscape {

// Steps that measured and replayed sessions share.

/**
 * Releases the session however the run ends. A process that dies remains as a dead owner, from which another
 * process can take over.
 */
class SessionOwnership {
 public:
  SessionOwnership(Store& store, SessionId id, Owner owner)
      : store_(store), id_(id), owner_(std::move(owner)) {}
  ~SessionOwnership() { [[maybe_unused]] const Status released = store_.release_session(id_, owner_); }
  SessionOwnership(const SessionOwnership&) = delete;
  SessionOwnership& operator=(const SessionOwnership&) = delete;

 private:
  Store& store_;
  SessionId id_;
  Owner owner_;
};

/** Returns the number of build workers of a measured session, as its measurer has them. */
std::int64_t session_builders(const SessionSetup& setup);

/**
 * Returns the setup with a batch size if it has none: that of the tuner, or the number of builders. A stored
 * session has a batch size.
 * @param builders number of builders of the session, or of the recording that it replays
 */
Result<SessionSetup> with_batch_size(const SessionSetup& setup, std::int64_t builders);

/** Refuses budgets that compare kernels in a session that only builds. */
Status check_build_only(const MeasureOptions& options, const Budget& budget);

/** Creates the row of a new session, as a run of a study if the setup says so. */
Result<SessionId> create_session_of(Store& store, const SessionSetup& setup, const SessionRecord& record,
                                    const Owner& owner);

/** State of a resumed session, as its owner read it. */
struct ResumedSession {
  SessionStatus status;
  BudgetPlan plan;
};

/**
 * Claims a stored session for `owner`. Errors: Refused, listing all differences, if the session was created
 * from another setup or has another owner; InvalidArgument if the setup's budget is lower than the stored
 * one.
 * @return the session before the claim: a dead owner means that it was interrupted
 */
Result<SessionSummary> claim_stored_session(Store& store, SessionId id, const SessionSetup& setup,
                                            const Owner& owner);

/** Marks on the time axis where the session was interrupted and why, and reports that it resumes. */
Result<ResumedSession> notify_resumed(Store& store, const SessionSummary& before, SessionObserver& observer);

/** Makes the tuner of a session. @param trial_budget that the session began with; 0: none */
Result<std::unique_ptr<Tuner>> make_session_tuner(const SessionSetup& setup, std::int64_t trial_budget);

/**
 * Returns Internal if the tuner broke its contract.
 * @param members true if all candidates are members of the space
 */
Status check_proposal(const SessionSetup& setup, std::size_t candidates, std::int64_t request, bool members);

/** Makes a Refused error: a session cannot be resumed exactly, and why. */
std::unexpected<Error> resume_mismatch(SessionId id, std::string_view what);

/**
 * Checks that the tuner proposes the stored candidates of a batch. The error names the first candidate that
 * differs.
 */
Status compare_proposal(SessionId id, const SessionSetup& setup, std::int32_t batch,
                        std::span<const Configuration> proposed, std::span<const Configuration> stored);

/**
 * Returns the error to report after the session's state was stored, with a hint how to resume the session.
 */
Error with_resume_hint(Error error, SessionId id);

}  // namespace kernelscape
