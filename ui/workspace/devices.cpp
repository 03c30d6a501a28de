#include "ui/workspace/devices.h"

#include <algorithm>

#include "core/measure/cpu/cpu_target.h"
#include "core/measure/device_lease.h"
#include "core/session/targets.h"

namespace kernelscape::workspace {
namespace {

void add_cpu(DeviceSurvey& survey) {
  Result<schedule::TargetDescription> cpu = measure::describe_cpu_target(measure::CompilerNeed::Optional);
  if (cpu) {
    survey.devices.push_back({.target = std::move(*cpu)});
  } else {
    survey.missing.push_back({schedule::TargetKind::Cpu, cpu.error().message, cpu.error().hint});
  }
}

void add_platform(DeviceSurvey& survey, measure::ProbedPlatform platform) {
  for (measure::ProbedDevice& device : platform.devices)
    survey.devices.push_back({std::move(device.target), device.free_memory_bytes});
  if (platform.devices.empty())
    survey.missing.push_back({platform.kind, std::move(platform.problem), std::move(platform.hint)});
}

void add_gpus(DeviceSurvey& survey) {
  Result<std::vector<measure::ProbedPlatform>> platforms = measure::probe_gpu_platforms();
  if (!platforms) {
    for (const schedule::TargetKind kind : {schedule::TargetKind::Cuda, schedule::TargetKind::OpenCl})
      survey.missing.push_back({kind, platforms.error().message, platforms.error().hint});
    return;
  }
  for (measure::ProbedPlatform& platform : *platforms) add_platform(survey, std::move(platform));
}

}  // namespace

const FoundDevice* DeviceSurvey::find(std::string_view name) const {
  const auto found =
      std::ranges::find_if(devices, [&](const FoundDevice& device) { return device.target.name == name; });
  return found == devices.end() ? nullptr : &*found;
}

DeviceSurvey find_devices() {
  DeviceSurvey survey;
  add_cpu(survey);
  add_gpus(survey);
  for (FoundDevice& device : survey.devices)
    device.holder =
        measure::DeviceLease::holder_of(session::leased_device(device.target)).value_or(std::string());
  return survey;
}

Devices::Devices(DeviceFinder finder, QObject* parent) : QObject(parent), finder_(std::move(finder)) {
  connect(&job_, &JobTracker::busy_changed, this, &Devices::changed);
}

void Devices::look() {
  if (looking()) return;
  job_.start(
      [finder = finder_](const JobControl& control) -> std::shared_ptr<const DeviceSurvey> {
        if (!control.proceed()) return nullptr;
        return std::make_shared<const DeviceSurvey>(finder());
      },
      [this](std::shared_ptr<const DeviceSurvey> survey) {
        survey_ = std::move(survey);
        emit changed();
      });
}

void Devices::look_once() {
  if (!survey_) look();
}

}  // namespace kernelscape::workspace
