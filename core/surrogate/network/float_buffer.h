#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>

namespace kernelscape::surrogate {

/**
 * Number of rows that a network computes at once: the length of every row of its matrices, a multiple of a
 * cache line.
 */
constexpr std::size_t block_rows = 64;

/** A buffer of zeros, aligned to a cache line for vector instructions. */
class FloatBuffer {
 public:
  explicit FloatBuffer(std::size_t count = 0)
      : data_(static_cast<float*>(::operator new(count * sizeof(float), alignment))), count_(count) {
    std::fill_n(data(), count, 0.0F);
  }

  float* data() { return data_.get(); }              ///< the first number
  const float* data() const { return data_.get(); }  ///< the first number, read-only
  std::size_t size() const { return count_; }        ///< number of elements

 private:
  static constexpr std::align_val_t alignment{64};
  struct Free {
    void operator()(float* data) const { ::operator delete(data, alignment); }
  };

  std::unique_ptr<float, Free> data_;
  std::size_t count_;
};

/**
 * Matrices of equal size, each with `features` rows of block_rows numbers: the values of a block's rows at
 * one position of their sequences. If one matrix is enough for all positions, they share it.
 */
class PositionMatrices {
 public:
  PositionMatrices() = default;
  PositionMatrices(std::size_t positions, std::size_t features, bool shared = false)
      // An additional cache line keeps the places of a feature at all positions out of the same cache set.
      : stride_(shared ? 0 : features * block_rows + 16),
        numbers_(features * block_rows + (positions - 1) * stride_) {}

  /** Returns the first number of a position's matrix. */
  float* at(std::size_t position) { return numbers_.data() + position * stride_; }
  /** Returns the first number of a position's matrix, read-only. */
  const float* at(std::size_t position) const { return numbers_.data() + position * stride_; }
  std::size_t stride() const { return stride_; }  ///< distance from one position to the next

 private:
  std::size_t stride_ = 0;
  FloatBuffer numbers_;
};

}  // namespace kernelscape::surrogate
