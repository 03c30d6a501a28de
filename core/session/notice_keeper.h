#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/session/session.h"

namespace kernelscape::session {

/** Returns the kind under which a message is stored; nullopt for the transient messages Waiting and Step. */
std::optional<std::string_view> stored_kind(MessageKind kind);

/**
 * Stores the messages of a session with it, and passes all events to another observer. Messages before the
 * session has begun are stored once its number is known. If a notice cannot be stored, the session continues,
 * and the observer is notified of the reason, once per run of equal reasons.
 */
class NoticeKeeper final : public Observer {
 public:
  /** @param session_seconds session time of earlier runs of a resumed session */
  NoticeKeeper(store::Store& store, Observer& observer, double session_seconds = 0)
      : store_(store), observer_(observer), session_seconds_(session_seconds) {}

  void started(store::SessionId id, const store::SessionRecord& record) override;
  void phase_changed(Phase phase, const store::SessionStatus& status) override;
  void batch_started(std::int32_t batch, std::size_t candidates) override;
  void trials_submitted(std::span<const std::int64_t> numbers) override;
  void trial_finished(const trial::Trial& trial, const store::SessionStatus& status) override;
  void progress(const measure::BatchProgress& batch, const store::SessionStatus& status) override;
  void replay_progress(std::int64_t errors, const store::SessionStatus& status) override;
  void message(const Message& message) override;

 private:
  void store(const trial::SessionNotice& notice);

  store::Store& store_;
  Observer& observer_;
  double session_seconds_;
  std::optional<store::SessionId> id_;
  std::vector<trial::SessionNotice> waiting_;
  std::optional<Error> notified_;  ///< why the last notice that could not be stored failed
};

}  // namespace kernelscape::session
