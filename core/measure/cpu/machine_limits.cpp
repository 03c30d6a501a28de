#include "core/measure/cpu/machine_limits.h"

#include <algorithm>
#include <atomic>
#include <barrier>
#include <chrono>
#include <cstddef>
#include <functional>
#include <thread>
#include <vector>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "core/measure/limits_in_worker.h"
#include "core/measure/worker/timing_mark.h"

namespace kernelscape::measure {
namespace {

constexpr double region_seconds = 0.004;
constexpr int regions = 25;
constexpr int min_regions = 5;
constexpr double max_seconds_of_regions = 0.25;  // for long regions, those of a large working set
constexpr double min_working_set_bytes = 64e3;   // a shorter region is too short to time
constexpr double max_working_set_bytes = 512e6;
constexpr double per_giga = 1e-9;

// A vector operation of each width, with the compiler's own vector types, so that all instruction sets are
// supported.
typedef float Vector16 __attribute__((vector_size(16)));
typedef float Vector32 __attribute__((vector_size(32)));
typedef float Vector64 __attribute__((vector_size(64)));

// Enough chains to cover latency x throughput, few enough to fit into the registers.
constexpr int chains = 12;
#if defined(__x86_64__)
#define KERNELSCAPE_VECTOR_REGISTER(value) "+x"(value)
#else
#define KERNELSCAPE_VECTOR_REGISTER(value) "+w"(value)
#endif

constexpr std::int64_t streams = 8;  // independent sums, so that additions do not wait

struct Instructions {
  double (*multiply_add)(std::int64_t rounds);
  double (*read_all)(const float* data, std::int64_t count, std::int64_t repeats);
  std::int64_t lanes;
  double (*multiply_bytes)(std::int64_t rounds);
  std::int64_t products;  ///< int8 products of one step of a chain
};

// Functions for one instruction set. This is a macro, since the vectors of a template are split to the
// default set's width before it is inlined. The empty asm keeps the chains in registers and the loops
// unchanged.
// NOLINTBEGIN(bugprone-macro-parentheses): attributes, constraints and parts of names are no expressions
#define KERNELSCAPE_INSTRUCTION_SET(width, attribute)                                                      \
  attribute double multiply_add_##width(std::int64_t rounds) {                                             \
    Vector##width sums[chains] = {};                                                                       \
    const Vector##width factor = Vector##width{} + 0.999F;                                                 \
    const Vector##width addend = Vector##width{} + 0.001F;                                                 \
    for (std::int64_t round = 0; round < rounds; ++round) {                                                \
      _Pragma("GCC unroll 16") for (int chain = 0; chain < chains; ++chain) sums[chain] =                  \
          sums[chain] * factor + addend;                                                                   \
      _Pragma("GCC unroll 16") for (int chain = 0; chain < chains;                                         \
                                    ++chain) asm volatile("" : KERNELSCAPE_VECTOR_REGISTER(sums[chain]));  \
    }                                                                                                      \
    double total = 0;                                                                                      \
    _Pragma("GCC unroll 16") for (int chain = 0; chain < chains; ++chain) total +=                         \
        static_cast<double>(sums[chain][0]);                                                               \
    return total;                                                                                          \
  }                                                                                                        \
  attribute double read_all_##width(const float* data, std::int64_t count, std::int64_t repeats) {         \
    constexpr std::int64_t lanes = width / sizeof(float);                                                  \
    Vector##width sums[streams] = {};                                                                      \
    const auto* vectors = reinterpret_cast<const Vector##width*>(data);                                    \
    for (std::int64_t repeat = 0; repeat < repeats; ++repeat) {                                            \
      for (std::int64_t i = 0; i + streams <= count / lanes; i += streams) {                               \
        _Pragma("GCC unroll 16") for (std::int64_t stream = 0; stream < streams; ++stream) sums[stream] += \
            vectors[i + stream];                                                                           \
      }                                                                                                    \
      asm volatile("" ::: "memory");                                                                       \
    }                                                                                                      \
    double total = 0;                                                                                      \
    _Pragma("GCC unroll 16") for (int stream = 0; stream < streams; ++stream) total +=                     \
        static_cast<double>(sums[stream][0]);                                                              \
    return total;                                                                                          \
  }

KERNELSCAPE_INSTRUCTION_SET(16, )

typedef std::int32_t Integers16 __attribute__((vector_size(16)));

#if defined(__x86_64__)
typedef std::int32_t Integers32 __attribute__((vector_size(32)));
typedef std::int32_t Integers64 __attribute__((vector_size(64)));

// Chains of int8 products, written as instructions, since compilers have different names for their vector
// operations. `%0` is the sum, `%1` a scratch register, `%2` and `%3` the factors.
#define KERNELSCAPE_BYTE_PRODUCTS(name, width, constraint, attribute, instructions)                \
  attribute double multiply_bytes_##name(std::int64_t rounds) {                                    \
    Integers##width sums[chains] = {};                                                             \
    Integers##width between = {};                                                                  \
    const Integers##width data = Integers##width{} + 0x04030201;                                   \
    const Integers##width weight = Integers##width{} + 0x01010101;                                 \
    for (std::int64_t round = 0; round < rounds; ++round) {                                        \
      _Pragma("GCC unroll 16") for (int chain = 0; chain < chains; ++chain) asm volatile(          \
          instructions : "+" constraint(sums[chain]), "=&" constraint(between) : constraint(data), \
          constraint(weight));                                                                     \
    }                                                                                              \
    double total = 0;                                                                              \
    _Pragma("GCC unroll 16") for (int chain = 0; chain < chains; ++chain) total +=                 \
        static_cast<double>(sums[chain][0]);                                                       \
    return total;                                                                                  \
  }

// NOLINTEND(bugprone-macro-parentheses)
KERNELSCAPE_INSTRUCTION_SET(32, __attribute__((target("avx2,fma"))))
KERNELSCAPE_INSTRUCTION_SET(64, __attribute__((target("avx512f,fma"))))
KERNELSCAPE_BYTE_PRODUCTS(words_16, 16, "x", , "movdqa %2, %1\n\tpmaddwd %3, %1\n\tpaddd %1, %0")
KERNELSCAPE_BYTE_PRODUCTS(words_32, 32, "x", __attribute__((target("avx2"))),
                          "vpmaddwd %3, %2, %1\n\tvpaddd %1, %0, %0")
KERNELSCAPE_BYTE_PRODUCTS(words_64, 64, "v", __attribute__((target("avx512f,avx512bw"))),
                          "vpmaddwd %3, %2, %1\n\tvpaddd %1, %0, %0")
KERNELSCAPE_BYTE_PRODUCTS(vnni_32, 32, "x", __attribute__((target("avx2,avxvnni"))),
                          "%{vex%} vpdpbusd %3, %2, %0")
KERNELSCAPE_BYTE_PRODUCTS(vnni_64, 64, "v", __attribute__((target("avx512f,avx512vnni"))),
                          "vpdpbusd %3, %2, %0")

/**
 * Returns true if the processor has VNNI on 256-bit vectors without AVX-512, which the built-in check of
 * older compilers does not know.
 */
bool has_avx_vnni() {
  constexpr unsigned int avx_vnni_bit = 1U << 4;
  unsigned int a = 0;
  unsigned int b = 0;
  unsigned int c = 0;
  unsigned int d = 0;
  return __get_cpuid_count(7, 1, &a, &b, &c, &d) != 0 && (a & avx_vnni_bit) != 0;
}

Instructions instructions_of(const schedule::TargetDescription& target) {
  if (target.isa == "avx512" && __builtin_cpu_supports("avx512f")) {
    if (__builtin_cpu_supports("avx512vnni"))
      return {multiply_add_64, read_all_64, 16, multiply_bytes_vnni_64, 64};
    if (__builtin_cpu_supports("avx512bw"))
      return {multiply_add_64, read_all_64, 16, multiply_bytes_words_64, 32};
    return {multiply_add_64, read_all_64, 16, multiply_bytes_words_32, 16};
  }
  if (target.isa != "sse2" && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    if (has_avx_vnni()) return {multiply_add_32, read_all_32, 8, multiply_bytes_vnni_32, 32};
    return {multiply_add_32, read_all_32, 8, multiply_bytes_words_32, 16};
  }
  return {multiply_add_16, read_all_16, 4, multiply_bytes_words_16, 8};
}
#else
/** Computes int8 products in 32-bit integers, as the compiler vectorizes plain C. */
double multiply_bytes_16(std::int64_t rounds) {
  Integers16 sums[chains] = {};
  Integers16 data = Integers16{} + 3;
  const Integers16 weight = Integers16{} + 2;
  for (std::int64_t round = 0; round < rounds; ++round) {
    _Pragma("GCC unroll 16") for (int chain = 0; chain < chains; ++chain) sums[chain] += data * weight;
    _Pragma("GCC unroll 16") for (int chain = 0; chain < chains;
                                  ++chain) asm volatile("" : KERNELSCAPE_VECTOR_REGISTER(sums[chain]));
    asm volatile("" : KERNELSCAPE_VECTOR_REGISTER(data));
  }
  double total = 0;
  for (const Integers16& sum : sums) total += static_cast<double>(sum[0]);
  return total;
}

Instructions instructions_of(const TargetDescription&) {
  return {multiply_add_16, read_all_16, 4, multiply_bytes_16, 4};
}
#endif

std::atomic<double> unread_results{0};  // a sink, so that all results are used

/**
 * The minimum seconds per repeat: the time at the highest clock, which a kernel's best sample also reaches.
 */
struct Fastest {
  double all = 0;            ///< from the start of the last thread to the end of the last one
  std::vector<double> each;  ///< minimum of each thread, whatever disturbed the others meanwhile
};

/** Calls `work(thread, repeats)` on all threads at once, repeatedly. */
Fastest time_fastest(int threads, const std::function<double(int, std::int64_t)>& work) {
  using Steady = std::chrono::steady_clock;
  std::vector<double> own(static_cast<std::size_t>(threads));
  const auto timed = [&](std::int64_t repeats) {
    Steady::time_point begin;
    std::barrier start(threads, [&]() noexcept { begin = Steady::now(); });
    std::vector<Steady::time_point> ends(static_cast<std::size_t>(threads));
    const auto member = [&](int thread) {
      start.arrive_and_wait();
      const Steady::time_point own_begin = Steady::now();
      unread_results = work(thread, repeats);
      const auto end = Steady::now();
      own[static_cast<std::size_t>(thread)] = std::chrono::duration<double>(end - own_begin).count();
      return end;
    };
    std::vector<std::jthread> team;
    try {
      for (int thread = 1; thread < threads; ++thread)
        team.emplace_back([&, thread] { ends[static_cast<std::size_t>(thread)] = member(thread); });
    } catch (...) {
      // Threads that were started wait for the others, which were not started.
      for (int absent = threads - static_cast<int>(team.size()); absent > 0; --absent)
        start.arrive_and_drop();
      throw;
    }
    ends[0] = member(0);
    team.clear();
    return std::chrono::duration<double>(*std::ranges::max_element(ends) - begin).count();
  };
  std::int64_t repeats = 1;
  while (timed(repeats) < region_seconds && repeats < (std::int64_t{1} << 40)) repeats *= 2;
  Fastest fastest{timed(repeats), own};
  const Steady::time_point over = Steady::now() + std::chrono::duration_cast<Steady::duration>(
                                                      std::chrono::duration<double>(max_seconds_of_regions));
  for (int region = 1; region < regions && (region < min_regions || Steady::now() < over); ++region) {
    fastest.all = std::min(fastest.all, timed(repeats));
    for (std::size_t thread = 0; thread < own.size(); ++thread)
      fastest.each[thread] = std::min(fastest.each[thread], own[thread]);
  }
  fastest.all /= static_cast<double>(repeats);
  for (double& seconds : fastest.each) seconds /= static_cast<double>(repeats);
  return fastest;
}

/**
 * Measures a limit: the sum of what each thread reached in its best repeat.
 * @param products products of one step of a chain
 */
double measure_peak_gflops(double (*compute)(std::int64_t rounds), std::int64_t products, int threads) {
  constexpr std::int64_t rounds = 10'000;
  const Fastest fastest =
      time_fastest(threads, [&](int, std::int64_t repeats) { return compute(repeats * rounds); });
  constexpr double operations_per_product = 2;
  const double operations = static_cast<double>(products * chains * rounds) * operations_per_product;
  double gflops = 0;
  for (const double seconds : fastest.each) gflops += operations / seconds * per_giga;
  return gflops;
}

double measure_bandwidth(const Instructions& instructions, int threads, double working_set_bytes) {
  constexpr std::int64_t floats_per_line = 16;
  const std::int64_t floats_at_once = instructions.lanes * streams;
  const auto share = static_cast<std::int64_t>(working_set_bytes / sizeof(float) / threads) / floats_at_once *
                     floats_at_once;
  struct alignas(64) Line {
    float values[floats_per_line];
  };
  std::vector<std::vector<Line>> parts(static_cast<std::size_t>(threads));
  for (auto& part : parts) part.assign(static_cast<std::size_t>(share / floats_per_line), Line{});
  const Fastest fastest = time_fastest(threads, [&](int thread, std::int64_t repeats) {
    return instructions.read_all(parts[static_cast<std::size_t>(thread)].front().values, share, repeats);
  });
  return static_cast<double>(share * threads) * sizeof(float) / fastest.all;
}

}  // namespace

std::optional<trial::PeakKind> peak_kind(const task::Task& task) {
  if (!task.op) return std::nullopt;
  const task::OperandTypes types = task::operand_types(*task.op);
  if (types == task::OperandTypes{}) return trial::PeakKind::MultiplyAdds;
  if (types == task::OperandTypes{task::ScalarType::U8, task::ScalarType::I8, task::ScalarType::I32,
                                  task::ScalarType::I32})
    return trial::PeakKind::ByteProducts;
  return std::nullopt;
}

trial::MachineLimits measure_machine_limits(const schedule::TargetDescription& target, int threads,
                                            double working_set_bytes, std::optional<trial::PeakKind> kind) {
  TimingMark mark;
  const TimingMark::Scope timing(mark);
  if (target.kind != schedule::TargetKind::Cpu)
    return measure_gpu_limits_in_worker(target, working_set_bytes);
  const Instructions instructions = instructions_of(target);
  trial::MachineLimits limits;
  limits.working_set_bytes =
      std::clamp(working_set_bytes, min_working_set_bytes * threads, max_working_set_bytes);
  limits.peak_gflops = measure_peak_gflops(instructions.multiply_add, instructions.lanes, threads);
  if (kind == trial::PeakKind::ByteProducts)
    limits.byte_peak_gflops =
        measure_peak_gflops(instructions.multiply_bytes, instructions.products, threads);
  limits.bandwidth_bytes_per_second = measure_bandwidth(instructions, threads, limits.working_set_bytes);
  return limits;
}

VectorLoops vector_loops() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return {multiply_add_32, read_all_32};
#endif
  return {multiply_add_16, read_all_16};
}

double measure_fma_peak(const schedule::TargetDescription& target, int threads) {
  const Instructions instructions = instructions_of(target);
  return measure_peak_gflops(instructions.multiply_add, instructions.lanes, threads);
}

double measure_byte_peak(const schedule::TargetDescription& target, int threads) {
  const Instructions instructions = instructions_of(target);
  return measure_peak_gflops(instructions.multiply_bytes, instructions.products, threads);
}

double measure_read_bandwidth(const schedule::TargetDescription& target, int threads,
                              double working_set_bytes) {
  return measure_bandwidth(instructions_of(target), threads, working_set_bytes);
}

namespace {

constexpr std::int64_t max_combinations = 10'000'000;  // above it, all elements count as used

/**
 * Returns the fraction of the iterations of the axes behind one index that use an element of the tensor:
 * padding and the gaps of a transposed convolution are zeros that need not be multiplied.
 */
double share_that_meets(const task::TensorOperator& op, const task::AccessIndex& index, std::int64_t size) {
  std::vector<std::int64_t> coefficients;
  std::vector<std::int64_t> extents;
  std::int64_t combinations = 1;
  std::int64_t low = index.offset;
  std::int64_t high = index.offset;
  for (std::size_t axis = 0; axis < index.coefficients.size(); ++axis) {
    if (index.coefficients[axis] == 0) continue;
    coefficients.push_back(index.coefficients[axis]);
    extents.push_back(op.axes[axis].extent);
    (coefficients.back() > 0 ? high : low) += coefficients.back() * (extents.back() - 1);
    if (__builtin_mul_overflow(combinations, extents.back(), &combinations)) return 1;
  }
  const bool always = index.divisor == 1 && low >= 0 && high < size;
  if (always || combinations > max_combinations) return 1;
  std::int64_t meeting = 0;
  for (std::int64_t combination = 0; combination < combinations; ++combination) {
    std::int64_t value = index.offset;
    std::int64_t rest = combination;
    for (std::size_t i = 0; i < extents.size(); ++i) {
      value += coefficients[i] * (rest % extents[i]);
      rest /= extents[i];
    }
    if (value % index.divisor == 0 && value >= 0 && value / index.divisor < size) ++meeting;
  }
  return static_cast<double>(meeting) / static_cast<double>(combinations);
}

}  // namespace

double needed_share(const task::TensorOperator& op) {
  double share = 1;
  for (const task::TensorAccess& input : op.inputs)
    for (std::size_t d = 0; d < input.indices.size(); ++d)
      share *= share_that_meets(op, input.indices[d], input.shape[d]);
  return share > 0 ? share : 1;
}

SpeedLimit speed_limit(const trial::MachineLimits& limits, const task::Task& task) {
  const std::optional<trial::PeakKind> kind = peak_kind(task);
  if (!kind || task.flops() <= 0 || limits.peak(*kind) <= 0) return {};
  const double memory_gflops =
      limits.bandwidth_bytes_per_second * task.flops() / task::task_bytes(task) * per_giga;
  const double peak_gflops = limits.peak(*kind) / needed_share(*task.op);
  if (memory_gflops > 0 && memory_gflops < peak_gflops) return {memory_gflops, "memory bandwidth"};
  return {peak_gflops, std::string(trial::to_string(*kind)), kind};
}

}  // namespace kernelscape::measure
