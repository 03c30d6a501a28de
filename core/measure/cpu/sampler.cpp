#include "core/measure/cpu/sampler.h"

#include <linux/perf_event.h>

#include <algorithm>
#include <map>

namespace kernelscape::measure {
namespace {

bool is_odd_prime(std::uint64_t number) {
  for (std::uint64_t divisor = 3; divisor * divisor <= number; divisor += 2)
    if (number % divisor == 0) return false;
  return number > 1;
}

}  // namespace

std::string_view to_string(SampledEvent event) {
  return event == SampledEvent::TaskClock ? "processor time" : "processor cycles";
}

std::uint64_t sampling_period(SampledEvent event, double seconds) {
  constexpr double max_hertz = 6e9;
  constexpr double nanoseconds_hertz = 1e9;
  constexpr std::uint64_t usual_cycles = 1'000'000;
  constexpr std::uint64_t usual_nanoseconds = 250'000;
  const bool clock = event == SampledEvent::TaskClock;
  const double events = seconds * (clock ? nanoseconds_hertz : max_hertz);
  constexpr double max_samples = static_cast<double>(sampler_ring_records) / 2;
  const auto needed = static_cast<std::uint64_t>(std::clamp(events / max_samples, 0.0, 1e12));
  std::uint64_t period = std::max(needed, clock ? usual_nanoseconds : usual_cycles) | 1U;
  while (!is_odd_prime(period)) period += 2;
  return period;
}

SampledAddresses read_sample_ring(std::span<const std::uint64_t> ring, std::uint64_t tail,
                                  std::uint64_t head) {
  constexpr std::uint64_t word = sizeof(std::uint64_t);
  std::vector<std::uint64_t> records;
  for (std::uint64_t at = tail; at < head; at += word) records.push_back(ring[(at / word) % ring.size()]);
  SampledAddresses samples = read_sample_records(records);
  // The system leaves the last record's place of a full ring free.
  if (head - tail + sample_record_bytes >= ring.size() * word) ++samples.lost;
  return samples;
}

SampledAddresses read_sample_records(const std::vector<std::uint64_t>& records) {
  constexpr std::size_t word = sizeof(std::uint64_t);
  SampledAddresses result;
  for (std::size_t at = 0; at < records.size();) {
    // The header's first half is the type; its last 16 bits are the size of the whole record.
    const auto type = static_cast<std::uint32_t>(records[at] & 0xffffffffU);
    const std::size_t words = (records[at] >> 48U) / word;
    if (words == 0 || words > records.size() - at) break;
    if (type == PERF_RECORD_SAMPLE && words >= 2) result.addresses.push_back(records[at + 1]);
    if (type == PERF_RECORD_LOST && words >= 3) result.lost += static_cast<std::int64_t>(records[at + 2]);
    at += words;
  }
  return result;
}

ThreadSamplers::ThreadSamplers(int threads, SampledEvent event, double seconds, SamplerSource& source)
    : event_(event), seconds_(seconds), source_(source), members_(static_cast<std::size_t>(threads)) {}

void ThreadSamplers::open(int thread) {
  Member& member = members_[static_cast<std::size_t>(thread)];
  member.sampler = source_.open(event_, seconds_, member.error);
}

void ThreadSamplers::start(int thread) { members_[static_cast<std::size_t>(thread)].sampler->start(); }

void ThreadSamplers::stop(int thread) { members_[static_cast<std::size_t>(thread)].sampler->stop(); }

int ThreadSamplers::error() const {
  const auto without =
      std::ranges::find_if(members_, [](const Member& member) { return member.sampler == nullptr; });
  return without == members_.end() ? 0 : without->error;
}

SampledAddresses ThreadSamplers::samples() {
  SampledAddresses all;
  for (const Member& member : members_) {
    const SampledAddresses some = member.sampler->read();
    all.addresses.insert(all.addresses.end(), some.addresses.begin(), some.addresses.end());
    all.lost += some.lost;
  }
  return all;
}

InstructionAddresses::InstructionAddresses(const std::int32_t* table) {
  const std::int32_t count = std::max(table[0], 0);
  for (std::int32_t i = 1; i <= count + 1; ++i) {
    const auto entry = reinterpret_cast<std::uintptr_t>(table + i);
    starts_.push_back(entry + static_cast<std::uint64_t>(static_cast<std::int64_t>(table[i])));
  }
}

std::optional<std::int32_t> InstructionAddresses::instruction_at(std::uint64_t address) const {
  if (address >= starts_.back()) return std::nullopt;
  const auto after = std::ranges::upper_bound(starts_, address);
  if (after == starts_.begin()) return std::nullopt;
  return static_cast<std::int32_t>(after - starts_.begin()) - 1;
}

trial::CodeSamples InstructionAddresses::count_samples(const SampledAddresses& samples) const {
  std::map<std::int32_t, std::int64_t> counts;
  trial::CodeSamples result;
  for (const std::uint64_t address : samples.addresses) {
    if (const std::optional<std::int32_t> instruction = instruction_at(address))
      ++counts[*instruction];
    else
      ++result.outside;
  }
  result.instruction_count = count();
  result.lost = samples.lost;
  for (const auto& [instruction, taken] : counts)
    result.instructions.push_back({.instruction = instruction, .source_line = 0, .samples = taken});
  return result;
}

}  // namespace kernelscape::measure
