#include "core/fleet/controller.h"

#include <fmt/format.h>

#include <cmath>
#include <tuple>

namespace kernelscape::fleet {
namespace {

constexpr double waited_for_seconds = 6;  // in leases: a controller without a heartbeat for longer counts as
                                          // gone

}  // namespace

Status Controller::announce(RedisConnection& connection) const {
  const std::string seconds =
      fmt::format("{:.0f}", std::ceil(waited_for_seconds * measuring.access.times.lease_seconds));
  std::ignore = TRY(connection.call({"SET", keys::controller(id), "waits", "EX", seconds}));
  return {};
}

}  // namespace kernelscape::fleet
