#include <fmt/format.h>

#include "core/measure/gpu/gpu_target.h"
#include "tests/gpu/child.h"
#include "tests/gpu/measuring.h"
#include "tests/gpu/parts.h"
#include "tests/gpu/random_kernels.h"

namespace kernelscape::gpu_proof {
namespace {

constexpr double largest_flops = 1e8;
constexpr double largest_fake_flops = 5e4;
constexpr int members_of_a_task = 16;  // as many as are built at once
constexpr double max_batch_seconds = 25;
constexpr double fake_batch_seconds = 120;
constexpr int fake_members = 2;
constexpr int fake_rounds = 1;

/** What random kernels are run on: a device and the templates for its kind. */
struct Device {
  schedule::TargetDescription target;
  std::vector<const schedule::TemplateDeclaration*> templates;
};

std::vector<Device> find_devices(const Settings& settings, PartResult& result) {
  std::vector<Device> devices;
  for (const std::string& name : {settings.device, std::string("opencl:0")}) {
    Result<schedule::TargetDescription> target = measure::describe_gpu_target(name);
    if (!target) {
      result.note(fmt::format("{}: {}", name, describe(target.error())));
      continue;
    }
    result.add_row("devices",
                   {{"name", name}, {"device", target->device}, {"driver", target->driver_version}});
    const schedule::TargetKind kind = target->kind;
    devices.push_back({std::move(*target), templates_for(kind)});
  }
  return devices;
}

/** All that is not as it should be; a build that takes too long is counted beside. */
void take(const Device& device, const RandomKernels& kernels, std::size_t i,
          const trial::Measurement& measurement, PartResult& result) {
  const std::string counted =
      fmt::format("{}: {}", device.target.name, trial::to_string(measurement.category));
  result.count(counted);
  if (measurement.valid() || measurement.category == trial::ErrorCategory::BuildTimeout ||
      measurement.category == trial::ErrorCategory::InstantiationError)
    return;
  const Result<codegen::KernelSource> source = kernels.family->source(kernels.configurations[i]);
  result.fail(
      fmt::format("{} {}", device.target.name, describe_kernel(*kernels.family, kernels.configurations[i])),
      fmt::format("{}: {}", trial::to_string(measurement.category), measurement.message),
      source ? source->text : std::string());
}

void check_template(const Settings& settings, const Device& device,
                    const schedule::TemplateDeclaration& declaration, int round, PartResult& result) {
  const base::Random random =
      base::Random(settings.seed).fork(fmt::format("{} {} {}", device.target.name, declaration.name, round));
  const auto kernels =
      draw_kernels(declaration, device.target, random, settings.fake ? largest_fake_flops : largest_flops,
                   settings.fake ? fake_members : members_of_a_task);
  if (!kernels) {
    result.note(fmt::format("{}: no task fits template {}", device.target.name, declaration.name));
    return;
  }
  auto measurer = measure::make_kernel_measurer(kernels->family, device.target, checking_options());
  if (!measurer) return result.fail(device.target.name, describe(measurer.error()));
  // An OpenCL compiler can take minutes over one batch: the other templates keep their turn.
  const double limit =
      settings.fake ? fake_batch_seconds : std::min(max_batch_seconds, result.seconds_left());
  const auto measured = measure_batch(**measurer, kernels->configurations, limit);
  if (!measured) return result.fail(kernels->family->task().text, describe(measured.error()));
  for (std::size_t i = 0; i < measured->size(); ++i) {
    if (measured->at(i)) {
      take(device, *kernels, i, *measured->at(i), result);
    } else {
      result.count(fmt::format("{}: kernels without a result in their time", device.target.name));
    }
  }
  result.count(fmt::format("{}: tasks of {}", device.target.name, declaration.name));
}

}  // namespace

void run_properties(const Settings& settings, PartResult& result) {
  result.set("seed", settings.seed);
  const std::vector<Device> devices = find_devices(settings, result);
  result.save();
  if (devices.empty()) return result.skip("no device can be used");
  for (int round = 0; !settings.fake || round < fake_rounds; ++round) {
    for (const Device& device : devices) {
      for (const schedule::TemplateDeclaration* declaration : device.templates) {
        if (result.out_of_time() || stop_asked()) {
          if (round > 0) return result.done();
          return result.pause("not every template had a task: out of time");
        }
        check_template(settings, device, *declaration, round, result);
        result.save();
      }
    }
    result.set("rounds", round + 1);
  }
  result.done();
}

}  // namespace kernelscape::gpu_proof
