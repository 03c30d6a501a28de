#pragma once

#include <string>

#include "core/base/result.h"

namespace kernelscape {

/** What only members of a fleet know. Never shown, stored or given to another program. */
struct FleetSecret {
  std::string password;     ///< of Redis
  std::string signing_key;  ///< that tasks and results are signed with
};

/** Files that hold secrets; empty: none is named. */
struct SecretFiles {
  std::string password_file{};
  std::string key_file{};
};

// Where a secret comes from that no option names.
inline constexpr const char* password_variable = "KERNELSCAPE_FLEET_PASSWORD";
inline constexpr const char* password_file_variable = "KERNELSCAPE_FLEET_PASSWORD_FILE";
inline constexpr const char* key_variable = "KERNELSCAPE_FLEET_KEY";
inline constexpr const char* key_file_variable = "KERNELSCAPE_FLEET_KEY_FILE";

/**
 * The password from the file, else from the environment: the first line, without blanks at its end. The
 * signing key likewise; without one it is derived from the password, so that who knows that can sign, too.
 * Refused where there is no password, or where others may read the file that holds one.
 */
Result<FleetSecret> read_fleet_secret(const SecretFiles& files = {});

/** Takes secrets out of this process's environment, which compilers and kernels would inherit. */
void forget_secret_variables();

}  // namespace kernelscape
