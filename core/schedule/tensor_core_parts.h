#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/schedule/schedule.h"
#include "core/schedule/target.h"
#include "core/task/task.h"

namespace kernelscape::schedule {

/** output[rows, columns] += a[rows, depth] * b[depth, columns], as an operator's axes. */
struct MatrixAxes {
  LoopId rows;
  LoopId columns;
  LoopId depth;
  std::vector<LoopId> blocks;      ///< each of their iterations is one block (blockIdx.z)
  std::vector<LoopId> reductions;  ///< reductions around the loop over `depth`
};

/** The differences between TVM's tensor-core templates. */
struct TensorCoreKnobs {
  std::vector<std::int64_t> fragment_rows;  ///< values of wmma_m, in order
  std::string vector_width;                 ///< name of the knob
  bool pads_result = false;                 ///< true: by its own knob offsetCS; false: as the operands
};

/** Returns true if TVM's templates have a fragment shape for this number of rows and columns. */
bool divided_by_fragments(std::int64_t fragment_rows, std::int64_t rows, std::int64_t columns);

/**
 * Returns ok if a target has tensor cores (CUDA, sm_70 or newer), a task's operands are f16 and its sum f32,
 * and one of the shapes 16x16x16, 8x32x16 and 32x8x16 divides rows x columns x depth; otherwise the reason.
 */
Status fits_tensor_cores(const task::Task& task, const TargetDescription& target, std::int64_t rows,
                         std::int64_t columns, std::int64_t depth);

/**
 * Records the schedule of TVM's tensor-core templates (topi/cuda, v0.8): a block of block_row_warps x
 * block_col_warps warps, each with warp_row_tiles x warp_col_tiles fragments of wmma_m x (256 / wmma_m)
 * elements, steps of 16 x chunk along the depth through shared memory with rows padded by `offset`, and the
 * result through shared memory as well. All configurations are members; configurations whose tiles do not
 * divide the task are rejected by a limit.
 */
void schedule_tensor_cores(Schedule& schedule, const MatrixAxes& axes, const TensorCoreKnobs& knobs);

}  // namespace kernelscape::schedule
