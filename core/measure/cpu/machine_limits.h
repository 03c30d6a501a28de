#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/schedule/target.h"
#include "core/task/task.h"
#include "core/trial/baselines.h"
#include "core/trial/peak_kind.h"

namespace kernelscape {

/** The smaller of peak and bandwidth x intensity, and which of the two it is. */
struct SpeedLimit {
  double gflops = 0;  ///< 0: not known
  std::string name;   ///< "FMA peak", "8-bit peak", "memory bandwidth"
};

/** Bytes of all tensors of a task, each once: what a kernel moves at least. Of generic tasks what they
 * say; 0: not known. */
double task_bytes(const Task& task);

/** The peak that bounds a task's arithmetic: that of f32, or that of i8. None is measured of other types, and
 * of what generic tasks compute. */
std::optional<PeakKind> peak_kind(const Task& task);

/**
 * Measures peak and bandwidth for `working_set_bytes`, which says in which cache, or in none, the tensors
 * are: about a fifth of a second. The caller holds the device's lease. Those of a GPU are measured in a
 * worker: zeros where there is no device, or its compiler is missing.
 * @param kind where it is the products of bytes, their peak is measured beside that of f32, of a CPU
 */
MachineLimits measure_machine_limits(const TargetDescription& target, int threads, double working_set_bytes,
                                     std::optional<PeakKind> kind = std::nullopt);

/** GFLOP/s of independent f32 multiply-adds in registers, each thread at its best: a fifth of a second. The
 * caller holds the device's lease and a TimingMark. */
double measure_fma_peak(const TargetDescription& target, int threads);

/** The same of products u8 x i8 that are added up in i32, two operations each. On x86 by VNNI where the
 * target's instructions and the processor have it, else by 16-bit products, as code that does not saturate
 * must. */
double measure_byte_peak(const TargetDescription& target, int threads);

/**
 * Bytes per second that all threads together read of a working set, each its own part of it again and again:
 * best of several repetitions. The caller holds the device's lease and a TimingMark. @param working_set_bytes
 * of all threads together, at least 2 KiB for each @throws std::bad_alloc where the memory can't be had
 */
double measure_read_bandwidth(const TargetDescription& target, int threads, double working_set_bytes);

/**
 * The share of an operator's multiply-adds that meet elements of both inputs, in (0, 1]. The others multiply
 * padding, or the gaps of a transposed convolution: FLOPs count them, and kernels leave them out.
 */
double needed_share(const TensorOperator& op);

/** The limit of a task in its own FLOPs, of which only the needed share has to be computed; unknown for types
 * other than f32 and i8, for generic tasks, and of peaks that were not measured. */
SpeedLimit speed_limit(const MachineLimits& limits, const Task& task);

}  // namespace kernelscape
