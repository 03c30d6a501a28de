#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/fleet/redis_connection.h"
#include "core/schedule/target.h"

namespace kernelscape {

/** What makes times comparable, and what it takes to build for it: computed by a worker from what it finds,
 * never typed. */
struct DeviceClass {
  std::string id{};            ///< readable, with a fingerprint of all that is below: a name of streams
  TargetDescription target{};  ///< without the number of the device
  std::vector<std::string> hardware{};  ///< what the description lacks: memory, clocks, power limit
  std::string tool_chain{};             ///< of its kernels: who can build for it
  /** What the C compiler's -march=native means on it, for builders elsewhere; empty: only its own can. */
  std::vector<std::string> native_flags{};

  bool operator==(const DeviceClass&) const = default;
};

/** A worker as it introduces itself. */
struct WorkerIdentity {
  std::string id{};
  std::string host{};
  std::int64_t process_id = 0;
  std::int64_t protocol = 0;  ///< its fleet_protocol
  std::string program_version{};
  int builders = 0;
  std::vector<std::string> tool_chains{};  ///< that its builders have
  std::vector<DeviceClass> devices{};      ///< one that it runs kernels on; none: it only builds
  double reference_seconds = 0;            ///< of the reference kernel on it; 0: not measured
};

/** The text of an identity. */
std::string identity_to_json(const WorkerIdentity& identity);
/** The inverse; Corrupt where it is none. */
Result<WorkerIdentity> identity_from_json(std::string_view json);

/** A worker as a fleet knows it. */
struct WorkerState {
  WorkerIdentity identity{};
  std::string state{};                   ///< "idle", "building", "running", "draining", "left"
  double load = 0;                       ///< share of its time in which it worked, lately
  std::int64_t done = 0;                 ///< tasks that it answered
  std::int64_t deliveries = 0;           ///< tasks that it was given
  std::int64_t temperature_celsius = 0;  ///< of its device; 0: not known
  double seen_seconds = 0;               ///< since its last sign of life, by Redis's clock
  std::string message{};                 ///< why it left, or what its user should know

  /** Whether it takes tasks. */
  bool serves() const { return state != "left" && state != "draining"; }
};

/** A worker that is silent for so many leases is gone. */
inline constexpr double silent_leases = 3;

/** All workers that Redis knows, by number; those without a sign of life for so long count as gone, with a
 * message. */
Result<std::vector<WorkerState>> list_workers(RedisConnection& connection, double silence_seconds);

/** Asks a worker to finish what it has and to leave. NotFound: there is none of this number. */
Status ask_to_drain(RedisConnection& connection, const std::string& worker);

}  // namespace kernelscape
