#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/schedule/target.h"
#include "core/task/task.h"
#include "core/trial/baselines.h"
#include "core/trial/peak_kind.h"

namespace kernelscape {

/** The speed limit of a task: the smaller of peak and bandwidth x intensity, and its name. */
struct SpeedLimit {
  double gflops = 0;  ///< 0: unknown
  std::string name;   ///< "FMA peak", "8-bit peak", "memory bandwidth"
};

/**
 * Returns the bytes of all tensors of a task, each counted once: the minimum that a kernel moves. For generic
 * tasks the bytes that the task specifies; 0: unknown.
 */
double task_bytes(const Task& task);

/**
 * Returns the peak that bounds the arithmetic of a task: that of f32 or that of int8. Returns nullopt for
 * other types and for generic tasks, whose peaks are not measured.
 */
std::optional<PeakKind> peak_kind(const Task& task);

/**
 * Measures peak and bandwidth for `working_set_bytes`, which determines the cache, or main memory, that holds
 * the tensors. Takes about a fifth of a second. The caller holds the device's lease. The limits of a GPU are
 * measured in a worker process; they are 0 if there is no device or its compiler is missing.
 * @param kind if it is the int8 peak, the int8 peak of a CPU is measured beside that of f32
 */
MachineLimits measure_machine_limits(const TargetDescription& target, int threads, double working_set_bytes,
                                     std::optional<PeakKind> kind = std::nullopt);

/**
 * Measures GFLOP/s of independent f32 multiply-adds in registers, using the best time of each thread. Takes a
 * fifth of a second. The caller holds the device's lease and a TimingMark.
 */
double measure_fma_peak(const TargetDescription& target, int threads);

/**
 * Measures the peak of int8 multiply-adds (u8 x i8 products accumulated in i32, two operations each), in
 * units of 1e9 operations per second. On x86 it uses VNNI if the target's instructions and the processor have
 * it, else 16-bit products, which non-saturating code needs. The caller holds the device's lease and a
 * TimingMark.
 */
double measure_byte_peak(const TargetDescription& target, int threads);

/**
 * Measures the bytes per second that all threads together read from a working set; each thread reads its own
 * part repeatedly. Returns the best of several repetitions. The caller holds the device's lease and a
 * TimingMark.
 * @param working_set_bytes of all threads together, at least 2 KiB per thread
 * @throws std::bad_alloc if the memory is not available
 */
double measure_read_bandwidth(const TargetDescription& target, int threads, double working_set_bytes);

/**
 * Returns the fraction of an operator's multiply-adds that use elements of both inputs, in (0, 1]. The others
 * multiply padding or the gaps of a transposed convolution: FLOPs count them, kernels skip them.
 */
double needed_share(const TensorOperator& op);

/**
 * Returns the limit of a task in its own FLOPs, of which only needed_share() has to be computed. The limit is
 * unknown for types other than f32 and int8, for generic tasks, and if the peaks were not measured.
 */
SpeedLimit speed_limit(const MachineLimits& limits, const Task& task);

}  // namespace kernelscape
