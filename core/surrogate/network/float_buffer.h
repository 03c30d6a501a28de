#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>

namespace kernelscape {

/** Rows that a network computes at once: the length of every row of its matrices, a multiple of a cache
 * line. */
constexpr std::size_t block_rows = 64;

/** Zeros at the start of a cache line, as vector instructions like them. */
class FloatBuffer {
 public:
  explicit FloatBuffer(std::size_t count = 0)
      : data_(static_cast<float*>(::operator new(count * sizeof(float), alignment))), count_(count) {
    std::fill_n(data(), count, 0.0F);
  }

  float* data() { return data_.get(); }              ///< the first number
  const float* data() const { return data_.get(); }  ///< the same, to read
  std::size_t size() const { return count_; }        ///< how many numbers

 private:
  static constexpr std::align_val_t alignment{64};
  struct Free {
    void operator()(float* data) const { ::operator delete(data, alignment); }
  };

  std::unique_ptr<float, Free> data_;
  std::size_t count_;
};

/**
 * Matrices of equal size, each with `features` rows of block_rows numbers: what the rows of a block have at
 * one position of their sequences. Where one is enough for all positions, they share it.
 */
class PositionMatrices {
 public:
  PositionMatrices() = default;
  PositionMatrices(std::size_t positions, std::size_t features, bool shared = false)
      // A line more keeps a feature's places at all positions out of the same set of the cache.
      : stride_(shared ? 0 : features * block_rows + 16),
        numbers_(features * block_rows + (positions - 1) * stride_) {}

  /** The first number of a position's matrix. */
  float* at(std::size_t position) { return numbers_.data() + position * stride_; }
  /** The same, to read. */
  const float* at(std::size_t position) const { return numbers_.data() + position * stride_; }
  std::size_t stride() const { return stride_; }  ///< from one position to the next

 private:
  std::size_t stride_ = 0;
  FloatBuffer numbers_;
};

}  // namespace kernelscape
