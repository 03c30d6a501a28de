#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/schedule/target.h"
#include "core/task/task.h"

namespace kernelscape::schedule {

/** The form of an intrinsic in a loop nest. */
enum class IntrinsicForm : std::uint8_t {
  DotProduct,  ///< each lane of a vector adds up the products of a group of consecutive elements
  WarpMatrix,  ///< a warp's multiply-accumulate of matrices in fragments
};

/** An operation that replaces whole loops, and the targets that have it: a row of intrinsics(). */
struct Intrinsic {
  std::string_view name;
  IntrinsicForm form = IntrinsicForm::DotProduct;
  TargetKind target = TargetKind::Cpu;
  task::OperandTypes types;
  /// the loops that it replaces, in the order in which tensorize() names them
  std::vector<std::string_view> loops;
  /// number of threads that execute one operation together, along threadIdx.x
  std::int64_t threads = 1;
  std::vector<std::int64_t> load_lanes;  ///< allowed numbers of elements per copy of its operands; empty: any
  /// DotProduct: number of consecutive elements whose products each lane adds up
  std::int64_t group = 1;
  std::string_view element = {};  ///< DotProduct: name of the loop over a group's elements
  /**
   * DotProduct: multiply-adds of the elements may be faster. vdpbf16ps is so on Intel's cores, which begin
   * one every second cycle and two multiply-adds in each; AMD's begin it as often as a multiply-add.
   */
  bool may_be_slow = false;
  /// extensions of a CPU (TargetDescription::extensions), each of which includes the operation
  std::vector<std::string_view> extensions = {};
  /**
   * Returns ok if the machine has the operation, otherwise the reason why it has not. In kernels that are
   * built for a machine without it, plain C replaces a dot product.
   */
  Status (*available)(const TargetDescription& target) = nullptr;
};

/** Returns all intrinsics that schedules can use. */
std::span<const Intrinsic> intrinsics();

/** Returns the intrinsic with this name. @throws std::logic_error if there is none */
const Intrinsic& intrinsic(std::string_view name);

}  // namespace kernelscape::schedule
