#include "core/session/notice_keeper.h"

#include <utility>

namespace kernelscape::session {

std::optional<std::string_view> stored_kind(MessageKind kind) {
  switch (kind) {
    case MessageKind::Machine:
      return trial::machine_notice;
    case MessageKind::BusyProcess:
      return trial::process_notice;
    case MessageKind::Note:
      return trial::note_notice;
    case MessageKind::Failure:
      return trial::failure_notice;
    case MessageKind::Problem:
      return trial::problem_notice;
    case MessageKind::Waiting:
    case MessageKind::Step:
      break;
  }
  return std::nullopt;
}

void NoticeKeeper::started(store::SessionId id, const store::SessionRecord& record) {
  id_ = id;
  observer_.started(id, record);
  for (const trial::SessionNotice& notice : std::exchange(waiting_, {})) store(notice);
}

void NoticeKeeper::phase_changed(Phase phase, const store::SessionStatus& status) {
  session_seconds_ = status.session_seconds;
  observer_.phase_changed(phase, status);
}

void NoticeKeeper::batch_started(std::int32_t batch, std::size_t candidates) {
  observer_.batch_started(batch, candidates);
}

void NoticeKeeper::trials_submitted(std::span<const std::int64_t> numbers) {
  observer_.trials_submitted(numbers);
}

void NoticeKeeper::trial_finished(const trial::Trial& trial, const store::SessionStatus& status) {
  session_seconds_ = status.session_seconds;
  observer_.trial_finished(trial, status);
}

void NoticeKeeper::progress(const measure::BatchProgress& batch, const store::SessionStatus& status) {
  session_seconds_ = status.session_seconds;
  observer_.progress(batch, status);
}

void NoticeKeeper::replay_progress(std::int64_t errors, const store::SessionStatus& status) {
  session_seconds_ = status.session_seconds;
  observer_.replay_progress(errors, status);
}

void NoticeKeeper::message(const Message& message) {
  observer_.message(message);
  const std::optional<std::string_view> kind = stored_kind(message.kind);
  if (!kind) return;
  const trial::SessionNotice notice{std::string(*kind), message.text, session_seconds_};
  if (id_)
    store(notice);
  else
    waiting_.push_back(notice);
}

/**
 * Measurements matter more than notices: the observer is notified of the reason, and the session continues.
 */
void NoticeKeeper::store(const trial::SessionNotice& notice) {
  const Status kept = store_.notices().add(*id_, notice);
  if (kept || kept.error() == notified_) return;
  notified_ = kept.error();
  observer_.message(
      {MessageKind::Problem, "the session's notices are not stored: " + describe(kept.error())});
}

}  // namespace kernelscape::session
