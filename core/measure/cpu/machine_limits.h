#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/schedule/target.h"
#include "core/task/task.h"
#include "core/trial/baselines.h"
#include "core/trial/peak_kind.h"

namespace kernelscape::measure {

/** The speed limit of a task: the smaller of peak and bandwidth x intensity, and its name. */
struct SpeedLimit {
  double gflops = 0;                         ///< 0: unknown
  std::string name;                          ///< "FMA peak", "8-bit peak", "memory bandwidth"
  std::optional<trial::PeakKind> peak = {};  ///< nullopt: the limit is the memory bandwidth, or not known
};

/**
 * Returns the peak that bounds the arithmetic of a task: that of f32 or that of int8. Returns nullopt for
 * other types and for generic tasks, whose peaks are not measured.
 */
std::optional<trial::PeakKind> peak_kind(const task::Task& task);

/**
 * Measures peak and bandwidth for `working_set_bytes`, which determines the cache, or main memory, that holds
 * the tensors. Takes about a fifth of a second. The caller holds the device's lease. The limits of a GPU are
 * measured in a worker process; they are 0 if there is no device or its compiler is missing.
 * @param kind if it is the int8 peak, the int8 peak of a CPU is measured beside that of f32
 */
trial::MachineLimits measure_machine_limits(const schedule::TargetDescription& target, int threads,
                                            double working_set_bytes,
                                            std::optional<trial::PeakKind> kind = std::nullopt);

/**
 * Measures GFLOP/s of independent f32 multiply-adds in registers, using the best time of each thread. Takes a
 * fifth of a second. The caller holds the device's lease and a TimingMark.
 */
double measure_fma_peak(const schedule::TargetDescription& target, int threads);

/**
 * Measures the peak of int8 multiply-adds (u8 x i8 products accumulated in i32, two operations each), in
 * units of 1e9 operations per second. On x86 it uses VNNI if the target's instructions and the processor have
 * it, else 16-bit products, which non-saturating code needs. The caller holds the device's lease and a
 * TimingMark.
 */
double measure_byte_peak(const schedule::TargetDescription& target, int threads);

/**
 * Measures the bytes per second that all threads together read from a working set; each thread reads its own
 * part repeatedly. Returns the best of several repetitions. The caller holds the device's lease and a
 * TimingMark.
 * @param working_set_bytes of all threads together, at least 2 KiB per thread
 * @throws std::bad_alloc if the memory is not available
 */
double measure_read_bandwidth(const schedule::TargetDescription& target, int threads,
                              double working_set_bytes);

/**
 * Loops of vector instructions of at most 256 bits, which do not lower the clock of processors that have
 * wider ones. The speed probe (worker/speed_probe.h) is made of them: a change of their work needs another
 * probe_version.
 */
struct VectorLoops {
  /** Multiplies and adds in registers; returns a number that depends on all results. */
  double (*multiply_add)(std::int64_t rounds);
  /** Reads `count` floats, a multiple of 64, at an address that is a multiple of 32. */
  double (*read_all)(const float* data, std::int64_t count, std::int64_t repeats);
};

/** Returns the loops that this processor can execute. */
VectorLoops vector_loops();

/**
 * Returns the fraction of an operator's multiply-adds that use elements of both inputs, in (0, 1]. The others
 * multiply padding or the gaps of a transposed convolution: FLOPs count them, kernels skip them.
 */
double needed_share(const task::TensorOperator& op);

/**
 * Returns the limit of a task in its own FLOPs, of which only needed_share() has to be computed. The limit is
 * unknown for types other than f32 and int8, for generic tasks, and if the peaks were not measured.
 */
SpeedLimit speed_limit(const trial::MachineLimits& limits, const task::Task& task);

}  // namespace kernelscape::measure
