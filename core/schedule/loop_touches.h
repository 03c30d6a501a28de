#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/schedule/schedule.h"

namespace kernelscape {

/** How the iterations of a loop are run; AutoTVM's, in its order. */
enum class LoopAnnotation : std::uint8_t {
  BlockX,
  BlockY,
  BlockZ,
  ThreadX,
  ThreadY,
  ThreadZ,
  Unrolled,
  Vectorized,
  Parallel,
  Serial,
  VirtualThread
};
inline constexpr std::size_t annotation_count = 11;

/** "blockIdx.x", "unrolled", ...: by LoopAnnotation. */
extern const std::array<const char*, annotation_count> annotation_names;

/** What a loop does to a tensor that is accessed once in the innermost loop (AutoTVM's TouchPattern). */
struct Touch {
  /**
   * Elements of the tensor as laid out from one iteration to the next: the loop's coefficient in the
   * flattened index, 0 if absent. A loop of one iteration has none. Where the index divides (a transposed
   * convolution), the coefficient is rounded towards zero, but to zero only if at most one of the iterations
   * meets an element.
   */
  std::int64_t stride = 0;
  std::int64_t count = 1;  ///< product of the lengths of this and inner loops with a stride
  std::int64_t reuse = 1;  ///< product of the lengths of this and inner loops without
  // Of block loops: the count and reuse over what one block does. Of thread and parallel loops: over what
  // one thread does. 0 elsewhere.
  std::int64_t thread_count = 0;
  std::int64_t thread_reuse = 0;
};

/** Inputs and output of an operator. */
inline constexpr std::size_t touched_tensors = 3;

/** A loop of a configuration. */
struct TouchedLoop {
  LoopId loop;
  LoopAnnotation annotation = LoopAnnotation::Serial;
  std::int64_t length = 1;
  std::int64_t topdown = 1;   ///< product of the lengths from the outermost loop to this one
  std::int64_t bottomup = 1;  ///< the largest count x reuse of a tensor
  std::array<Touch, touched_tensors> touches{};  ///< by name of the tensor
};

/**
 * What the loops of a configuration do to the tensors, as AutoTVM's TouchExtractor finds it in a lowered
 * kernel; read from the schedule's record, without lowering. Immutable; any thread may ask.
 *
 * As in AutoTVM, `count` multiplies lengths: that windows of a convolution overlap, or that the last tile
 * overhangs, is not subtracted. Staging into shared memory and registers adds no accesses.
 */
class LoopTouches {
 public:
  /** @throws std::logic_error for an operator without two inputs, or orders that differ in length */
  explicit LoopTouches(std::shared_ptr<const Schedule> schedule);

  /** Sorted. */
  const std::array<std::string, touched_tensors>& tensor_names() const { return names_; }
  /** By place in the nest, outermost first: the loop's, or "loop 3" where it depends on the configuration. */
  const std::vector<std::string>& loop_names() const { return loop_names_; }

  /** Loops in nesting order, those of one iteration included: loop_names().size(). */
  std::vector<TouchedLoop> of(const Configuration& configuration) const;

 private:
  /** A dimension of a tensor that an axis moves in. */
  struct Move {
    int dimension = 0;
    std::int64_t coefficient = 0;
    std::int64_t divisor = 1;
  };
  struct Tensor {
    int number = 0;                     ///< of the schedule
    std::vector<std::int64_t> extents;  ///< as stored
    std::vector<std::vector<Move>> by_axis;
  };
  struct PhysicalDimension;

  Tensor read_tensor(int number) const;
  void name_loops();
  std::vector<TouchedLoop> in_order(const Configuration& configuration) const;
  void set_strides(std::vector<TouchedLoop>& loops, const Configuration& configuration) const;
  std::vector<PhysicalDimension> physical_dimensions(const Tensor& tensor,
                                                     const Configuration& configuration) const;
  std::int64_t product_of(const std::vector<LoopId>& loops, const Configuration& configuration) const;
  LoopAnnotation annotation_of(const ScheduleLoop& loop, const Configuration& configuration) const;

  std::shared_ptr<const Schedule> schedule_;
  std::array<Tensor, touched_tensors> tensors_;
  std::array<std::string, touched_tensors> names_;
  std::vector<std::string> loop_names_;
};

/** log2(value) as a float takes it; value at least 1. */
double binary_logarithm(std::int64_t value);

}  // namespace kernelscape
