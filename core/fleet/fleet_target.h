#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/fleet/fleet_access.h"
#include "core/fleet/worker_registry.h"
#include "core/schedule/target.h"

namespace kernelscape {

/** What the targets begin with that a fleet measures. */
inline constexpr std::string_view fleet_target_prefix = "fleet:";

/** Whether the name is "fleet:" with the address of a Redis. */
inline bool is_fleet_target(std::string_view name) { return name.starts_with(fleet_target_prefix); }

/** "fleet:ADDRESS#CLASS" taken apart. */
struct FleetTargetName {
  RedisAddress address{};
  std::string device_class{};  ///< or the beginning of its name; empty: the only one there is
};

/** InvalidArgument: it is no such name. */
Result<FleetTargetName> parse_fleet_target(std::string_view name);

/** How a controller gets at the fleet of a target; the secret comes from remembered files, else from the
 * environment. */
Result<FleetAccess> access_fleet(const RedisAddress& address);

/**
 * The class of that name among those of workers that serve. NotFound: none fits, or several do and none was
 * named; the message lists what there is. Environment: its workers speak another version of the protocol.
 */
Result<DeviceClass> choose_class(const std::vector<WorkerState>& workers, const std::string& name);

/** A class as a target: TargetDescription::fleet says where it is. */
TargetDescription target_of_class(const DeviceClass& device, const RedisAddress& address);

/** The target that a user names, as the fleet's workers describe it. */
Result<TargetDescription> describe_fleet_target(std::string_view name);

/** How many workers of the class serve whose target a user names. */
Result<std::size_t> count_devices(std::string_view name);

}  // namespace kernelscape
