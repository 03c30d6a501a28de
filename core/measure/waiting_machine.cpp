#include "core/measure/waiting_machine.h"

#include <poll.h>

#include <chrono>
#include <utility>
#include <vector>

#include "core/base/quantile.h"

namespace kernelscape::measure {
namespace {

/** Sleeps; returns false if it was interrupted. */
bool sleep_for(double seconds, const Interruption& interruption) {
  const Deadline deadline = deadline_after(seconds);
  while (!interruption.now()) {
    const int milliseconds = poll_milliseconds(deadline);
    if (milliseconds == 0) return true;
    pollfd descriptor{.fd = interruption.descriptor, .events = POLLIN, .revents = 0};
    poll(&descriptor, 1, interruption.limit_poll(milliseconds));
  }
  return false;
}

}  // namespace

WaitingMachine waiting_machine(SpeedReader reader, const Interruption& interruption) {
  return {.probe = std::move(reader),
          .pause = [interruption](double seconds) { return sleep_for(seconds, interruption); },
          .seconds = steady_seconds};
}

Result<std::optional<trial::ProbeSeconds>> median_probe(const SpeedReader& reader) {
  constexpr std::size_t readings = 9;
  std::vector<double> compute;
  std::vector<double> memory;
  while (compute.size() < readings) {
    const std::optional<trial::ProbeSeconds> probe = TRY(reader());
    if (!probe) return std::nullopt;
    compute.push_back(probe->compute);
    memory.push_back(probe->memory);
  }
  return trial::ProbeSeconds{.compute = base::quantile(compute, 0.5), .memory = base::quantile(memory, 0.5)};
}

}  // namespace kernelscape::measure
