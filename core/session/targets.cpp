#include "core/session/targets.h"

#include <fmt/format.h>

#include <optional>
#include <tuple>

#include "core/base/text.h"
#include "core/fleet/target.h"
#include "core/measure/gpu/device_name.h"
#include "core/measure/gpu/gpu_target.h"

namespace kernelscape::session {
namespace {

constexpr const char* way_without_a_device = "--arch sm_80 --build-only builds kernels without one";

/** "cuda:1" taken apart. */
struct TargetName {
  schedule::TargetKind kind = schedule::TargetKind::Cpu;
  std::optional<int> number;

  /** The name of its device. */
  std::string device() const { return fmt::format("{}:{}", schedule::to_string(kind), number.value_or(0)); }
};

std::unexpected<Error> unknown_target(const std::string& name) {
  std::vector<std::string> known = target_names();
  known.insert(known.end(), {"cuda:0", "opencl:0"});
  return fail(ErrorCode::InvalidArgument, fmt::format("unknown target \"{}\"", name),
              base::suggest(name, known));
}

Result<TargetName> parse_target(const std::string& name) {
  for (const schedule::TargetKind kind :
       {schedule::TargetKind::Cpu, schedule::TargetKind::Cuda, schedule::TargetKind::OpenCl}) {
    const std::string_view word = schedule::to_string(kind);
    if (name == word) return TargetName{kind, std::nullopt};
    if (kind == schedule::TargetKind::Cpu || !name.starts_with(word) || name[word.size()] != ':') continue;
    const measure::DeviceName device = TRY(measure::parse_device_name(name));
    return TargetName{kind, device.number};
  }
  return unknown_target(name);
}

std::unexpected<Error> no_architecture(const std::string& architecture, std::string_view reason) {
  return fail(ErrorCode::InvalidArgument, fmt::format("--arch {}: {}", architecture, reason),
              "leave --arch out");
}

Status check_architecture(schedule::TargetKind kind, const std::string& architecture) {
  if (architecture.empty() || kind == schedule::TargetKind::Cuda) return {};
  if (kind == schedule::TargetKind::Cpu)
    return no_architecture(architecture, "kernels for cpu are built for this machine's own instruction set");
  return no_architecture(architecture, "OpenCL kernels are built by their device's own driver");
}

Status check_fleet_architecture(const std::string& architecture) {
  if (architecture.empty()) return {};
  return no_architecture(architecture, "kernels for a fleet are built for the devices of a class");
}

Result<schedule::TargetDescription> describe_cuda_device(const TargetName& target,
                                                         measure::CompilerNeed need) {
  Result<schedule::TargetDescription> device = measure::describe_gpu_target(target.device());
  if (device || target.number) return device;
  if (need == measure::CompilerNeed::Optional) return schedule::default_cuda_target();
  Error error = device.error();
  error.hint += (error.hint.empty() ? "" : "; ") + std::string(way_without_a_device);
  return std::unexpected(std::move(error));
}

}  // namespace

std::vector<std::string> target_names() { return {"cpu", "cuda", "opencl"}; }

Result<schedule::TargetDescription> resolve_target(const std::string& name, measure::CompilerNeed need,
                                                   const std::string& architecture) {
  if (fleet::is_fleet_target(name)) {
    TRY(check_fleet_architecture(architecture));
    return fleet::describe_fleet_target(name);
  }
  const TargetName target = TRY(parse_target(name));
  TRY(check_architecture(target.kind, architecture));
  switch (target.kind) {
    case schedule::TargetKind::Cpu:
      return measure::describe_cpu_target(need);
    case schedule::TargetKind::Cuda:
      return architecture.empty() ? describe_cuda_device(target, need)
                                  : measure::describe_cuda_architecture(architecture);
    case schedule::TargetKind::OpenCl:
      break;
  }
  return measure::describe_gpu_target(target.device());
}

Status check_target_choice(const std::string& name, const std::string& architecture, bool build_only) {
  if (fleet::is_fleet_target(name)) {
    TRY(check_fleet_architecture(architecture));
    std::ignore = TRY(fleet::parse_fleet_target(name));
    return {};
  }
  const TargetName target = TRY(parse_target(name));
  TRY(check_architecture(target.kind, architecture));
  if (build_only && target.kind == schedule::TargetKind::Cpu) {
    return fail(ErrorCode::InvalidArgument, "--build-only is for GPU targets: kernels for cpu run here",
                "leave --build-only out, or name a GPU target such as --target cuda --arch sm_80");
  }
  if (build_only || architecture.empty()) return {};
  return fail(ErrorCode::InvalidArgument,
              fmt::format("--arch {}: kernels for an architecture are built, they have no device to run on",
                          architecture),
              "add --build-only, or leave --arch out to run on the device of --target cuda:0");
}

std::string leased_device(const schedule::TargetDescription& target) {
  return target.host_device ? std::string(schedule::to_string(schedule::TargetKind::Cpu)) : target.name;
}

std::string device_wait_text(std::string_view device, std::string_view holder) {
  return fmt::format("waiting for {}: it is used by {}", device, holder);
}

}  // namespace kernelscape::session
