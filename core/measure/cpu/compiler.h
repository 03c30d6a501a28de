#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/base/temporary_folder.h"
#include "core/codegen/known_flags.h"
#include "core/measure/worker/protocol.h"
#include "core/measure/worker/unique_fd.h"

namespace kernelscape::measure {

/**
 * Splits a command into words, such as "gcc", "/opt/my compiler/bin/gcc" or "gcc -m64"; a path with spaces is
 * one word.
 */
std::vector<std::string> command_arguments(const std::string& command);

/**
 * Compiles C into a shared object with limits of time, memory and file size; compiler caches are off. The
 * reply is Failed if the source is refused or the compiler crashes or is killed. A compiler that can't be
 * started and a full disk are machine faults.
 * @param hang_up socket; the compile ends when its peer closes; -1: none
 */
BuildReply compile_shared_object(const BuildRequest& request, const base::TemporaryFolder& folder,
                                 int hang_up = -1);

/** Returns the first line of `COMPILER --version`, or the reason why the compiler can't be started. */
Result<std::string> compiler_version(const std::string& compiler);

/**
 * Returns the request that compiles a trivial kernel: a compiler that fails on this kernel fails on every
 * kernel.
 */
BuildRequest self_test_request(const std::string& compiler, const codegen::KnownFlags& flags);
/** Returns the error of a failed self-test, or success. */
Status check_self_test(const std::string& compiler, const BuildReply& reply);

}  // namespace kernelscape::measure
