#pragma once

#include "core/fleet/redis_address.h"
#include "core/fleet/secret.h"

namespace kernelscape::fleet {

/**
 * Stores which files contain the secret of the fleet at an address, for all later connections of this process
 * to it: targets and sessions contain only the address. The environment provides secrets without a file and
 * secrets of unknown fleets. Thread-safe.
 */
void remember_secret_files(const RedisAddress& address, const SecretFiles& files);

/** Returns the stored files of an address, with empty paths if none were stored. Thread-safe. */
SecretFiles remembered_secret_files(const RedisAddress& address);

}  // namespace kernelscape::fleet
