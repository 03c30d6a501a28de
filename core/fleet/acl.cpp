#include "core/fleet/acl.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <string_view>

#include "core/fleet/keys.h"

namespace kernelscape::fleet {
namespace {

// All Redis commands that fleets use, including those in scripts.
constexpr std::array<std::string_view, 32> commands_of_fleets{
    "ping",     "auth",     "select", "time",    "info", "evalsha", "script|load", "set",
    "get",      "getex",    "exists", "expire",  "del",  "unlink",  "sadd",        "srem",
    "smembers", "hset",     "hget",   "hgetall", "xadd", "xread",   "xreadgroup",  "xautoclaim",
    "xclaim",   "xpending", "xack",   "xdel",    "xlen", "xrange",  "xrevrange",   "xtrim"};

}  // namespace

std::string acl_line(const std::string& user) {
  return fmt::format("user {} on >PASSWORD resetchannels resetkeys ~{}* -@all +{} +xgroup|create", user,
                     keys::prefix, fmt::join(commands_of_fleets, " +"));
}

}  // namespace kernelscape::fleet
