#include "core/measure/gpu/gpu_speed_probe.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/measure/gpu/device_compiler.h"
#include "core/measure/gpu/dialect_macros.h"

namespace kernelscape::measure {
namespace {

// The work of the probe. A change needs another probe_version.
constexpr std::int32_t probe_rounds = 4096;
constexpr std::int64_t min_data_bytes = 64LL << 20;
constexpr std::int64_t max_data_bytes = 256LL << 20;
constexpr std::int64_t caches_of_data = 4;
constexpr std::int64_t memories_per_data = 64;  ///< tasks need the rest

constexpr std::int64_t probe_vector_bytes = 16;
/**
 * An idle device raises its clock in steps. A reading begins when two launches agree and are as fast as ever,
 * or after some ten milliseconds: then the device is slow.
 */
constexpr int max_warm_ups = 32;
constexpr double agreeing = 0.98;
constexpr double as_fast_as_ever = 1.05;

// Follows dialect_macros. Chains are independent, so that one thread covers the latency of its multiply-adds.
constexpr const char* probe_text = R"(#ifdef __OPENCL_VERSION__
#define MULTIPLY_ADD(a, b, c) mad(a, b, c)
#else
#define MULTIPLY_ADD(a, b, c) fmaf(a, b, c)
#endif

typedef {chain_type} chain_t;

KERNEL void {entry}(GLOBAL const float4* data, GLOBAL chain_t* output, int rounds, int steps,
                    int thread_distance, int step_distance) {{
  const int thread = THREAD;
  const chain_t factor = (chain_t)(0.999f);
  const chain_t addend = (chain_t)(0.001f);
  chain_t sums[8];
#pragma unroll
  for (int chain = 0; chain < 8; ++chain) sums[chain] = (chain_t)((float)(thread + chain));
  for (int round = 0; round < rounds; ++round) {{
#pragma unroll
    for (int chain = 0; chain < 8; ++chain) sums[chain] = MULTIPLY_ADD(sums[chain], factor, addend);
  }}
  chain_t total = (chain_t)(0.0f);
#pragma unroll
  for (int chain = 0; chain < 8; ++chain) total += sums[chain];
  const int first = thread * thread_distance;
  float read = 0.0f;
#pragma unroll 4
  for (int step = 0; step < steps; ++step) {{
    const float4 value = data[first + step * step_distance];
    read += value.x + value.y + value.z + value.w;
  }}
  output[thread] = total + (chain_t)(read);
}}
)";

std::int64_t data_bytes_of(const schedule::TargetDescription& target) {
  const std::int64_t cache = std::max(target.l2_bytes, target.l3_bytes);
  // A CPU reads a tenth as fast as a GPU: its reading would take too long.
  std::int64_t bytes = target.host_device
                           ? min_data_bytes
                           : std::clamp(caches_of_data * cache, min_data_bytes, max_data_bytes);
  if (target.memory_bytes > 0) bytes = std::min(bytes, target.memory_bytes / memories_per_data);
  return bytes;
}

LaunchArgument value_argument(std::int32_t value) {
  return {.kind = LaunchArgument::Kind::Value,
          .value = std::string(reinterpret_cast<const char*>(&value), sizeof value)};
}

}  // namespace

GpuProbeWork make_gpu_probe_work(const schedule::TargetDescription& target) {
  // Enough warps for each scheduler of a GPU to have a ready one. On a CPU, work-items are loops: few of
  // them, each with whole vectors and a contiguous part of the data.
  const std::int64_t blocks = std::max<std::int64_t>(target.cores, 1) * (target.host_device ? 4 : 8);
  const std::int64_t lanes = target.host_device ? 16 : 1;
  std::int64_t block = target.host_device ? 16 : 256;
  if (target.threads_per_block > 0) block = std::min(block, target.threads_per_block);
  const std::int64_t threads = blocks * block;
  const std::int64_t steps =
      std::max<std::int64_t>(1, data_bytes_of(target) / (threads * probe_vector_bytes));
  GpuProbeWork work;
  work.launch = {.grid = {blocks, 1, 1}, .block = {block, 1, 1}};
  work.rounds = probe_rounds;
  work.steps = static_cast<std::int32_t>(steps);
  work.thread_distance = static_cast<std::int32_t>(target.host_device ? steps : 1);
  work.step_distance = static_cast<std::int32_t>(target.host_device ? 1 : threads);
  work.data_bytes = static_cast<std::size_t>(threads * steps * probe_vector_bytes);
  work.output_bytes = static_cast<std::size_t>(threads * lanes) * sizeof(float);
  work.source.dialect =
      target.kind == schedule::TargetKind::Cuda ? codegen::Dialect::Cuda : codegen::Dialect::OpenCl;
  work.source.entry = gpu_speed_probe_entry;
  work.source.launch = work.launch;
  work.source.flags = codegen::sort_flags(work.source.dialect, target.flags).known;
  work.source.text = std::string(dialect_macros) +
                     fmt::format(fmt::runtime(probe_text), fmt::arg("entry", gpu_speed_probe_entry),
                                 fmt::arg("chain_type", lanes > 1 ? "float16" : "float"));
  return work;
}

Result<std::string> build_gpu_speed_probe(const schedule::TargetDescription& target) {
  const auto compiler =
      TRY(target.kind == schedule::TargetKind::Cuda ? make_cuda_compiler() : make_opencl_compiler());
  const codegen::KernelSource source = make_gpu_probe_work(target).source;
  BuildReply reply = compiler->compile({.dialect = source.dialect,
                                        .device = target.name,
                                        .architecture = target.isa,
                                        .entry = source.entry,
                                        .flags = source.flags.words(),
                                        .text = source.text});
  if (reply.status != BuildStatus::Built) return fail(ErrorCode::Environment, reply.message, reply.hint);
  return std::move(reply.artefact);
}

GpuSpeedProbe::GpuSpeedProbe(std::unique_ptr<GpuDevice> device, const GpuProbeWork& work)
    : device_(std::move(device)), work_(work) {}

Result<GpuSpeedProbe> GpuSpeedProbe::open(const schedule::TargetDescription& target,
                                          const std::string& artefact) {
  GpuSpeedProbe probe(TRY(open_gpu_device(target.name)), make_gpu_probe_work(target));
  if (const auto placed = probe.place(artefact); !placed)
    return fail(ErrorCode::Environment, placed.error().message);
  const auto first = probe.measure_parts();
  if (!first) return fail(ErrorCode::Environment, first.error().message);
  if (!first->known()) return fail(ErrorCode::Environment, "the device's clock does not measure its kernel");
  return probe;
}

DeviceResult<void> GpuSpeedProbe::place(const std::string& artefact) {
  TRY(device_->load(artefact, gpu_speed_probe_entry));
  for (const std::size_t bytes : {work_.data_bytes, work_.output_bytes}) {
    arguments_.push_back({.memory = TRY(device_->allocate(bytes))});
    // Pages of a CPU that were never written share one page, which stays in the cache.
    const std::vector<std::byte> ones(bytes, std::byte{1});
    TRY(device_->write(arguments_.back().memory, ones));
  }
  return {};
}

DeviceResult<double> GpuSpeedProbe::time(std::int32_t rounds, std::int32_t steps) {
  std::vector<LaunchArgument> arguments = arguments_;
  for (const std::int32_t value : {rounds, steps, work_.thread_distance, work_.step_distance})
    arguments.push_back(value_argument(value));
  return device_->launch(work_.launch, arguments, 1);
}

DeviceResult<trial::ProbeSeconds> GpuSpeedProbe::measure_parts() {
  trial::ProbeSeconds seconds;
  seconds.compute = TRY(time(work_.rounds, 0));
  for (int warm_up = 0; warm_up < max_warm_ups; ++warm_up) {
    const double before = std::exchange(seconds.compute, TRY(time(work_.rounds, 0)));
    if (seconds.compute >= agreeing * before && seconds.compute <= as_fast_as_ever * fastest_compute_) break;
  }
  fastest_compute_ = fastest_compute_ > 0 ? std::min(fastest_compute_, seconds.compute) : seconds.compute;
  seconds.memory = TRY(time(0, work_.steps));
  return seconds;
}

trial::ProbeSeconds GpuSpeedProbe::measure() {
  if (failed_) return {};
  const auto seconds = measure_parts();
  failed_ = !seconds;
  return seconds.value_or(trial::ProbeSeconds());
}

}  // namespace kernelscape::measure
