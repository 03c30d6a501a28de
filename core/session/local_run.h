#pragma once

#include <functional>
#include <optional>

#include "core/base/result.h"
#include "core/store/identifiers.h"

namespace kernelscape::store {
class Store;
}  // namespace kernelscape::store

namespace kernelscape::session {

class Observer;
class StopRequest;
struct PreparedTuning;
struct Outcome;

/**
 * Runs a prepared session on this machine to its end: waits for the device's lease, reports disturbances of
 * the machine, measures, confirms. A session that only builds needs no device and no confirmation; the
 * confirmation is also skipped if the setup requests trials alone, or only a first kernel. A recorded space
 * is replayed, see run_replay(); a fleet's devices measure remotely, see run_on_fleet(). Messages are stored
 * with the session, except transient ones, see NoticeKeeper. Error: Refused if `stop` was requested while
 * waiting for the device.
 * @param resumed the session to resume; nullopt: a new session
 */
Result<Outcome> run_on_this_machine(store::Store& store, const PreparedTuning& tuning,
                                    std::optional<store::SessionId> resumed, Observer& observer,
                                    const StopRequest& stop);

/** Runs a prepared session: run_on_this_machine(), or a function of a test. */
using Runner = std::function<Result<Outcome>(store::Store&, const PreparedTuning&,
                                             std::optional<store::SessionId>, Observer&, const StopRequest&)>;

}  // namespace kernelscape::session
