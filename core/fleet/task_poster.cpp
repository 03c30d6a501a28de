#include "core/fleet/task_poster.h"

#include <fmt/format.h>

#include <cstdlib>
#include <tuple>

#include "core/base/sha256.h"
#include "core/fleet/keys.h"
#include "core/fleet/signature.h"
#include "core/measure/interruption.h"

namespace kernelscape::fleet {
namespace {

constexpr std::size_t max_blob_bytes = 512U << 20;  // Redis closes the connection if a text is longer
constexpr double ask_time_seconds = 10;             // a jump of the clock of Redis is noticed after this
                                                    // time

}  // namespace

Result<TaskPoster> TaskPoster::open(const Access& access, double good_seconds, std::function<bool()> give_up,
                                    bool was_there) {
  return TaskPoster(access, TRY(access.connect(std::move(give_up), was_there)), good_seconds);
}

Result<std::int64_t> TaskPoster::redis_seconds() {
  const double passed = measure::seconds_since(notified_at_);
  if (notified_seconds_ > 0 && passed < ask_time_seconds)
    return notified_seconds_ + static_cast<std::int64_t>(passed);
  const RedisValue time = TRY(connection_.call({"TIME"}));
  if (time.items.size() != 2) return fail(ErrorCode::Corrupt, "Redis did not report its time");
  notified_seconds_ = std::strtoll(time.items[0].text.c_str(), nullptr, 10);
  notified_at_ = std::chrono::steady_clock::now();
  return notified_seconds_;
}

Result<std::string> TaskPoster::post(const std::string& stream, Task task) {
  task.stream = stream;
  task.nonce = draw_nonce();
  task.expires_seconds = TRY(redis_seconds()) + static_cast<std::int64_t>(good_seconds_);
  const SignedBody made = sign(task, access_->secret.signing_key);
  RedisValue entry =
      TRY(connection_.call({"XADD", stream, "*", "body", made.body, "signature", made.signature, "nonce",
                            task.nonce, "by", task.controller, "task", task.id}));
  return std::move(entry.text);
}

Result<std::string> TaskPoster::put_blob(const std::string& bytes) {
  if (bytes.size() > max_blob_bytes) {
    return fail(
        ErrorCode::InvalidArgument,
        fmt::format("the data for the workers has {} MiB, and the Redis of a fleet accepts at most {} MiB",
                    bytes.size() >> 20, max_blob_bytes >> 20),
        "measure a smaller problem, or measure on one machine");
  }
  std::string name = base::sha256(bytes);
  const std::string seconds = fmt::format("{:.0f}", access_->times.blob_seconds);
  std::ignore = TRY(connection_.call({"SET", keys::blob(name), bytes, "EX", seconds}));
  return name;
}

}  // namespace kernelscape::fleet
