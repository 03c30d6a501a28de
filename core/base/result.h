#pragma once

#include <expected>
#include <string>
#include <utility>

namespace kernelscape {

/** Who has to act on an error. */
enum class ErrorCode {
  InvalidArgument,  ///< the user's input: a name, a value, a shape, an option (exit code 2)
  NotFound,         ///< the thing named does not exist (exit code 2)
  Refused,          ///< it exists, but is owned, newer, changed or read-only (exit code 1)
  Environment,      ///< the machine: compiler gone, disk full, no process can start (exit code 1)
  Corrupt,          ///< a file or database is damaged (exit code 1)
  Internal          ///< a broken invariant that was noticed in time (exit code 1)
};

/** What can happen in use, as a value. `message` names the thing and the reason, `hint` the way out. */
struct Error {
  ErrorCode code = ErrorCode::Internal;
  std::string message;
  std::string hint;

  bool operator==(const Error&) const = default;
};

template <typename T>
using Result = std::expected<T, Error>;

/** Success, or why not. */
using Status = Result<void>;

inline std::unexpected<Error> fail(ErrorCode code, std::string message, std::string hint = {}) {
  return std::unexpected(Error{code, std::move(message), std::move(hint)});
}

/** "message (hint)", or the message alone. */
inline std::string describe(const Error& error) {
  return error.hint.empty() ? error.message : error.message + " (" + error.hint + ")";
}

}  // namespace kernelscape
