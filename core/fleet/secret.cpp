#include "core/fleet/secret.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cstdlib>
#include <utility>

#include "core/base/file.h"
#include "core/base/text.h"
#include "core/fleet/signature.h"

namespace kernelscape::fleet {
namespace {

constexpr std::uintmax_t max_secret_bytes = 1 << 16;

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

/** Returns an error if other users may read the file. */
Status check_private(const std::string& path) {
  struct stat state{};
  if (stat(path.c_str(), &state) != 0 || !S_ISREG(state.st_mode)) return {};
  if ((state.st_mode & (S_IRGRP | S_IROTH)) == 0) return {};
  return fail(ErrorCode::Refused, fmt::format("other users may read the secret in {}", path),
              fmt::format("chmod 600 {}", path));
}

Result<std::string> read_secret_file(const std::string& path) {
  TRY(check_private(path));
  const std::string text = TRY(base::read_text_file(path, max_secret_bytes));
  std::string secret(base::trimmed(std::string_view(text).substr(0, text.find('\n'))));
  if (secret.empty())
    return fail(ErrorCode::Refused, fmt::format("the first line of {} is empty: it contains no secret", path),
                "write the secret into its first line");
  return secret;
}

/**
 * Returns the secret from the file that an option names, from the variable, or from the file that a variable
 * names; empty if there is none.
 */
Result<std::string> find_secret(const std::string& named, const char* value, const char* file) {
  if (!named.empty()) return read_secret_file(named);
  if (std::string secret = variable(value); !secret.empty()) return secret;
  if (const std::string path = variable(file); !path.empty()) return read_secret_file(path);
  return std::string();
}

}  // namespace

Result<Secret> read_fleet_secret(const SecretFiles& files) {
  Secret secret;
  secret.password = TRY(find_secret(files.password_file, password_variable, password_file_variable));
  if (secret.password.empty()) {
    return fail(
        ErrorCode::Refused,
        "no password for Redis was given: everyone who can write to its queues can run code on all workers",
        fmt::format(
            "set requirepass in redis.conf, and name a file with the password with --password-file or {}",
            password_file_variable));
  }
  secret.signing_key = TRY(find_secret(files.key_file, key_variable, key_file_variable));
  if (secret.signing_key.empty())
    secret.signing_key = hmac_sha256(secret.password, "kernelscape fleet tasks");
  return secret;
}

void forget_secret_variables() {
  unsetenv(password_variable);
  unsetenv(key_variable);
}

}  // namespace kernelscape::fleet
