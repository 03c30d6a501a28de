#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/base/result.h"
#include "core/task/tensor_operator.h"

namespace kernelscape::task {

/**
 * Convolution over 1 to 3 spatial dimensions; depthwise if groups == input_channels. Vectors: one entry
 * per dimension.
 *
 * data [batch, C_in, (D,) (H,) W], output [batch, C_out, (OD,) (OH,) OW], weight [C_out, C_in / groups,
 * kernel...]; transposed: weight [C_in, C_out / groups, kernel...] as in PyTorch.
 */
struct Convolution {
  std::int64_t batch = 1;
  std::int64_t input_channels = 1;
  std::int64_t output_channels = 1;
  std::int64_t groups = 1;
  std::vector<std::int64_t> input_size;  ///< (D,) (H,) W
  std::vector<std::int64_t> kernel;
  std::vector<std::int64_t> stride;
  std::vector<std::int64_t> padding;  ///< before the first element; also after the last unless padding_end is
                                      ///< set
  std::vector<std::int64_t> padding_end =
      {};  ///< after the last element, if it differs in any dimension; else empty
  std::vector<std::int64_t> dilation;
  bool transposed = false;

  /**
   * Returns (input + padding + end_padding - dilation (kernel - 1) - 1) / stride + 1, rounded down;
   * transposed: (input - 1) stride - padding - end_padding + dilation (kernel - 1) + 1.
   */
  std::vector<std::int64_t> output_size() const;
  /**
   * Returns the padding after the last element. For transposed convolutions it may be negative, which other
   * programs call output padding.
   */
  const std::vector<std::int64_t>& end_padding() const { return padding_end.empty() ? padding : padding_end; }
  /** Returns true if every input channel is a separate group. A channel may have several filters. */
  bool depthwise() const { return groups > 1 && groups == input_channels; }
  bool operator==(const Convolution&) const = default;
};

/** output[b, m, n] = sum over k of a[b, m, k] * b[b, k, n]; a transposed operand is stored [b, k, m] or [b,
 * n, k]. */
struct MatrixMultiplication {
  std::int64_t batch = 1;
  std::int64_t m = 1;
  std::int64_t n = 1;
  std::int64_t k = 1;
  bool batched = false;  ///< written as bmm: tensors have a batch dimension even where it is 1
  bool transpose_a = false;
  bool transpose_b = false;

  bool operator==(const MatrixMultiplication&) const = default;
};

/** A problem that is known by name only: an imported kernel from its log, or a user's own kernel. */
struct GenericProblem {
  std::string problem;
  std::string objective;
  std::string unit;
  double flops = 0;  ///< of one run; 0: unknown
  double bytes = 0;  ///< minimum number of bytes that one run reads and writes; 0: unknown

  bool operator==(const GenericProblem&) const = default;
};

using Definition = std::variant<Convolution, MatrixMultiplication, GenericProblem>;

/** One tensor operator with its shapes and types, or a generic task. */
struct Task {
  std::string name;  ///< the catalogue's name ("resnet18/C2"), else the text
  std::string text;  ///< canonical text: "conv2d 1x64x56x56 64x64x3x3 stride=1 pad=1 dilation=1 groups=1 f32"
  Definition definition;
  std::optional<TensorOperator> op;  ///< none for generic tasks
  std::vector<std::int64_t>
      unroll_steps;  ///< values of auto_unroll_max_step if the task fixes them; else empty

  /** Returns the FLOPs, or 0 if they are unknown, as for most generic tasks. */
  double flops() const {
    if (op) return op->flops();
    const auto* generic = std::get_if<GenericProblem>(&definition);
    return generic != nullptr ? generic->flops : 0.0;
  }
  bool operator==(const Task&) const = default;
};

/** Element types of input, weight and accumulator: {F32, F32, F32, F32}, {U8, I8, I32, I32}, ... */
struct OperandTypes {
  ScalarType activation = ScalarType::F32;
  ScalarType weight = ScalarType::F32;
  ScalarType output = ScalarType::F32;
  ScalarType accumulator = ScalarType::F32;

  bool operator==(const OperandTypes&) const = default;
};

/**
 * Returns the name of a type combination that tasks support: f32, f64, f16 and bf16 (into f32), i8 (u8 x s8
 * into s32). Any other combination has an empty name.
 */
std::string to_string(const OperandTypes& types);
/** Parses the output of to_string() ("f16"). Error: NotFound, which lists the most similar names. */
Result<OperandTypes> parse_operand_types(std::string_view text);
/** Returns the types of an operator's tensors and accumulator, whether or not the combination has a name. */
OperandTypes operand_types(const TensorOperator& op);

/**
 * Returns the bytes of all tensors of a task, each counted once: the minimum that a kernel moves. For generic
 * tasks the bytes that the task specifies; 0: unknown.
 */
double task_bytes(const Task& task);

/**
 * Returns a checked convolution task: extents positive, element counts and FLOPs below 2^53, the kernel not
 * larger than the padded input, groups dividing the channels, sums of i8 of at most 65,793 products, which 32
 * bits hold. The error names the wrong number. The task has `padding_end` only if it differs from `padding`.
 * Axes of convolutions: n, f, (z,) y, x | rc, (rz,) ry, rx. Depthwise: no rc. Grouped, and depthwise with
 * several filters per channel: g follows n, and f counts the filters of one group. Axes of multiplications:
 * (b,) y, x | k  with y of extent m and x of extent n. Tensors: "data"/"weight"/"output" for convolutions,
 * "a"/"b"/"output" for multiplications. Transposed convolutions read data at (y + pad - ry * dilation) /
 * stride.
 */
Result<Task> make_convolution_task(const Convolution& convolution, const OperandTypes& types,
                                   std::string name = {});
/**
 * Returns a checked multiplication task with the same limits. A batch other than 1 is refused unless
 * `batched` is set.
 */
Result<Task> make_matmul_task(const MatrixMultiplication& multiplication, const OperandTypes& types,
                              std::string name = {});

/**
 * Returns a task without an operator; its text is the problem. Returns InvalidArgument if the problem or the
 * objective is missing, or if a FLOP or byte count is invalid.
 */
Result<Task> make_generic_task(const GenericProblem& generic, std::string name = {});

/**
 * Returns a task whose operator has these steps after its sums; the text, and the name if it is another one,
 * end with to_string(steps): "resnet18/C6+bias+relu". InvalidArgument for generic tasks, integer types, and
 * a task that has an epilogue already.
 */
Result<Task> with_epilogue(Task task, const std::vector<EpilogueStep>& steps);

/**
 * Parses a task from a single line:
 *
 *   conv1d|conv2d|conv3d DATA WEIGHT [stride=S] [pad=P] [dilation=D] [groups=G] [transposed] [TYPE]
 *   matmul A B [transpose_a] [transpose_b] [TYPE]         A: MxK, stored KxM with transpose_a; B: KxN or NxK
 *   bmm A B [transpose_a] [transpose_b] [TYPE]            as matmul, with a batch dimension in front
 *   gemv A X [TYPE]                                       MxK times K; converted to matmul MxK Kx1
 *
 *   conv2d 1x64x56x56 64x64x3x3 stride=1 pad=1 dilation=1 groups=1 f32
 *   matmul 512x1024 1024x4096 f32      bmm 12x512x64 12x64x512 f32      gemv 512x1024 1024 f32
 *
 * An epilogue may end the line, which names what is done to each sum before it is stored (parse_epilogue()):
 * conv2d 1x64x56x56 64x64x3x3 pad=1 f32 +bias+add+relu. That of a gemv has no +bias and no +scale.
 *
 * DATA is [batch, C_in, size...], WEIGHT is described at Convolution. S, P and D are one number, or one per
 * dimension (2x1). A pair in P, 0:1, is the padding before the first element and after the last. Words after
 * the shapes may be in any order, each once. Defaults: stride=1 pad=0 dilation=1 groups=1 f32. Types: f32 f64
 * f16 (f16 into f32) bf16 (into f32) i8 (u8 x s8 into s32).
 *
 * An unknown operator, attribute or type is NotFound, which lists the most similar names; all other errors
 * are InvalidArgument.
 */
Result<Task> parse_task(std::string_view text);

/**
 * Returns the JSON text of a task, the form in the catalogue's files, users' files and the store:
 *
 *   {"name": "opevo/C1", "task": "conv2d ...", "unroll_steps": [0, 125, 256]}
 *   {"name": "...", "generic": {"problem": "...", "objective": "...", "unit": "...", "flops": 2e9, "bytes":
 * 1e6}}
 *
 * A missing name is the task's text; "unroll_steps", "flops" and "bytes" may be missing.
 */
std::string task_to_json(const Task& task);
/**
 * Parses the JSON text of a task. Errors: InvalidArgument if the text is not a JSON object, a member is
 * unknown or has another type, or if it has neither or both of "task" and "generic"; else as parse_task().
 */
Result<Task> task_from_json(std::string_view json);

}  // namespace kernelscape::task
