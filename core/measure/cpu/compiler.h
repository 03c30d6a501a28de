#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/codegen/known_flags.h"
#include "core/measure/worker/protocol.h"
#include "core/measure/worker/unique_fd.h"

namespace kernelscape {

/** A private folder below $TMPDIR or /tmp, gone with this object; those of dead processes are swept. */
class TemporaryFolder {
 public:
  /** Sweeps those of dead processes first. Errors: it cannot be created. */
  static Result<TemporaryFolder> make();
  TemporaryFolder(TemporaryFolder&&) = default;
  TemporaryFolder& operator=(TemporaryFolder&&) = default;
  ~TemporaryFolder();

  const std::string& path() const { return path_; }  ///< where compilers and loaders find its files
  /** Removes what is in it; the folder stays. */
  void clear() const;

 private:
  TemporaryFolder(std::string path, UniqueFd lock) : path_(std::move(path)), lock_(std::move(lock)) {}
  std::string path_;
  UniqueFd lock_;  ///< held while we live: how others know that the folder is in use
};

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
