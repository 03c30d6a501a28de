#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "core/loop_nest/index_expression.h"
#include "core/loop_nest/layout.h"
#include "core/task/epilogue.h"

namespace kernelscape::loop_nest {

enum class LoopKind : std::uint8_t {
  Serial,
  Parallel,    ///< its iterations are distributed over the kernel's parts
  Unrolled,    ///< replaced by copies of its body
  Vectorized,  ///< replaced by vector operations
};

enum class BufferScope : std::uint8_t {
  Global,  ///< an argument of the kernel
  /// of a thread: on a CPU named variables, so that every index must be a constant when code is emitted; on a
  /// GPU an array that the compiler splits into registers
  Registers,
  Local,      ///< an array of a CPU's thread, which loops may index
  Shared,     ///< an array of a GPU's block; arrays with disjoint lifetimes share memory (shared_memory.h)
  Fragments,  ///< an array of matrices, each distributed over the registers of a warp's threads
};

/** Returns the scope's name in buffers and stage trees, such as "registers". */
std::string to_string(BufferScope scope);

struct Buffer {
  std::string name;
  std::string element_type = "f32";
  BufferScope scope = BufferScope::Global;
  bool written = false;
  Layout layout;  ///< global buffers
  /// register, local and shared buffers: the tile, innermost last; fragments: their number along each
  /// dimension
  std::vector<std::int64_t> extents;

  bool operator==(const Buffer&) const = default;
};

/** An access to elements offset, offset + lane_stride, ... of a buffer, one per lane of the operation. */
struct BufferAccess {
  int buffer = 0;
  IndexExpression offset;
  std::int64_t lane_stride = 0;

  bool operator==(const BufferAccess&) const = default;
};

/** Holds if `divisor` divides the value and the quotient lies in [0, bound). */
struct Condition {
  IndexExpression value;
  std::int64_t bound = 1;
  std::int64_t divisor = 1;

  bool operator==(const Condition&) const = default;
};

enum class Operation : std::uint8_t {
  SetZero,
  Copy,
  CopyOrZero,  ///< zero if a condition fails
  MultiplyAccumulate,
  Combine  ///< a sum of multiples of the sources, by `coefficients`
};

struct Statement;
using StatementPtr = std::shared_ptr<const Statement>;

/** A loop over variable = begin, ..., end - 1. */
struct Loop {
  int variable = 0;
  std::int64_t begin = 0;
  std::int64_t end = 1;
  LoopKind kind = LoopKind::Serial;
  std::int64_t unroll_hint = 1;  ///< unroll factor requested from the compiler
  StatementPtr body;
};

/** Gives a variable one value in its body. */
struct Let {
  int variable = 0;
  IndexExpression value;
  StatementPtr body;
};

struct Guard {
  std::vector<Condition> conditions;  ///< all must hold
  StatementPtr body;
};

struct Sequence {
  std::vector<StatementPtr> statements;
};

/** Allocates a register, local, shared or fragment buffer for the duration of the body. */
struct Allocate {
  int buffer = 0;
  StatementPtr body;
};

/** A barrier: all threads of a block have reached it and see what the others wrote to shared buffers. */
struct Barrier {};

/**
 * Computes destination = 0, = source, += source * source, or = a sum of multiples of sources in `lanes`
 * lanes; does nothing if a condition fails. With `group`, a multiply-accumulate adds the products of `group`
 * consecutive elements of its sources, from each lane's element on: a dot product (vpdpbusd, of four bytes),
 * or `by_elements` one multiply-add for each of them. With `epilogue`, a copy or a sum of multiples is
 * changed by these steps before it is stored; the operands of the steps that have one are the last sources,
 * in order.
 */
struct Compute {
  Operation operation = Operation::SetZero;
  BufferAccess destination;
  std::vector<BufferAccess> sources;
  std::int64_t lanes = 1;
  std::vector<Condition> conditions;
  std::int64_t group = 1;
  std::vector<double> coefficients{};  ///< Combine: one per source that is summed
  std::vector<task::EpilogueStep> epilogue{};
  bool by_elements = false;  ///< a group without the machine's dot product
};

/** The rows and columns of the accumulator, and the depth of one multiply-accumulate. */
struct FragmentShape {
  std::int64_t rows = 16;
  std::int64_t columns = 16;
  std::int64_t depth = 16;

  bool operator==(const FragmentShape&) const = default;
};

enum class FragmentAction : std::uint8_t {
  SetZero,             ///< an accumulator
  LoadA,               ///< rows x depth, from a shared buffer
  LoadB,               ///< depth x columns, from a shared buffer
  MultiplyAccumulate,  ///< accumulator += A * B
  Store,               ///< an accumulator, to a shared buffer
};

/** Whether rows or columns of a matrix are consecutive in memory. */
enum class MatrixOrder : std::uint8_t { RowMajor, ColumnMajor };

/**
 * An operation of the threads of a warp on matrices in their registers (a GPU's tensor cores). The offset of
 * an access to a fragment buffer counts fragments. An access to a shared buffer refers to the matrix's first
 * element, and is the same for all threads of the warp.
 */
struct FragmentOperation {
  FragmentAction action = FragmentAction::SetZero;
  FragmentShape shape;
  BufferAccess destination;
  std::vector<BufferAccess> sources;  ///< of MultiplyAccumulate: A, then B
  std::int64_t line_stride = 0;       ///< loads and stores: elements from one line of the matrix to the next
  /** Loads: how the matrix lies in memory. MultiplyAccumulate: how A and B were loaded. Stores: row-major. */
  std::vector<MatrixOrder> orders;
};

struct Statement {
  std::variant<Loop, Let, Guard, Sequence, Allocate, Barrier, Compute, FragmentOperation> node;
};

/** Returns an immutable, shared statement of any kind. */
template <typename Node>
StatementPtr make_statement(Node node) {
  return std::make_shared<const Statement>(Statement{std::move(node)});
}

/** The indices that a GPU gives to a block and to a thread. */
enum class LaunchDimension : std::uint8_t { BlockX, BlockY, BlockZ, ThreadX, ThreadY, ThreadZ };

/** A variable that is an index of the launch; its range is the number of blocks or threads. */
struct LaunchIndex {
  LaunchDimension dimension = LaunchDimension::BlockX;
  int variable = 0;
};

/** A kernel before emission: an immutable value. A pass is a function from one loop nest to another. */
struct LoopNest {
  std::vector<std::string> variables;  ///< names by number
  Ranges ranges;                       ///< by number
  std::vector<Buffer> buffers;         ///< arguments first, in order
  std::int64_t vector_lanes = 1;       ///< maximum lanes of one operation
  std::vector<LaunchIndex> launch{};   ///< of a GPU's kernel: defined in the whole body
  /// true: the last parallel block gets its own code if tiles overhang the matrix in it
  bool separate_last_blocks = false;
  StatementPtr body;
};

/** Returns a readable text of a loop nest for tests and users. */
std::string to_text(const LoopNest& nest);

}  // namespace kernelscape::loop_nest
