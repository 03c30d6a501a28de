#pragma once

#include "core/fleet/redis_connection.h"

namespace kernelscape::fleet {

/**
 * The atomic task operations as Redis scripts: a worker that comes too late changes nothing. Each connection
 * has a separate set.
 */
struct TaskScripts {
  TaskScripts();

  /**
   * Takes a task. KEYS stream; ARGV group, worker, lease in ms, lifetime of nonces in seconds. Returns
   * nothing, or [entry id, deliveries, fields, time of Redis in seconds, the entry to which the nonce
   * belongs].
   */
  RedisScript take;
  /** Accepts an entry that was read, with the arguments of `take` and ARGV[5]: the id of the entry. */
  RedisScript accept;
  /**
   * Extends a lease. KEYS stream; ARGV group, worker, entry id. Returns whether the worker still holds the
   * task.
   */
  RedisScript keep;
  /**
   * Finishes a task. KEYS stream, results, blob, dead; ARGV group, worker, entry id, body, signature, blob,
   * lifetime of the blob in seconds, lifetime of results in seconds, reason of death, task. Returns whether
   * the worker still held the task.
   */
  RedisScript finish;
  /**
   * Releases a task. KEYS stream; ARGV group, worker, entry id, lease in ms, number of deliveries to keep.
   * Returns whether the worker still held the task.
   */
  RedisScript release;
};

}  // namespace kernelscape::fleet
