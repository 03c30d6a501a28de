#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <new>
#include <stdexcept>
#include <string_view>
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

/**
 * The result of a job, which ends with an error where memory runs out, instead of with the program. This is
 * the one exception that is no programming error (design.md, Rules), and it is caught at the borders of jobs
 * alone: a command, an imported file, a session, a run of a study, a job of the window.
 * @param what is being done, as the error says it: "importing log.json"
 * @param work returns a Result or Status
 */
template <std::invocable Work>
std::invoke_result_t<Work> guarded(std::string_view what, Work&& work) {
  try {
    return std::invoke(std::forward<Work>(work));
  } catch (const std::bad_alloc&) {
  } catch (const std::length_error&) {
    // What no container can hold.
  }
  return std::unexpected(out_of_memory(what));
}

}  // namespace kernelscape
