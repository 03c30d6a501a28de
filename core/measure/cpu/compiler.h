#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/base/temporary_folder.h"
#include "core/codegen/known_flags.h"
#include "core/measure/worker/protocol.h"
#include "core/measure/worker/unique_fd.h"

namespace kernelscape {

/** "gcc", "/opt/my compiler/bin/gcc", "gcc -m64": the words of a command, a path with spaces being one. */
std::vector<std::string> command_words(const std::string& command);

/**
 * Compiles C into a shared object with limits of time, memory and file size; compiler caches are off. It
 * fails (Failed) where the source is refused or the compiler crashes or is killed; the machine's faults are a
 * compiler that can't be started and a full disk.
 * @param hang_up socket whose peer's end ends the compile; -1: none
 */
BuildReply compile_shared_object(const BuildRequest& request, const TemporaryFolder& folder,
                                 int hang_up = -1);

/** What `COMPILER --version` says first, or why it can't be started. */
Result<std::string> compiler_version(const std::string& compiler);

/** Compiles a trivial kernel: a compiler that fails on this fails on everything. */
BuildRequest self_test_request(const std::string& compiler, const KnownFlags& flags);
/** The error of a self-test, or nothing where it passed. */
Status check_self_test(const std::string& compiler, const BuildReply& reply);

}  // namespace kernelscape
