#pragma once

#include "core/fleet/fleet_secret.h"
#include "core/fleet/redis_address.h"

namespace kernelscape {

/**
 * Where the secret of the fleet at an address is, for all that this process does there from now on: targets
 * and sessions name an address alone. Files that are not named, and fleets that nobody told of, have theirs
 * in the environment. Any thread.
 */
void remember_secret_files(const RedisAddress& address, const SecretFiles& files);

/** As it was told; nothing is named where it was not. Any thread. */
SecretFiles remembered_secret_files(const RedisAddress& address);

}  // namespace kernelscape
