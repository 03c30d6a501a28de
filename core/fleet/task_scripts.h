#pragma once

#include "core/fleet/redis_connection.h"

namespace kernelscape {

/** What Redis does with tasks in one step each: a worker that comes too late changes nothing. One set per
 * connection's thread. */
struct TaskScripts {
  TaskScripts();

  /** KEYS stream; ARGV group, worker, lease in ms, seconds that nonces are kept. Answers nothing, or [entry
   * id, deliveries, fields, Redis's seconds, the entry that the nonce belongs to]. */
  RedisScript take;
  /** The same of an entry that was read: ARGV[5] its id. */
  RedisScript accept;
  /** KEYS stream; ARGV group, worker, entry id. Answers whether the worker still has it. */
  RedisScript keep;
  /** KEYS stream, results, blob, dead; ARGV group, worker, entry id, body, signature, blob, blob's seconds,
   * results' seconds, reason of death, task. Answers whether the worker still had it. */
  RedisScript finish;
  /** KEYS stream; ARGV group, worker, entry id, lease in ms, deliveries to keep. Answers whether the worker
   * still had it. */
  RedisScript hand_back;
};

}  // namespace kernelscape
