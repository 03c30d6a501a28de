#include "core/session/session_lease.h"

#include <fmt/format.h>
#include <unistd.h>

#include "core/session/session.h"
#include "core/session/targets.h"

namespace kernelscape::session {

Result<measure::DeviceLease> lease_device_of(const Setup& setup, Observer& observer,
                                             const StopRequest& stop) {
  measure::DeviceLease::Request request;
  request.device = leased_device(setup.target);
  request.holder = fmt::format("{} with tuner {}, process {}", setup.task.name, setup.tuner, getpid());
  request.waiting = [&](const std::string& holder) {
    observer.message({MessageKind::Waiting, device_wait_text(request.device, holder)});
  };
  request.give_up = [&stop] { return stop.level() > 0; };
  return measure::DeviceLease::acquire(request);
}

}  // namespace kernelscape::session
