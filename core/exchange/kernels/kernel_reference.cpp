#include "core/exchange/kernels/c_text.h"
#include "core/exchange/kernels/kernel_files.h"

namespace kernelscape::exchange {
namespace {

/** Returns the numerator of an index: "2 * x + rx - 1". */
base::CSourceText numerator(const task::AccessIndex& index, const std::vector<task::TensorAxis>& axes) {
  base::CSourceText text;
  for (std::size_t axis = 0; axis < axes.size(); ++axis) {
    const std::int64_t factor = index.coefficients[axis];
    if (factor == 0) continue;
    const base::CSourceText name = base::CSource::name(axes[axis].name);
    if (!text.empty()) {
      text += factor < 0 ? base::Literal(" - ") : base::Literal(" + ");
    } else if (factor < 0) {
      text += "-";
    }
    const std::int64_t size = factor < 0 ? -factor : factor;
    text += size == 1 ? name : base::write<base::CSource>("{} * {}", size, name);
  }
  if (text.empty()) return base::write<base::CSource>("{}", index.offset);
  if (index.offset != 0)
    text += base::write<base::CSource>(" {} {}", index.offset < 0 ? base::Literal("-") : base::Literal("+"),
                                       std::abs(index.offset));
  return text;
}

/** Returns true if the index can be out of bounds, or the division can leave a remainder. */
bool needs_check(const task::AccessIndex& index, const std::vector<task::TensorAxis>& axes,
                 std::int64_t extent) {
  std::int64_t low = index.offset;
  std::int64_t high = index.offset;
  for (std::size_t axis = 0; axis < axes.size(); ++axis) {
    const std::int64_t reach = index.coefficients[axis] * (axes[axis].extent - 1);
    (reach < 0 ? low : high) += reach;
  }
  return index.divisor != 1 || low < 0 || high >= extent;
}

/** Returns the row-major position of a tensor's element from the expressions of its indices. */
base::CSourceText position_of(const std::vector<base::CSourceText>& indices,
                              const std::vector<std::int64_t>& shape) {
  const auto factor = [](const base::CSourceText& text) {
    return text.text().contains(' ') ? "(" + text + ")" : text;
  };
  base::CSourceText position;
  for (std::size_t i = 0; i < indices.size(); ++i)
    position = i == 0 ? indices[i]
                      : base::write<base::CSource>("{} * {} + {}", factor(position), shape[i], indices[i]);
  return position.empty() ? base::CSourceText("0") : position;
}

/** Returns the value of `sum` after a step. */
base::CSourceText epilogue_value(const task::EpilogueStep& step, const base::CSourceText& operand) {
  switch (step.kind) {
    case task::EpilogueKind::Bias:
    case task::EpilogueKind::Add:
      return base::write<base::CSource>("sum + {}", operand);
    case task::EpilogueKind::Scale:
      return base::write<base::CSource>("sum * {}", operand);
    case task::EpilogueKind::Relu:
      return base::CSourceText("fmax(sum, 0.0)");
    case task::EpilogueKind::Clip:
      return base::write<base::CSource>("fmin(fmax(sum, {:.17g}), {:.17g})", step.a, step.b);
    case task::EpilogueKind::LeakyRelu:
      return base::write<base::CSource>("sum >= 0 ? sum : {:.17g} * sum", step.a);
    case task::EpilogueKind::Sigmoid:
      return base::CSourceText("1 / (1 + exp(-sum))");
    case task::EpilogueKind::HardSigmoid:
      return base::write<base::CSource>("fmin(fmax({:.17g} * sum + {:.17g}, 0.0), 1.0)", step.a, step.b);
    case task::EpilogueKind::HardSwish:
      return base::CSourceText("sum * fmin(fmax(sum / 6 + 0.5, 0.0), 1.0)");
    case task::EpilogueKind::Silu:
      return base::CSourceText("sum / (1 + exp(-sum))");
    case task::EpilogueKind::Tanh:
      return base::CSourceText("tanh(sum)");
    case task::EpilogueKind::Gelu:
      return base::CSourceText("sum / 2 * (1 + erf(sum / sqrt(2.0)))");
    case task::EpilogueKind::GeluTanh:
      return base::CSourceText(
          "sum / 2 * (1 + tanh(0.79788456080286536 * (sum + 0.044715 * sum * sum * sum)))");
  }
  return base::CSourceText("sum");
}

/** Returns the magnitude `size` after a step: that of task::magnitude_after(). */
base::CSourceText epilogue_magnitude(const task::EpilogueStep& step, const base::CSourceText& operand) {
  if (step.kind == task::EpilogueKind::Scale) return base::write<base::CSource>("size * fabs({})", operand);
  if (task::has_operand(step.kind)) return base::write<base::CSource>("size + fabs({})", operand);
  // Without an operand it is a linear function.
  const double offset = task::magnitude_after(step, 0, 0);
  return base::write<base::CSource>("{:.17g} * size + {:.17g}", task::magnitude_after(step, 1, 0) - offset,
                                    offset);
}

class ReferenceWriter {
 public:
  explicit ReferenceWriter(const ExportedKernel& kernel) : kernel_(kernel), op_(*kernel.measured.task.op) {}

  base::CSourceText run() {
    line("/* " + base::CSource::comment(kernel_.measured.task.text) + " */");
    line(base::write<base::CSource>(
        "static double {}_expected(long long number, const void *const *plain, double *magnitude,",
        base::CSource::name(kernel_.name)));
    line("                              long long *position) {");
    ++depth_;
    for (std::size_t i = 0; i < op_.inputs.size(); ++i) plain_tensor(op_.inputs[i], i);
    for (std::size_t i = 0; i < op_.operands.size(); ++i)
      plain_tensor(op_.operands[i], op_.inputs.size() + 1 + i);
    spatial_axes();
    line("double sum = 0, size = 0;");
    const int outside = depth_;
    for (const task::TensorAxis& axis : op_.axes)
      if (axis.reduction) open_loop(axis);
    multiply_accumulate();
    while (depth_ > outside) {
      --depth_;
      line("}");
    }
    apply_epilogue();
    line("*magnitude = size;");
    line(
        base::write<base::CSource>("*position = {};", position_of(indices_of(op_.output), op_.output.shape)));
    line("return sum;");
    --depth_;
    line("}");
    return text_;
  }

 private:
  /** Returns a name that differs from all axes: a matrix `b` and a batch `b` need different names. */
  static base::CSourceText plain(const task::TensorAccess& tensor) {
    return "plain_" + base::CSource::name(tensor.tensor);
  }

  /** Declares a tensor by the number of the kernel's argument. */
  void plain_tensor(const task::TensorAccess& tensor, std::size_t number) {
    line(base::write<base::CSource>(
        "const {0} *{1} = (const {0} *)plain[{2}];",
        tensor_element(kernel_.source.arguments[number].element_type).value().c_name, plain(tensor), number));
  }

  /** Returns the value of an element: f16 and bf16 are converted by functions of the check program. */
  static base::CSourceText as_double(std::string_view type, const base::CSourceText& element) {
    if (type == "f16") return base::write<base::CSource>("check_f16({})", element);
    if (type == "bf16") return base::write<base::CSource>("check_bf16({})", element);
    return base::write<base::CSource>("(double){}", element);
  }

  void line(const base::CSourceText& text) {
    text_ += base::write<base::CSource>("{:{}}{}\n", base::Literal(""), 2 * depth_, text);
  }
  void line(base::Literal text) { line(base::CSourceText(text)); }

  /** Computes the spatial axes from the output's number, in which the last axis varies fastest. */
  void spatial_axes() {
    std::int64_t step = 1;
    for (std::size_t i = op_.axes.size(); i-- > 0;) {
      const task::TensorAxis& axis = op_.axes[i];
      if (axis.reduction) continue;
      const base::CSourceText rest =
          step == 1 ? base::CSourceText("number") : base::write<base::CSource>("number / {}", step);
      line(base::write<base::CSource>("const long long {} = {} % {};", base::CSource::name(axis.name), rest,
                                      axis.extent));
      step *= axis.extent;
    }
  }

  void open_loop(const task::TensorAxis& axis) {
    line(base::write<base::CSource>("for (long long {0} = 0; {0} < {1}; ++{0}) {{",
                                    base::CSource::name(axis.name), axis.extent));
    ++depth_;
  }

  /** Returns expressions of the indices; those that need a check are stored in variables first. */
  std::vector<base::CSourceText> indices_of(const task::TensorAccess& access) {
    std::vector<base::CSourceText> indices;
    for (std::size_t i = 0; i < access.indices.size(); ++i) {
      const task::AccessIndex& index = access.indices[i];
      const base::CSourceText value = numerator(index, op_.axes);
      if (!needs_check(index, op_.axes, access.shape[i])) {
        indices.push_back(value);
        continue;
      }
      const base::CSourceText name =
          base::write<base::CSource>("{}_{}", base::CSource::name(access.tensor), i);
      line(base::write<base::CSource>("const long long {} = {};", name, value));
      const base::CSourceText remainder =
          index.divisor == 1 ? base::CSourceText()
                             : base::write<base::CSource>(" || {} % {} != 0", name, index.divisor);
      line(base::write<base::CSource>("if ({0} < 0 || {0} >= {1}{2}) continue;", name,
                                      access.shape[i] * index.divisor, remainder));
      indices.push_back(index.divisor == 1 ? name
                                           : base::write<base::CSource>("{} / {}", name, index.divisor));
    }
    return indices;
  }

  void multiply_accumulate() {
    std::vector<base::CSourceText> factors;
    for (std::size_t i = 0; i < op_.inputs.size(); ++i) {
      const task::TensorAccess& input = op_.inputs[i];
      const base::CSourceText position = position_of(indices_of(input), input.shape);
      factors.push_back(as_double(kernel_.source.arguments[i].element_type,
                                  base::write<base::CSource>("{}[{}]", plain(input), position)));
    }
    line(base::write<base::CSource>("const double product = {};",
                                    base::joined<base::CSource>(factors, " * ")));
    line("sum += product;");
    line("size += fabs(product);");
  }

  /** Writes the epilogue's steps as task::apply() defines them. */
  void apply_epilogue() {
    std::size_t next = 0;  // the operand of the next step that has one
    for (const task::EpilogueStep& step : op_.epilogue) {
      base::CSourceText operand("0");
      if (task::has_operand(step.kind)) {
        const task::TensorAccess& tensor = op_.operands[next++];
        operand = base::write<base::CSource>("(double){}[{}]", plain(tensor),
                                             position_of(indices_of(tensor), tensor.shape));
      }
      line(base::write<base::CSource>("sum = {};", epilogue_value(step, operand)));
      line(base::write<base::CSource>("size = {};", epilogue_magnitude(step, operand)));
      line("if (fabs(sum) > size) size = fabs(sum);");
    }
  }

  const ExportedKernel& kernel_;
  const task::TensorOperator& op_;
  base::CSourceText text_;
  int depth_ = 0;
};

}  // namespace

base::CSourceText reference_function(const ExportedKernel& kernel) {
  return ReferenceWriter(kernel).run() + "\n";
}

}  // namespace kernelscape::exchange
