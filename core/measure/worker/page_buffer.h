#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace kernelscape {

/**
 * Memory of its own pages, huge ones where the system has them, with an inaccessible page behind. What lies
 * between its bytes and that page is filled with a pattern, so that a kernel that writes beyond its output is
 * noticed.
 */
class PageBuffer {
 public:
  /**
   * Zeroed; nothing where the memory can't be had.
   * @param stagger shifts the start by so many times 1,088 bytes: buffers that all start alike in their pages
   *                compete for the same cache sets
   */
  static std::optional<PageBuffer> make(std::size_t bytes, int stagger);

  PageBuffer(PageBuffer&& other) noexcept;
  PageBuffer& operator=(PageBuffer&& other) noexcept;
  ~PageBuffer();

  /** Those asked for, without what lies around them. */
  std::span<std::byte> bytes() const { return {mapping_ + start_, bytes_}; }
  void* data() const { return mapping_ + start_; }  ///< the first byte
  std::size_t size() const { return bytes_; }       ///< bytes asked for
  /** A write to its pages is a fault (SIGSEGV) from now on. */
  void protect_read_only() const;
  /** Whether the pattern around the bytes is as it was. */
  bool surroundings_intact() const;

 private:
  PageBuffer() = default;

  std::byte* mapping_ = nullptr;
  std::size_t mapped_ = 0;
  std::size_t usable_ = 0;  ///< up to the inaccessible page
  std::size_t start_ = 0;
  std::size_t bytes_ = 0;
};

}  // namespace kernelscape
