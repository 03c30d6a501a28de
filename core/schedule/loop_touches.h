#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/schedule/schedule.h"

namespace kernelscape::schedule {

/** How the iterations of a loop are run: AutoTVM's annotations, in AutoTVM's order. */
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

/** Names by LoopAnnotation: "blockIdx.x", "unrolled", ... */
extern const std::array<const char*, annotation_count> annotation_names;

/** How a loop accesses a tensor that is accessed once in the innermost loop (AutoTVM's TouchPattern). */
struct Touch {
  /**
   * Distance in elements of the stored tensor from one iteration to the next: the loop's coefficient in the
   * flattened index, 0 if absent. A loop of one iteration has stride 0. If the index contains a division (a
   * transposed convolution), the coefficient is rounded towards zero, but to zero only if at most one of the
   * iterations accesses an element.
   */
  std::int64_t stride = 0;
  std::int64_t count = 1;  ///< product of the lengths of this and inner loops with a stride
  std::int64_t reuse = 1;  ///< product of the lengths of this and inner loops without a stride
  // For block loops: the count and reuse within one block. For thread and parallel loops: those within one
  // thread. Otherwise 0.
  std::int64_t thread_count = 0;
  std::int64_t thread_reuse = 0;
};

/** Number of inputs and outputs of an operator. */
inline constexpr std::size_t touched_tensors = 3;

/** A loop of a configuration. */
struct TouchedLoop {
  LoopId loop;
  LoopAnnotation annotation = LoopAnnotation::Serial;
  std::int64_t length = 1;
  std::int64_t topdown = 1;   ///< product of the lengths from the outermost loop to this one
  std::int64_t bottomup = 1;  ///< the largest count x reuse of a tensor
  std::array<Touch, touched_tensors> touches{};  ///< in the order of the tensors' names
};

/**
 * How the loops of a configuration access the tensors, as AutoTVM's TouchExtractor finds it in a lowered
 * kernel, but read from the schedule's record without lowering. Immutable; callable from any thread.
 *
 * As in AutoTVM, `count` multiplies lengths: overlapping windows of a convolution and overhanging last tiles
 * are not subtracted. Staging into shared memory and registers adds no accesses.
 */
class LoopTouches {
 public:
  /** @throws std::logic_error for an operator without two inputs, or orders that differ in length */
  explicit LoopTouches(std::shared_ptr<const Schedule> schedule);

  /** Returns the names of the tensors, sorted. */
  const std::array<std::string, touched_tensors>& tensor_names() const { return names_; }
  /**
   * Returns the names of the loops in nesting order, outermost first; "loop 3" if the loop at this position
   * depends on the configuration.
   */
  const std::vector<std::string>& loop_names() const { return loop_names_; }

  /** Returns the loops in nesting order, including loops of one iteration; as many as loop_names(). */
  std::vector<TouchedLoop> of(const space::Configuration& configuration) const;

 private:
  /** A dimension of a tensor that an axis indexes. */
  struct Move {
    int dimension = 0;
    std::int64_t coefficient = 0;
    std::int64_t divisor = 1;
  };
  struct Tensor {
    int number = 0;                     ///< number in the schedule
    std::vector<std::int64_t> extents;  ///< as stored
    std::vector<std::vector<Move>> by_axis;
  };
  struct PhysicalDimension;

  Tensor read_tensor(int number) const;
  void name_loops();
  std::vector<TouchedLoop> in_order(const space::Configuration& configuration) const;
  void set_strides(std::vector<TouchedLoop>& loops, const space::Configuration& configuration) const;
  std::vector<PhysicalDimension> physical_dimensions(const Tensor& tensor,
                                                     const space::Configuration& configuration) const;
  std::int64_t product_of(const std::vector<LoopId>& loops, const space::Configuration& configuration) const;
  LoopAnnotation annotation_of(const Loop& loop, const space::Configuration& configuration) const;

  std::shared_ptr<const Schedule> schedule_;
  std::array<Tensor, touched_tensors> tensors_;
  std::array<std::string, touched_tensors> names_;
  std::vector<std::string> loop_names_;
};

/** Returns log2(value) rounded to float precision; value must be at least 1. */
double binary_logarithm(std::int64_t value);

}  // namespace kernelscape::schedule
