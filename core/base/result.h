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
  Occupied,         ///< something else stands there: it is replaced only where the user says so (exit code 1)
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

/** An error to return from a function whose type is any Result or Status. */
inline std::unexpected<Error> fail(ErrorCode code, std::string message, std::string hint = {}) {
  return std::unexpected(Error{code, std::move(message), std::move(hint)});
}

/** "message (hint)", or the message alone. */
inline std::string describe(const Error& error) {
  return error.hint.empty() ? error.message : error.message + " (" + error.hint + ")";
}

/** The value of a result that holds one, moved out of it. */
template <typename T, typename E>
[[nodiscard]] constexpr T release_value(std::expected<T, E>&& result) {
  return *std::move(result);
}

}  // namespace kernelscape

/**
 * The value of a result; an error is handed on by returning it from the function around. The value is moved
 * out, so nothing refers to a temporary. A macro, since only a macro can return from where it stands:
 *
 *     const Store store = TRY(Store::open(path));
 *     TRY(check(options));
 *
 * As a statement of its own only for a Status: a value that nobody takes ends there, and with it what it
 * holds, such as the lease of a device. `std::ignore = TRY(...)` says that it may; clang warns of others.
 *
 * Not among the members of a braced list: GCC 12 leaks those made before it when it returns. Nor in a lambda
 * without a return type.
 */
#define TRY(...) TRY_COUNTED(__COUNTER__, __VA_ARGS__)
// Two steps, so that the count is a number before it is joined to a name; one TRY may stand in another.
#define TRY_COUNTED(count, ...) TRY_NAMED(count, __VA_ARGS__)
#define TRY_NAMED(count, ...)                                                     \
  __extension__({                                                                 \
    auto tried_##count = (__VA_ARGS__);                                           \
    if (!tried_##count) return std::unexpected(std::move(tried_##count).error()); \
    ::kernelscape::release_value(std::move(tried_##count));                       \
  })
