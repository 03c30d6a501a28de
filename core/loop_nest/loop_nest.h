#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "core/loop_nest/index_expression.h"
#include "core/loop_nest/layout.h"

namespace kernelscape {

enum class LoopKind : std::uint8_t {
  Serial,
  Parallel,    ///< its iterations are dealt out to the kernel's parts
  Unrolled,    ///< replaced by copies of its body
  Vectorized,  ///< replaced by vector operations
};

enum class BufferScope : std::uint8_t {
  Global,     ///< an argument of the kernel
  Registers,  ///< a thread's: on a CPU named variables, so that every index into it is a constant when code
              ///< is emitted; on a GPU an array that its compiler takes apart
  Local,      ///< an array of a CPU's thread, which loops may index
  Shared,     ///< an array of a GPU's block; arrays whose lifetimes are apart share memory (shared_memory.h)
  Fragments,  ///< an array of matrices, each in the registers of a warp's threads together
};

/** "registers": as buffers and trees of stages are named. */
std::string to_string(BufferScope scope);

struct Buffer {
  std::string name;
  std::string element_type = "f32";
  BufferScope scope = BufferScope::Global;
  bool written = false;
  Layout layout;                      ///< global buffers
  std::vector<std::int64_t> extents;  ///< register, local and shared buffers: the tile, innermost last;
                                      ///< fragments: how many there are along each dimension

  bool operator==(const Buffer&) const = default;
};

/** Elements offset, offset + lane_stride, ... of a buffer, one per lane of the operation. */
struct BufferAccess {
  int buffer = 0;
  IndexExpression offset;
  std::int64_t lane_stride = 0;

  bool operator==(const BufferAccess&) const = default;
};

/** Holds where `divisor` divides the value and the quotient lies in [0, bound). */
struct Condition {
  IndexExpression value;
  std::int64_t bound = 1;
  std::int64_t divisor = 1;

  bool operator==(const Condition&) const = default;
};

enum class Operation : std::uint8_t {
  SetZero,
  Copy,
  CopyOrZero,  ///< zero where a condition fails
  MultiplyAccumulate
};

struct Statement;
using StatementPtr = std::shared_ptr<const Statement>;

/** variable = begin, ..., end - 1 */
struct Loop {
  int variable = 0;
  std::int64_t begin = 0;
  std::int64_t end = 1;
  LoopKind kind = LoopKind::Serial;
  std::int64_t unroll_hint = 1;  ///< bodies per iteration that the compiler is asked for
  StatementPtr body;
};

/** A variable with one value in its body. */
struct Let {
  int variable = 0;
  IndexExpression value;
  StatementPtr body;
};

struct Guard {
  std::vector<Condition> conditions;  ///< all of them
  StatementPtr body;
};

struct Sequence {
  std::vector<StatementPtr> statements;
};

/** A register or shared buffer that lives in the body. */
struct Allocate {
  int buffer = 0;
  StatementPtr body;
};

/** All threads of a block have come here, and see what the others wrote to shared buffers. */
struct Barrier {};

/**
 * destination = 0, = source, or += source * source, in `lanes` lanes; nothing where a condition fails.
 * A multiply-accumulate of groups adds the products of `group` consecutive elements of its sources, from each
 * lane's element on: a dot product (vpdpbusd, of four bytes).
 */
struct Compute {
  Operation operation = Operation::SetZero;
  BufferAccess destination;
  std::vector<BufferAccess> sources;
  std::int64_t lanes = 1;
  std::vector<Condition> conditions;
  std::int64_t group = 1;
};

/** Rows x columns of the accumulator, and the depth of one multiply-accumulate. */
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

/** What runs along a line of consecutive elements of a matrix in memory. */
enum class MatrixOrder : std::uint8_t { RowMajor, ColumnMajor };

/**
 * What the threads of a warp do together with matrices in their registers (a GPU's tensor cores). An access
 * of a fragment buffer counts fragments; one of a shared buffer names the matrix's first element, and is the
 * same for all threads of the warp.
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

/** A statement of any kind, shared and never changed. */
template <typename Node>
StatementPtr make_statement(Node node) {
  return std::make_shared<const Statement>(Statement{std::move(node)});
}

/** Indices that a GPU gives to a block and to a thread. */
enum class LaunchDimension : std::uint8_t { BlockX, BlockY, BlockZ, ThreadX, ThreadY, ThreadZ };

/** A variable that is an index of the launch; how many there are is its range. */
struct LaunchIndex {
  LaunchDimension dimension = LaunchDimension::BlockX;
  int variable = 0;
};

/** A kernel before emission: an immutable value; a pass is a function from one to the next. */
struct LoopNest {
  std::vector<std::string> variables;  ///< names by number
  Ranges ranges;                       ///< by number
  std::vector<Buffer> buffers;         ///< arguments first, in order
  std::int64_t vector_lanes = 1;       ///< most lanes of one operation
  std::vector<LaunchIndex> launch{};   ///< of a GPU's kernel: bound in the whole body
  StatementPtr body;
};

/** Readable text of a loop nest for tests and for people. */
std::string to_text(const LoopNest& nest);

}  // namespace kernelscape
