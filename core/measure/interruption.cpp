#include "core/measure/interruption.h"

#include <poll.h>
#include <sys/eventfd.h>

#include <algorithm>
#include <cstdint>
#include <stdexcept>

namespace kernelscape::measure {
namespace {

constexpr int question_milliseconds = 250;
constexpr double year_seconds = 31'557'600;

bool readable(int descriptor) {
  pollfd wait{.fd = descriptor, .events = POLLIN, .revents = 0};
  return poll(&wait, 1, 0) == 1;
}

}  // namespace

Deadline deadline_after(double seconds) {
  const std::chrono::duration<double> wait(std::clamp(seconds, 0.0, year_seconds));
  return std::chrono::steady_clock::now() +
         std::chrono::duration_cast<std::chrono::steady_clock::duration>(wait);
}

double steady_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

int poll_milliseconds(Deadline deadline) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
  return static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, 3'600'000));
}

int Interruption::limit_poll(int milliseconds) const {
  return requested ? std::min(milliseconds, question_milliseconds) : milliseconds;
}

bool Interruption::now() const {
  return (descriptor >= 0 && readable(descriptor)) || (requested && requested());
}

InterruptionSwitch::InterruptionSwitch() : event_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (!event_.valid()) throw std::runtime_error("no file descriptor is available");
}

void InterruptionSwitch::trigger() const { eventfd_write(event_.get(), 1); }

void InterruptionSwitch::reset() const {
  eventfd_t ignored = 0;
  eventfd_read(event_.get(), &ignored);
}

}  // namespace kernelscape::measure
