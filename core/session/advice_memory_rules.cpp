#include <fmt/format.h>

#include <algorithm>

#include "core/base/memory_level.h"
#include "core/base/numbers.h"
#include "core/base/text.h"
#include "core/session/advice_rules.h"

namespace kernelscape::session {
namespace {

// Of x86 processors: their L1 cache has 64 sets of lines, so that addresses at this distance have one set.
constexpr std::int64_t line_bytes = 64;
constexpr std::int64_t aliasing_bytes = 4096;
constexpr double noticeable_l1_misses = 0.05;  ///< of the loads

bool is_x86(const AdviceFacts& facts) {
  return facts.insight->code.language == machine_code::MachineLanguage::X86;
}

bool runs_serially(const AdviceLoop& loop) {
  return loop.annotation == schedule::LoopAnnotation::Serial ||
         loop.annotation == schedule::LoopAnnotation::Unrolled ||
         loop.annotation == schedule::LoopAnnotation::Vectorized;
}

/** Returns "loop ow (tile_ow=15)", or "loop ow" if no knob sets its length. */
std::string loop_text(const AdviceLoop& loop) {
  return loop.knob.empty() ? fmt::format("loop {}", loop.name)
                           : fmt::format("loop {} ({})", loop.name, loop.knob);
}

/** Returns the innermost serial loop whose data do not fit into a cache; null: all loops' data fit. */
const AdviceLoop* outgrowing_loop(const ScheduleFacts& schedule, std::int64_t cache_bytes) {
  for (auto loop = schedule.loops.rbegin(); loop != schedule.loops.rend(); ++loop)
    if (loop->length > 1 && loop->bytes > static_cast<double>(cache_bytes)) return &*loop;
  return nullptr;
}

/** Returns the cause of misses of a cache and the remedy, as the end of a sentence. */
std::string cache_cause(const ScheduleFacts& schedule, std::int64_t cache_bytes, std::string_view cache) {
  const AdviceLoop* loop = cache_bytes > 0 ? outgrowing_loop(schedule, cache_bytes) : nullptr;
  if (loop == nullptr) return fmt::format("every element is used too rarely while it is in {}", cache);
  return fmt::format("one run of {} touches {}, and {} has {}; make this loop or those inside of it shorter",
                     loop_text(*loop), base::bytes_text(loop->bytes), cache,
                     base::bytes_text(static_cast<double>(cache_bytes)));
}

/** Returns the loads that one call of the kernel executes by its machine code; 0: not known. */
double executed_loads(const AdviceFacts& facts) {
  double loads = 0;
  for (const machine_code::MachineLoop& loop : facts.insight->code.loops)
    if (loop.multiply_adds > 0 || loop.mix.multiply_adds == 0)
      loads += loop.iterations * loop.mix.memory_reads;
  return loads;
}

/** Returns the counted share of loads that miss L1; nullopt: not known. */
std::optional<double> counted_l1_share(const AdviceFacts& facts) {
  const double loads = executed_loads(facts);
  if (facts.counters == nullptr || !facts.counters->l1_misses || !(loads > 0)) return std::nullopt;
  return *facts.counters->l1_misses / loads;
}

/** Returns the bytes that pass a level beyond the first fetch of all data, as a share of those of loads. */
double repeated_share(const loop_nest::TrafficEstimate& traffic, base::MemoryLevel level) {
  const loop_nest::LevelTraffic& beyond = traffic.levels[base::place_of(level)];
  const double requested = traffic.levels[base::place_of(base::MemoryLevel::L1)].bytes;
  if (beyond.stays_nearer || !(requested > 0)) return 0;
  return std::max(0.0, beyond.bytes - traffic.footprint_bytes) / requested;
}

/** Advice from the traffic model about a cache in front of a level. */
std::optional<Advice> advise_on_tile(const AdviceFacts& facts, base::MemoryLevel beyond,
                                     std::int64_t cache_bytes, std::string_view cache, double threshold,
                                     double cost) {
  const ScheduleFacts& schedule = *facts.schedule;
  if (!schedule.traffic || cache_bytes <= 0) return std::nullopt;
  const double share = repeated_share(*schedule.traffic, beyond);
  if (share < threshold || outgrowing_loop(schedule, cache_bytes) == nullptr) return std::nullopt;
  return Advice{
      .sentence = fmt::format("By the traffic model, {} of the bytes that the kernel loads and stores "
                              "are fetched into {} again: {}.",
                              base::percent_text(std::min(share, 1.0)), cache,
                              cache_cause(schedule, cache_bytes, cache)),
      .effect = cost * share / (1 + cost * share)};
}

/** How vector loads along a row cross the lines of the cache. */
struct SplitLoads {
  double share = 0;  ///< of the loads of one tensor
  const AdviceLoop* loop = nullptr;
  const AdviceStep* step = nullptr;
};

/** Returns the share of loads of `bytes` at multiples of a stride that cross a line. */
double crossing_share(std::int64_t stride_bytes, std::int64_t iterations, std::int64_t bytes) {
  const std::int64_t counted = std::min<std::int64_t>(iterations, line_bytes);
  std::int64_t crossing = 0;
  for (std::int64_t i = 0; i < counted; ++i)
    crossing += i * stride_bytes % line_bytes + bytes > line_bytes ? 1 : 0;
  return static_cast<double>(crossing) / static_cast<double>(counted);
}

SplitLoads worst_split(const ScheduleFacts& schedule, const AdviceLoop& vectorized,
                       std::int64_t vector_bytes) {
  SplitLoads worst;
  for (std::size_t tensor = 0; tensor < vectorized.steps.size(); ++tensor) {
    const AdviceStep& lane = vectorized.steps[tensor];
    // Results stay in registers; other strides are broadcasts or gathers.
    if (lane.written || lane.stride_bytes != lane.element_bytes) continue;
    const std::int64_t load = std::min(vector_bytes, vectorized.length * lane.element_bytes);
    for (const AdviceLoop& loop : schedule.loops) {
      if (&loop == &vectorized || loop.length < 2 || tensor >= loop.steps.size()) continue;
      const AdviceStep& step = loop.steps[tensor];
      const double share = step.stride_bytes > 0 ? crossing_share(step.stride_bytes, loop.length, load) : 0;
      if (share > worst.share) worst = {share, &loop, &step};
    }
  }
  return worst;
}

}  // namespace

std::optional<Advice> advise_on_split_loads(const AdviceFacts& facts) {
  if (!is_x86(facts)) return std::nullopt;
  const ScheduleFacts& schedule = *facts.schedule;
  const machine_code::InstructionMix& mix = facts.insight->code.hot()->mix;
  const auto vectorized =
      std::ranges::find(schedule.loops, schedule::LoopAnnotation::Vectorized, &AdviceLoop::annotation);
  if (vectorized == schedule.loops.end() || vectorized->length < 2 || mix.vector_bits == 0)
    return std::nullopt;
  const SplitLoads split = worst_split(schedule, *vectorized, mix.vector_bits / 8);
  constexpr double noticeable_share = 0.1;
  if (split.share < noticeable_share) return std::nullopt;
  const double loads =
      mix.instructions() > 0 ? static_cast<double>(mix.memory_reads) / mix.instructions() : 0;
  return Advice{
      .sentence = fmt::format(
          "{} of the vector loads of {} cross a cache line, because a step of {} moves {} B, which "
          "is no multiple of the {} B of a load; choose tiles or a layout whose rows are a multiple "
          "of {} B.",
          base::percent_text(split.share), split.step->tensor, loop_text(*split.loop),
          split.step->stride_bytes, mix.vector_bits / 8, line_bytes),
      .effect = split.share * std::min(1.0, loads) / 2};
}

std::optional<Advice> advise_on_aliasing(const AdviceFacts& facts) {
  const std::int64_t l1_ways = facts.schedule->target.l1_bytes / aliasing_bytes;
  if (!is_x86(facts) || l1_ways < 1) return std::nullopt;
  // Rows that are used only once lose nothing.
  if (counted_l1_share(facts).value_or(1) < noticeable_l1_misses) return std::nullopt;
  const AdviceLoop* worst = nullptr;
  const AdviceStep* step = nullptr;
  for (const AdviceLoop& loop : facts.schedule->loops) {
    if (!runs_serially(loop) || loop.length <= l1_ways) continue;
    for (const AdviceStep& each : loop.steps) {
      // Rows of half of the distance use half of the sets: then the size is the limit.
      const bool aliases = each.stride_bytes > 0 && each.stride_bytes % aliasing_bytes == 0 &&
                           each.bytes <= static_cast<double>(aliasing_bytes) / 2;
      if (!aliases || (worst != nullptr && worst->length >= loop.length)) continue;
      worst = &loop;
      step = &each;
    }
  }
  if (worst == nullptr) return std::nullopt;
  const double rows = static_cast<double>(worst->length);
  return Advice{.sentence = fmt::format(
                    "The {} rows of {} that {} steps through are {} apart, a multiple of 4 KiB, so that they "
                    "share one set of L1, which holds {} lines; choose a packed layout, or at most {} "
                    "rows in a tile.",
                    worst->length, step->tensor, loop_text(*worst),
                    base::bytes_text(static_cast<double>(step->stride_bytes)), l1_ways, l1_ways),
                .effect = 0.2 * (1 - static_cast<double>(l1_ways) / rows)};
}

std::optional<Advice> advise_on_l1_misses(const AdviceFacts& facts) {
  const std::optional<double> counted = counted_l1_share(facts);
  if (!counted || *counted < noticeable_l1_misses) return std::nullopt;
  const double share = *counted;
  constexpr double l2_loads = 4;  // a load from L2 takes the time of about four from L1
  return Advice{.sentence = fmt::format("{} of the loads miss L1, as counted: {}.",
                                        base::percent_text(std::min(share, 1.0)),
                                        cache_cause(*facts.schedule, facts.schedule->target.l1_bytes, "L1")),
                .effect = l2_loads * share / (1 + l2_loads * share)};
}

std::optional<Advice> advise_on_l2_misses(const AdviceFacts& facts) {
  if (facts.counters == nullptr || !facts.counters->l2_misses) return std::nullopt;
  const double loads = executed_loads(facts);
  if (!(loads > 0)) return std::nullopt;
  const double share = *facts.counters->l2_misses / loads;
  constexpr double noticeable_share = 0.02;
  if (share < noticeable_share) return std::nullopt;
  constexpr double l3_loads = 12;
  return Advice{.sentence = fmt::format("For each 100 loads, {} requests miss L2, as counted: {}.",
                                        base::number_text(100 * share, 2),
                                        cache_cause(*facts.schedule, facts.schedule->target.l2_bytes, "L2")),
                .effect = l3_loads * share / (1 + l3_loads * share)};
}

std::optional<Advice> advise_on_tlb_misses(const AdviceFacts& facts) {
  if (facts.counters == nullptr || !facts.counters->tlb_misses) return std::nullopt;
  const double loads = executed_loads(facts);
  if (!(loads > 0)) return std::nullopt;
  const double share = *facts.counters->tlb_misses / loads;
  constexpr double noticeable_share = 0.005;
  if (share < noticeable_share) return std::nullopt;
  // The innermost loop whose iterations are on different pages.
  constexpr std::int64_t page_bytes = 4096;
  std::string cause = "the data are spread over many pages; choose a packed layout";
  for (const AdviceLoop& loop : facts.schedule->loops)
    for (const AdviceStep& step : loop.steps)
      if (loop.length > 1 && step.stride_bytes >= page_bytes)
        cause = fmt::format(
            "a step of {} moves {} in {}, so that each iteration is on other pages; choose a "
            "packed layout, or make this loop shorter",
            loop_text(loop), base::bytes_text(static_cast<double>(step.stride_bytes)), step.tensor);
  constexpr double walk_loads = 20;  // a walk of the page tables takes the time of about so many loads
  return Advice{.sentence = fmt::format("For each 100 loads, {} miss the TLB, as counted: {}.",
                                        base::number_text(100 * share, 2), cause),
                .effect = walk_loads * share / (1 + walk_loads * share)};
}

std::optional<Advice> advise_on_l1_tile(const AdviceFacts& facts) {
  if (facts.counters != nullptr && facts.counters->l1_misses) return std::nullopt;
  constexpr double threshold = 0.25;
  constexpr double cost = 1;  // L2 delivers about half of the bytes per cycle
  return advise_on_tile(facts, base::MemoryLevel::L2, facts.schedule->target.l1_bytes, "L1", threshold, cost);
}

std::optional<Advice> advise_on_l2_tile(const AdviceFacts& facts) {
  if (facts.counters != nullptr && facts.counters->l2_misses) return std::nullopt;
  constexpr double threshold = 0.1;
  constexpr double cost = 3;
  return advise_on_tile(facts, base::MemoryLevel::L3, facts.schedule->target.l2_bytes, "L2", threshold, cost);
}

std::optional<Advice> advise_on_imbalance(const AdviceFacts& facts) {
  const std::int64_t threads = facts.schedule->threads;
  std::int64_t iterations = 1;
  std::vector<std::string> names;
  std::string knob;
  for (const AdviceLoop& loop : facts.schedule->loops) {
    if (loop.annotation != schedule::LoopAnnotation::Parallel) continue;
    iterations *= loop.length;
    names.push_back(loop.name);
    if (knob.empty()) knob = loop.knob;
  }
  if (names.empty() || threads < 2) return std::nullopt;
  const std::int64_t rounds = (iterations + threads - 1) / threads;
  const double idle = 1 - static_cast<double>(iterations) / static_cast<double>(rounds * threads);
  constexpr double noticeable_share = 0.05;
  if (idle < noticeable_share) return std::nullopt;
  return Advice{
      .sentence = fmt::format(
          "The {} parallel iterations of {} {} take {} {} of {} threads, in which the threads are idle "
          "for {} of the time; choose {} whose number of iterations is a multiple of the threads.",
          iterations, names.size() == 1 ? "loop" : "loops", base::join(names, ", "), rounds,
          rounds == 1 ? "round" : "rounds", threads, base::percent_text(idle),
          knob.empty() ? std::string("tiles") : fmt::format("tiles (now {})", knob)),
      .effect = idle};
}

}  // namespace kernelscape::session
