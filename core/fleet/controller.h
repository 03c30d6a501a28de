#pragma once

#include <memory>
#include <string>

#include "core/base/result.h"
#include "core/fleet/keys.h"
#include "core/fleet/measurer.h"
#include "core/fleet/redis_connection.h"

namespace kernelscape::fleet {

/** A controller: what it measures, and its name in the keys of a fleet. Does not change, so needs no lock. */
struct Controller {
  std::shared_ptr<const kernel::Family> family;
  Measuring measuring;
  trial::MeasureOptions options;
  std::string id;  ///< a nonce

  /** Returns the key of the stream into which the workers write the results. */
  std::string results() const { return keys::results(id); }

  /**
   * Sends the controller's heartbeat, without which workers drop its tasks. Errors: as
   * RedisConnection::call().
   */
  Status announce(RedisConnection& connection) const;
};

}  // namespace kernelscape::fleet
