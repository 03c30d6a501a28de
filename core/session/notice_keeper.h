#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "core/session/session.h"

namespace kernelscape {

/** Under which kind a message is stored; nothing of one that is over when it was read: Waiting and Step. */
std::optional<std::string_view> stored_kind(MessageKind kind);

/**
 * Stores what a session says with it, and hands all on to another observer. What is said before it has begun
 * waits for its number. A notice that can't be stored costs the session nothing: the observer is told why,
 * once for each reason in a row.
 */
class NoticeKeeper final : public SessionObserver {
 public:
  /** @param session_seconds that a resumed session has behind it */
  NoticeKeeper(Store& store, SessionObserver& observer, double session_seconds = 0)
      : store_(store), observer_(observer), session_seconds_(session_seconds) {}

  void started(SessionId id, const SessionRecord& record) override;
  void phase_changed(SessionPhase phase, const SessionStatus& status) override;
  void batch_started(std::int32_t batch, std::size_t candidates) override;
  void trial_finished(const Trial& trial, const SessionStatus& status) override;
  void progress(const BatchProgress& batch, const SessionStatus& status) override;
  void replay_progress(std::int64_t errors, const SessionStatus& status) override;
  void message(const SessionMessage& message) override;

 private:
  void store(const SessionNotice& notice);

  Store& store_;
  SessionObserver& observer_;
  double session_seconds_;
  std::optional<SessionId> id_;
  std::vector<SessionNotice> waiting_;
  std::optional<Error> told_;  ///< why the last one that could not be stored was not
};

}  // namespace kernelscape
