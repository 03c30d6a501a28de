#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/schedule/schedule.h"
#include "core/schedule/template.h"
#include "core/task/task.h"

namespace kernelscape {

/** Space and limits of a finished schedule. */
Result<ScheduledKernel> finish_template(std::string name, int version, const Task& task,
                                        const TargetDescription& target, Schedule schedule);

/** 1, 2, ..., last. */
std::vector<std::int64_t> up_to(std::int64_t last);

/** The largest divisor of `value` that is at most `bound`. */
std::int64_t largest_divisor(std::int64_t value, std::int64_t bound);

/** Vector accumulators that fit beside the operands of a multiply-add. */
std::int64_t accumulator_registers(const TargetDescription& target);

/** Registers of 32 bits that a GPU's thread can have. */
std::int64_t thread_registers(const TargetDescription& target);

/** Most output positions along a row of a register tile. */
inline constexpr std::int64_t most_tile_positions = 28;
/** Most vectors across a register tile. */
inline constexpr std::int64_t most_tile_vectors = 8;

/** The dimension of a tensor that an axis indexes; the first where several do. */
int dimension_of(const TensorAccess& tensor, LoopId axis);

/** The operator's types are all f32, or which is not. */
Status require_f32(const Task& task);

/** The operator multiplies u8 by i8 and adds in i32, or which of its types is another. */
Status require_int8(const Task& task);

/** Lanes of 32 bits of TVM's operation on bytes. */
inline constexpr std::int64_t lanes_of_tvm_dot = 16;

/** Whether `of` divides a number of a task, or which it is: "24 columns, which is no multiple of 16". */
Status require_multiple(std::string_view what, std::int64_t value, std::int64_t of);

/** Bytes that a lane of 32 bits multiplies and adds up at once: vpdpbusd. */
inline constexpr std::int64_t bytes_per_dot = 4;

/** The convolution behind a task where it is one in two dimensions that is not transposed; else why not. */
Result<Convolution> plain_convolution_2d(const Task& task);

/** The same where it has no groups. */
Result<Convolution> ungrouped_convolution_2d(const Task& task);

/** Whether a task is a plain, ungrouped f32 convolution in two dimensions, or why not: a `fits`. */
Status fits_plain_convolution(const Task& task, const TargetDescription& target);

/** Whether a task is an f32 depthwise convolution in two dimensions with one filter per channel: a `fits`. */
Status fits_depthwise(const Task& task, const TargetDescription& target);

/** A convolution's output in tiles: filters, rows and columns. */
struct OutputTiles {
  std::vector<LoopId> f, y, x;
  std::vector<LoopId> outer;  ///< images and all but what a thread does in a row, in nesting order
};

/** TVM's tiles of a convolution on a GPU, by the knobs tile_f, tile_y and tile_x: blocks (z, y, x), virtual
 * threads, threads (z, y, x), and what a thread does in a row. */
OutputTiles tile_output(Schedule& s);

/** `outer`, then `inner`. */
std::vector<OrderItem> order_within(const std::vector<LoopId>& outer, const std::vector<LoopId>& inner);

/** The multiplication behind a task, batched or not, else why not. */
Result<MatrixMultiplication> plain_multiplication(const Task& task, bool batched);

/**
 * Pads a reduction axis to whole groups of a dot product and splits it: {groups, elements of a group}. One
 * operation takes the last.
 */
std::vector<LoopId> split_dot_groups(Schedule& s, LoopId axis);

/** Whether a task is an f32 matrix multiplication, batched or not, or why not. */
Status fits_multiplication(const Task& task, bool batched);

}  // namespace kernelscape
