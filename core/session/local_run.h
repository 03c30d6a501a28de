#pragma once

#include <functional>
#include <optional>

#include "core/base/result.h"
#include "core/store/identifiers.h"

namespace kernelscape {

class SessionObserver;
class StopRequest;
class Store;
struct PreparedTuning;
struct SessionOutcome;

/**
 * Runs a prepared session on this machine to its end: waits for the device's lease, says what disturbs the
 * machine, measures, confirms. A session that only builds needs no device, and there is nothing to confirm;
 * nor is there where the setup wants trials alone, or only a first kernel. A recorded space is replayed: see
 * run_replay(), and a fleet's devices measure elsewhere: see run_on_fleet(). What it says is stored with the
 * session, too, but for what is over when it is read: see NoticeKeeper.
 * @param resumed the session to go on with; none: a new one
 * Refused where `stop` came while it waited for the device.
 */
Result<SessionOutcome> run_on_this_machine(Store& store, const PreparedTuning& tuning,
                                           std::optional<SessionId> resumed, SessionObserver& observer,
                                           const StopRequest& stop);

/** Makes a prepared session: run_on_this_machine(), or a test's own. */
using SessionRunner = std::function<Result<SessionOutcome>(
    Store&, const PreparedTuning&, std::optional<SessionId>, SessionObserver&, const StopRequest&)>;

}  // namespace kernelscape
