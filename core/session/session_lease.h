#pragma once

#include "core/base/result.h"
#include "core/measure/device_lease.h"

namespace kernelscape::session {

class Observer;
class StopRequest;
struct Setup;

/**
 * Waits until no other program uses the device of a session, and holds it for the session. The observer is
 * notified of the program that uses it. Returns Refused if `stop` was requested meanwhile.
 */
Result<measure::DeviceLease> lease_device_of(const Setup& setup, Observer& observer, const StopRequest& stop);

}  // namespace kernelscape::session
