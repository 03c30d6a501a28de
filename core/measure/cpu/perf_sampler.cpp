#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <utility>

#include "core/measure/cpu/perf_event.h"
#include "core/measure/cpu/sampler.h"

namespace kernelscape::measure {
namespace {

constexpr std::size_t ring_bytes = sampler_ring_records * sample_record_bytes;

std::size_t system_page_bytes() { return static_cast<std::size_t>(sysconf(_SC_PAGESIZE)); }

/** The size of the ring: a power of two of pages. */
std::size_t ring_size() { return std::max(system_page_bytes(), ring_bytes); }

/** @param seconds time of a thread that is to be sampled */
perf_event_attr attributes_of(SampledEvent event, double seconds) {
  perf_event_attr attributes{};
  attributes.size = sizeof attributes;
  attributes.disabled = 1;
  attributes.exclude_kernel = 1;
  attributes.exclude_hv = 1;
  attributes.sample_type = PERF_SAMPLE_IP;
  // A fixed period is not refused by the limit on frequencies (perf_event_max_sample_rate).
  attributes.sample_period = sampling_period(event, seconds);
  if (event == SampledEvent::TaskClock) {
    attributes.type = PERF_TYPE_SOFTWARE;
    attributes.config = PERF_COUNT_SW_TASK_CLOCK;
  } else {
    attributes.type = PERF_TYPE_HARDWARE;
    attributes.config = PERF_COUNT_HW_CPU_CYCLES;
    attributes.precise_ip = event == SampledEvent::PreciseCycles ? 2 : 0;
  }
  return attributes;
}

/** A sampler whose samples the system writes into a ring buffer of this process. */
class PerfSampler final : public OpenSampler {
 public:
  /** @param ring the mapped pages: a page of the system, then the ring */
  PerfSampler(UniqueFd file, void* ring) : file_(std::move(file)), ring_(ring) {}
  PerfSampler(const PerfSampler&) = delete;
  PerfSampler& operator=(const PerfSampler&) = delete;
  ~PerfSampler() override { munmap(ring_, system_page_bytes() + ring_size()); }

  void start() override { ioctl(file_.get(), PERF_EVENT_IOC_ENABLE, 0); }
  void stop() override { ioctl(file_.get(), PERF_EVENT_IOC_DISABLE, 0); }

  SampledAddresses read() override {
    auto* page = static_cast<perf_event_mmap_page*>(ring_);
    const std::uint64_t head = std::atomic_ref(page->data_head).load(std::memory_order_acquire);
    const std::uint64_t tail = page->data_tail;
    const auto* words =
        reinterpret_cast<const std::uint64_t*>(static_cast<const std::byte*>(ring_) + system_page_bytes());
    const SampledAddresses samples =
        read_sample_ring({words, ring_size() / sizeof(std::uint64_t)}, tail, head);
    std::atomic_ref(page->data_tail).store(head, std::memory_order_release);
    return samples;
  }

 private:
  UniqueFd file_;
  void* ring_;
};

class PerfSamplers final : public SamplerSource {
 public:
  std::unique_ptr<OpenSampler> open(SampledEvent event, double seconds, int& error) override {
    UniqueFd file = open_perf_event(attributes_of(event, seconds), error);
    if (!file.valid()) return nullptr;
    void* ring =
        mmap(nullptr, system_page_bytes() + ring_size(), PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0);
    error = ring == MAP_FAILED ? errno : 0;
    if (ring == MAP_FAILED) return nullptr;
    return std::make_unique<PerfSampler>(std::move(file), ring);
  }
};

}  // namespace

SamplerSource& system_samplers() {
  static PerfSamplers samplers;
  return samplers;
}

}  // namespace kernelscape::measure
