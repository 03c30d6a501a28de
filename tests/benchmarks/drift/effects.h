#pragma once

#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <new>
#include <thread>
#include <vector>

#include "core/base/processors.h"
#include "tests/benchmarks/drift/disturbances.h"

/** What disturbances do to a fixed amount of work: shows that they work on a machine. */
namespace kernelscape::drift {

/** How often a part of the work was done, in how many nanoseconds, by all workers. */
struct WorkDone {
  std::atomic<std::uint64_t> rounds{0};
  std::atomic<std::uint64_t> nanoseconds{0};
};

/** Counters in memory that the workers share: [0] computes, [1] reads memory. */
using SharedWork = std::array<WorkDone, 2>;

/** Rounds per second of busy workers, per part. */
using WorkRates = std::array<double, 2>;

/** A process with one busy child per processor: to a disturbance it is a session with its workers. */
class StandInSession {
 public:
  StandInSession()
      : work_(new(mmap(nullptr, sizeof(SharedWork), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
                       0)) SharedWork) {
    process_ = fork();
    if (process_ == 0) run_session();
  }
  StandInSession(const StandInSession&) = delete;
  StandInSession& operator=(const StandInSession&) = delete;
  ~StandInSession() {
    kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
    munmap(work_, sizeof(SharedWork));
  }

  pid_t process() const { return process_; }
  /** Lets the workers run for so long, and returns how fast they were. */
  WorkRates rates(std::chrono::milliseconds time) const {
    const std::array<double, 4> before = read();
    std::this_thread::sleep_for(time);
    const std::array<double, 4> after = read();
    WorkRates rates{};
    for (std::size_t part = 0; part < rates.size(); ++part)
      rates[part] = 1e9 * (after[2 * part] - before[2 * part]) / (after[2 * part + 1] - before[2 * part + 1]);
    return rates;
  }

 private:
  std::array<double, 4> read() const {
    std::array<double, 4> values{};
    for (std::size_t part = 0; part < work_->size(); ++part) {
      values[2 * part] = static_cast<double>((*work_)[part].rounds.load());
      values[2 * part + 1] = static_cast<double>((*work_)[part].nanoseconds.load());
    }
    return values;
  }
  [[noreturn]] void run_session() const {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (const int processor : base::usable_processors())
      if (fork() == 0) run_worker(processor);
    for (;;) pause();
  }
  [[noreturn]] void run_worker(int processor) const {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    pin_to(processor);
    std::vector<std::uint64_t> memory((256U << 20U) / sizeof(std::uint64_t), 1);
    std::size_t next = 0;
    volatile double number = 1;
    volatile std::uint64_t sink = 0;
    for (;;) {
      add((*work_)[0], [&] {
        for (int i = 0; i < 200'000; ++i) number = number * 0.999999 + 1e-9;
      });
      add((*work_)[1], [&] {
        std::uint64_t sum = 0;
        for (std::size_t i = 0; i < (8U << 20U) / sizeof(std::uint64_t); ++i)
          sum += memory[next = (next + 1) % memory.size()];
        sink = sum;
      });
    }
  }
  static void add(WorkDone& done, const auto& round) {
    const auto since = std::chrono::steady_clock::now();
    round();
    const auto passed = std::chrono::steady_clock::now() - since;
    done.nanoseconds += static_cast<std::uint64_t>(std::chrono::nanoseconds(passed).count());
    ++done.rounds;
  }

  SharedWork* work_;
  pid_t process_ = -1;
};

/** Returns the error of a disturbance that is impossible on this machine. */
inline Status possible(std::string_view disturbance, const std::string& program) {
  // Destroyed last: a control group can be removed when its processes have ended.
  const auto made = make_disturbance(disturbance, program);
  const pid_t process = fork();
  if (process == 0) {
    for (;;) pause();
  }
  Status status = made->attach(process);
  kill(process, SIGKILL);
  waitpid(process, nullptr, 0);
  return status;
}

}  // namespace kernelscape::drift
