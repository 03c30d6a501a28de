#include "core/fleet/machine_arbiter.h"

#include <chrono>
#include <utility>

namespace kernelscape::fleet {
namespace {

constexpr const char* processor = "cpu";
constexpr const char* processor_turn = "cpu-turn";
constexpr std::chrono::milliseconds ask_again{5};
constexpr std::chrono::milliseconds look_again{50};
constexpr double max_waiting_seconds = 2;  // for another program, while holding a task that other workers
                                           // could do

}  // namespace

MachineArbiter::Pass::Pass(Pass&& other) noexcept
    : gate_(std::exchange(other.gate_, nullptr)), runs_(other.runs_), lease_(std::move(other.lease_)) {
  other.lease_.reset();
}

MachineArbiter::Pass::~Pass() {
  lease_.reset();
  if (gate_ != nullptr) gate_->leave(runs_);
}

void MachineArbiter::leave(bool runs) {
  const std::scoped_lock lock(mutex_);
  if (runs) {
    running_ = false;
  } else {
    --building_;
  }
  changed_.notify_all();
}

bool MachineArbiter::runs_on_processor() const { return device_ == processor; }

Result<std::optional<measure::DeviceLease>> MachineArbiter::lease_device(
    const std::string& device, bool shared, const measure::Interruption& interruption) {
  measure::DeviceLease::Request request;
  request.device = device;
  request.holder = holder_;
  request.shared = shared;
  request.ask_again = ask_again;
  std::string waited_for;
  request.waiting = [&](const std::string& holder) { waited_for = holder; };
  const auto start = std::chrono::steady_clock::now();
  request.give_up = [&] { return interruption.now() || measure::seconds_since(start) > max_waiting_seconds; };
  Result<measure::DeviceLease> held = measure::DeviceLease::acquire(request);
  if (!held && held.error().code != ErrorCode::Refused) return std::unexpected(held.error());
  // A thread that has its turn may still wait for the device.
  if (!held || device != processor_turn) {
    const std::scoped_lock lock(mutex_);
    other_holder_ = held ? std::string() : waited_for;
  }
  if (!held) return std::nullopt;
  return std::optional(std::move(*held));
}

/**
 * Takes the turn lock. A waiting run holds it, so that builders that arrive later, in any process, queue
 * behind it.
 */
Result<std::optional<measure::DeviceLease>> MachineArbiter::take_turn(
    bool shared, const measure::Interruption& interruption) {
  return lease_device(processor_turn, shared, interruption);
}

/** Returns false if it was interrupted. */
bool MachineArbiter::wait_for_runs(const measure::Interruption& interruption) {
  std::unique_lock lock(mutex_);
  while (runs_on_processor() && (running_ || runs_waiting_ > 0)) {
    changed_.wait_for(lock, look_again);
    if (interruption.now()) return false;
  }
  ++building_;
  return true;
}

bool MachineArbiter::wait_for_builds(const measure::Interruption& interruption) {
  std::unique_lock lock(mutex_);
  ++runs_waiting_;
  bool interrupted = false;
  while (!interrupted && (running_ || (runs_on_processor() && building_ > 0))) {
    changed_.wait_for(lock, look_again);
    interrupted = interruption.now();
  }
  --runs_waiting_;
  changed_.notify_all();
  if (!interrupted) running_ = true;
  return !interrupted;
}

Result<std::optional<MachineArbiter::Pass>> MachineArbiter::begin_build(
    const measure::Interruption& interruption) {
  if (!wait_for_runs(interruption)) return std::nullopt;
  Pass pass(this, false, std::nullopt);
  if (!TRY(take_turn(/*shared=*/true, interruption))) return std::nullopt;
  pass.lease_ = TRY(lease_device(processor, /*shared=*/true, interruption));
  if (!pass.lease_) return std::nullopt;
  return std::optional(std::move(pass));
}

Result<std::optional<MachineArbiter::Pass>> MachineArbiter::begin_run(
    const measure::Interruption& interruption) {
  if (!wait_for_builds(interruption)) return std::nullopt;
  Pass pass(this, true, std::nullopt);
  std::optional<measure::DeviceLease> turn;
  if (runs_on_processor()) {
    turn = TRY(take_turn(/*shared=*/false, interruption));
    if (!turn) return std::nullopt;
  }
  pass.lease_ = TRY(lease_device(device_, /*shared=*/false, interruption));
  if (!pass.lease_) return std::nullopt;
  return std::optional(std::move(pass));
}

std::string MachineArbiter::other_holder() const {
  const std::scoped_lock lock(mutex_);
  return other_holder_;
}

}  // namespace kernelscape::fleet
