/**
 * fleet_benchmark: what a fleet costs beside local workers. Kernels are scripted, so that all of the time is
 * that of the way there and back: one candidate at a time, then many, through a Redis on a unix socket with
 * four workers that are processes of their own. Needs redis-server.
 */
#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <vector>

#include "tests/benchmarks/benchmark_support.h"
#include "tests/fleet/scripted_fleet.h"
#include "tests/session/session_support.h"

using namespace kernelscape;

namespace {

constexpr std::size_t single_trials = 400;
constexpr std::size_t many_trials = 8000;
constexpr std::size_t batch_size = 500;
constexpr int workers = 4;

/** Processes that work until this object ends. */
class WorkerProcesses {
 public:
  WorkerProcesses(const fleet::Access& access, int count) {
    for (int i = 0; i < count; ++i) {
      const pid_t process = fork();
      if (process == 0) {
        const Status served =
            fleet::serve_fleet(fleet_tests::worker_setup(access, fmt::format("worker{}", i), 1, true));
        _exit(served ? 0 : 1);
      }
      processes_.push_back(process);
    }
  }
  WorkerProcesses(const WorkerProcesses&) = delete;
  WorkerProcesses& operator=(const WorkerProcesses&) = delete;
  ~WorkerProcesses() {
    for (const pid_t process : processes_) kill(process, SIGKILL);
    for (const pid_t process : processes_) waitpid(process, nullptr, 0);
  }

 private:
  std::vector<pid_t> processes_;
};

}  // namespace

int main() {
  if (!fleet_tests::has_redis()) {
    fmt::print("no redis-server here: apt-get install redis-server\n");
    return 0;
  }
  const fleet_tests::RedisServer server;
  const fleet::Access access = server.fleet(/*lease_seconds=*/10);
  const WorkerProcesses processes(access, workers);
  const auto family = std::make_shared<fleet_tests::ScriptedFamily>(session_tests::make_space());
  const auto measurer =
      value_or_stop(fleet::make_fleet_measurer(family, fleet_tests::measuring_on(access), {}));
  const auto configuration = [&](std::size_t i) {
    return family->space().at(i % static_cast<std::size_t>(family->space().size()));
  };
  std::vector<double> seconds;
  for (std::size_t i = 0; i < single_trials; ++i) {
    const std::vector<space::Configuration> one{configuration(i)};
    if (!fleet_tests::builds(family->source(one[0])->text)) continue;
    seconds.push_back(seconds_of([&] {
      check(measurer->submit(one));
      value_or_stop(fleet_tests::collect_all(*measurer, 1));
    }));
  }
  const double all = seconds_of([&] {
    for (std::size_t first = 0; first < many_trials; first += batch_size) {
      std::vector<space::Configuration> batch;
      for (std::size_t i = 0; i < batch_size; ++i) batch.push_back(configuration(first + i));
      check(measurer->submit(batch));
      value_or_stop(fleet_tests::collect_all(*measurer, batch.size(), 120));
    }
  });
  std::ranges::sort(seconds);
  fmt::print(
      "a trial alone, built and run by scripted workers: {:.2f} ms at the median, {:.2f} ms at 95 % (goal: 2 "
      "ms)\n",
      1e3 * seconds[seconds.size() / 2], 1e3 * seconds[seconds.size() * 95 / 100]);
  fmt::print("trials per second through Redis, {} scripted workers: {:.0f} (goal: 2,000)\n", workers,
             static_cast<double>(many_trials) / all);
  return 0;
}
