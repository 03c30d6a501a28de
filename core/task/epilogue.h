#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace kernelscape::task {

/** What is done to each element of an operator's result before it is stored. */
enum class EpilogueKind : std::uint8_t {
  Bias,         ///< adds the element of a vector over the output's channels
  Scale,        ///< multiplies by the element of a vector over the output's channels
  Add,          ///< adds the element of a tensor of the output's shape (a residual connection)
  Relu,         ///< max(x, 0)
  Clip,         ///< min(max(x, a), b)
  LeakyRelu,    ///< x if x >= 0, else a x
  Sigmoid,      ///< 1 / (1 + exp(-x))
  HardSigmoid,  ///< min(max(a x + b, 0), 1)
  HardSwish,    ///< x min(max(x / 6 + 1 / 2, 0), 1)
  Silu,         ///< x / (1 + exp(-x))
  Tanh,
  Gelu,      ///< x / 2 (1 + erf(x / sqrt(2)))
  GeluTanh,  ///< x / 2 (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))): the usual approximation of Gelu
};

/** One step of an epilogue. Channels are axis f of convolutions and the columns of multiplications. */
struct EpilogueStep {
  EpilogueKind kind = EpilogueKind::Relu;
  double a = 0;
  double b = 0;

  bool operator==(const EpilogueStep&) const = default;
};

/** An epilogue has at most this many steps. */
inline constexpr std::size_t max_epilogue_steps = 8;

/** Returns true if a step reads a tensor of its own: Bias, Scale and Add. */
bool has_operand(EpilogueKind kind);

/** Returns the steps as a task's text has them: "+bias+clip(0,6)"; empty if there are none. */
std::string to_string(const std::vector<EpilogueStep>& steps);
/**
 * Parses the text of to_string(), with or without spaces, and with : for the comma between numbers.
 * InvalidArgument names the step and lists what there is.
 */
Result<std::vector<EpilogueStep>> parse_epilogue(std::string_view text);

/** Returns a value after a step, in double precision. @param operand of a step that has one, else unused */
double apply(const EpilogueStep& step, double value, double operand);

/** Returns a bound of a step's derivative: by how much the step may amplify an error. */
double gain(const EpilogueStep& step);
/**
 * Returns a bound of a step's rounding errors in unit roundoffs, relative to the magnitude after the step. A
 * kernel's approximations of exp and erf have errors below 4 roundoffs; their steps are bounded by 16.
 */
double roundings(EpilogueKind kind);
/**
 * Returns the magnitude that errors are relative to after a step: at least the step's result, and the
 * magnitude before it times the step's derivative.
 */
double magnitude_after(const EpilogueStep& step, double magnitude, double operand);

}  // namespace kernelscape::task
