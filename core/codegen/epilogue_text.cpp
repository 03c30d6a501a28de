#include "core/codegen/epilogue_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>

namespace kernelscape::codegen {
namespace {

using task::EpilogueKind;

/** A function of steps, and the functions that it calls. LANES stands for the number of lanes. */
struct StepFunction {
  std::string_view name;
  std::string_view text;
  std::array<std::string_view, 2> calls{};
};

/** In the order of their definitions: each calls only functions before it. All of them keep NaN. */
constexpr std::array<StepFunction, 13> all_step_functions{{
    {"select",
     "static inline float_xLANES select_xLANES(int_xLANES choose, float_xLANES a, float_xLANES b) {\n"
     "  return (float_xLANES)((choose & (int_xLANES)a) | (~choose & (int_xLANES)b));\n}\n"},
    {"clip",
     "static inline float_xLANES clip_xLANES(float_xLANES x, float low, float high) {\n"
     "  const float_xLANES lows = low - (float_xLANES){0}, highs = high - (float_xLANES){0};\n"
     "  x = select_xLANES(x < lows, lows, x);\n"
     "  return select_xLANES(x > highs, highs, x);\n}\n",
     {"select"}},
    {"relu",
     "static inline float_xLANES relu_xLANES(float_xLANES x) {\n"
     "  return (float_xLANES)((int_xLANES)x & ~(x < (float_xLANES){0}));\n}\n"},
    {"leakyrelu",
     "static inline float_xLANES leakyrelu_xLANES(float_xLANES x, float slope) {\n"
     "  return select_xLANES(x >= (float_xLANES){0}, x, slope * x);\n}\n",
     {"select"}},
    {"hardsigmoid",
     "static inline float_xLANES hardsigmoid_xLANES(float_xLANES x, float slope, float middle) {\n"
     "  return clip_xLANES(slope * x + middle, 0.0f, 1.0f);\n}\n",
     {"clip"}},
    {"hardswish",
     "static inline float_xLANES hardswish_xLANES(float_xLANES x) {\n"
     "  return x * clip_xLANES(x / 6.0f + 0.5f, 0.0f, 1.0f);\n}\n",
     {"clip"}},
    // x = k ln 2 + r: ln 2 is subtracted in two parts, the first of which has few bits, so that k times it is
    // exact. Adding 128 before the conversion rounds downwards for all k.
    {"exp",
     "/* Relative error below 2e-7 from -87 to 88; arguments beyond are clamped. */\n"
     "static inline float_xLANES exp_xLANES(float_xLANES x) {\n"
     "  x = clip_xLANES(x, -87.0f, 88.0f);\n"
     "  const int_xLANES k = __builtin_convertvector(x * 1.44269504f + 128.5f, int_xLANES) - 128;\n"
     "  const float_xLANES times = __builtin_convertvector(k, float_xLANES);\n"
     "  const float_xLANES r = x - times * 0.693359375f + times * 2.12194440e-4f;\n"
     "  float_xLANES p = 1.9875691500e-4f * r + 1.3981999507e-3f;\n"
     "  p = p * r + 8.3334519073e-3f;\n"
     "  p = p * r + 4.1665795894e-2f;\n"
     "  p = p * r + 1.6666665459e-1f;\n"
     "  p = p * r + 5.0000001201e-1f;\n"
     "  p = p * r * r + r + 1.0f;\n"
     "  return p * (float_xLANES)((k + 127) << 23);\n}\n",
     {"clip"}},
    {"sigmoid",
     "static inline float_xLANES sigmoid_xLANES(float_xLANES x) {\n"
     "  return 1.0f / (1.0f + exp_xLANES(-x));\n}\n",
     {"exp"}},
    {"silu",
     "static inline float_xLANES silu_xLANES(float_xLANES x) {\n  return x * sigmoid_xLANES(x);\n}\n",
     {"sigmoid"}},
    {"tanh",
     "static inline float_xLANES tanh_xLANES(float_xLANES x) {\n"
     "  return 1.0f - 2.0f / (1.0f + exp_xLANES(2.0f * x));\n}\n",
     {"exp"}},
    {"erf",
     "/* Formula 7.1.26 of Abramowitz and Stegun: absolute error below 1.5e-7, plus roundings. */\n"
     "static inline float_xLANES erf_xLANES(float_xLANES x) {\n"
     "  const float_xLANES size = (float_xLANES)((int_xLANES)x & 0x7fffffff);\n"
     "  const float_xLANES t = 1.0f / (1.0f + 0.3275911f * size);\n"
     "  float_xLANES p = 1.061405429f * t - 1.453152027f;\n"
     "  p = p * t + 1.421413741f;\n"
     "  p = p * t - 0.284496736f;\n"
     "  p = p * t + 0.254829592f;\n"
     "  p = 1.0f - p * t * exp_xLANES(-size * size);\n"
     "  return (float_xLANES)((int_xLANES)p | ((int_xLANES)x & ~0x7fffffff));\n}\n",
     {"exp"}},
    {"gelu",
     "static inline float_xLANES gelu_xLANES(float_xLANES x) {\n"
     "  return 0.5f * x * (1.0f + erf_xLANES(0.707106781f * x));\n}\n",
     {"erf"}},
    // x / 2 (1 + tanh(z)) is x sigmoid(2 z).
    {"gelutanh",
     "static inline float_xLANES gelutanh_xLANES(float_xLANES x) {\n"
     "  return x * sigmoid_xLANES(1.59576912f * (x + 0.044715f * x * x * x));\n}\n",
     {"sigmoid"}},
}};

/** Returns the name of a step's function, which is its name in a task's text. */
std::string step_function_name(EpilogueKind kind) {
  const std::string text = task::to_string({{kind}}).substr(1);
  return text.substr(0, text.find('('));
}

void add_function(std::string_view name, std::set<std::string_view>& needed) {
  const auto* const function = std::ranges::find(all_step_functions, name, &StepFunction::name);
  needed.insert(function->name);
  for (const std::string_view call : function->calls)
    if (!call.empty()) add_function(call, needed);
}

std::string with_lanes(std::string_view text, std::int64_t lanes) {
  constexpr std::string_view placeholder = "LANES";
  const std::string number = std::to_string(lanes);
  std::string result;
  for (std::size_t begin = 0;;) {
    const std::size_t found = text.find(placeholder, begin);
    result += text.substr(begin, found - begin);
    if (found == std::string_view::npos) return result;
    result += number;
    begin = found + placeholder.size();
  }
}

/** Returns a constant of f32: "0.1f". */
std::string constant(double value) {
  std::string text = fmt::format("{}", static_cast<float>(value));
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text + "f";
}

/** Functions of the mathematical library, whose names in CUDA end with f. */
struct GpuFunctions {
  const char* suffix = "";

  std::string exp() const { return fmt::format("exp{}(-value)", suffix); }
  /** Keeps NaN, which fmin and fmax would replace. */
  static std::string clip(const std::string& value, double low, double high) {
    return fmt::format("({0} < {1} ? {1} : {0} > {2} ? {2} : {0})", value, constant(low), constant(high));
  }
};

}  // namespace

std::string gpu_step_expression(const task::EpilogueStep& step, Dialect dialect) {
  const GpuFunctions of{dialect == Dialect::Cuda ? "f" : ""};
  switch (step.kind) {
    case EpilogueKind::Relu:
      return "value < 0.0f ? 0.0f : value";
    case EpilogueKind::Clip:
      return GpuFunctions::clip("value", step.a, step.b);
    case EpilogueKind::LeakyRelu:
      return fmt::format("value >= 0.0f ? value : {} * value", constant(step.a));
    case EpilogueKind::Sigmoid:
      return fmt::format("1.0f / (1.0f + {})", of.exp());
    case EpilogueKind::HardSigmoid:
      return GpuFunctions::clip(fmt::format("{} * value + {}", constant(step.a), constant(step.b)), 0, 1);
    case EpilogueKind::HardSwish:
      return "value * " + GpuFunctions::clip("value / 6.0f + 0.5f", 0, 1);
    case EpilogueKind::Silu:
      return fmt::format("value / (1.0f + {})", of.exp());
    case EpilogueKind::Tanh:
      return fmt::format("tanh{}(value)", of.suffix);
    case EpilogueKind::Gelu:
      return fmt::format("0.5f * value * (1.0f + erf{}(0.707106781f * value))", of.suffix);
    case EpilogueKind::GeluTanh:
      return fmt::format(
          "0.5f * value * (1.0f + tanh{}(0.797884561f * (value + 0.044715f * value * value * value)))",
          of.suffix);
    default:
      throw std::logic_error("a step with an operand has no function");
  }
}

std::string step_expression(const task::EpilogueStep& step, std::string_view value, std::int64_t lanes) {
  std::string numbers;
  const bool two = step.kind == EpilogueKind::Clip || step.kind == EpilogueKind::HardSigmoid;
  if (two || step.kind == EpilogueKind::LeakyRelu) numbers += ", " + constant(step.a);
  if (two) numbers += ", " + constant(step.b);
  const std::string name = step_function_name(step.kind);
  if (lanes == 1) return fmt::format("{}_x1((float_x1){{{}}}{})[0]", name, value, numbers);
  return fmt::format("{}_x{}({}{})", name, lanes, value, numbers);
}

std::string epilogue_functions(const std::set<EpilogueKind>& kinds, std::int64_t lanes) {
  std::set<std::string_view> needed;
  for (const EpilogueKind kind : kinds)
    if (!task::has_operand(kind)) add_function(step_function_name(kind), needed);
  if (needed.empty()) return {};
  std::string text;
  if (lanes == 1)
    text +=
        "typedef float float_x1 __attribute__((vector_size(4)));\n"
        "typedef int int_x1 __attribute__((vector_size(4)));\n";
  for (const StepFunction& function : all_step_functions)
    if (needed.contains(function.name)) text += with_lanes(function.text, lanes);
  return text;
}

}  // namespace kernelscape::codegen
