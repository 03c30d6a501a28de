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

class ReferenceWriter {
 public:
  explicit ReferenceWriter(const ExportedKernel& kernel) : kernel_(kernel), op_(*kernel.measured.task.op) {}

  base::CSourceText run() {
    line("/* " + base::CSource::comment(kernel_.measured.task.text) + " */");
    line(base::write<base::CSource>(
        "static double {}_expected(long long number, const void *first, const void *second,",
        base::CSource::name(kernel_.name)));
    line("                              double *magnitude, long long *position) {");
    ++depth_;
    for (std::size_t i = 0; i < op_.inputs.size(); ++i)
      line(base::write<base::CSource>("const {0} *{1} = (const {0} *){2};",
                                      tensor_element(kernel_.source.arguments[i].element_type).value().c_name,
                                      plain(op_.inputs[i]),
                                      i == 0 ? base::Literal("first") : base::Literal("second")));
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
