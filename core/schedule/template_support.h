#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/schedule/intrinsic.h"
#include "core/schedule/schedule.h"
#include "core/schedule/template.h"
#include "core/task/task.h"

namespace kernelscape::schedule {

/** Returns the space and limits of a finished schedule. */
Result<ScheduledKernel> finish_template(std::string name, int version, const task::Task& task,
                                        const TargetDescription& target, Schedule schedule);

/** Returns 1, 2, ..., last. */
std::vector<std::int64_t> up_to(std::int64_t last);

/** Returns the largest divisor of `value` that is at most `bound`. */
std::int64_t largest_divisor(std::int64_t value, std::int64_t bound);

/** Returns the number of vector accumulators that fit in registers beside the operands of a multiply-add. */
std::int64_t accumulator_registers(const TargetDescription& target);

/** Returns the maximum number of 32-bit registers of a GPU's thread. */
std::int64_t thread_registers(const TargetDescription& target);

/** Maximum number of output positions along a row of a register tile. */
inline constexpr std::int64_t max_tile_positions = 28;
/** Maximum number of vectors across a register tile. */
inline constexpr std::int64_t max_tile_vectors = 8;

/** Returns the dimension of a tensor that an axis indexes; the first if there are several. */
int dimension_of(const task::TensorAccess& tensor, LoopId axis);

/** Returns ok if all types of the operator are f32; otherwise an error that names the type that is not. */
Status require_f32(const task::Task& task);

/**
 * Returns ok if a CPU's kernel adds in f32 vectors what it reads: if the operator is of f32, or of f16 or
 * bf16 into f32, which loads convert. Otherwise an error that names the type that differs.
 */
Status require_f32_sums(const task::Task& task);

/**
 * Returns ok if the operator multiplies u8 by i8 and adds in i32; otherwise an error that names the type that
 * differs.
 */
Status require_int8(const task::Task& task);

/**
 * Returns ok if the operator multiplies bf16 and adds in f32; otherwise an error that names the type that
 * differs.
 */
Status require_bf16(const task::Task& task);

/** Number of 32-bit lanes of TVM's int8 operation. */
inline constexpr std::int64_t lanes_of_tvm_dot = 16;

/**
 * Returns ok if `of` divides a number of a task; otherwise an error: "24 columns, which is not a multiple of
 * 16".
 */
Status require_multiple(std::string_view what, std::int64_t value, std::int64_t of);

/**
 * Returns the convolution of a task if it is two-dimensional and not transposed; otherwise the reason why it
 * is not.
 */
Result<task::Convolution> plain_convolution_2d(const task::Task& task);

/**
 * Returns the convolution of a task if it is two-dimensional, not transposed and has no groups; otherwise the
 * reason why it is not.
 */
Result<task::Convolution> ungrouped_convolution_2d(const task::Task& task);

/**
 * Returns ok if the task is a plain, ungrouped f32 convolution in two dimensions, otherwise the reason. For
 * `fits`.
 */
Status fits_plain_convolution(const task::Task& task, const TargetDescription& target);

/** Returns ok if the task is a depthwise convolution in two dimensions with one filter per channel. */
Status require_depthwise(const task::Task& task);

/**
 * Returns ok if the task is an f32 depthwise convolution in two dimensions with one filter per channel,
 * otherwise the reason. For `fits`.
 */
Status fits_depthwise(const task::Task& task, const TargetDescription& target);

/** A convolution's output in tiles: filters, rows and columns. */
struct OutputTiles {
  std::vector<LoopId> f, y, x;
  /// images, and all output loops except a thread's own serial loops, in nesting order
  std::vector<LoopId> outer;
};

/**
 * Tiles the output of a convolution on a GPU as TVM does, by the knobs tile_f, tile_y and tile_x: blocks (z,
 * y, x), virtual threads, threads (z, y, x), and a thread's own serial loops.
 */
OutputTiles tile_output(Schedule& s);

/** Returns the order `outer`, then `inner`. */
std::vector<OrderItem> order_within(const std::vector<LoopId>& outer, const std::vector<LoopId>& inner);

/** Returns the matrix multiplication of a task, batched or not; otherwise the reason why the task is none. */
Result<task::MatrixMultiplication> plain_multiplication(const task::Task& task, bool batched);

/**
 * Pads a reduction axis to whole groups of a dot product and splits it into {groups, elements of a group}.
 * The last loop, which is named after the operation's elements, is replaced by one operation.
 */
std::vector<LoopId> split_dot_groups(Schedule& s, LoopId axis, const Intrinsic& dot);

/**
 * Adds the knob dot_product to a schedule with dot products that may be slower than multiply-adds of their
 * elements, if the target has the operation. Elsewhere the source's plain C multiplies and adds elements.
 */
void offer_multiply_adds(Schedule& s, const Intrinsic& dot, const TargetDescription& target);

/** Returns ok if the task is an f32 matrix multiplication, batched or not; otherwise the reason. */
Status fits_multiplication(const task::Task& task, bool batched);

}  // namespace kernelscape::schedule
