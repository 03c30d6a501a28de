#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/schedule/target.h"
#include "core/task/task.h"

namespace kernelscape {

/** What an intrinsic is to a loop nest. */
enum class IntrinsicForm : std::uint8_t {
  DotProduct,  ///< each lane of a vector adds up the products of a group of consecutive elements
  WarpMatrix,  ///< a warp's multiply-accumulate of matrices in fragments
};

/** Loops that an operation takes whole, and where it exists: a row of intrinsics(). */
struct Intrinsic {
  std::string_view name;
  IntrinsicForm form = IntrinsicForm::DotProduct;
  TargetKind target = TargetKind::Cpu;
  OperandTypes types;
  std::vector<std::string_view> loops;  ///< what it takes, in the order in which tensorize() names them
  std::int64_t threads = 1;             ///< that do one operation together: along threadIdx.x
  std::vector<std::int64_t>
      load_lanes;  ///< most elements at once that its operands may be copied by; empty: any
  /** Whether a machine has it, or why kernels do the same without: plain C stands in for a dot product. */
  Status (*available)(const TargetDescription& target) = nullptr;
};

/** All that schedules may name. */
std::span<const Intrinsic> intrinsics();

/** The row with this name. @throws std::logic_error: there is none */
const Intrinsic& intrinsic(std::string_view name);

}  // namespace kernelscape
