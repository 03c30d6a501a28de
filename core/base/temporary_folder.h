#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "core/base/result.h"

namespace kernelscape::base {

/**
 * A private folder with an absolute path below $TMPDIR or /tmp, removed with this object. A relative TMPDIR
 * is relative to the current folder. Folders left behind by dead processes are removed, too.
 */
class TemporaryFolder {
 public:
  /**
   * Removes the folders of dead processes, then creates a new one. Error: Environment if it cannot be
   * created.
   * @param purpose part of its name, such as "build"
   */
  static Result<TemporaryFolder> make(std::string_view purpose = "build");
  TemporaryFolder(TemporaryFolder&& other) noexcept;
  TemporaryFolder& operator=(TemporaryFolder&& other) noexcept;
  ~TemporaryFolder();

  const std::string& path() const { return path_; }  ///< where compilers and loaders find its files
  /** Removes the content of the folder but not the folder. */
  void clear() const;

 private:
  TemporaryFolder(std::string path, int lock) : path_(std::move(path)), lock_(lock) {}
  std::string path_;
  int lock_;  ///< held as long as this object lives, so that other processes see the folder is in use; -1:
              ///< none
};

}  // namespace kernelscape::base
