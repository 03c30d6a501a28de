#pragma once

#include <expected>
#include <string>
#include <utility>

namespace kernelscape {

/** Cause of an error, which decides who has to act on it. */
enum class ErrorCode {
  InvalidArgument,  ///< the user's input: a name, a value, a shape, an option (exit code 2)
  NotFound,         ///< the thing named does not exist (exit code 2)
  Refused,          ///< it exists, but is owned, newer, changed or read-only (exit code 1)
  Occupied,         ///< another file exists: it is replaced only if the user allows it (exit code 1)
  Environment,      ///< the machine: compiler gone, disk full, no process can start (exit code 1)
  Corrupt,          ///< a file or database is damaged (exit code 1)
  Internal          ///< a broken invariant that was noticed in time (exit code 1)
};

/**
 * A failure that can occur in normal use, as a value. `message` says what failed and why, `hint` what to do.
 */
struct Error {
  ErrorCode code = ErrorCode::Internal;
  std::string message;
  std::string hint;

  bool operator==(const Error&) const = default;
};

template <typename T>
using Result = std::expected<T, Error>;

/** Success, or an error. */
using Status = Result<void>;

/** Makes an error to return from a function that returns any Result or Status. */
inline std::unexpected<Error> fail(ErrorCode code, std::string message, std::string hint = {}) {
  return std::unexpected(Error{code, std::move(message), std::move(hint)});
}

/** Returns "message (hint)", or the message alone if there is no hint. */
inline std::string describe(const Error& error) {
  return error.hint.empty() ? error.message : error.message + " (" + error.hint + ")";
}

/** Moves the value out of a result that holds one. */
template <typename T, typename E>
[[nodiscard]] constexpr T release_value(std::expected<T, E>&& result) {
  return *std::move(result);
}

}  // namespace kernelscape

/**
 * Yields the value of a result; an error is returned from the enclosing function. The value is moved out, so
 * nothing refers to a temporary. Only a macro can return from the enclosing function:
 *
 *     const Store store = TRY(Store::open(path));
 *     TRY(check(options));
 *
 * Use it as a statement only for a Status: an unused value is destroyed at once, and with it what it owns,
 * such as the lease of a device. `std::ignore = TRY(...)` makes that explicit; clang warns about others.
 *
 * Do not use it in a braced list: when it returns, GCC 12 leaks the elements constructed before it. Do not
 * use it in a lambda without a return type.
 */
#define TRY(...) TRY_COUNTED(__COUNTER__, __VA_ARGS__)
// Two steps, so that the count is expanded to a number before it is joined to a name; TRYs can be nested.
#define TRY_COUNTED(count, ...) TRY_NAMED(count, __VA_ARGS__)
#define TRY_NAMED(count, ...)                                                     \
  __extension__({                                                                 \
    auto tried_##count = (__VA_ARGS__);                                           \
    if (!tried_##count) return std::unexpected(std::move(tried_##count).error()); \
    ::kernelscape::release_value(std::move(tried_##count));                       \
  })
