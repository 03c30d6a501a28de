#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "core/base/result.h"

namespace kernelscape {

/**
 * A private folder with an absolute path below $TMPDIR or /tmp, removed with this object. A relative TMPDIR
 * counts from the current folder. Folders that dead processes left are removed, too.
 */
class TemporaryFolder {
 public:
  /**
   * Sweeps those of dead processes first. Error: Environment, it cannot be created.
   * @param purpose stands in its name, such as "build"
   */
  static Result<TemporaryFolder> make(std::string_view purpose = "build");
  TemporaryFolder(TemporaryFolder&& other) noexcept;
  TemporaryFolder& operator=(TemporaryFolder&& other) noexcept;
  ~TemporaryFolder();

  const std::string& path() const { return path_; }  ///< where compilers and loaders find its files
  /** Removes what is in it; the folder stays. */
  void clear() const;

 private:
  TemporaryFolder(std::string path, int lock) : path_(std::move(path)), lock_(lock) {}
  std::string path_;
  int lock_;  ///< held while we live: how others know that the folder is in use; -1: nothing is owned
};

}  // namespace kernelscape
