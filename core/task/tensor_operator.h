#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/task/epilogue.h"

namespace kernelscape::task {

enum class ScalarType : std::uint8_t { F16, BF16, F32, F64, I8, U8, I32 };

/** Returns the name of a type as users write it: "f32", "u8", ... */
std::string to_string(ScalarType type);
/** Returns the bytes of one element in memory. */
std::int64_t bytes_of(ScalarType type);

/** Exclusive upper limit of a task's element and FLOP counts: a double represents every integer up to it. */
inline constexpr std::int64_t count_limit = std::int64_t{1} << 53;

/**
 * A loop of the mathematical definition. Spatial axes come first, in the order of the output's dimensions.
 */
struct TensorAxis {
  std::string name;
  std::int64_t extent = 1;
  bool reduction = false;

  bool operator==(const TensorAxis&) const = default;
};

/**
 * One dimension of an access: (sum of coefficients[i] * axis[i] + offset) / divisor. The access reads zero if
 * the division leaves a remainder or the result lies outside the tensor.
 */
struct AccessIndex {
  std::vector<std::int64_t> coefficients;  ///< one per axis of the operator
  std::int64_t offset = 0;
  std::int64_t divisor = 1;

  bool operator==(const AccessIndex&) const = default;
};

/** A tensor and how the operator reads or writes it. */
struct TensorAccess {
  std::string tensor;
  ScalarType type = ScalarType::F32;
  std::vector<std::int64_t> shape;   ///< row-major, in elements
  std::vector<AccessIndex> indices;  ///< one per dimension

  std::int64_t element_count() const;  ///< the product of the shape
  bool operator==(const TensorAccess&) const = default;
};

/**
 * A tensor operator as data: output[spatial axes] = epilogue(sum over the reduction axes of the product of
 * the inputs). Every output element is written exactly once; the sum is computed in the type `accumulator`.
 */
struct TensorOperator {
  std::vector<TensorAxis> axes;
  std::vector<TensorAccess> inputs;  ///< two: activations, then weights
  TensorAccess output;
  ScalarType accumulator = ScalarType::F32;
  std::vector<EpilogueStep> epilogue{};  ///< steps in order; empty: the sums are the output
  /// of the steps that have one, in order; a kernel takes them after the output
  std::vector<TensorAccess> operands{};

  /**
   * Returns the FLOPs of the sums; an epilogue's are not counted. A multiplication and an addition count as
   * one each: 2 * the product of all extents.
   */
  double flops() const;

  bool operator==(const TensorOperator&) const = default;
};

/**
 * Sets the steps of an operator's epilogue and their operands: "residual" of the output's shape, "bias" and
 * "scale" of its dimensions `first` to first + count - 1, which are its channels. A repeated name is
 * numbered: "bias2". The operands have the output's type.
 */
void set_epilogue(TensorOperator& op, const std::vector<EpilogueStep>& steps, std::size_t first,
                  std::size_t count);

}  // namespace kernelscape::task
