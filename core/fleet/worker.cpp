#include "core/fleet/worker.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <condition_variable>
#include <cstdlib>
#include <list>
#include <mutex>
#include <optional>
#include <thread>
#include <tuple>
#include <utility>

#include "core/base/memory.h"
#include "core/base/numbers.h"
#include "core/fleet/keys.h"
#include "core/fleet/task_service.h"

namespace kernelscape::fleet {
namespace {

constexpr double reference_seconds_kept = 7 * 86'400;
constexpr double left_seconds_kept = 3600;
constexpr double temperature_seconds_kept = 30;  // a query starts a program
constexpr std::chrono::milliseconds ask_stop{100};
constexpr int max_references = 3;  ///< measurements of a machine that may recover, after the first

std::string seconds_text(double seconds) { return fmt::format("{:.0f}", std::max(1.0, seconds)); }

/** The slot and the service of a thread. */
struct ServingThread {
  ServingThread(const WorkerSetup& setup, TaskService::Hooks hooks)
      : service(setup, slot, std::move(hooks)) {}
  WorkerSlot slot;
  TaskService service;
  std::thread thread;
};

class FleetWorker {
 public:
  explicit FleetWorker(WorkerSetup setup) : setup_(std::move(setup)) {}

  Status serve() {
    RedisConnection connection = TRY(RedisConnection::open(
        setup_.address, setup_.secret.password,
        {.reconnect_seconds = setup_.patience_seconds, .give_up = [this] { return halted(); }}));
    TRY(join_class(connection));
    TaskQueue life(std::move(connection), setup_.identity.id, setup_.times);
    TRY(introduce(life.connection()));
    start_threads();
    const Status lived = live(life);
    if (!lived) fault(lived.error());
    for (ServingThread& serving : threads_) serving.thread.join();
    const std::optional<Error> why = take_fault();
    leave(life.connection(), why);
    if (why) return std::unexpected(*why);
    return {};
  }

 private:
  void say(const std::string& text) const {
    if (setup_.say) setup_.say(text);
  }

  bool halted() const { return draining_.load() || (setup_.stop && setup_.stop() > 0); }

  void fault(const Error& error) {
    {
      const std::scoped_lock lock(mutex_);
      if (!fault_) fault_ = error;
    }
    draining_ = true;
  }

  std::optional<Error> take_fault() {
    const std::scoped_lock lock(mutex_);
    return fault_;
  }

  /** Compares the device with the first worker of its class, which defines the reference time. */
  Status join_class(RedisConnection& connection) {
    WorkerIdentity& identity = setup_.identity;
    if (identity.devices.empty() || identity.reference_seconds <= 0) return {};
    class_ = identity.devices.front().id;
    const std::string key = keys::reference(class_);
    const std::string own = fmt::format("{:.9g}", identity.reference_seconds);
    std::ignore = TRY(connection.call({"SET", key, own, "NX", "EX", seconds_text(reference_seconds_kept)}));
    const RedisValue first = TRY(connection.call({"GET", key}));
    const double reference = std::strtod(first.text.c_str(), nullptr);
    if (reference <= 0) return {};
    TRY(await_recovery(reference));
    return take_class(reference);
  }

  /** Gives the device the class of the others, or a separate one if its reference time differs. */
  Status take_class(double reference) {
    const std::scoped_lock lock(mutex_);
    WorkerIdentity& identity = setup_.identity;
    DeviceClass& device = identity.devices.front();
    device.id = class_;
    message_.clear();
    const double difference = identity.reference_seconds / reference - 1;
    if (std::abs(difference) <= setup_.reference_share) return {};
    message_ = fmt::format(
        "the reference kernel takes {} here and {} on the first worker of {}, {} {}: this worker gets a "
        "separate class",
        base::time_text(identity.reference_seconds), base::time_text(reference), device.id,
        base::percent_text(std::abs(difference)), difference > 0 ? "more" : "less");
    device.id = separate_class();
    was_apart_ = true;
    say(message_);
    return {};
  }

  std::string separate_class() const { return class_ + "~" + setup_.identity.id; }
  bool is_apart() const { return setup_.identity.devices.front().id != class_; }

  /** Returns true if another worker runs kernels of the class. */
  Result<bool> others_have_class(RedisConnection& connection) const {
    const std::vector<WorkerState> workers =
        TRY(list_workers(connection, silent_leases * setup_.times.lease_seconds));
    return std::ranges::any_of(workers, [this](const WorkerState& worker) {
      return worker.identity.id != setup_.identity.id && worker.serves() &&
             !worker.identity.devices.empty() && worker.identity.devices.front().id == class_;
    });
  }

  /** Returns true if sessions use the device's separate class: its tasks are answered by no other worker. */
  Result<bool> sessions_use_separate_class(RedisConnection& connection) const {
    const RedisValue tasks = TRY(connection.call({"XLEN", keys::run_stream(separate_class())}));
    return tasks.integer > 0;
  }

  /**
   * Decides again whether the device has a separate class, after its machine was slow for long, or in turns
   * while it has one that no session uses. Called by the device's thread between two tasks. The last worker
   * of a class stays in it: sessions would wait for ever.
   */
  Status review_class(RedisConnection& connection, const WorkerSlot& slot) {
    if (!setup_.measure_reference || class_.empty()) return {};
    // The thread of the device is the last. A session may post no tasks for a while, as its kernels are
    // built.
    const std::int64_t deliveries = threads_.back().service.deliveries();
    const bool used = is_apart() && deliveries != std::exchange(reviewed_deliveries_, deliveries);
    if (used || (!slot.pace().slow && !is_apart())) review_from_.reset();
    if (!slot.pace().slow && !is_apart()) return {};
    if (!review_from_) review_from_ = std::chrono::steady_clock::now();
    if (measure::seconds_since(*review_from_) < setup_.review_seconds) return {};
    review_from_.reset();
    const bool needed =
        is_apart() ? TRY(sessions_use_separate_class(connection)) : !TRY(others_have_class(connection));
    return needed ? Status() : measure_class_again(connection);
  }

  Status measure_class_again(RedisConnection& connection) {
    const RedisValue first = TRY(connection.call({"GET", keys::reference(class_)}));
    const double reference = std::strtod(first.text.c_str(), nullptr);
    if (reference <= 0) return {};
    const Result<double> own = setup_.measure_reference();
    if (!own) {
      // A device that is lost fails its next task.
      if (!halted())
        say(fmt::format("the reference kernel could not be measured: {}; it is measured again later",
                        describe(own.error())));
      return {};
    }
    setup_.identity.reference_seconds = *own;
    TRY(take_class(reference));
    TRY(publish_identity(connection));
    // All workers of the class may have left it at the same time: each has published this before it looks.
    if (!is_apart() || TRY(others_have_class(connection))) return {};
    return_to_class();
    say(fmt::format("no other worker of the class {} is left: this worker stays in it", class_));
    return publish_identity(connection);
  }

  void return_to_class() {
    const std::scoped_lock lock(mutex_);
    setup_.identity.devices.front().id = class_;
    message_.clear();
  }

  /** Publishes the identity now, so that no older one follows with a heartbeat. */
  Status publish_identity(RedisConnection& connection) {
    const std::scoped_lock publishing(publishing_);
    const std::string identity = identity_to_json(setup_.identity);
    {
      const std::scoped_lock lock(mutex_);
      identity_ = identity;
    }
    std::ignore = TRY(connection.ask({"HSET", keys::worker(setup_.identity.id), "identity", identity}));
    return {};
  }

  /** Returns the streams of the device: a session may still use the separate class that the device had. */
  std::vector<std::string> run_streams() const {
    std::vector<std::string> streams{keys::run_stream(setup_.identity.devices.front().id)};
    if (was_apart_ && !is_apart()) streams.push_back(keys::run_stream(separate_class()));
    return streams;
  }

  /** Measures a device again that is slower than its class, since its machine may recover. */
  Status await_recovery(double reference) {
    double& own = setup_.identity.reference_seconds;
    const auto is_slow = [&] { return own > reference * (1 + setup_.reference_share); };
    if (!setup_.measure_reference || !is_slow()) return {};
    say(fmt::format("the reference kernel takes {} here and {} on the first worker of {}: measuring it again",
                    base::time_text(own), base::time_text(reference), setup_.identity.devices.front().id));
    for (int again = 0; again < max_references && is_slow() && !halted(); ++again) {
      const auto pause = measure::deadline_after(setup_.recovery_seconds / max_references);
      while (!halted() && std::chrono::steady_clock::now() < pause) std::this_thread::sleep_for(ask_stop);
      if (!halted()) own = std::min(own, TRY(setup_.measure_reference()));
    }
    return {};
  }

  Status introduce(RedisConnection& connection) {
    const std::string key = keys::worker(setup_.identity.id);
    std::ignore = TRY(connection.call({"DEL", key}));
    identity_ = identity_to_json(setup_.identity);
    return report_liveness(connection);
  }

  void start_threads() {
    const WorkerIdentity& identity = setup_.identity;
    std::vector<std::string> building;
    for (const std::string& tools : identity.tool_chains) building.push_back(keys::build_stream(tools));
    TaskService::Hooks hooks{.streams = [building] { return building; }, .halt = [this] { return halted(); }};
    for (int i = 0; i < identity.builders && !building.empty(); ++i) start_thread(hooks, true);
    // Only the device's thread changes its class.
    hooks.streams = [this] { return run_streams(); };
    hooks.review = [this](RedisConnection& connection, const WorkerSlot& slot) {
      return review_class(connection, slot);
    };
    if (!identity.devices.empty()) start_thread(hooks, false);
  }

  void start_thread(TaskService::Hooks hooks, bool builds) {
    ServingThread& serving = threads_.emplace_back(setup_, std::move(hooks));
    serving.thread = std::thread([this, &serving, builds] {
      const Status served = base::guarded("a thread of the worker", [&] {
        const std::unique_ptr<BuildExecutor> builder = builds ? setup_.executors.builder() : nullptr;
        const std::unique_ptr<RunExecutor> runner = builds ? nullptr : setup_.executors.runner();
        return serving.service.serve(builder.get(), runner.get());
      });
      if (!served) fault(served.error());
      ++ended_;
    });
  }

  /** Sends heartbeats of the worker and of each task until all threads have ended. */
  Status live(TaskQueue& life) {
    auto next_beat = std::chrono::steady_clock::now();
    while (ended_ < std::ssize(threads_)) {
      std::this_thread::sleep_for(ask_stop);
      if (setup_.stop && setup_.stop() > 1)
        for (ServingThread& serving : threads_) serving.slot.stop();
      if (std::chrono::steady_clock::now() < next_beat) continue;
      next_beat =
          std::chrono::steady_clock::now() + std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                                                 std::chrono::duration<double>(setup_.times.beat_seconds()));
      for (ServingThread& serving : threads_) TRY(keep(life, serving.slot));
      TRY(report_liveness(life.connection()));
    }
    return {};
  }

  static Status keep(TaskQueue& life, WorkerSlot& slot) {
    const auto held = slot.in_hand();
    if (held && !TRY(life.keep(held->first, held->second))) slot.lose(held->second);
    return {};
  }

  /** Returns the pace of the machine if a thread waits for it. */
  std::optional<MachinePace> waiting_pace() const {
    for (const ServingThread& serving : threads_)
      if (const MachinePace pace = serving.slot.pace(); pace.waits) return pace;
    return std::nullopt;
  }

  std::string state() const {
    if (halted()) return "draining";
    std::string state = waiting_pace() ? "waiting" : "idle";
    for (const ServingThread& serving : threads_) {
      const auto held = serving.slot.in_hand();
      if (!held) continue;
      if (held->first.contains(":run:")) return "running";
      if (state == "idle") state = "building";
    }
    return state;
  }

  std::string identity_text() const {
    const std::scoped_lock lock(mutex_);
    return identity_;
  }

  /** Returns the current message for the user. */
  std::string message() const {
    const std::string holder =
        setup_.other_holder && state() != "idle" ? setup_.other_holder() : std::string();
    std::string waits;
    if (!holder.empty()) {
      waits = fmt::format("its tasks are released to the fleet while {} uses the device", holder);
    } else if (const std::optional<MachinePace> pace = waiting_pace()) {
      waits = fmt::format("it takes no kernels to run while its machine runs at {:.2f} of its speed",
                          pace->speed.lowest());
    }
    const std::scoped_lock lock(mutex_);
    return waits.empty() || message_.empty() ? waits + message_ : fmt::format("{}; {}", waits, message_);
  }

  std::int64_t temperature() {
    if (setup_.temperature_celsius &&
        (!temperature_at_ || measure::seconds_since(*temperature_at_) > temperature_seconds_kept)) {
      temperature_celsius_ = setup_.temperature_celsius();
      temperature_at_ = std::chrono::steady_clock::now();
    }
    return temperature_celsius_;
  }

  Status report_liveness(RedisConnection& connection) {
    const std::string key = keys::worker(setup_.identity.id);
    const RedisValue time = TRY(connection.call({"TIME"}));
    const std::string now = time.items.size() == 2
                                ? fmt::format("{}.{:0>6}", time.items[0].text, time.items[1].text)
                                : std::string("0");
    double busy = 0;
    std::int64_t done = 0;
    std::int64_t deliveries = 0;
    for (ServingThread& serving : threads_) {
      busy += serving.slot.take_busy_seconds();
      done += serving.service.done();
      deliveries += serving.service.deliveries();
    }
    const double passed = measure::seconds_since(last_notified_);
    last_notified_ = std::chrono::steady_clock::now();
    const double slots = std::max(1.0, static_cast<double>(threads_.size()));
    const std::string load =
        fmt::format("{:.3f}", std::clamp(busy / std::max(passed, 1e-3) / slots, 0.0, 1.0));
    // A full Redis still accepts released tasks, and a Redis that lost its data gets the registration again.
    std::ignore = TRY(connection.ask({"SADD", keys::workers, setup_.identity.id}));
    const std::string degrees = std::to_string(temperature());
    {
      const std::scoped_lock publishing(publishing_);
      std::ignore =
          TRY(connection.ask({"HSET", key, "identity", identity_text(), "message", message(), "state",
                              state(), "load", load, "seen", now, "done", std::to_string(done), "deliveries",
                              std::to_string(deliveries), "temperature", degrees}));
    }
    std::ignore = TRY(connection.ask({"EXPIRE", key, seconds_text(left_seconds_kept)}));
    const RedisValue drain = TRY(connection.call({"HGET", key, "drain"}));
    if (!drain.nothing() && !draining_) {
      say("asked to drain");
      draining_ = true;
    }
    return {};
  }

  /** Reports that the worker leaves. If Redis does not respond, the missing heartbeat shows it. */
  void leave(RedisConnection& connection, const std::optional<Error>& why) {
    const std::string key = keys::worker(setup_.identity.id);
    const std::string message = why ? describe(*why) : std::string("it was asked to leave");
    std::ignore = connection.ask({"HSET", key, "state", "left", "message", message});
    std::ignore = connection.ask({"EXPIRE", key, seconds_text(left_seconds_kept)});
  }

  WorkerSetup setup_;
  std::list<ServingThread> threads_;
  std::atomic<bool> draining_ = false;
  std::atomic<std::int64_t> ended_ = 0;
  std::string class_;  ///< of the device, without a worker's name; empty: it has no reference time
  std::optional<std::chrono::steady_clock::time_point> review_from_;
  std::int64_t reviewed_deliveries_ = 0;  ///< tasks that the device had taken when its class was reviewed
  bool was_apart_ = false;                ///< the device had a separate class
  std::mutex publishing_;                 ///< held while the identity is read and published
  mutable std::mutex mutex_;              ///< of the members from here on to identity_
  std::optional<Error> fault_;
  std::string message_;
  std::string identity_;
  std::int64_t temperature_celsius_ = 0;
  std::optional<std::chrono::steady_clock::time_point> temperature_at_;
  std::chrono::steady_clock::time_point last_notified_ = std::chrono::steady_clock::now();
};

}  // namespace

Status serve_fleet(WorkerSetup setup) { return FleetWorker(std::move(setup)).serve(); }

}  // namespace kernelscape::fleet
