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

namespace kernelscape::fleet {

/** A Lua program that Redis executes atomically. */
struct RedisScript {
  std::string_view text;
  std::string sha1;  ///< empty until Redis has reported it
};

/** How long a connection waits. */
struct RedisPatience {
  double connect_seconds = 5;
  double first_seconds = 0;         ///< for a Redis that does not respond to the first request; then an error
  double answer_seconds = 30;       ///< for the reply to a command that does not block
  double reconnect_seconds = 30;    ///< for the reconnection to a Redis that does not respond; then an error
  std::function<bool()> give_up{};  ///< polled while waiting; may be empty
};

/**
 * A connection to Redis, used by one thread at a time. A lost connection is opened again and the command is
 * sent again, unless Redis closes the connection at each attempt: a command may therefore be executed twice.
 * Errors name the address, the reason and the remedy.
 */
class RedisConnection {
 public:
  /**
   * Connects and logs in. Errors: Refused for a wrong password, or for a Redis that does not require a
   * password. Environment if no server responds.
   */
  static Result<RedisConnection> open(RedisAddress address, std::string password,
                                      RedisPatience patience = {});
  RedisConnection(RedisConnection&&) noexcept;
  RedisConnection& operator=(RedisConnection&&) noexcept;
  ~RedisConnection();

  /** Returns the reply of Redis; an error reply is returned as an error. */
  Result<RedisValue> call(const std::vector<std::string_view>& words);
  /** Returns the reply of Redis; an error reply is returned as a value that the caller handles. */
  Result<RedisValue> ask(const std::vector<std::string_view>& words);
  /** Executes a command that blocks for up to `seconds`. Error replies are values. */
  Result<RedisValue> wait(const std::vector<std::string_view>& words, double seconds);
  /** Sends all commands in one pipeline. Error replies are values. */
  Result<std::vector<RedisValue>> ask_all(const std::vector<std::vector<std::string>>& commands);
  /** Runs a script and loads it first if Redis does not know it. Error replies are values. */
  Result<RedisValue> ask(RedisScript& script, const std::vector<std::string_view>& keys,
                         const std::vector<std::string_view>& arguments);
  /** Runs a script and loads it first if Redis does not know it. An error reply is returned as an error. */
  Result<RedisValue> call(RedisScript& script, const std::vector<std::string_view>& keys,
                          const std::vector<std::string_view>& arguments);

  /** Disables waiting for reconnection: the remaining messages only say goodbye. */
  void stop_waiting() { patience_.reconnect_seconds = 0; }

  /** Returns the number of reconnections. After each of them the last writes may be lost. */
  int losses() const { return losses_; }
  const RedisAddress& address() const { return address_; }  ///< address of the server
  /** Returns an error reply as an error with a text and a remedy. */
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

}  // namespace kernelscape::fleet
