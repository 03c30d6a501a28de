#include "core/fleet/target.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/base/text.h"
#include "core/fleet/messages.h"
#include "core/fleet/remembered_secrets.h"

namespace kernelscape::fleet {
namespace {

constexpr const char* join_hint =
    "start one with `kernelscape-worker --join ADDRESS`, or see `kernelscape fleet status ADDRESS`";

std::unexpected<Error> no_class(const std::map<std::string, DeviceClass>& classes,
                                const std::string& reason) {
  std::vector<std::string> names;
  for (const auto& [name, device] : classes) names.push_back("#" + name);
  return fail(ErrorCode::NotFound, reason,
              names.empty() ? join_hint : "add one of these to the target: " + base::join(names, ", "));
}

Result<std::vector<WorkerState>> workers_of(const RedisAddress& address) {
  const Access access = TRY(access_fleet(address));
  RedisConnection connection = TRY(access.connect());
  return list_workers(connection, silent_leases * access.times.lease_seconds);
}

}  // namespace

Result<TargetName> parse_fleet_target(std::string_view name) {
  if (!is_fleet_target(name))
    return fail(ErrorCode::InvalidArgument, fmt::format("\"{}\" is not a fleet target", name),
                "write fleet:redis://host:6379/0#CLASS");
  std::string_view address = name.substr(fleet_target_prefix.size());
  TargetName parsed;
  if (const auto hash = address.find('#'); hash != std::string_view::npos) {
    parsed.device_class = address.substr(hash + 1);
    address = address.substr(0, hash);
  }
  parsed.address = TRY(parse_redis_address(address));
  return parsed;
}

Result<Access> access_fleet(const RedisAddress& address) {
  Access access;
  access.address = address;
  access.secret = TRY(read_fleet_secret(remembered_secret_files(address)));
  return access;
}

Result<DeviceClass> choose_class(const std::vector<WorkerState>& workers, const std::string& name) {
  std::map<std::string, DeviceClass> fitting;
  std::map<std::string, DeviceClass> known;
  std::string other_version;
  for (const WorkerState& worker : workers) {
    if (!worker.serves() || worker.identity.devices.empty()) continue;
    const DeviceClass& device = worker.identity.devices.front();
    if (worker.identity.protocol != fleet_protocol) {
      other_version = fmt::format("worker {} uses version {} of the protocol, this program version {}",
                                  worker.identity.id, worker.identity.protocol, fleet_protocol);
      continue;
    }
    known.emplace(device.id, device);
    if (device.id.starts_with(name)) fitting.emplace(device.id, device);
  }
  if (const auto exact = fitting.find(name); exact != fitting.end()) return exact->second;
  if (fitting.size() == 1) return fitting.begin()->second;
  if (known.empty() && !other_version.empty())
    return fail(ErrorCode::Environment, other_version,
                "install the same kernelscape on all machines of the fleet");
  if (known.empty()) return no_class(known, "the fleet has no worker with a device");
  if (fitting.empty())
    return no_class(known, fmt::format("the fleet has no device of the class \"{}\"", name));
  return no_class(
      fitting, name.empty() ? "the fleet has devices of several classes, whose run times are not comparable"
                            : fmt::format("several classes of the fleet begin with \"{}\"", name));
}

schedule::TargetDescription target_of_class(const DeviceClass& device, const RedisAddress& address) {
  schedule::TargetDescription target = device.target;
  target.fleet = fmt::format("{}#{}", address.text(), device.id);
  return target;
}

Result<schedule::TargetDescription> describe_fleet_target(std::string_view name) {
  const TargetName parsed = TRY(parse_fleet_target(name));
  const std::vector<WorkerState> workers = TRY(workers_of(parsed.address));
  return target_of_class(TRY(choose_class(workers, parsed.device_class)), parsed.address);
}

Result<std::size_t> count_devices(std::string_view name) {
  const TargetName parsed = TRY(parse_fleet_target(name));
  const std::vector<WorkerState> workers = TRY(workers_of(parsed.address));
  const DeviceClass device = TRY(choose_class(workers, parsed.device_class));
  return static_cast<std::size_t>(std::ranges::count_if(workers, [&](const WorkerState& worker) {
    return worker.serves() && !worker.identity.devices.empty() &&
           worker.identity.devices.front().id == device.id;
  }));
}

}  // namespace kernelscape::fleet
