#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "core/session/session.h"

namespace kernelscape {

// What measured and replayed sessions do alike.

/** Gives the session back, however the run ends; a process that dies leaves a dead owner, who is taken over.
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

/** Build workers of a measured session: as its measurer has them. */
std::int64_t session_builders(const SessionSetup& setup);

/**
 * The setup with the number of candidates of a batch where it has none: the tuner's own, or that of builders.
 * A stored session has one.
 * @param builders of the session, or of the recording that it is replayed from
 */
Result<SessionSetup> with_batch_size(const SessionSetup& setup, std::int64_t builders);

/** Budgets that compare kernels make no sense where none runs. */
Status check_build_only(const MeasureOptions& options, const Budget& budget);

/** The row of a new session, as the run of a study where the setup says so. */
Result<SessionId> create_session_of(Store& store, const SessionSetup& setup, const SessionRecord& record,
                                    const Owner& owner);

/** A session that goes on, as its owner read it. */
struct ResumedSession {
  SessionStatus status;
  BudgetPlan plan;
};

/**
 * Refused, with everything that differs, where the session was made from something else or has another
 * owner. InvalidArgument: the setup's budget is lower than the stored one.
 * @return it as it was until then: a dead owner tells of an interruption
 */
Result<SessionSummary> claim_stored_session(Store& store, SessionId id, const SessionSetup& setup,
                                            const Owner& owner);

/** Marks on the time axis where it stood still, and why, and tells that it goes on. */
Result<ResumedSession> tell_resumed(Store& store, const SessionSummary& before, SessionObserver& observer);

/** @param trial_budget of the session's begin; 0: none */
Result<std::unique_ptr<Tuner>> make_session_tuner(const SessionSetup& setup, std::int64_t trial_budget);

/** Internal where the tuner broke its contract. @param members whether all candidates are */
Status check_proposal(const SessionSetup& setup, std::size_t candidates, std::int64_t request, bool members);

/** Refused: a session can't go on exactly, and why. */
std::unexpected<Error> resume_mismatch(SessionId id, std::string_view what);

/** Whether the tuner proposes what is stored of a batch; the error names the first candidate that differs. */
Status compare_proposal(SessionId id, const SessionSetup& setup, std::int32_t batch,
                        std::span<const Configuration> proposed, std::span<const Configuration> stored);

/** The error as it is told, once the session's state was stored: with the way on. */
Error with_way_on(Error error, SessionId id);

}  // namespace kernelscape
