#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/trial/counter_reading.h"

namespace kernelscape::measure {

/** The events whose every so many occurrences take a sample, the most precise first. */
enum class SampledEvent : std::uint8_t {
  PreciseCycles,  ///< cycles; the processor names the very instruction
  Cycles,         ///< cycles; the named instruction is a few behind the slow one
  TaskClock       ///< processor time by the system's timer, where there are no counters
};
inline constexpr std::array sampled_events{SampledEvent::PreciseCycles, SampledEvent::Cycles,
                                           SampledEvent::TaskClock};

/** Returns the name for users: "processor cycles", "processor time". */
std::string_view to_string(SampledEvent event);

constexpr std::size_t sample_record_bytes = 16;     ///< a header and an address
constexpr std::size_t sampler_ring_records = 8192;  ///< of a thread; locked memory is limited

/**
 * Returns the events from one sample to the next: cycles or nanoseconds. Nobody empties the ring meanwhile,
 * so that the samples of a processor of up to 6 GHz fill at most half of it. It is a prime, so that the
 * samples do not keep step with a loop.
 * @param seconds time of a thread that is to be sampled
 */
std::uint64_t sampling_period(SampledEvent event, double seconds);

/** The addresses of the instructions at which a thread was found. */
struct SampledAddresses {
  std::vector<std::uint64_t> addresses;
  std::int64_t lost = 0;  ///< samples for which there was no room, as far as they are known
};

/** A sampler of the thread that opened it. Tests replace the system's samplers by their own. */
class OpenSampler {
 public:
  virtual ~OpenSampler() = default;
  virtual void start() = 0;             ///< starts to take samples
  virtual void stop() = 0;              ///< takes no more samples
  virtual SampledAddresses read() = 0;  ///< returns the samples since the start; call it after stop()
};

/** A source of samplers. */
class SamplerSource {
 public:
  virtual ~SamplerSource() = default;
  /**
   * Opens a stopped sampler for the calling thread. If the system refuses it, returns null and sets `error`
   * to an errno.
   * @param seconds time that is to be sampled
   */
  virtual std::unique_ptr<OpenSampler> open(SampledEvent event, double seconds, int& error) = 0;
};

/** Returns the source that uses perf_event_open() of this system. Only user code is sampled. */
SamplerSource& system_samplers();

/**
 * Splits the records of a perf ring buffer into the addresses of samples and the count of lost ones. Stops at
 * a damaged record.
 * @param records whole records, unwrapped, of events with PERF_SAMPLE_IP only
 */
SampledAddresses read_sample_records(const std::vector<std::uint64_t>& records);

/**
 * Reads the records of a perf ring buffer. The system counts lost samples only in a later record, so that a
 * full ring counts as one lost sample.
 * @param ring its words; their number is a power of two
 * @param tail,head bytes that were read and written so far
 */
SampledAddresses read_sample_ring(std::span<const std::uint64_t> ring, std::uint64_t tail,
                                  std::uint64_t head);

/** The samplers of several threads for one event. Each thread opens, starts and stops its own sampler. */
class ThreadSamplers {
 public:
  /**
   * @param seconds time that is to be sampled
   * @param source must outlive this object
   */
  ThreadSamplers(int threads, SampledEvent event, double seconds, SamplerSource& source);

  void open(int thread);   ///< opens the sampler; called once by that thread
  void start(int thread);  ///< called by that thread
  void stop(int thread);   ///< called by that thread

  /** Returns 0 if every thread has a sampler, otherwise the errno of the first thread without one. */
  int error() const;
  /** Returns the samples of all threads. Requires that all threads have stopped. */
  SampledAddresses samples();

 private:
  struct Member {
    std::unique_ptr<OpenSampler> sampler{};
    int error = 0;
  };
  SampledEvent event_;
  double seconds_;
  SamplerSource& source_;
  std::vector<Member> members_;
};

/** The name under which CounterReading::missing says that a kernel could not be sampled. */
inline constexpr const char* samples_name = "time per line";

/**
 * The table of an object that machine_code::with_instruction_table() was built into: finds the instruction of
 * an address.
 */
class InstructionAddresses {
 public:
  /** @param table the symbol's address in this process */
  explicit InstructionAddresses(const std::int32_t* table);

  /** Returns the number of instructions. */
  std::int32_t count() const { return static_cast<std::int32_t>(starts_.size()) - 1; }
  /** Returns the number of the instruction at an address; nullopt outside of the function. */
  std::optional<std::int32_t> instruction_at(std::uint64_t address) const;
  /** Counts samples by instruction; the source lines are left 0. */
  trial::CodeSamples count_samples(const SampledAddresses& samples) const;

 private:
  std::vector<std::uint64_t> starts_;  ///< ascending; the last one is the end of the last instruction
};

}  // namespace kernelscape::measure
