#pragma once

#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "core/base/processors.h"
#include "core/base/result.h"
#include "tests/benchmarks/drift/cpu_quota.h"
#include "tests/benchmarks/drift/other_program.h"
#include "tests/benchmarks/drift/phases.h"
#include "tests/benchmarks/drift/process_tree.h"

/** What slows down a session of the program: from outside, as other tenants of a machine do. */
namespace kernelscape::drift {

using Seconds = std::chrono::duration<double>;

/** Slows down the machine or a session from begin() to end(), any number of times. */
class Disturbance {
 public:
  Disturbance() = default;
  Disturbance(const Disturbance&) = delete;
  Disturbance& operator=(const Disturbance&) = delete;
  virtual ~Disturbance() = default;

  /** Prepares for a session that has just been started. Error: it is impossible on this machine. */
  virtual Status attach(pid_t) { return {}; }
  virtual void begin(const DisturbancePhase& phase) = 0;
  virtual void end() = 0;
};

/** Stops and continues all workers of a session in a duty cycle: what a hypervisor does to a machine. */
class Freezes final : public Disturbance {
 public:
  ~Freezes() override { end(); }
  Status attach(pid_t session) override {
    session_ = session;
    return {};
  }
  void begin(const DisturbancePhase& phase) override {
    const Seconds allowed(phase.period_seconds * phase.speed);
    const Seconds stopped(phase.period_seconds - allowed.count());
    thread_ = std::jthread([this, allowed, stopped](const std::stop_token& stop) {
      while (!stop.stop_requested()) {
        const auto since = std::chrono::steady_clock::now();
        const std::vector<pid_t> processes = stop_tree(session_, false);
        std::this_thread::sleep_until(since + stopped);
        signal_all(processes, SIGCONT);
        std::this_thread::sleep_until(since + stopped + allowed);
      }
    });
  }
  void end() override { thread_ = std::jthread(); }

 private:
  pid_t session_ = 0;
  std::jthread thread_;
};

/** Pins the calling process to a processor. */
inline void pin_to(int processor) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(static_cast<std::size_t>(processor), &set);
  sched_setaffinity(0, sizeof set, &set);
}

/** Processes that keep processors or the memory busy and never end by themselves. */
class Hogs final : public Disturbance {
 public:
  enum class Kind { OneCore, AllCores, Memory };
  explicit Hogs(Kind kind) : kind_(kind) {}
  ~Hogs() override { end(); }

  void begin(const DisturbancePhase&) override {
    const std::vector<int> processors = base::usable_processors();
    std::size_t count = processors.size();
    if (kind_ == Kind::OneCore) count = 1;
    if (kind_ == Kind::Memory) count = (count + 1) / 2;
    for (std::size_t i = 0; i < count; ++i) {
      const pid_t hog = fork();
      if (hog == 0) run(processors[i]);
      if (hog > 0) hogs_.push_back(hog);
    }
  }
  void end() override {
    signal_all(hogs_, SIGKILL);
    for (const pid_t hog : hogs_) waitpid(hog, nullptr, 0);
    hogs_.clear();
  }

 private:
  /** Runs in a process forked from one with threads: calls nothing that allocates or locks. */
  [[noreturn]] void run(int processor) const {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (kind_ == Kind::Memory) read_memory();
    pin_to(processor);
    for (volatile double x = 1;;) x = x * 0.999999 + 1e-9;
  }
  [[noreturn]] static void read_memory() {
    constexpr std::size_t bytes = 512U << 20U;  // larger than last caches
    void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) _exit(1);
    auto* words = static_cast<volatile std::uint64_t*>(memory);
    constexpr std::size_t line = 8;
    for (std::uint64_t round = 0;; ++round) {
      for (std::size_t i = 0; i < bytes / sizeof(std::uint64_t); i += line) words[i] = words[i] + round;
    }
  }

  Kind kind_;
  std::vector<pid_t> hogs_;
};

/** The names of all disturbances, in the order of the table. */
inline const std::vector<std::string>& disturbance_names() {
  static const std::vector<std::string> names{"freezes", "one-core", "all-cores",
                                              "program", "memory",   "quota"};
  return names;
}

/** Another session of the program, which measures without the device's lease. */
class SecondProgram final : public Disturbance {
 public:
  explicit SecondProgram(std::string program) : program_(std::move(program)) {}
  Status attach(pid_t) override { return other_.start(program_); }
  void begin(const DisturbancePhase&) override { other_.set_running(true); }
  void end() override { other_.set_running(false); }

 private:
  std::string program_;
  OtherProgram other_;
};

/** A limit of the processor time of the whole session, by a cgroup. */
class Quota final : public Disturbance {
 public:
  Status attach(pid_t session) override { return group_.add(session); }
  void begin(const DisturbancePhase& phase) override {
    group_.limit(phase.speed * static_cast<double>(base::usable_processors().size()), phase.period_seconds);
  }
  void end() override { group_.limit(0, 0); }

 private:
  CpuGroup group_;
};

/** Makes a disturbance by its name; null: there is none of this name. @param program the command line */
inline std::unique_ptr<Disturbance> make_disturbance(std::string_view name, const std::string& program) {
  if (name == "freezes") return std::make_unique<Freezes>();
  if (name == "one-core") return std::make_unique<Hogs>(Hogs::Kind::OneCore);
  if (name == "all-cores") return std::make_unique<Hogs>(Hogs::Kind::AllCores);
  if (name == "memory") return std::make_unique<Hogs>(Hogs::Kind::Memory);
  if (name == "program") return std::make_unique<SecondProgram>(program);
  if (name == "quota") return std::make_unique<Quota>();
  return nullptr;
}

/** A phase as it was applied, in seconds since the session's start. */
struct AppliedPhase {
  double begin_seconds = 0;
  double end_seconds = 0;
  double speed = 0;  ///< as drawn: what it does to the speed depends on the disturbance
};

/** Applies phases to a running session in a thread of its own, until it is destroyed or finish() is called.
 */
class Disturber {
 public:
  Disturber(Disturbance& disturbance, std::vector<DisturbancePhase> phases,
            std::chrono::steady_clock::time_point start)
      : thread_([this, &disturbance, phases = std::move(phases), start](const std::stop_token& stop) {
          run(disturbance, phases, start, stop);
        }) {}

  /** Ends the disturbance and returns the phases that were applied, the last one up to now. */
  std::vector<AppliedPhase> finish() {
    thread_ = std::jthread();
    return applied_;
  }

 private:
  void run(Disturbance& disturbance, const std::vector<DisturbancePhase>& phases,
           std::chrono::steady_clock::time_point start, const std::stop_token& stop) {
    const auto now = [&] { return Seconds(std::chrono::steady_clock::now() - start).count(); };
    const auto wait_until = [&](double seconds) {
      while (!stop.stop_requested() && now() < seconds)
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    };
    for (const DisturbancePhase& phase : phases) {
      wait_until(phase.begin_seconds);
      if (stop.stop_requested()) return;
      const double begin = now();
      disturbance.begin(phase);
      wait_until(phase.end_seconds);
      disturbance.end();
      applied_.push_back({begin, now(), phase.speed});
    }
  }

  std::vector<AppliedPhase> applied_;
  std::jthread thread_;
};

}  // namespace kernelscape::drift
