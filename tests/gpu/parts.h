#pragma once

#include <span>
#include <string>
#include <string_view>

#include "tests/gpu/part_result.h"
#include "tests/gpu/settings.h"

namespace kernelscape::gpu_proof {

/** A part of a visit. It runs in a process of its own, which is ended at its time limit. */
struct Part {
  const char* name;
  const char* summary;
  double share;           ///< of the minutes that are left, beside the shares of the parts that follow
  double useful_seconds;  ///< with less, the part finds nothing out and its share goes to the others
  /** Returns when it is done or its time is over; saves what it knows after every step. */
  void (*run)(const Settings& settings, PartResult& result);
};

/** Returns all parts, the most valuable first. */
std::span<const Part> all_parts();

/** Returns nullptr if no part has this name. */
const Part* find_part(std::string_view name);

/** What this machine has: devices, their limits, the libraries; whether a first kernel runs, and confined. */
void run_devices(const Settings& settings, PartResult& result);
/** Random tasks and configurations of every template against the reference. */
void run_properties(const Settings& settings, PartResult& result);
/** Kernels that do wrong: each costs one trial, and the next one works. */
void run_faults(const Settings& settings, PartResult& result);
/** compute-sanitizer over samples of every CUDA template. */
void run_sanitizers(const Settings& settings, PartResult& result);
/** Our best kernels against cuBLAS and cuDNN. */
void run_vendor(const Settings& settings, PartResult& result);
/** A random sample of a space, to replay. */
void run_record(const Settings& settings, PartResult& result);
/** Tuners on a space of 90 million. */
void run_search(const Settings& settings, PartResult& result);

/** Samples of every CUDA template in this process, for what watches it; the exit code. */
int run_kernels(const Settings& settings);

}  // namespace kernelscape::gpu_proof
