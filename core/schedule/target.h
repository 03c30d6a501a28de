#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace kernelscape::schedule {

enum class TargetKind : std::uint8_t { Cpu, Cuda, OpenCl };

/** Returns the kind as users write it: "cpu", "cuda", "opencl". */
std::string_view to_string(TargetKind kind);

/**
 * The device and tool chain that a kernel is built for, as a value: passed to templates, stored with
 * sessions. Two sessions are comparable only if their descriptions are equal.
 */
struct TargetDescription {
  std::string name = "cpu";  ///< as users write it: cpu, cuda:0, opencl:0
  TargetKind kind = TargetKind::Cpu;
  std::string device;  ///< "AMD EPYC", "NVIDIA H200"
  std::string isa;     ///< "avx512", "avx2", "sse2", "neon"; "sm_90a" on CUDA; "OpenCL C 1.2"
  /**
   * Extensions of a CPU beyond its ISA that a kernel can use: "avx512_bf16", "avx512_vnni", "avx_vnni".
   * Sorted. The description of a kernel has only those that it uses; descriptions stored by earlier versions
   * may have none.
   */
  std::vector<std::string> extensions;
  std::int64_t vector_bits = 128;
  std::int64_t vector_registers = 16;
  std::int64_t cores = 1;     ///< multiprocessors (compute units) of a GPU
  std::int64_t l1_bytes = 0;  ///< data cache of one core
  std::int64_t l2_bytes = 0;
  std::int64_t l3_bytes = 0;
  std::string compiler;  ///< path or command
  std::string compiler_version;
  std::vector<std::string> flags;
  // Launch limits of GPUs; 0 on a CPU.
  std::int64_t threads_per_block = 0;
  std::int64_t block_x = 0;
  std::int64_t block_y = 0;
  std::int64_t block_z = 0;
  std::int64_t shared_bytes = 0;  ///< static shared memory of a block
  std::int64_t grid_x = 0;        ///< blocks of a launch along each dimension; 0: not limited
  std::int64_t grid_y = 0;
  std::int64_t grid_z = 0;
  // Resources of a GPU's multiprocessor (compute unit), which determine the theoretical occupancy. 0: not
  // known.
  std::int64_t warp_threads = 0;
  std::int64_t threads_per_multiprocessor = 0;
  std::int64_t blocks_per_multiprocessor = 0;
  std::int64_t registers_per_multiprocessor = 0;  ///< of 32 bits
  std::int64_t registers_per_thread = 0;          ///< maximum per thread
  std::int64_t shared_bytes_per_multiprocessor = 0;
  std::int64_t memory_bytes = 0;  ///< the device's own memory; 0: it uses the host's memory
  std::string driver_version;
  bool host_device = false;        ///< an OpenCL device that is the host's CPU: builds disturb its timings
  bool architecture_only = false;  ///< there is no device: kernels are built for `isa` and never run
  /**
   * For a class of a fleet's devices: "redis://host:6379/0#CLASS", the part of the target's name behind
   * "fleet:". Empty: a device of this machine.
   */
  std::string fleet;

  /** Returns the name as users write it: "cpu", "cuda:0", "fleet:redis://host:6379/0#CLASS". */
  std::string user_name() const { return fleet.empty() ? name : "fleet:" + fleet; }
  std::int64_t vector_lanes_f32() const { return vector_bits / 32; }  ///< floats in one vector register
  std::string instructions()
      const;  ///< "avx512, avx512_vnni": the ISA and its extensions, as reports name it
  /** Returns true if builds and runs can overlap without disturbing each other. */
  bool builds_beside_runs() const { return kind != TargetKind::Cpu && !host_device; }
  bool operator==(const TargetDescription&) const = default;
};

/**
 * Returns the number of cores of this machine's CPU, independent of the measured target: builders and
 * references use them.
 */
int host_cores(const TargetDescription& target);

/**
 * Returns the CUDA device that NoSE and AutoTVM assume: 1024 threads, 1024 x 1024 x 64, 48 KiB. Needs no GPU.
 */
TargetDescription default_cuda_target();

/**
 * Returns JSON text, as sessions store it. A CPU's text omits the fields for GPUs, which were added later.
 */
std::string target_to_json(const TargetDescription& target);
/**
 * Reads a description from JSON; fields that later versions added may be missing. Error: Corrupt, naming the
 * field that is missing, of another type, or a number that no machine has.
 */
Result<TargetDescription> target_from_json(std::string_view json);

}  // namespace kernelscape::schedule
