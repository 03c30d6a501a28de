#pragma once

#include <string>
#include <string_view>

#include "core/base/result.h"

namespace kernelscape::fleet {

/**
 * The address of a Redis (or Valkey) server. It contains no password: it is shown, stored and sent to
 * schedulers.
 */
struct RedisAddress {
  std::string host;    ///< empty: a unix socket
  int port = 6379;     ///< port of the host
  std::string socket;  ///< path of a unix socket; empty: a host
  std::string user;    ///< user of Redis's access control list; empty: the default user
  int database = 0;

  std::string text() const;  ///< in the format of parse_redis_address()
  bool operator==(const RedisAddress&) const = default;
};

/**
 * Parses "redis://[user@]host[:port][/database]", with "[v6]" as the host for IPv6, or
 * "redis+unix://[user@]/path[?db=database]". Returns InvalidArgument with the reason. An address with a
 * password is refused, because addresses are visible in process lists and databases.
 */
Result<RedisAddress> parse_redis_address(std::string_view text);

}  // namespace kernelscape::fleet
