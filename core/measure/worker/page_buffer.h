#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace kernelscape::measure {

/**
 * Memory on its own pages, huge pages if the system has them, with an inaccessible page behind it. The space
 * between its bytes and that page is filled with a pattern to detect a kernel that writes beyond its output.
 */
class PageBuffer {
 public:
  /**
   * Allocates zeroed memory; returns nullopt if the memory is not available.
   * @param stagger shifts the start by this many times 1,088 bytes: buffers with the same offset in their
   * pages would compete for the same cache sets
   */
  static std::optional<PageBuffer> make(std::size_t bytes, int stagger);

  PageBuffer(PageBuffer&& other) noexcept;
  PageBuffer& operator=(PageBuffer&& other) noexcept;
  ~PageBuffer();

  /** Returns the requested bytes, without the space around them. */
  std::span<std::byte> bytes() const { return {mapping_ + start_, bytes_}; }
  void* data() const { return mapping_ + start_; }  ///< the first byte
  std::size_t size() const { return bytes_; }       ///< number of requested bytes
  /** Makes the pages read-only: a later write is a fault (SIGSEGV). */
  void protect_read_only() const;
  /** Returns true if the pattern around the bytes is unchanged. */
  bool surroundings_intact() const;

 private:
  PageBuffer() = default;

  std::byte* mapping_ = nullptr;
  std::size_t mapped_ = 0;
  std::size_t usable_ = 0;  ///< bytes up to the inaccessible page
  std::size_t start_ = 0;
  std::size_t bytes_ = 0;
};

}  // namespace kernelscape::measure
