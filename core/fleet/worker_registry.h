#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/fleet/redis_connection.h"
#include "core/schedule/target.h"

namespace kernelscape::fleet {

/**
 * The properties that make run times comparable, and the requirements for building kernels. A worker detects
 * them; they are never entered by a user.
 */
struct DeviceClass {
  std::string id{};  ///< readable, with a fingerprint of all following members; part of stream
                     ///< names
  schedule::TargetDescription target{};  ///< without the number of the device
  std::vector<std::string> hardware{};   ///< properties that the description lacks: memory, clocks, power
                                         ///< limit
  std::string tool_chain{};              ///< the tool chain that builds its kernels
  /**
   * The options to which -march=native expands on this device, for builders on other machines; empty: only
   * builders on the same machine can build for it.
   */
  std::vector<std::string> native_flags{};

  bool operator==(const DeviceClass&) const = default;
};

/** The identity that a worker registers. */
struct WorkerIdentity {
  std::string id{};
  std::string host{};
  std::int64_t process_id = 0;
  std::int64_t protocol = 0;  ///< its fleet_protocol
  std::string program_version{};
  int builders = 0;
  std::vector<std::string> tool_chains{};  ///< tool chains of its builders
  std::vector<DeviceClass> devices{};      ///< the device that runs kernels; empty: the worker only builds
  double reference_seconds = 0;            ///< time of the reference kernel on the device; 0: not measured
};

/** Returns the JSON text of an identity. */
std::string identity_to_json(const WorkerIdentity& identity);
/** Parses the JSON text of an identity. Returns Corrupt if the text is invalid. */
Result<WorkerIdentity> identity_from_json(std::string_view json);

/** The state of a worker as stored in Redis. */
struct WorkerState {
  WorkerIdentity identity{};
  std::string state{};                   ///< "idle", "building", "running", "waiting", "draining", "left"
  double load = 0;                       ///< recent share of time in which the worker was busy
  std::int64_t done = 0;                 ///< tasks that were answered
  std::int64_t deliveries = 0;           ///< tasks that were delivered
  std::int64_t temperature_celsius = 0;  ///< of the device; 0: unknown
  double seen_seconds = 0;               ///< since the last heartbeat, by the clock of Redis
  std::string message{};                 ///< why the worker left, or a message for its user

  /** Returns true if the worker takes tasks. */
  bool serves() const { return state != "left" && state != "draining"; }
};

/** The number of leases without a heartbeat after which a worker counts as gone. */
inline constexpr double silent_leases = 3;

/**
 * Returns all registered workers by number. Workers without a heartbeat for `silence_seconds` count as gone,
 * with a message.
 */
Result<std::vector<WorkerState>> list_workers(RedisConnection& connection, double silence_seconds);

/** Asks a worker to finish its task and to leave. Returns NotFound if no worker has this number. */
Status ask_to_drain(RedisConnection& connection, const std::string& worker);

}  // namespace kernelscape::fleet
