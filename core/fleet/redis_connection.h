#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/fleet/redis_address.h"
#include "core/fleet/redis_value.h"

struct redisContext;  // NOLINT(readability-identifier-naming): of hiredis

namespace kernelscape {

/** A Lua program that Redis runs as one step. */
struct RedisScript {
  std::string_view text;
  std::string sha1;  ///< empty until Redis has told it
};

/** How long a connection waits. */
struct RedisPatience {
  double connect_seconds = 5;
  double first_seconds = 0;    ///< for a Redis that is not there when it is first asked; then it is an error
  double answer_seconds = 30;  ///< of a command that does not wait itself
  double reconnect_seconds = 30;    ///< for a Redis that is gone to come back; then it is an error
  std::function<bool()> give_up{};  ///< asked while it is waited for; may be empty
};

/**
 * A connection to Redis, of one thread at a time. One that is lost is made again, and the command sent again,
 * unless Redis closes it at each attempt: a command may be carried out twice. Errors name the address, the
 * reason and the way out.
 */
class RedisConnection {
 public:
  /**
   * Connects and logs in. Refused: a wrong password, or a Redis that lets anybody in without one.
   * Environment: nobody answers there.
   */
  static Result<RedisConnection> open(RedisAddress address, std::string password,
                                      RedisPatience patience = {});
  RedisConnection(RedisConnection&&) noexcept;
  RedisConnection& operator=(RedisConnection&&) noexcept;
  ~RedisConnection();

  /** What Redis answers, its errors being errors. */
  Result<RedisValue> call(const std::vector<std::string_view>& words);
  /** The same, its errors being values, for who knows what to do with one. */
  Result<RedisValue> ask(const std::vector<std::string_view>& words);
  /** A command that waits itself, up to so many seconds; its errors are values. */
  Result<RedisValue> wait(const std::vector<std::string_view>& words, double seconds);
  /** All of them in one go; errors are values. */
  Result<std::vector<RedisValue>> ask_all(const std::vector<std::vector<std::string>>& commands);
  /** Runs a script, which is loaded where Redis does not know it; its errors are values. */
  Result<RedisValue> ask(RedisScript& script, const std::vector<std::string_view>& keys,
                         const std::vector<std::string_view>& arguments);
  /** The same, its errors being errors. */
  Result<RedisValue> call(RedisScript& script, const std::vector<std::string_view>& keys,
                          const std::vector<std::string_view>& arguments);

  /** From now on a Redis that is gone is not waited for: what is said yet is a farewell. */
  void stop_waiting() { patience_.reconnect_seconds = 0; }

  /** Grows with every connection that had to be made again: what was written last may be lost then. */
  int losses() const { return losses_; }
  const RedisAddress& address() const { return address_; }  ///< where it is connected
  /** An answer that is an error, in words, with a way out. */
  Error error_of(const RedisValue& answer) const;

 private:
  struct Close {
    void operator()(redisContext* context) const;
  };
  using Context = std::unique_ptr<redisContext, Close>;
  using Words = std::vector<std::string_view>;

  RedisConnection(RedisAddress address, std::string password, RedisPatience patience);
  Status connect();
  Status log_in();
  Status reconnect(const std::string& reason);
  Result<std::vector<RedisValue>> exchange(std::span<const Words> commands, double seconds);
  bool send_and_receive(std::span<const Words> commands, double seconds, std::vector<RedisValue>& answers,
                        std::string& problem);

  RedisAddress address_;
  std::string password_;
  RedisPatience patience_;
  Context context_;
  int losses_ = 0;
};

}  // namespace kernelscape
