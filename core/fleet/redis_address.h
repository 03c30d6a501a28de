#pragma once

#include <string>
#include <string_view>

#include "core/base/result.h"

namespace kernelscape {

/** Where a Redis (or Valkey) listens. Holds no password: it is shown, stored and sent to schedulers. */
struct RedisAddress {
  std::string host;    ///< empty: a unix socket
  int port = 6379;     ///< of a host
  std::string socket;  ///< path of a unix socket; empty: a host
  std::string user;    ///< of Redis's access control list; empty: its default user
  int database = 0;

  std::string text() const;  ///< as parse_redis_address() takes it
  bool operator==(const RedisAddress&) const = default;
};

/**
 * "redis://[user@]host[:port][/database]", "[v6]" for the host, or "redis+unix://[user@]/path[?db=database]".
 * InvalidArgument names what is wrong. A password in it is refused: an address is seen in lists of processes
 * and in databases.
 */
Result<RedisAddress> parse_redis_address(std::string_view text);

}  // namespace kernelscape
