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
  Registers,  ///< named variables: every index into it is a constant when code is emitted
};

struct Buffer {
  std::string name;
  std::string element_type = "f32";
  BufferScope scope = BufferScope::Global;
  bool written = false;
  Layout layout;                      ///< global buffers
  std::vector<std::int64_t> extents;  ///< register buffers: the tile, innermost last

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

enum class Operation : std::uint8_t { SetZero, Copy, MultiplyAccumulate };

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

/** A register buffer that lives in the body. */
struct Allocate {
  int buffer = 0;
  StatementPtr body;
};

/** destination = 0, = source, or += source * source, in `lanes` lanes; nothing where a condition fails. */
struct Compute {
  Operation operation = Operation::SetZero;
  BufferAccess destination;
  std::vector<BufferAccess> sources;
  std::int64_t lanes = 1;
  std::vector<Condition> conditions;
};

struct Statement {
  std::variant<Loop, Let, Guard, Sequence, Allocate, Compute> node;
};

template <typename Node>
StatementPtr make_statement(Node node) {
  return std::make_shared<const Statement>(Statement{std::move(node)});
}

/** A kernel before emission: an immutable value; a pass is a function from one to the next. */
struct LoopNest {
  std::vector<std::string> variables;  ///< names by number
  Ranges ranges;                       ///< by number
  std::vector<Buffer> buffers;         ///< arguments first, in order
  std::int64_t vector_lanes = 1;       ///< most lanes of one operation
  StatementPtr body;
};

/** Readable text of a loop nest for tests and for people. */
std::string to_text(const LoopNest& nest);

}  // namespace kernelscape
