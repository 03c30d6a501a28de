#pragma once

#include <string>

#include "core/base/result.h"

namespace kernelscape::fleet {

/** The secrets of a fleet. They are never shown, stored or passed to another program. */
struct Secret {
  std::string password;     ///< password of Redis
  std::string signing_key;  ///< the key that signs tasks and results
};

/** Files that contain secrets; an empty path: no file. */
struct SecretFiles {
  std::string password_file{};
  std::string key_file{};
};

// The environment variables that provide a secret if no option names a file.
inline constexpr const char* password_variable = "KERNELSCAPE_FLEET_PASSWORD";
inline constexpr const char* password_file_variable = "KERNELSCAPE_FLEET_PASSWORD_FILE";
inline constexpr const char* key_variable = "KERNELSCAPE_FLEET_KEY";
inline constexpr const char* key_file_variable = "KERNELSCAPE_FLEET_KEY_FILE";

/**
 * Reads the password from the file or else from the environment: the first line, without trailing blanks. The
 * signing key is read in the same way; without a signing key, the key is derived from the password, so that
 * everyone who knows the password can sign. Returns Refused if there is no password, or if other users may
 * read the file of a secret.
 */
Result<Secret> read_fleet_secret(const SecretFiles& files = {});

/** Removes the secrets from the environment of this process, which compilers and kernels would inherit. */
void forget_secret_variables();

}  // namespace kernelscape::fleet
