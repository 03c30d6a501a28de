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

namespace kernelscape {

/**
 * Bytes that this process may still take: the least of what the machine has free, what its control group
 * leaves, and what a limit on its address space leaves (`ulimit -v`). 1 GiB where none of them is known.
 */
std::uint64_t available_memory_bytes();

/** Environment: what was being done needs more memory than there is. @param what "importing log.json" */
Error out_of_memory(std::string_view what);

/** Environment: what was being done needs a thread more than the system gives. @param what as above */
Error out_of_threads(std::string_view what);

/** Internal: what was being done was ended by an exception. @param reason what the exception says */
Error internal_error(std::string_view what, std::string_view reason);

/**
 * Keeps some addresses back for the way out of a job that ran out of memory: destructors that take memory
 * would end the program there. `operator new` spends them by itself while an exception is on its way.
 */
void keep_memory_reserve();

/**
 * Gives back what was kept: in destructors before those of a library that takes memory without `operator new`
 * and may throw, such as Qt's painters. @return whether there was something
 */
bool spend_memory_reserve() noexcept;

/**
 * Runs a job, and returns an error where memory or threads run out or any other exception of the standard
 * library leaves the job, instead of ending the program. Every failure in use is a value, so that exceptions
 * are caught at the borders of jobs alone: a command, an imported file, a session, a run of a study, a job of
 * the window. An object whose destructor takes memory, such as long JSON, still ends the program where there
 * is none left while it is destroyed outside of an exception's way: see LongJson.
 * @param what is being done, as the error says it: "importing log.json"
 * @param work returns a Result or Status
 */
template <std::invocable Work>
std::invoke_result_t<Work> guarded(std::string_view what, Work&& work) {
  keep_memory_reserve();
  try {
    return std::invoke(std::forward<Work>(work));
  } catch (const std::bad_alloc&) {
  } catch (const std::length_error&) {
    // What no container can hold.
  } catch (const std::system_error& error) {
    // What std::thread throws; a thread's stack takes memory as well.
    const bool no_thread = error.code() == std::errc::resource_unavailable_try_again;
    return std::unexpected(no_thread ? out_of_threads(what) : internal_error(what, error.what()));
  } catch (const std::exception& error) {
    return std::unexpected(internal_error(what, error.what()));
  }
  return std::unexpected(out_of_memory(what));
}

}  // namespace kernelscape
