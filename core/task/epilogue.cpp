#include "core/task/epilogue.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <numbers>

#include "core/base/text.h"
#include "core/base/visible_text.h"

namespace kernelscape::task {
namespace {

struct StepName {
  EpilogueKind kind;
  const char* name;
  int numbers = 0;  ///< that its text has in parentheses
};

constexpr std::array<StepName, 13> step_names{{{EpilogueKind::Bias, "bias"},
                                               {EpilogueKind::Scale, "scale"},
                                               {EpilogueKind::Add, "add"},
                                               {EpilogueKind::Relu, "relu"},
                                               {EpilogueKind::Clip, "clip", 2},
                                               {EpilogueKind::LeakyRelu, "leakyrelu", 1},
                                               {EpilogueKind::Sigmoid, "sigmoid"},
                                               {EpilogueKind::HardSigmoid, "hardsigmoid", 2},
                                               {EpilogueKind::HardSwish, "hardswish"},
                                               {EpilogueKind::Silu, "silu"},
                                               {EpilogueKind::Tanh, "tanh"},
                                               {EpilogueKind::Gelu, "gelu"},
                                               {EpilogueKind::GeluTanh, "gelutanh"}}};

/** Numbers of steps are constants of f32 in kernels. */
constexpr double largest_number = 1e30;

std::string forms_text() {
  std::vector<std::string> forms;
  for (const StepName& step : step_names) {
    static constexpr std::array<const char*, 3> numbers{"", "(a)", "(a,b)"};
    forms.push_back(fmt::format("+{}{}", step.name, numbers[static_cast<std::size_t>(step.numbers)]));
  }
  return base::join(forms, " ");
}

std::unexpected<Error> refuse(ErrorCode code, const std::string& reason) {
  return fail(code, reason, "steps of an epilogue: " + forms_text());
}

/** Splits at each + that no number contains: 1e+20 has one. */
std::vector<std::string> split_steps(std::string_view text) {
  std::vector<std::string> parts;
  bool in_numbers = false;
  for (const char c : text) {
    if (c == ' ' || c == '\t' || c == '\n' || c == '\r') continue;
    if (c == '(') in_numbers = true;
    if (c == ')') in_numbers = false;
    if (c == '+' && !in_numbers)
      parts.emplace_back();
    else if (parts.empty())
      parts.emplace_back(1, c);
    else
      parts.back().push_back(c);
  }
  return parts;
}

Result<std::vector<double>> parse_step_numbers(const std::string& step, std::string_view text) {
  std::vector<double> numbers;
  if (text.empty()) return numbers;
  if (!text.ends_with(')'))
    return refuse(ErrorCode::InvalidArgument,
                  fmt::format("the step {} does not end with a parenthesis", base::quoted_line(step)));
  // Lists of tasks are separated by commas: there, 0:6 stands for 0,6.
  std::string inside(text.substr(1, text.size() - 2));
  std::ranges::replace(inside, ':', ',');
  for (const std::string& part : base::split_text(inside, ',')) {
    double value = 0;
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), value);
    if (error != std::errc() || end != part.data() + part.size() || !(std::fabs(value) <= largest_number))
      return refuse(ErrorCode::InvalidArgument,
                    fmt::format("the step {}: {} is not a number between -1e30 and 1e30",
                                base::quoted_line(step), base::quoted_line(part)));
    numbers.push_back(value);
  }
  return numbers;
}

Result<EpilogueStep> parse_step(const std::string& text) {
  const std::size_t bracket = std::min(text.find('('), text.size());
  const std::string name = text.substr(0, bracket);
  const auto found =
      std::ranges::find_if(step_names, [&](const StepName& known) { return name == known.name; });
  if (found == step_names.end())
    return refuse(ErrorCode::InvalidArgument, fmt::format("unknown step {}", base::quoted_line(name)));
  const std::vector<double> numbers = TRY(parse_step_numbers(text, std::string_view(text).substr(bracket)));
  if (static_cast<int>(numbers.size()) != found->numbers)
    return refuse(ErrorCode::InvalidArgument,
                  fmt::format("the step {} has {} numbers, not {}", name, numbers.size(), found->numbers));
  EpilogueStep step{found->kind};
  if (!numbers.empty()) step.a = numbers[0];
  if (numbers.size() > 1) step.b = numbers[1];
  if (step.kind == EpilogueKind::Clip && step.a > step.b)
    return refuse(ErrorCode::InvalidArgument,
                  fmt::format("the step {}: the first number is above the second", base::quoted_line(text)));
  return step;
}

double sigmoid(double value) { return 1 / (1 + std::exp(-value)); }

double hard_swish(double value) { return value * std::clamp(value / 6 + 0.5, 0.0, 1.0); }

double gelu_tanh(double value) {
  constexpr double cubic = 0.044715;
  const double inner = std::sqrt(2 * std::numbers::inv_pi) * (value + cubic * value * value * value);
  return value / 2 * (1 + std::tanh(inner));
}

}  // namespace

bool has_operand(EpilogueKind kind) {
  return kind == EpilogueKind::Bias || kind == EpilogueKind::Scale || kind == EpilogueKind::Add;
}

std::string to_string(const std::vector<EpilogueStep>& steps) {
  std::string text;
  for (const EpilogueStep& step : steps) {
    const StepName& known = *std::ranges::find(step_names, step.kind, &StepName::kind);
    text += fmt::format("+{}", known.name);
    if (known.numbers == 1) text += fmt::format("({})", step.a);
    if (known.numbers == 2) text += fmt::format("({},{})", step.a, step.b);
  }
  return text;
}

Result<std::vector<EpilogueStep>> parse_epilogue(std::string_view text) {
  std::vector<EpilogueStep> steps;
  for (const std::string& part : split_steps(text)) steps.push_back(TRY(parse_step(part)));
  if (steps.size() <= max_epilogue_steps) return steps;
  return fail(ErrorCode::InvalidArgument, fmt::format("an epilogue of {} steps", steps.size()),
              fmt::format("it may have at most {}", max_epilogue_steps));
}

double apply(const EpilogueStep& step, double value, double operand) {
  switch (step.kind) {
    case EpilogueKind::Bias:
    case EpilogueKind::Add:
      return value + operand;
    case EpilogueKind::Scale:
      return value * operand;
    case EpilogueKind::Relu:
      return std::max(value, 0.0);
    case EpilogueKind::Clip:
      return std::min(std::max(value, step.a), step.b);
    case EpilogueKind::LeakyRelu:
      return value >= 0 ? value : step.a * value;
    case EpilogueKind::Sigmoid:
      return sigmoid(value);
    case EpilogueKind::HardSigmoid:
      return std::clamp(step.a * value + step.b, 0.0, 1.0);
    case EpilogueKind::HardSwish:
      return hard_swish(value);
    case EpilogueKind::Silu:
      return value * sigmoid(value);
    case EpilogueKind::Tanh:
      return std::tanh(value);
    case EpilogueKind::Gelu:
      return value / 2 * (1 + std::erf(value / std::numbers::sqrt2));
    case EpilogueKind::GeluTanh:
      return gelu_tanh(value);
  }
  return value;
}

double gain(const EpilogueStep& step) {
  switch (step.kind) {
    case EpilogueKind::LeakyRelu:
      return std::max(std::fabs(step.a), 1.0);
    case EpilogueKind::HardSigmoid:
      return std::fabs(step.a);
    case EpilogueKind::Sigmoid:
      return 0.25;
    case EpilogueKind::HardSwish:
      return 1.5;
    case EpilogueKind::Silu:
      return 1.1;
    case EpilogueKind::Gelu:
    case EpilogueKind::GeluTanh:
      return 1.13;
    default:
      return 1;
  }
}

double roundings(EpilogueKind kind) {
  constexpr double approximation = 16;
  switch (kind) {
    case EpilogueKind::Relu:
      return 0;
    case EpilogueKind::Bias:
    case EpilogueKind::Scale:
    case EpilogueKind::Add:
    case EpilogueKind::Clip:
      return 1;
    case EpilogueKind::LeakyRelu:
      return 2;
    case EpilogueKind::HardSigmoid:
    case EpilogueKind::HardSwish:
      return 4;
    default:
      return approximation;
  }
}

double magnitude_after(const EpilogueStep& step, double magnitude, double operand) {
  switch (step.kind) {
    case EpilogueKind::Bias:
    case EpilogueKind::Add:
      return magnitude + std::fabs(operand);
    case EpilogueKind::Scale:
      return magnitude * std::fabs(operand);
    case EpilogueKind::HardSigmoid:
      return gain(step) * magnitude + std::fabs(step.b);
    case EpilogueKind::Sigmoid:
    case EpilogueKind::Tanh:
      return gain(step) * magnitude + 1;
    default:
      return gain(step) * magnitude;
  }
}

}  // namespace kernelscape::task
