#include "core/session/kernel_difference.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/analysis/comparison/bootstrap.h"
#include "core/analysis/comparison/statistical_tests.h"
#include "core/base/numbers.h"
#include "core/base/quantile.h"
#include "core/measure/kernel_insight.h"

namespace kernelscape::session {
namespace {

constexpr double significance = 0.05;
/** Numbers of loops, or speeds by bounds, that differ by less than this count as equal. */
constexpr double alike_ratio = 1.05;
/** Ratio used if one of two numbers is 0, so that it ranks before all smaller ratios. */
constexpr double all_or_nothing_ratio = 8;
constexpr std::size_t max_named_knobs = 6;
constexpr int ratio_digits = 3;

constexpr const char* elsewhere_text =
    "elsewhere: in memory accesses, edges, or the load balance of parallel parts";

/** "1 sample", "10 samples" */
std::string samples_text(std::size_t samples) {
  return fmt::format("{} {}", samples, samples == 1 ? "sample" : "samples");
}

std::string p_text(double p) {
  return p < 1e-4 ? "p < 0.0001" : fmt::format("p = {}", base::number_text(p, 2));
}

/** "1.85 times" */
std::string times_text(double ratio) { return base::number_text(ratio, ratio_digits) + " times"; }

double median_of(std::span<const double> samples) {
  return base::quantile(std::vector<double>(samples.begin(), samples.end()), 0.5);
}

/** Ratio of two numbers that are not negative, at least 1; bounded where one is 0. */
double difference_ratio(double x, double y) {
  const auto [less, more] = std::minmax(x, y);
  if (more <= 0) return 1;
  return less <= 0 ? all_or_nothing_ratio : std::min(more / less, all_or_nothing_ratio);
}

/** Returns the faster kernel, or none if it is unknown. */
enum class Faster : std::uint8_t { Unknown, A, B };

Faster faster_of(const std::optional<SpeedComparison>& speeds) {
  if (!speeds || !speeds->distinguished) return Faster::Unknown;
  return speeds->speed_ratio > 1 ? Faster::B : Faster::A;
}

/** "B is 1.85 times as fast as A (95 % interval 1.8 to 1.9; Mann-Whitney: p = 0.0002)." */
std::string apart_sentence(const ComparedKernel& a, const ComparedKernel& b, const SpeedComparison& speeds) {
  const bool b_faster = speeds.speed_ratio > 1;
  const double ratio = b_faster ? speeds.speed_ratio : 1 / speeds.speed_ratio;
  std::string interval;
  if (speeds.interval) {
    const auto [low, high] = b_faster ? std::pair(speeds.interval->low, speeds.interval->high)
                                      : std::pair(1 / speeds.interval->high, 1 / speeds.interval->low);
    interval = fmt::format("95 % interval {} to {}; ", base::number_text(low, ratio_digits),
                           base::number_text(high, ratio_digits));
  }
  // Of medians that are the same, distributions can differ.
  if (base::number_text(ratio, ratio_digits) == "1")
    return fmt::format(
        "The samples of {} and {} differ (Mann-Whitney: {}), but their medians are almost equal.", a.name,
        b.name, p_text(speeds.p));
  return fmt::format("{} is {} as fast as {} ({}Mann-Whitney: {}).", b_faster ? b.name : a.name,
                     times_text(ratio), b_faster ? a.name : b.name, interval, p_text(speeds.p));
}

std::string not_apart_sentence(const ComparedKernel& a, const ComparedKernel& b,
                               const SpeedComparison& speeds) {
  std::string text = fmt::format(
      "The samples of {} and {} are not distinguishable ({} and {}; Mann-Whitney: {}).", a.name, b.name,
      samples_text(a.samples_seconds.size()), samples_text(b.samples_seconds.size()), p_text(speeds.p));
  if (speeds.smallest_p >= significance)
    text += " With so few samples no two kernels are distinguishable: measure both more often.";
  return text;
}

std::string speed_sentence(const ComparedKernel& a, const ComparedKernel& b,
                           const std::optional<SpeedComparison>& speeds) {
  if (speeds)
    return speeds->distinguished ? apart_sentence(a, b, *speeds) : not_apart_sentence(a, b, *speeds);
  const bool neither = a.samples_seconds.empty() && b.samples_seconds.empty();
  return neither ? fmt::format("Neither {} nor {} has samples: their speeds are unknown.", a.name, b.name)
                 : fmt::format("{} has no samples: it is unknown which kernel is faster.",
                               a.samples_seconds.empty() ? a.name : b.name);
}

/** A number of both hot loops, and its sentence. */
struct LoopNumber {
  double a = 0;
  double b = 0;
  bool more_is_better = false;
  std::string sentence;  ///< sentence with the numbers
};

class LoopSentences {
 public:
  LoopSentences(const ComparedKernel& a, const ComparedKernel& b) : a_(a), b_(b) {
    add_registers();
    const std::optional<LoopRatios> of_a = loop_ratios(*a.mix);
    const std::optional<LoopRatios> of_b = loop_ratios(*b.mix);
    if (of_a && of_b) {
      add_ratios(*of_a, *of_b);
    } else if (of_a || of_b) {
      add({of_a ? 1.0 : 0.0, of_b ? 1.0 : 0.0, true,
           fmt::format("The hot loop of {} has no multiply-add instructions, the hot loop of {} has.",
                       of_a ? b.name : a.name, of_a ? a.name : b.name)});
    }
    std::ranges::stable_sort(numbers_, std::greater(),
                             [](const LoopNumber& number) { return difference_ratio(number.a, number.b); });
  }

  bool alike() const { return numbers_.empty(); }

  /**
   * Returns the differences in favour of the faster kernel, or all differences if it is unknown which is
   * faster.
   */
  std::vector<std::string> speaking_for(Faster faster) const {
    std::vector<std::string> sentences;
    for (const LoopNumber& number : numbers_) {
      const bool for_b = (number.b > number.a) == number.more_is_better;
      if (faster == Faster::Unknown || for_b == (faster == Faster::B)) sentences.push_back(number.sentence);
    }
    return sentences;
  }

 private:
  void add(LoopNumber number) {
    if (difference_ratio(number.a, number.b) >= alike_ratio) numbers_.push_back(std::move(number));
  }

  /** @param format of the one with more, its number, the other, and its number */
  void add(double a, double b, bool more_is_better,
           fmt::format_string<std::string, std::string, std::string, std::string> format) {
    const auto text = [](double number) { return base::number_text(number, ratio_digits); };
    add({a, b, more_is_better,
         a > b ? fmt::format(format, std::string(a_.name), text(a), std::string(b_.name), text(b))
               : fmt::format(format, std::string(b_.name), text(b), std::string(a_.name), text(a))});
  }

  void add_registers() {
    add(a_.mix->accumulators, b_.mix->accumulators, true, "{} keeps {} accumulators in registers, {} {}.");
    const int spills_a = a_.mix->spills();
    const int spills_b = b_.mix->spills();
    if (std::min(spills_a, spills_b) > 0) {
      add(spills_a, spills_b, false, "Both spill registers to the stack: {} {} times per iteration, {} {}.");
    } else {
      add(spills_a, spills_b, false,
          "{} does not fit into the registers (spills per iteration: {}), {} does (spills {}).");
    }
  }

  void add_ratios(const LoopRatios& a, const LoopRatios& b) {
    add(a.lanes, b.lanes, true, "A multiply-add instruction of {} computes {} products, of {} {}.");
    add(a.reads, b.reads, false, "Memory reads per multiply-add instruction: {} {}, {} {}.");
    add(a.bytes, b.bytes, false, "{} loads {} bytes per product, {} loads {}.");
    add(a.instructions, b.instructions, false,
        "{} executes {} instructions per multiply-add instruction, {} executes {}.");
    add(a.shuffles, b.shuffles, false,
        "Moves between lanes or registers per multiply-add instruction: {} {}, {} {}.");
  }

  const ComparedKernel& a_;
  const ComparedKernel& b_;
  std::vector<LoopNumber> numbers_;
};

/** Describes the bound of a hot loop: "28.4 products in a cycle, bound by load units". */
std::string max_text(const machine_code::LoopBound& bound) {
  return fmt::format("{} products per cycle, bound by {}",
                     base::number_text(bound.multiply_adds_per_cycle, ratio_digits),
                     machine_code::name_of(bound.resource));
}

bool same_bounds(const BoundPair& bounds) {
  return bounds.a->resource == bounds.b->resource &&
         difference_ratio(bounds.a->multiply_adds_per_cycle, bounds.b->multiply_adds_per_cycle) < alike_ratio;
}

/** Returns no sentence if both are equal. The kernel with the higher bound comes first. */
std::vector<std::string> bound_sentences(const ComparedKernel& a, const ComparedKernel& b,
                                         const BoundPair& bounds) {
  if (bounds.a == nullptr || same_bounds(bounds)) return {};
  const bool b_first = bounds.speed_ratio() > 1;
  const machine_code::LoopBound& first = b_first ? *bounds.b : *bounds.a;
  const machine_code::LoopBound& second = b_first ? *bounds.a : *bounds.b;
  return {fmt::format("The hot loop of {} adds at most {}; that of {} at most {} ({}, {}).",
                      b_first ? b.name : a.name, max_text(first), b_first ? a.name : b.name, max_text(second),
                      first.by, first.processor)};
}

/** Compares the ratio of the bounds with that of the times, if these are distinguishable. */
std::vector<std::string> ratio_sentences(const ComparedKernel& a, const ComparedKernel& b,
                                         const BoundPair& bounds, const SpeedComparison& speeds) {
  if (bounds.a == nullptr) return {};
  const bool b_faster = speeds.speed_ratio > 1;
  const double measured = b_faster ? speeds.speed_ratio : 1 / speeds.speed_ratio;
  const double bound = b_faster ? bounds.speed_ratio() : 1 / bounds.speed_ratio();
  const std::string& faster = b_faster ? b.name : a.name;
  if (bound < 1 / alike_ratio)
    return {
        fmt::format("By the bounds of their hot loops {} would be slower: the reason for its speed is {}.",
                    faster, elsewhere_text)};
  if (bound < alike_ratio)
    return {
        fmt::format("The bounds of their hot loops are equal and do not explain {}: the difference is {}.",
                    times_text(measured), elsewhere_text)};
  const double share = std::log(bound) / std::log(measured);
  constexpr double near = 1.25;
  if (share < 1 / near)
    return {
        fmt::format("By the bounds {} would be {} as fast, but it was measured {} as fast: the rest is {}.",
                    faster, times_text(bound), times_text(measured), elsewhere_text)};
  if (share > near)
    return {
        fmt::format("By the bounds {} would be {} as fast, but it was measured only {} as fast: code outside "
                    "the hot loop takes time.",
                    faster, times_text(bound), times_text(measured))};
  return {fmt::format("The bounds differ as much as the times: {} and {}.", times_text(bound),
                      times_text(measured))};
}

/** Returns the sentences about the hot loops. */
std::vector<std::string> loop_sentences(const ComparedKernel& a, const ComparedKernel& b,
                                        const std::optional<SpeedComparison>& speeds) {
  if (!a.mix || !b.mix) {
    if (!a.mix && !b.mix)
      return {"The hot loops of both kernels are unknown: their instructions cannot be compared."};
    return {fmt::format("The hot loop of {} is unknown: their instructions cannot be compared.",
                        a.mix ? b.name : a.name)};
  }
  const LoopSentences numbers(a, b);
  const BoundPair bounds = comparable_bounds(a, b);
  const Faster faster = faster_of(speeds);
  if (numbers.alike() && (bounds.a == nullptr || same_bounds(bounds)))
    return {faster == Faster::Unknown
                ? std::string("The hot loops do not differ.")
                : fmt::format("The hot loops do not differ: the difference is {}.", elsewhere_text)};
  std::vector<std::string> sentences = bound_sentences(a, b, bounds);
  const std::vector<std::string> speaking = numbers.speaking_for(faster);
  sentences.insert(sentences.end(), speaking.begin(), speaking.end());
  if (faster == Faster::Unknown) {
    if (speeds && bounds.a != nullptr &&
        difference_ratio(bounds.a->multiply_adds_per_cycle, bounds.b->multiply_adds_per_cycle) >= alike_ratio)
      sentences.push_back(fmt::format("Then both are limited {}.", elsewhere_text));
    return sentences;
  }
  if (sentences.empty())
    sentences.push_back(fmt::format("No number of the hot loops favours {}: the difference is {}.",
                                    faster == Faster::B ? b.name : a.name, elsewhere_text));
  const std::vector<std::string> ratios = ratio_sentences(a, b, bounds, *speeds);
  sentences.insert(sentences.end(), ratios.begin(), ratios.end());
  return sentences;
}

std::string knob_sentence(const std::vector<std::string>& knobs) {
  if (knobs.empty())
    return "Both have the same configuration, and so the same source: what differs is how they were "
           "measured.";
  if (knobs.size() > max_named_knobs) return fmt::format("{} knobs differ.", knobs.size());
  return fmt::format("{} {}: {}.", knobs.size(), knobs.size() == 1 ? "knob differs" : "knobs differ",
                     fmt::join(knobs, ", "));
}

}  // namespace

ComparedKernel compared_kernel(std::string name, std::vector<double> samples_seconds,
                               const measure::KernelInsight* insight) {
  ComparedKernel kernel{.name = std::move(name), .samples_seconds = std::move(samples_seconds)};
  if (insight == nullptr) return kernel;
  kernel.bounds = insight->bounds;
  if (const machine_code::MachineLoop* hot = insight->shown_code().hot()) kernel.mix = hot->mix;
  return kernel;
}

std::optional<LoopRatios> loop_ratios(const machine_code::InstructionMix& mix) {
  const double multiply_adds = mix.of(machine_code::InstructionClass::MultiplyAdd);
  const auto products = static_cast<double>(mix.multiply_adds);
  if (multiply_adds <= 0 || products <= 0) return std::nullopt;
  return LoopRatios{.lanes = products / multiply_adds,
                    .instructions = mix.instructions() / multiply_adds,
                    .reads = mix.memory_reads / multiply_adds,
                    .shuffles = mix.of(machine_code::InstructionClass::Shuffle) / multiply_adds,
                    .bytes = static_cast<double>(mix.bytes_loaded) / products};
}

SpeedComparison compare_speeds(std::span<const double> a_seconds, std::span<const double> b_seconds) {
  SpeedComparison speeds;
  speeds.speed_ratio = median_of(a_seconds) / median_of(b_seconds);
  speeds.p = analysis::mann_whitney_p(a_seconds, b_seconds);
  speeds.smallest_p = analysis::smallest_mann_whitney_p(a_seconds.size(), b_seconds.size());
  speeds.distinguished = speeds.p < significance;
  if (std::min(a_seconds.size(), b_seconds.size()) < 2) return speeds;
  const analysis::BootstrapOptions options;
  const analysis::Resamples a_drawn(options, 0, a_seconds.size());
  const analysis::Resamples b_drawn(options, 1, b_seconds.size());
  const auto drawn_median = [](std::span<const double> samples, std::span<const std::uint32_t> positions) {
    std::vector<double> drawn;
    for (const std::uint32_t position : positions) drawn.push_back(samples[position]);
    return base::quantile(std::move(drawn), 0.5);
  };
  std::vector<double> ratios;
  for (std::size_t resample = 0; resample < options.resamples; ++resample)
    ratios.push_back(drawn_median(a_seconds, a_drawn.positions(resample)) /
                     drawn_median(b_seconds, b_drawn.positions(resample)));
  speeds.interval =
      analysis::percentile_interval(std::move(ratios), std::min(a_seconds.size(), b_seconds.size()));
  return speeds;
}

BoundPair comparable_bounds(const ComparedKernel& a, const ComparedKernel& b) {
  for (const machine_code::LoopBound& of_a : a.bounds) {
    if (of_a.multiply_adds_per_cycle <= 0) continue;
    for (const machine_code::LoopBound& of_b : b.bounds)
      if (of_b.by == of_a.by && of_b.processor == of_a.processor && of_b.multiply_adds_per_cycle > 0)
        return {&of_a, &of_b};
  }
  return {};
}

KernelDifference kernel_difference(const ComparedKernel& a, const ComparedKernel& b,
                                   const std::vector<std::string>& differing_knobs) {
  KernelDifference difference;
  if (!a.samples_seconds.empty() && !b.samples_seconds.empty())
    difference.speeds = compare_speeds(a.samples_seconds, b.samples_seconds);
  difference.sentences.push_back(speed_sentence(a, b, difference.speeds));
  // The same source has the same instructions.
  if (!differing_knobs.empty()) {
    const std::vector<std::string> loops = loop_sentences(a, b, difference.speeds);
    difference.sentences.insert(difference.sentences.end(), loops.begin(), loops.end());
  }
  difference.sentences.push_back(knob_sentence(differing_knobs));
  return difference;
}

}  // namespace kernelscape::session
