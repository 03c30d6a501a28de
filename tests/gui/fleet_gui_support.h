#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/fleet/messages.h"
#include "ui/workspace/fleet_watch.h"

namespace kernelscape::gui_tests {

inline constexpr const char* fleet_address = "redis://lab.example:6379/0";

inline fleet::WorkerState fleet_worker(const std::string& id, const std::string& device_class,
                                       const std::string& state = "idle") {
  fleet::WorkerState worker;
  worker.identity.id = id;
  worker.identity.host = id.substr(0, id.find('-'));
  worker.identity.protocol = fleet::fleet_protocol;
  worker.identity.builders = 4;
  worker.identity.tool_chains = {"gcc-12"};
  worker.state = state;
  worker.load = 0.25;
  worker.done = 1200;
  worker.deliveries = 1203;
  if (device_class.empty()) return worker;
  fleet::DeviceClass device;
  device.id = device_class;
  device.target.device = "Processor of " + device_class;
  device.target.isa = "avx512";
  device.tool_chain = "gcc-12";
  device.hardware = {"memory 64 GiB"};
  worker.identity.devices = {device};
  return worker;
}

/** Two classes of devices and a builder; one worker left, one task was given up. */
inline fleet::State small_fleet() {
  fleet::State state;
  state.address = fleet_address;
  state.workers = {fleet_worker("alder-cpu-1", "epyc-avx512-64-0a1b2c3d", "running"),
                   fleet_worker("birch-cpu-2", "epyc-avx512-64-0a1b2c3d", "left"),
                   fleet_worker("cedar-cuda-3", "h100-sm-90a-132-4e5f6071", "running"),
                   fleet_worker("dogwood-none-4", {}, "building")};
  state.workers[1].message = "no space left on device";
  state.workers[2].temperature_celsius = 61;
  state.queues = {{.name = "epyc-avx512-64-0a1b2c3d", .builds = false, .waiting = 12, .in_hand = 1},
                  {.name = "gcc-12", .builds = true, .waiting = 3, .in_hand = 2},
                  {.name = "h100-sm-90a-132-4e5f6071", .builds = false, .waiting = 0, .in_hand = 1}};
  state.dead = {{.task = "task-7",
                 .worker = "birch-cpu-2",
                 .reason = "three workers were lost with it",
                 .seconds = 1'790'000'000}};
  state.used_bytes = 12LL << 20;
  state.max_bytes = 64LL << 20;
  return state;
}

/** Stands in for a Redis and its workers. Outlives whoever looks at it. */
class FakeFleet {
 public:
  explicit FakeFleet(fleet::State state = small_fleet()) : state_(std::move(state)) {}

  /** For Workspace and FleetWatch. */
  workspace::FleetLinker linker() {
    return [this](const workspace::FleetPlace& place) -> Result<std::unique_ptr<workspace::FleetLink>> {
      const std::scoped_lock lock(mutex_);
      places_.push_back(place);
      if (error_) return std::unexpected(*error_);
      return std::make_unique<Link>(*this);
    };
  }

  void set(fleet::State state) {
    const std::scoped_lock lock(mutex_);
    state_ = std::move(state);
  }
  /** From now on it does not answer; none: it does. */
  void fail_with(std::optional<Error> error) {
    const std::scoped_lock lock(mutex_);
    error_ = std::move(error);
  }
  /** From now on no worker can be asked to leave. */
  void refuse_drains(Error error) {
    const std::scoped_lock lock(mutex_);
    drain_error_ = std::move(error);
  }

  int reads() const {
    const std::scoped_lock lock(mutex_);
    return reads_;
  }
  std::vector<std::string> drained() const {
    const std::scoped_lock lock(mutex_);
    return drained_;
  }
  std::vector<workspace::FleetPlace> places() const {  ///< in the order in which links to them were made
    const std::scoped_lock lock(mutex_);
    return places_;
  }

 private:
  struct Link final : workspace::FleetLink {
    explicit Link(FakeFleet& of) : fleet(of) {}
    Result<fleet::State> read() override {
      const std::scoped_lock lock(fleet.mutex_);
      ++fleet.reads_;
      if (fleet.error_) return std::unexpected(*fleet.error_);
      return fleet.state_;
    }
    Status drain(const std::string& worker) override {
      const std::scoped_lock lock(fleet.mutex_);
      if (fleet.drain_error_) return std::unexpected(*fleet.drain_error_);
      fleet.drained_.push_back(worker);
      for (fleet::WorkerState& known : fleet.state_.workers)
        if (known.identity.id == worker) known.state = "draining";
      return {};
    }
    FakeFleet& fleet;
  };

  mutable std::mutex mutex_;
  fleet::State state_;
  std::optional<Error> error_;
  std::optional<Error> drain_error_;
  int reads_ = 0;
  std::vector<std::string> drained_;
  std::vector<workspace::FleetPlace> places_;
};

}  // namespace kernelscape::gui_tests
