// What GPU targets cost and reach, in parts:
//   gpu_benchmark [--trials N] [--kernels N] [--device cuda:N] [PART...]
//   checks         instantiation checks per second on one core; needs nothing
//   builds         builds per second with NVRTC for sm_80; needs the CUDA toolkit, no GPU
//   opencl-builds  the same with the first OpenCL device's compiler; needs an OpenCL device
//   limits         measured peak and bandwidth of every GPU; needs one
//   cudnn          our best convolutions against cuDNN's; needs a CUDA device and cuDNN
//   cublas         our best multiplications against cuBLAS's; needs a CUDA device and cuBLAS
//   wmma           the same on tensor cores, f16 into f32
#include <array>
#include <cstdlib>
#include <string_view>

#include "core/measure/cpu/machine_limits.h"
#include "core/measure/gpu/device_compiler.h"
#include "core/measure/gpu/gpu_target.h"
#include "core/task/catalogue.h"
#include "tests/benchmarks/benchmark_parts.h"
#include "tests/benchmarks/build_rate.h"
#include "tests/benchmarks/tuning_runs.h"

namespace {

using namespace kernelscape;
using tuning_runs::Comparison;
using tuning_runs::Job;

struct Options {
  int trials = 500;
  int kernels = 40;  ///< that are built
  std::string device = "cuda:0";
};

schedule::ScheduledKernel kernel_of(const task::Catalogue& catalogue, const char* task,
                                    const schedule::TargetDescription& target, const char* template_name) {
  return value_or_stop(schedule::apply_template(value_or_stop(catalogue.find(task)), target, template_name));
}

std::vector<space::Configuration> random_configurations(const schedule::ScheduledKernel& kernel,
                                                        std::size_t count) {
  base::Random random(1);
  std::vector<space::Configuration> configurations;
  for (std::size_t i = 0; i < count; ++i) {
    const std::optional<space::Configuration> member = kernel.space().random_member(random);
    if (!member) stop(kernel.template_name() + " has no member");
    configurations.push_back(*member);
  }
  return configurations;
}

/** Checks, and refusals in words, over random configurations of one space. */
void print_checks(const std::string& task, const schedule::ScheduledKernel& kernel) {
  constexpr std::size_t drawn = 1 << 16;
  constexpr int rounds = 50;
  const std::vector<space::Configuration> configurations = random_configurations(kernel, drawn);
  std::size_t accepted = 0;
  const double seconds = seconds_of([&] {
    for (int round = 0; round < rounds; ++round)
      for (const space::Configuration& configuration : configurations)
        accepted += kernel.space().contains(configuration) && kernel.within_limits(configuration) ? 1U : 0U;
  });
  std::size_t refused = 0;
  const double refusing_seconds = seconds_of([&] {
    for (const space::Configuration& configuration : configurations) {
      if (kernel.within_limits(configuration)) continue;
      if (!kernel.lower(configuration)) ++refused;
    }
  });
  fmt::print("| {} | {:.1f} | {:.1f} % | {:.2f} |\n", task, drawn * rounds / seconds / 1e6,
             100.0 * static_cast<double>(accepted) / (drawn * rounds),
             refused > 0 ? 1e6 * refusing_seconds / static_cast<double>(refused) : 0);
}

void time_checks(const Options&) {
  const task::Catalogue catalogue = value_or_stop(task::Catalogue::load_default());
  const schedule::TargetDescription target = schedule::default_cuda_target();
  fmt::print(
      "| space | million checks per second (goal 1) | within the limits | us of a refusal in words |\n"
      "|---|---|---|---|\n");
  for (const auto& [task, template_name] :
       {std::pair{"resnet18/C12", "conv2d-direct"}, std::pair{"resnet18/C2", "conv2d-direct"},
        std::pair{"opevo/MM1", "matmul"}})
    print_checks(fmt::format("{}, {}", task, template_name),
                 kernel_of(catalogue, task, target, template_name));
}

void time_builds_for(const schedule::TargetDescription& target, int kernels, const char* goal) {
  const task::Catalogue catalogue = value_or_stop(task::Catalogue::load_default());
  const kernel::ScheduleFamily family(kernel_of(catalogue, "resnet18/C2", target, "conv2d-direct"));
  const std::vector<space::Configuration> configurations =
      valid_configurations(family.kernel(), static_cast<std::size_t>(kernels), 1);
  const trial::MeasureOptions options;
  const int cores = static_cast<int>(measure::BuilderPool(target, options).builders());
  check(print_build_rates(family, configurations, cores, goal));
}

void time_cuda_builds(const Options& options) {
  if (const auto compiler = measure::make_cuda_compiler(); !compiler) {
    fmt::print("not run: {}\n", describe(compiler.error()));
    return;
  }
  time_builds_for(value_or_stop(measure::describe_cuda_architecture("sm_80")), options.kernels, "0.85");
}

void time_opencl_builds(const Options& options) {
  const Result<schedule::TargetDescription> target = measure::describe_gpu_target("opencl:0");
  if (!target) {
    fmt::print("not run: {}\n", describe(target.error()));
    return;
  }
  fmt::print("{}, {}\n\n", target->device, target->compiler_version);
  time_builds_for(*target, options.kernels, "none");
}

void print_limits(const Options&) {
  const auto platforms = value_or_stop(measure::probe_gpu_platforms());
  fmt::print("| device | FMA peak GFLOP/s | read 1 MB GB/s | read 256 MB GB/s |\n|---|---|---|---|\n");
  for (const measure::ProbedPlatform& platform : platforms) {
    if (!platform.problem.empty())
      fmt::print("| {}: {} | | | |\n", schedule::to_string(platform.kind), platform.problem);
    for (const measure::ProbedDevice& device : platform.devices) {
      const trial::MachineLimits small = measure::measure_machine_limits(device.target, 1, 1e6);
      const trial::MachineLimits large = measure::measure_machine_limits(device.target, 1, 256e6);
      fmt::print("| {}: {} | {:.0f} | {:.0f} | {:.0f} |\n", device.target.name, device.target.device,
                 large.peak_gflops, small.bandwidth_bytes_per_second / 1e9,
                 large.bandwidth_bytes_per_second / 1e9);
    }
  }
}

/** Says why where there is no such device. */
void compare_on_gpu(const Options& options, const std::vector<Job>& jobs, const char* vendor, double goal) {
  const Result<schedule::TargetDescription> target = measure::describe_gpu_target(options.device);
  if (!target) {
    fmt::print("no GPU: {}\n", describe(target.error()));
    return;
  }
  fmt::print("{}, driver {}\n\n", target->device, target->driver_version);
  compare(jobs,
          Comparison{.target = options.device, .vendor = vendor, .trials = options.trials, .goal = goal});
}

void compare_with_cudnn(const Options& options) {
  std::vector<Job> jobs;
  for (int layer = 1; layer <= 12; ++layer)
    jobs.push_back({fmt::format("resnet18/C{}", layer), "conv2d-direct"});
  compare_on_gpu(options, jobs, "cuDNN", 0.6);
}

void compare_with_cublas(const Options& options) {
  compare_on_gpu(options, {{"opevo/MM1", "matmul"}, {"opevo/MM2", "matmul"}, {"opevo/MM3", "matmul"}},
                 "cuBLAS", 0.8);
}

/** Heron's G1 to G5 in the types of tensor cores; the catalogue has them in f32. */
void compare_tensor_cores(const Options& options) {
  std::vector<Job> jobs;
  for (const char* shapes : {"1024x1024 1024x1024", "4096x4096 4096x4096", "32x2048 2048x1000",
                             "32x4096 4096x4096", "32x4096 4096x1000"})
    jobs.push_back({fmt::format("matmul {} f16", shapes), "matmul-wmma"});
  compare_on_gpu(options, jobs, "cuBLAS", 0.5);
}

constexpr std::array<BenchmarkPart<Options>, 7> parts{{{"checks", time_checks},
                                                       {"builds", time_cuda_builds},
                                                       {"opencl-builds", time_opencl_builds},
                                                       {"limits", print_limits},
                                                       {"cudnn", compare_with_cudnn},
                                                       {"cublas", compare_with_cublas},
                                                       {"wmma", compare_tensor_cores}}};

}  // namespace

int main(int argc, char** argv) {
  const auto take = [](Options& options, std::string_view name, const char* value) {
    if (name == "--trials") {
      options.trials = std::max(1, std::atoi(value));
    } else if (name == "--kernels") {
      options.kernels = std::max(1, std::atoi(value));
    } else if (name == "--device") {
      options.device = value;
    } else {
      return false;
    }
    return true;
  };
  return run_parts<Options>(argc, argv, parts, take);
}
