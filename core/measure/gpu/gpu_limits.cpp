#include "core/measure/gpu/gpu_limits.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <vector>

#include "core/measure/gpu/device_compiler.h"
#include "core/measure/gpu/dialect_macros.h"
#include "core/measure/gpu/gpu_device.h"

namespace kernelscape::measure {
namespace {

constexpr double region_seconds = 0.004;
constexpr int regions = 25;
constexpr double per_giga = 1e-9;
constexpr double operations_of_multiply_add = 2;
constexpr std::int64_t floats_of_a_vector = 4;

// Both kernels, valid in either dialect behind dialect_macros. Chains are independent, so that a single
// thread covers the latency of its multiply-adds; rounds are unrolled, so that loop counting is a hundredth
// of the instructions. Each pass of the reading kernel begins elsewhere in the data (pass_shift()), so that a
// core reads again from the memory level that holds the whole working set, not from its own first-level
// cache.
constexpr const char* source_text = R"(#ifdef __OPENCL_VERSION__
#ifdef FP_FAST_FMAF
#define MULTIPLY_ADD(a, b, c) fma(a, b, c)
#else
#define MULTIPLY_ADD(a, b, c) mad(a, b, c)
#endif
#else
#define MULTIPLY_ADD(a, b, c) fmaf(a, b, c)
#endif

typedef {chain_type} chain_t;

KERNEL void multiply_add(GLOBAL chain_t* output) {{
  const int thread = THREAD;
  const chain_t factor = (chain_t)(0.999f);
  const chain_t addend = (chain_t)(0.001f);
  chain_t sums[{chains}];
#pragma unroll
  for (int chain = 0; chain < {chains}; ++chain) sums[chain] = (chain_t)((float)(thread + chain));
#pragma unroll 16
  for (int round = 0; round < {rounds}; ++round) {{
#pragma unroll
    for (int chain = 0; chain < {chains}; ++chain)
      sums[chain] = MULTIPLY_ADD(sums[chain], factor, addend);
  }}
  chain_t total = (chain_t)(0.0f);
#pragma unroll
  for (int chain = 0; chain < {chains}; ++chain) total += sums[chain];
  output[thread] = total;
}}

KERNEL void read_all(GLOBAL const float4* data, GLOBAL float* output) {{
  const int thread = THREAD;
  const int first = thread * {thread_distance};
  float sum_x = 0.0f;
  float sum_y = 0.0f;
  float sum_z = 0.0f;
  float sum_w = 0.0f;
  int shift = 0;
  for (int pass = 0; pass < {passes}; ++pass) {{
#pragma unroll 4
    for (int step = 0; step < {steps}; ++step) {{
      int position = first + step * {step_distance} + shift;
      if (position >= {vectors}) position -= {vectors};
      const float4 value = data[position];
      sum_x += value.x;
      sum_y += value.y;
      sum_z += value.z;
      sum_w += value.w;
    }}
    shift += {pass_shift};
    if (shift >= {vectors}) shift -= {vectors};
  }}
  output[thread] = sum_x + sum_y + sum_z + sum_w;
}}
)";

/** The launch shape of the two kernels on a device. */
struct Shape {
  std::int64_t threads_of_a_block;
  std::int64_t blocks_of_a_core;
  std::int64_t lanes;  ///< floats per chain
  std::int64_t rounds;
  double bytes_of_a_launch;
  double min_working_set_bytes;
  double max_working_set_bytes;
};

constexpr std::int64_t chains = 8;

// Enough warps for each scheduler to always have a ready one.
constexpr Shape gpu_shape{256, 8, 1, 1024, 512e6, 256e3, 1e9};
// On a CPU, work-items are loops: few of them, each with whole vectors and a contiguous part of the data.
constexpr Shape host_shape{16, 4, 16, 1024, 64e6, 256e3, 512e6};

LimitKernel multiply_add_kernel(const Shape& shape, const codegen::Launch& launch) {
  const std::int64_t threads = launch.grid[0] * launch.block[0];
  const double multiply_adds =
      static_cast<double>(threads * shape.lanes * chains) * static_cast<double>(shape.rounds);
  return {.entry = "multiply_add",
          .launch = launch,
          .work = multiply_adds * operations_of_multiply_add,
          .output_bytes = static_cast<std::size_t>(threads * shape.lanes) * sizeof(float)};
}

/** Returns the seconds of the fastest launch. */
DeviceResult<double> fastest_launch(GpuDevice& device, const codegen::Launch& launch,
                                    std::span<const GpuDevice::Memory> arguments) {
  std::int64_t calls = 1;
  double least = TRY(device.run(launch, arguments, calls));
  while (least < region_seconds && calls < (std::int64_t{1} << 20)) {
    calls *= 2;
    least = TRY(device.run(launch, arguments, calls));
  }
  for (int region = 1; region < regions; ++region)
    least = std::min(least, TRY(device.run(launch, arguments, calls)));
  return least / static_cast<double>(calls);
}

/**
 * Returns the work per second of a loaded program's kernel; all memory of the device is freed when it is
 * closed.
 */
DeviceResult<double> work_per_second(GpuDevice& device, const std::string& artefact,
                                     const LimitKernel& kernel) {
  TRY(device.load(artefact, kernel.entry));
  std::vector<GpuDevice::Memory> arguments;
  for (const std::size_t bytes : {kernel.input_bytes, kernel.output_bytes}) {
    if (bytes == 0) continue;
    const GpuDevice::Memory memory = TRY(device.allocate(bytes));
    const std::vector<std::byte> zeros(bytes);
    TRY(device.write(memory, zeros));
    arguments.push_back(memory);
  }
  const DeviceResult<double> seconds = fastest_launch(device, kernel.launch, arguments);
  for (const GpuDevice::Memory memory : arguments) device.release(memory);
  if (!seconds) return std::unexpected(seconds.error());
  return *seconds > 0 ? kernel.work / *seconds : 0;
}

Result<std::string> build(const schedule::TargetDescription& target, const codegen::KernelSource& source) {
  const auto compiler =
      TRY(target.kind == schedule::TargetKind::Cuda ? make_cuda_compiler() : make_opencl_compiler());
  BuildReply reply = compiler->compile({.dialect = source.dialect,
                                        .compiler = {},
                                        .device = target.name,
                                        .architecture = target.isa,
                                        .entry = source.entry,
                                        .flags = source.flags.words(),
                                        .text = source.text});
  if (reply.status != BuildStatus::Built) return fail(ErrorCode::Environment, reply.message, reply.hint);
  return std::move(reply.artefact);
}

LimitsReply without_limits(std::string problem) { return {.problem = std::move(problem)}; }

}  // namespace

std::int64_t pass_shift(std::int64_t vectors, std::int64_t block) {
  constexpr double golden_ratio_step = 0.381966;
  const std::int64_t blocks = std::max<std::int64_t>(1, vectors / block);
  auto step = static_cast<std::int64_t>(golden_ratio_step * static_cast<double>(blocks));
  while (std::gcd(step, blocks) != 1) ++step;
  return step * block;
}

LimitKernels make_limit_kernels(const schedule::TargetDescription& target, double working_set_bytes) {
  const Shape& shape = target.host_device ? host_shape : gpu_shape;
  const std::int64_t blocks = std::max<std::int64_t>(target.cores, 1) * shape.blocks_of_a_core;
  const std::int64_t block = target.threads_per_block > 0
                                 ? std::min(shape.threads_of_a_block, target.threads_per_block)
                                 : shape.threads_of_a_block;
  const std::int64_t threads = blocks * block;
  double max_bytes = shape.max_working_set_bytes;
  if (target.memory_bytes > 0) max_bytes = std::min(max_bytes, static_cast<double>(target.memory_bytes) / 4);
  const double wanted =
      std::clamp(working_set_bytes, std::min(shape.min_working_set_bytes, max_bytes), max_bytes);
  const std::int64_t vector_bytes = floats_of_a_vector * static_cast<std::int64_t>(sizeof(float));
  const std::int64_t steps =
      std::max<std::int64_t>(1, std::llround(wanted / static_cast<double>(threads * vector_bytes)));
  const std::int64_t vectors = steps * threads;
  const double bytes = static_cast<double>(vectors * vector_bytes);
  const std::int64_t passes = std::max<std::int64_t>(1, std::llround(shape.bytes_of_a_launch / bytes));

  LimitKernels kernels;
  const codegen::Launch launch{.grid = {blocks, 1, 1}, .block = {block, 1, 1}};
  kernels.multiply_add = multiply_add_kernel(shape, launch);
  kernels.read = {.entry = "read_all",
                  .launch = launch,
                  .work = bytes * static_cast<double>(passes),
                  .input_bytes = static_cast<std::size_t>(vectors * vector_bytes),
                  .output_bytes = static_cast<std::size_t>(threads) * sizeof(float)};
  kernels.source.dialect =
      target.kind == schedule::TargetKind::Cuda ? codegen::Dialect::Cuda : codegen::Dialect::OpenCl;
  kernels.source.entry = kernels.multiply_add.entry;
  kernels.source.flags = codegen::sort_flags(kernels.source.dialect, target.flags).known;
  kernels.source.launch = launch;
  // Neighbouring threads of a GPU read neighbouring vectors; work-items of a CPU read a contiguous part each.
  kernels.source.text =
      std::string(dialect_macros) +
      fmt::format(fmt::runtime(source_text),
                  fmt::arg("chain_type", shape.lanes > 1 ? fmt::format("float{}", shape.lanes) : "float"),
                  fmt::arg("chains", chains), fmt::arg("rounds", shape.rounds), fmt::arg("passes", passes),
                  fmt::arg("steps", steps), fmt::arg("vectors", vectors),
                  fmt::arg("thread_distance", target.host_device ? steps : 1),
                  fmt::arg("step_distance", target.host_device ? 1 : threads),
                  fmt::arg("pass_shift", pass_shift(vectors, block)));
  return kernels;
}

LimitsReply measure_gpu_limits(const LimitsRequest& request) {
  const Result<schedule::TargetDescription> target = schedule::target_from_json(request.target_json);
  if (!target) return without_limits(describe(target.error()));
  if (target->kind == schedule::TargetKind::Cpu || target->architecture_only)
    return without_limits(fmt::format("{} is not a GPU of this machine", target->name));
  const LimitKernels kernels = make_limit_kernels(*target, request.working_set_bytes);
  const Result<std::string> artefact = build(*target, kernels.source);
  if (!artefact) return without_limits(describe(artefact.error()));
  const Result<std::unique_ptr<GpuDevice>> device = open_gpu_device(target->name);
  if (!device) return without_limits(describe(device.error()));
  const DeviceResult<double> peak = work_per_second(**device, *artefact, kernels.multiply_add);
  if (!peak) return without_limits(peak.error().message);
  const DeviceResult<double> bandwidth = work_per_second(**device, *artefact, kernels.read);
  if (!bandwidth) return without_limits(bandwidth.error().message);
  return {.peak_gflops = *peak * per_giga, .bandwidth_bytes_per_second = *bandwidth, .problem = {}};
}

}  // namespace kernelscape::measure
