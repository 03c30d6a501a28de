#include "core/measure/measurable_target.h"

#include <fmt/format.h>

namespace kernelscape::measure {

Status check_measurable(const schedule::TargetDescription& target, const trial::MeasureOptions& options) {
  if (!target.fleet.empty()) {
    return fail(ErrorCode::InvalidArgument,
                fmt::format("{} belongs to a fleet: its kernels are not measured on this machine",
                            target.user_name()),
                "choose --target cpu");
  }
  if (target.kind == schedule::TargetKind::Cpu && target.compiler.empty()) {
    return fail(ErrorCode::InvalidArgument,
                fmt::format("kernels can't be measured for the target {} on this machine", target.name),
                "choose --target cpu");
  }
  if (target.architecture_only && !options.build_only) {
    return fail(
        ErrorCode::InvalidArgument,
        fmt::format("kernels for {} can be built here, but there is no device to run them", target.isa),
        "add --build-only, or name a device with --target cuda:0");
  }
  return {};
}

}  // namespace kernelscape::measure
