#include "core/measure/worker/run_queue_delay.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <system_error>

#include "core/base/process_threads.h"

namespace kernelscape::measure {
namespace {

constexpr double seconds_per_nanosecond = 1e-9;

std::uint64_t preemptions_of_process() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::uint64_t>(usage.ru_nivcsw);
}

}  // namespace

std::optional<std::uint64_t> parse_run_queue_delay(std::string_view schedstat) {
  std::array<std::uint64_t, 3> numbers{};  // nanoseconds run, nanoseconds waited, times run
  const char* at = schedstat.data();
  const char* const end = at + schedstat.size();
  for (std::uint64_t& number : numbers) {
    while (at != end && *at == ' ') ++at;
    const auto [rest, problem] = std::from_chars(at, end, number);
    if (problem != std::errc() || (rest != end && *rest != ' ' && *rest != '\n')) return std::nullopt;
    at = rest;
  }
  // A thread that reads its statistics has been run at least once.
  if (numbers[2] == 0) return std::nullopt;
  return numbers[1];
}

RunQueueDelay::RunQueueDelay(const char* path) : file_(open(path, O_RDONLY | O_CLOEXEC)) {}

RunQueueDelay RunQueueDelay::of_this_thread() { return RunQueueDelay("/proc/thread-self/schedstat"); }

RunQueueDelay RunQueueDelay::of_thread(pid_t thread) {
  return RunQueueDelay(fmt::format("/proc/self/task/{}/schedstat", thread).c_str());
}

std::optional<std::uint64_t> RunQueueDelay::nanoseconds() const {
  if (!file_.valid()) return std::nullopt;
  std::array<char, 80> text{};  // at most three 64-bit numbers
  // The file is read from its beginning: each reading generates the text anew.
  const ssize_t bytes = pread(file_.get(), text.data(), text.size(), 0);
  if (bytes <= 0) return std::nullopt;
  return parse_run_queue_delay({text.data(), static_cast<std::size_t>(bytes)});
}

bool LostTime::disturbs(double sample_seconds) const {
  if (longest_wait_seconds) return *longest_wait_seconds > max_lost_share * sample_seconds;
  return preemptions > 0;
}

std::optional<std::uint64_t> ThreadWatch::waited() const {
  const std::optional<std::uint64_t> now = delay_.nanoseconds();
  if (!before_ || !now || *now < *before_) return std::nullopt;
  return *now - *before_;
}

void ProcessWatch::begin() {
  threads_.clear();
  for (const pid_t thread : base::process_threads()) threads_.emplace_back(RunQueueDelay::of_thread(thread));
  preemptions_before_ = preemptions_of_process();
  for (ThreadWatch& thread : threads_) thread.begin();
}

LostTime ProcessWatch::lost() const {
  std::vector<std::optional<std::uint64_t>> waits;
  waits.reserve(threads_.size());
  for (const ThreadWatch& thread : threads_) waits.push_back(thread.waited());
  return {.longest_wait_seconds = longest_wait(waits),
          .preemptions = preemptions_of_process() - preemptions_before_};
}

std::optional<double> longest_wait(const std::vector<std::optional<std::uint64_t>>& waits) {
  if (waits.empty() || !std::ranges::all_of(waits, [](const auto& wait) { return wait.has_value(); }))
    return std::nullopt;
  // An engaged optional compares as its value.
  return static_cast<double>(**std::ranges::max_element(waits)) * seconds_per_nanosecond;
}

}  // namespace kernelscape::measure
