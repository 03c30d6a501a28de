#pragma once

#include <concepts>
#include <cstdint>
#include <exception>
#include <functional>
#include <new>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <utility>

#include "core/base/result.h"

namespace kernelscape::base {

/**
 * Returns the bytes that this process may still allocate: the minimum of the machine's free memory, the rest
 * of its control group's limit, and the rest of its address space limit (`ulimit -v`). Returns 1 GiB if none
 * of them is known.
 */
std::uint64_t available_memory_bytes();

/**
 * Makes an Environment error: an activity needs more memory than is available.
 * @param what the activity, "importing log.json"
 */
Error out_of_memory(std::string_view what);

/**
 * Makes an Environment error: the system could not create another thread for an activity.
 * @param what the activity
 */
Error out_of_threads(std::string_view what);

/**
 * Makes an Internal error: an exception ended an activity.
 * @param what the activity
 * @param reason text of the exception
 */
Error internal_error(std::string_view what, std::string_view reason);

/**
 * Reserves some memory for unwinding a job that ran out of memory: destructors that allocate would otherwise
 * end the program. `operator new` uses the reserve automatically while an exception is being handled.
 */
void keep_memory_reserve();

/**
 * Frees the memory reserve. Call it in destructors that run before those of a library that allocates without
 * `operator new` and may throw, such as Qt's painters.
 * @return true if there was a reserve
 */
bool spend_memory_reserve() noexcept;

/**
 * Runs a job, and returns an error instead of ending the program if memory or threads run out or another
 * exception of the standard library leaves the job. Expected failures are values, so exceptions are caught
 * only at the boundaries of jobs: a command, an imported file, a session, a run of a study, a job of the
 * window. An object whose destructor allocates memory, such as long JSON, still ends the program if it is
 * destroyed outside of stack unwinding while no memory is left: see LongJson.
 * @param what the activity as the error names it: "importing log.json"
 * @param work returns a Result or Status
 */
template <std::invocable Work>
std::invoke_result_t<Work> guarded(std::string_view what, Work&& work) {
  keep_memory_reserve();
  try {
    return std::invoke(std::forward<Work>(work));
  } catch (const std::bad_alloc&) {
  } catch (const std::length_error&) {
    // Larger than any container can be.
  } catch (const std::system_error& error) {
    // Thrown by std::thread; a thread's stack needs memory as well.
    const bool no_thread = error.code() == std::errc::resource_unavailable_try_again;
    return std::unexpected(no_thread ? out_of_threads(what) : internal_error(what, error.what()));
  } catch (const std::exception& error) {
    return std::unexpected(internal_error(what, error.what()));
  }
  return std::unexpected(out_of_memory(what));
}

}  // namespace kernelscape::base
