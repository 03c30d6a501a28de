#include "core/fleet/request.h"

#include <fmt/format.h>

#include <cmath>
#include <tuple>

#include "core/fleet/keys.h"
#include "core/fleet/signature.h"

namespace kernelscape::fleet {
namespace {

constexpr double read_seconds = 0.2;
constexpr double look_again_seconds = 5;  // interval of checks that Redis still has the task
constexpr double waited_for_leases = 6;   // a controller without a heartbeat for longer counts as gone

}  // namespace

Request::Request(const Measuring& measuring, TaskPoster poster)
    : measuring_(&measuring),
      poster_(std::move(poster)),
      controller_(draw_nonce()),
      results_(keys::results(controller_)) {}

Result<Request> Request::open(const Measuring& measuring, std::function<bool()> give_up) {
  return Request(measuring, TRY(TaskPoster::open(measuring.access, measuring.good_seconds, std::move(give_up),
                                                 /*was_there=*/true)));
}

Request::~Request() {
  if (results_.empty() || asked_ == 0) return;  // moved from, or no request was sent
  poster_.connection().stop_waiting();
  std::ignore =
      poster_.connection().ask_all({{"UNLINK", results_}, {"UNLINK", keys::controller(controller_)}});
}

Status Request::stay() {
  const std::string seconds =
      fmt::format("{:.0f}", std::ceil(waited_for_leases * measuring_->access.times.lease_seconds));
  std::ignore =
      TRY(poster_.connection().call({"SET", keys::controller(controller_), "waits", "EX", seconds}));
  return {};
}

Result<std::optional<Answer>> Request::read(const std::string& task, double seconds) {
  const std::string milliseconds = fmt::format("{:.0f}", seconds * 1e3);
  const RedisValue answer =
      TRY(poster_.connection().wait({"XREAD", "BLOCK", milliseconds, "STREAMS", results_, last_}, seconds));
  if (answer.is_error("UNBLOCKED")) return std::nullopt;
  if (answer.kind == RedisValue::Kind::Error) return std::unexpected(poster_.connection().error_of(answer));
  for (const StreamEntry& entry : stream_entries(answer)) {
    last_ = entry.id;
    if (!entry.field("began").empty()) continue;
    Answer reported = TRY(
        verify<Answer>(entry.field("body"), entry.field("signature"), measuring_->access.secret.signing_key));
    // A worker with another protocol version cannot read which task it refuses.
    if (reported.refusal == Refusal::Version)
      return fail(ErrorCode::Environment,
                  fmt::format("worker {} refuses a task: {}", reported.worker, reported.message),
                  reported.hint);
    // A command that was sent twice over a lost connection creates a duplicate entry, whose refusal is not
    // the answer.
    if (reported.refusal == Refusal::Replayed || reported.refusal == Refusal::Signature) continue;
    if (reported.task == task) return reported;
  }
  return std::nullopt;
}

Result<bool> Request::is_there(const std::string& stream, const std::string& entry) {
  const RedisValue found = TRY(poster_.connection().call({"XRANGE", stream, entry, entry}));
  return !found.items.empty();
}

Result<std::optional<Answer>> Request::wait_for(const Task& task, const std::string& stream,
                                                std::string& entry, const std::function<bool()>& stop,
                                                measure::Deadline deadline) {
  auto looked = std::chrono::steady_clock::now();
  while (std::chrono::steady_clock::now() < deadline && !stop()) {
    TRY(stay());
    auto answer = TRY(read(task.id, read_seconds));
    const bool expired = answer && answer->refusal == Refusal::Expired;
    if (answer && !expired) return answer;
    bool forgotten = false;
    if (!expired && measure::seconds_since(looked) > look_again_seconds) {
      looked = std::chrono::steady_clock::now();
      if (!TRY(is_there(stream, entry))) {
        answer = TRY(read(task.id, read_seconds));
        if (answer) return answer;
        forgotten = true;
      }
    }
    if (expired || forgotten) entry = TRY(poster_.post(stream, task));
  }
  return std::nullopt;
}

Result<std::optional<Answer>> Request::ask(Task task, const std::string& stream,
                                           const std::function<bool()>& stop, measure::Deadline deadline) {
  task.controller = controller_;
  task.id = fmt::format("{}-{}", controller_, ++asked_);
  TRY(stay());
  std::string entry = TRY(poster_.post(stream, task));
  auto answer = wait_for(task, stream, entry, stop, deadline);
  if (answer && *answer) return answer;
  if (!answer && !stop()) return answer;
  // Stopped while Redis did not respond: no caller waits for an answer.
  std::ignore = poster_.connection().ask_all({{"XDEL", stream, entry}, {"XACK", stream, keys::group, entry}});
  return std::nullopt;
}

}  // namespace kernelscape::fleet
