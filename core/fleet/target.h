#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/fleet/access.h"
#include "core/fleet/worker_registry.h"
#include "core/schedule/target.h"

namespace kernelscape::fleet {

/** The prefix of the names of targets that a fleet measures. */
inline constexpr std::string_view fleet_target_prefix = "fleet:";

/** Returns true if the name is "fleet:" with the address of a Redis. */
inline bool is_fleet_target(std::string_view name) { return name.starts_with(fleet_target_prefix); }

/** The parts of "fleet:ADDRESS#CLASS". */
struct TargetName {
  RedisAddress address{};
  std::string device_class{};  ///< name of the class or a prefix of it; empty: the only existing class
};

/** Parses the name of a fleet target. Returns InvalidArgument if the syntax is wrong. */
Result<TargetName> parse_fleet_target(std::string_view name);

/**
 * Returns the access to the fleet of a target. The secret is read from remembered files, or else from the
 * environment.
 */
Result<Access> access_fleet(const RedisAddress& address);

/**
 * Returns the class with this name among those of serving workers. Errors: NotFound if no class matches, or
 * if several classes exist and no name was given; the message lists the classes. Environment if the workers
 * use another protocol version.
 */
Result<DeviceClass> choose_class(const std::vector<WorkerState>& workers, const std::string& name);

/** Returns a class as a target; TargetDescription::fleet contains its fleet. */
schedule::TargetDescription target_of_class(const DeviceClass& device, const RedisAddress& address);

/** Returns the target that a user names, as the workers of the fleet describe it. */
Result<schedule::TargetDescription> describe_fleet_target(std::string_view name);

/** Returns the number of serving workers in the class of the target that a user names. */
Result<std::size_t> count_devices(std::string_view name);

}  // namespace kernelscape::fleet
