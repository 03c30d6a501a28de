#pragma once

#include <unistd.h>

#include <utility>

namespace kernelscape::measure {

/** Owns a file descriptor. */
class UniqueFd {
 public:
  UniqueFd() = default;
  explicit UniqueFd(int descriptor) : descriptor_(descriptor) {}
  UniqueFd(UniqueFd&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  UniqueFd& operator=(UniqueFd&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }
  ~UniqueFd() { reset(); }

  int get() const { return descriptor_; }          ///< the descriptor, still owned by this object; -1: none
  bool valid() const { return descriptor_ >= 0; }  ///< true if a descriptor is owned
  /** Closes the owned descriptor, if any. */
  void reset() {
    if (descriptor_ >= 0) close(std::exchange(descriptor_, -1));
  }

 private:
  int descriptor_ = -1;
};

}  // namespace kernelscape::measure
