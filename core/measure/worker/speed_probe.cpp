#include "core/measure/worker/speed_probe.h"

#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <memory>
#include <system_error>
#include <thread>
#include <utility>

#include "core/base/processors.h"
#include "core/measure/cpu/machine_limits.h"
#include "core/measure/interruption.h"
#include "core/measure/worker/cache_flush.h"

namespace kernelscape::measure {
namespace {

// The work of the probe. A change needs another probe_version.
constexpr std::int64_t compute_rounds = 400'000;
constexpr std::size_t bytes_of_thread = 8U << 20;
// Before the timed parts all threads run, vector units have power, and an idle processor raises its clock.
constexpr std::int64_t warm_up_rounds = compute_rounds / 4;

std::atomic<double> unread_results{0};  // a sink, so that all results are used

template <typename Work>
double timed(KernelThreads& team, const Work& work) {
  const auto start = std::chrono::steady_clock::now();
  team.call(work);
  return seconds_since(start);
}

}  // namespace

SpeedProbe::SpeedProbe() : processors_(base::usable_processors()) {}

trial::ProbeSeconds SpeedProbe::measure(int threads) {
  const std::size_t count =
      std::clamp<std::size_t>(static_cast<std::size_t>(std::max(threads, 1)), 1, processors_.size());
  if (!make_data(count)) return {};
  trial::ProbeSeconds seconds;
  try {
    // A separate thread takes the first part: it is pinned, and the caller's processors must stay as they
    // are.
    std::jthread([&] {
      const auto team = KernelThreads::start(static_cast<int>(count), processors_, [] {});
      if (team) seconds = measure_on(*team);
    }).join();
  } catch (const std::system_error&) {
    return {};  // no thread
  }
  return seconds;
}

trial::ProbeSeconds SpeedProbe::measure_on(KernelThreads& team) {
  const VectorLoops loops = vector_loops();
  constexpr auto floats = static_cast<std::int64_t>(bytes_of_thread / sizeof(float));
  const auto data_of = [&](int part) { return data_[static_cast<std::size_t>(part)].buffer.data(); };
  team.call([&](int part) {
    fill_once(part);
    unread_results = loops.multiply_add(warm_up_rounds);
  });
  trial::ProbeSeconds seconds;
  seconds.compute = timed(team, [&](int) { unread_results = loops.multiply_add(compute_rounds); });
  seconds.memory = timed(team, [&](int part) {
    unread_results = loops.read_all(static_cast<const float*>(data_of(part)), floats, 1);
  });
  team.call([&](int part) { flush_from_caches(data_of(part), bytes_of_thread); });
  return seconds;
}

bool SpeedProbe::make_data(std::size_t threads) {
  while (data_.size() < threads) {
    auto buffer = PageBuffer::make(bytes_of_thread, 0);
    if (!buffer) return false;
    madvise(buffer->data(), buffer->size(), MADV_DONTFORK);
    data_.push_back({.buffer = *std::move(buffer)});
  }
  return true;
}

/** Writes the data of a part on its own thread, near whose processor the system places them. */
void SpeedProbe::fill_once(int part) {
  Data& data = data_[static_cast<std::size_t>(part)];
  if (std::exchange(data.filled, true)) return;
  // Small normal numbers: pages that were never written share one page, which stays in the cache.
  std::memset(data.buffer.data(), 1, bytes_of_thread);
  flush_from_caches(data.buffer.data(), bytes_of_thread);
}

}  // namespace kernelscape::measure
