#include "core/fleet/task_queue.h"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <thread>
#include <tuple>

#include "core/base/sha256.h"
#include "core/fleet/keys.h"

namespace kernelscape::fleet {
namespace {

constexpr std::chrono::milliseconds wait_for_room{500};

/** Returns true if Redis or its disk is full: a user has to free space, and no data is lost until then. */
bool lacks_room(const RedisValue& answer) { return answer.is_error("OOM") || answer.is_error("MISCONF"); }

std::string whole(double value) { return fmt::format("{}", static_cast<std::int64_t>(std::ceil(value))); }

/** Converts the reply of the scripts `take` and `accept`. */
std::optional<TakenTask> taken_of(const std::string& stream, const RedisValue& answer) {
  constexpr std::size_t parts = 5;
  if (answer.items.size() < parts) return std::nullopt;
  const std::vector<RedisValue>& fields = answer.items[2].items;
  TakenTask task{.stream = stream,
                 .entry = answer.items[0].text,
                 .deliveries = answer.items[1].integer,
                 .nonce_entry = answer.items[4].text};
  task.body = value_after(fields, "body");
  task.signature = value_after(fields, "signature");
  task.nonce = value_after(fields, "nonce");
  task.controller = value_after(fields, "by");
  task.redis_seconds = std::strtoll(answer.items[3].text.c_str(), nullptr, 10);
  return task;
}

}  // namespace

Status TaskQueue::make_group(const std::string& stream) {
  const RedisValue made = TRY(connection_.ask({"XGROUP", "CREATE", stream, keys::group, "0", "MKSTREAM"}));
  if (made.kind == RedisValue::Kind::Error && !made.is_error("BUSYGROUP"))
    return std::unexpected(connection_.error_of(made));
  return {};
}

Result<std::optional<TakenTask>> TaskQueue::take_left(const std::string& stream) {
  const std::string lease = whole(times_.lease_seconds * 1e3);
  const std::string nonce = whole(times_.nonce_seconds);
  RedisValue answer = TRY(connection_.ask(scripts_.take, {stream}, {keys::group, worker_, lease, nonce}));
  if (answer.kind == RedisValue::Kind::Error && answer.text.contains("NOGROUP")) {
    TRY(make_group(stream));
    return std::nullopt;
  }
  if (lacks_room(answer)) {
    std::this_thread::sleep_for(wait_for_room);
    return std::nullopt;
  }
  if (answer.kind == RedisValue::Kind::Error) return std::unexpected(connection_.error_of(answer));
  return taken_of(stream, answer);
}

Result<std::optional<TakenTask>> TaskQueue::wait_for_new(const std::vector<std::string>& streams,
                                                         double seconds) {
  const std::string milliseconds = whole(seconds * 1e3);
  std::vector<std::string_view> words{"XREADGROUP", "GROUP", keys::group,  worker_,  "COUNT",
                                      "1",          "BLOCK", milliseconds, "STREAMS"};
  for (const std::string& stream : streams) words.push_back(stream);
  for (std::size_t i = 0; i < streams.size(); ++i) words.emplace_back(">");
  const RedisValue answer = TRY(connection_.wait(words, seconds));
  if (answer.is_error("NOGROUP") || answer.is_error("UNBLOCKED")) return std::nullopt;
  if (answer.kind == RedisValue::Kind::Error) return std::unexpected(connection_.error_of(answer));
  const std::vector<StreamEntry> entries = stream_entries(answer);
  if (entries.empty()) return std::nullopt;
  const std::string stream = answer.items[0].items[0].text;
  const std::string lease = whole(times_.lease_seconds * 1e3);
  const std::string nonce = whole(times_.nonce_seconds);
  const RedisValue accepted = TRY(
      connection_.ask(scripts_.accept, {stream}, {keys::group, worker_, lease, nonce, entries.front().id}));
  if (lacks_room(accepted)) {
    std::ignore = TRY(release({.stream = stream, .entry = entries.front().id, .deliveries = 1}, false));
    std::this_thread::sleep_for(wait_for_room);
    return std::nullopt;
  }
  if (accepted.kind == RedisValue::Kind::Error) return std::unexpected(connection_.error_of(accepted));
  return taken_of(stream, accepted);
}

Result<std::optional<TakenTask>> TaskQueue::take(const std::vector<std::string>& streams, double seconds) {
  for (const std::string& stream : streams) {
    std::optional<TakenTask> task = TRY(take_left(stream));
    if (task) return task;
  }
  return wait_for_new(streams, seconds);
}

Result<bool> TaskQueue::finish(const TakenTask& task, const Answer& answer, std::string_view key,
                               std::string_view blob, std::string_view death) {
  const SignedBody made = sign(answer, key);
  const std::string results = keys::results(task.controller);
  const std::string blob_key = keys::blob(answer.artefact_sha256);
  const std::string blob_seconds = whole(times_.blob_seconds);
  const std::string result_seconds = whole(times_.result_seconds);
  const RedisValue done = TRY(connection_.call(scripts_.finish, {task.stream, results, blob_key, keys::dead},
                                               {keys::group, worker_, task.entry, made.body, made.signature,
                                                blob, blob_seconds, result_seconds, death, answer.task}));
  return done.integer == 1;
}

Result<bool> TaskQueue::release(const TakenTask& task, bool counts) {
  const std::string lease = whole(times_.lease_seconds * 1e3);
  const std::string deliveries = fmt::format("{}", counts ? task.deliveries : task.deliveries - 1);
  const RedisValue done = TRY(connection_.call(scripts_.release, {task.stream},
                                               {keys::group, worker_, task.entry, lease, deliveries}));
  return done.integer == 1;
}

Result<bool> TaskQueue::keep(const std::string& stream, const std::string& entry) {
  const RedisValue kept = TRY(connection_.call(scripts_.keep, {stream}, {keys::group, worker_, entry}));
  return kept.integer == 1;
}

Result<std::optional<std::string>> TaskQueue::blob(const std::string& sha256_name) {
  return read_blob(connection_, times_, sha256_name);
}

Result<std::optional<std::string>> read_blob(RedisConnection& connection, const QueueTimes& times,
                                             const std::string& sha256_name) {
  const std::string seconds = whole(times.blob_seconds);
  RedisValue bytes = TRY(connection.call({"GETEX", keys::blob(sha256_name), "EX", seconds}));
  if (bytes.nothing()) return std::nullopt;
  if (base::sha256(bytes.text) != sha256_name) {
    return fail(ErrorCode::Corrupt,
                fmt::format("the blob {} in the Redis at {} does not match its hash", sha256_name,
                            connection.address().text()),
                "check which other programs write to that Redis");
  }
  return std::move(bytes.text);
}

}  // namespace kernelscape::fleet
