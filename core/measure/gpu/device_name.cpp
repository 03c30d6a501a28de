#include "core/measure/gpu/device_name.h"

#include <fmt/format.h>

#include <charconv>

namespace kernelscape::measure {

Result<DeviceName> parse_device_name(std::string_view text) {
  constexpr int max_devices = 1000;
  for (const schedule::TargetKind kind : {schedule::TargetKind::Cuda, schedule::TargetKind::OpenCl}) {
    const std::string_view prefix = schedule::to_string(kind);
    if (!text.starts_with(prefix) || text.substr(prefix.size(), 1) != ":") continue;
    const std::string_view digits = text.substr(prefix.size() + 1);
    int number = -1;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (error == std::errc() && end == digits.data() + digits.size() && number >= 0 && number < max_devices)
      return DeviceName{kind, number};
  }
  return fail(ErrorCode::InvalidArgument, fmt::format("`{}` is not the name of a GPU", text),
              "write cuda:0 or opencl:0; `kernelscape devices` lists the available devices");
}

}  // namespace kernelscape::measure
